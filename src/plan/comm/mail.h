/* SPDX-License-Identifier: MIT
 *
 * plan/comm/mail.h - items from each process to any others, which need not know their
 * senders before. Items are counted first, and lie sorted by rank:
 *
 *   mail_open      count[r]: the caller counts the items for rank r
 *   mail_address   next[r]: the place of the next item for r; the caller stores it
 *   mail_send      all receive their items, in count, begin and items of another mail
 */
#ifndef REDIST_PLAN_COMM_MAIL_H
#define REDIST_PLAN_COMM_MAIL_H

#include <mpi.h>
#include <stddef.h>

#include "base/error.h"
#include "base/mem.h"

struct mail {
    int nranks;
    size_t size;    /* bytes of an item */
    int64_t *count; /* [nranks] items to, or from, each rank */
    int64_t *begin; /* [nranks + 1] items before those */
    int64_t *next;  /* [nranks] */
    void *items;    /* [begin[nranks]] */
    struct mem_account *account;
};

/* Local. O(nranks). MEMORY. */
redist_err mail_open(struct mem_account *account, int nranks, size_t size,
                     struct mail *mail);
/* Local. O(nranks). MEMORY. */
redist_err mail_address(struct mail *mail);

/* As mail_address, with the items of each rank sorted into `bins`: `next`[nranks bins]
 * holds the number of items in each bin, and then the place of the next one. Sets the
 * counts, too. */
redist_err mail_address_bins(struct mail *mail, int64_t bins, int64_t next[]);

/* End filling: all items are stored, or have been received. O(nranks). */
void mail_seal(struct mail *mail);

/* Send the items of `out`, if no process passes an error, and open `in` for those
 * received.
 * Collective over comm. One small message from each to each, a reduction, and the items.
 * The common error; MEMORY, MPI. */
redist_err mail_send(MPI_Comm comm, redist_err err, const struct mail *out,
                     struct mail *in);

/* Safe on a zeroed struct. */
void mail_free(struct mail *mail);

#endif
