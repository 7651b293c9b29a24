/* SPDX-License-Identifier: MIT
 *
 * plan/comm/mail.h - items from each process to any others, who learn by it from whom
 * they have some. Counted first, so that all have their place, sorted by rank:
 *
 *   mail_open      count[r]: the caller counts what goes to rank r
 *   mail_address   next[r]: where to put the next item for it; the caller does
 *   mail_send      .. and all have what came, in count, begin and items of another
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

/* The same of items that are sorted within what goes to a rank, into `bins` of each:
 * `next`[nranks bins] holds how many items are in each, and then where to put the next.
 * Counts them, too. */
redist_err mail_address_bins(struct mail *mail, int64_t bins, int64_t next[]);

/* All items have been put in their places, or have come. O(nranks). */
void mail_seal(struct mail *mail);

/* Send what is in `out`, if no process comes with an error, and open `in` for what comes.
 * Collective over comm. One small message from each to each, a reduction, and the mail.
 * The common error; MEMORY, MPI. */
redist_err mail_send(MPI_Comm comm, redist_err err, const struct mail *out,
                     struct mail *in);

/* NULL-safe, as all of it is zero at first. */
void mail_free(struct mail *mail);

#endif
