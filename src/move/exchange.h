/* SPDX-License-Identifier: MIT
 *
 * move/exchange.h - the mechanisms that carry messages. Each is one file and one line
 * in the table of exchange.c.
 */
#ifndef REDIST_MOVE_EXCHANGE_H
#define REDIST_MOVE_EXCHANGE_H

#include <mpi.h>

#include "move/transfer.h"

/* What is to be moved, and with what. Made by the plan; an exchange only reads it. */
struct move {
    MPI_Comm comm; /* the plan's own */
    int rank, nranks;
    size_t element; /* bytes */
    struct transfers send, receive;
    int64_t staging; /* the cap on staging memory, bytes */
    int64_t
        chunk; /* bytes of the longest piece of a message, the same on every process */
    struct mem_account *plan_account, *staging_account;
    /* of the run that is under way */
    const void *source;
    void *target;
    /* The caller's buffers are unusable: send nothing, put what comes nowhere. */
    bool mute;
};

struct exchange {
    const char *name;
    const char *what; /* one line for people */
    /* Every process must take part with true counts: agree before starting. */
    bool collective;
    /* Allocate all that a run needs.
     * Collective: called by every process of the plan, and may communicate. ARG,
     * MEMORY, MPI. */
    redist_err (*make)(const struct move *move, void **state);
    /* Begin a run. MPI. */
    redist_err (*start)(const struct move *move, void *state);
    /* Drive it on; if `wait`, to its end. MPI. */
    redist_err (*progress)(const struct move *move, void *state, bool wait, bool *done);
    /* Local. `state` may be NULL. */
    void (*destroy)(void *state);
};

extern const struct exchange exchange_nonblocking, exchange_alltoallv;

/* Find an exchange by its name; NULL: the default. ARG: the message lists what there
 * is. */
redist_err exchange_find(const char *name, const struct exchange **exchange);

/* Turn an MPI return code into REDIST_OK or REDIST_ERR_MPI with the call's name and
 * MPI's words. */
redist_err exchange_check(int code, const char *call);

#endif
