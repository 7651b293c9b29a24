/* SPDX-License-Identifier: MIT
 *
 * move/collective/exchange_alltoallv.c - MPI's total exchange: every message is packed,
 * then MPI_Alltoallv sends them (the nonblocking call, so that a run can be started and
 * tested; the persistent one if there is one round).
 */
#include "move/collective/rounds.h"
#include "move/mpi/persistent.h"

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
    static const struct rounds_kind kind = {.name = "alltoallv",
                                            .by_rank = true,
                                            .call = MPI_Ialltoallv,
                                            .call_name = "MPI_Ialltoallv",
                                            .init = persistent_alltoallv,
                                            .init_name = "MPI_Alltoallv_init"};
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
