/* SPDX-License-Identifier: MIT
 *
 * move/collective/exchange_alltoallv.c - MPI's total exchange: every message is packed,
 * then MPI_Alltoallv sends them (the nonblocking call, so that a run can be started and
 * tested; the persistent one if there is one round).
 */
#include "base/error.h"
#include "move/collective/rounds.h"
#include "move/mpi/check.h"
#include "move/mpi/persistent.h"

#if PERSISTENT_COLLECTIVES
static redist_err set_up(const struct move *move, struct rounds *rounds)
{
    const struct rounds_side *from = &rounds->side[REDIST_SOURCE],
                             *to = &rounds->side[REDIST_TARGET];
    if (rounds->n != 1) return REDIST_OK;
    TRY(mpi_check(persistent_alltoallv(from->staging, from->counts, from->places,
                                       MPI_BYTE, to->staging, to->counts, to->places,
                                       MPI_BYTE, move->comm, MPI_INFO_NULL,
                                       &rounds->request),
                  "MPI_Alltoallv_init"));
    rounds->persistent = true;
    return REDIST_OK;
}
#endif

/* The call has a startup for each process. */
static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    int64_t n = 0;
    (void)parameter;
    if (!rounds_effort(load, &n, effort)) return false;
    effort->count[EFFORT_CALLS] = (double)n;
    return true;
}

static redist_err make(const struct move *move, void **state)
{
    static const struct rounds_kind kind = {
        .name = "alltoallv",
        .by_rank = true,
#if PERSISTENT_COLLECTIVES
        .set_up = set_up,
#endif
        .post = rounds_post_alltoallv,
    };
    return rounds_make(move, &kind, sizeof(struct rounds), state);
}

const struct exchange exchange_alltoallv = {
    .name = "alltoallv",
    .effort = effort,
    .make = make,
    .start = rounds_start,
    .progress = rounds_progress,
    .destroy = rounds_destroy,
};
