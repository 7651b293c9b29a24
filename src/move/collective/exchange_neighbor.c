/* SPDX-License-Identifier: MIT
 *
 * move/collective/exchange_neighbor.c - MPI's neighbourhood exchange: the processes with
 * common elements are neighbours in a distributed graph, and no process examines any
 * others.
 */
#include "base/error.h"
#include "base/mem.h"
#include "move/collective/rounds.h"
#include "move/mpi/check.h"
#include "move/mpi/lacks.h"
#include "move/mpi/persistent.h"

/* Join the graph. An edge weighs its bytes in a round. */
static redist_err set_up(const struct move *move, struct rounds *rounds)
{
    if (rounds->n == 0) return REDIST_OK;
    const int *to = rounds->side[REDIST_SOURCE].counts,
              *from = rounds->side[REDIST_TARGET].counts;
    int *sources = transfers_ranks(&move->receive),
        *targets = transfers_ranks(&move->send);
    bool well = true;
    redist_err err = sources && targets ? REDIST_OK : REDIST_ERR_MEMORY;
    err = mpi_all_well(move->comm, err, &well);
    rounds->comm = MPI_COMM_NULL;
    if (well)
        err = mpi_call(MPI_Dist_graph_create_adjacent(
            move->comm, (int)move->receive.n, sources, from, (int)move->send.n, targets,
            to, MPI_INFO_NULL, 0, &rounds->comm));
    rounds->own_comm = well && !err;
    mem_free(sources);
    mem_free(targets);
    return err;
}

static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    int64_t n = 0;
    (void)parameter;
    if (!rounds_effort(load, &n, effort)) return false;
    effort->count[EFFORT_STARTUPS] = (double)(flow_most(load->all).messages * n);
    effort->count[EFFORT_WAITS] = (double)n;
    return true;
}

static redist_err make(const struct move *move, void **state)
{
    static const struct rounds_kind kind = {.name = "neighbor",
                                            .set_up = set_up,
                                            .call = MPI_Ineighbor_alltoallv,
                                            .call_name = "MPI_Ineighbor_alltoallv",
                                            .init = persistent_neighbor_alltoallv,
                                            .init_name = "MPI_Neighbor_alltoallv_init"};
    return rounds_make(move, &kind, sizeof(struct rounds), state);
}

const struct exchange exchange_neighbor = {
    .name = "neighbor",
    .lacks = LACKS_GRAPHS,
    .effort = effort,
    .make = make,
    .start = rounds_start,
    .progress = rounds_progress,
    .destroy = rounds_destroy,
};
