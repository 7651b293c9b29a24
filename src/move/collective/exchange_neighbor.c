/* SPDX-License-Identifier: MIT
 *
 * move/collective/exchange_neighbor.c - MPI's neighbourhood exchange: the processes with
 * common elements are neighbours in a distributed graph, and no process examines any
 * others.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "move/collective/rounds.h"
#include "move/mpi/check.h"
#include "move/mpi/lacks.h"
#include "move/mpi/persistent.h"

struct state {
    struct rounds rounds;
    MPI_Comm graph;
    bool joined; /* the graph is made */
};

/* List the ranks of one direction, in the order of the slots. */
static int *list_ranks(const struct transfers *transfers)
{
    int *ranks = mem_alloc(NULL, transfers->n, sizeof *ranks);
    for (int64_t k = 0; ranks && k < transfers->n; k++)
        ranks[k] = transfers->transfer[k].rank;
    return ranks;
}

/* An edge weighs its bytes in a round. */
static redist_err make_graph(const struct move *move, struct state *state)
{
    const struct rounds_side *to = &state->rounds.side[REDIST_SOURCE],
                             *from = &state->rounds.side[REDIST_TARGET];
    int *sources = list_ranks(&move->receive), *targets = list_ranks(&move->send);
    bool well = true;
    redist_err err = sources && targets ? REDIST_OK : REDIST_ERR_MEMORY;
    err = mpi_all_well(move->comm, err, &well);
    if (well)
        err = mpi_check(
            MPI_Dist_graph_create_adjacent(move->comm, (int)move->receive.n, sources,
                                           from->counts, (int)move->send.n, targets,
                                           to->counts, MPI_INFO_NULL, 0, &state->graph),
            "MPI_Dist_graph_create_adjacent");
    state->joined = well && !err;
    mem_free(sources);
    mem_free(targets);
    return err;
}

static redist_err set_up(const struct move *move, struct rounds *rounds)
{
    struct state *state = (struct state *)rounds;
    if (rounds->n == 0) return REDIST_OK;
    TRY(make_graph(move, state));
#if PERSISTENT_COLLECTIVES
    const struct rounds_side *from = &rounds->side[REDIST_SOURCE],
                             *to = &rounds->side[REDIST_TARGET];
    if (rounds->n > 1 || !state->joined) return REDIST_OK;
    TRY(mpi_check(persistent_neighbor_alltoallv(from->staging, from->counts, from->places,
                                                MPI_BYTE, to->staging, to->counts,
                                                to->places, MPI_BYTE, state->graph,
                                                MPI_INFO_NULL, &rounds->request),
                  "MPI_Neighbor_alltoallv_init"));
    rounds->persistent = true;
#endif
    return REDIST_OK;
}

static redist_err post(const struct move *move, struct rounds *rounds)
{
    const struct state *state = (const struct state *)rounds;
    const struct rounds_side *from = &rounds->side[REDIST_SOURCE],
                             *to = &rounds->side[REDIST_TARGET];
    (void)move;
    return mpi_check(MPI_Ineighbor_alltoallv(
                         rounds_buffer(rounds, REDIST_SOURCE, rounds->round),
                         from->counts, from->places, MPI_BYTE,
                         rounds_buffer(rounds, REDIST_TARGET, rounds->round), to->counts,
                         to->places, MPI_BYTE, state->graph, &rounds->request),
                     "MPI_Ineighbor_alltoallv");
}

static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    int64_t n = 0;
    (void)parameter;
    if (!rounds_effort(load, &n, effort)) return false;
    int64_t messages =
        int_max(load->all[REDIST_SOURCE].messages, load->all[REDIST_TARGET].messages);
    effort->count[EFFORT_STARTUPS] = (double)(messages * n);
    effort->count[EFFORT_WAITS] = (double)n;
    return true;
}

static redist_err make(const struct move *move, void **state)
{
    static const struct rounds_kind kind = {
        .name = "neighbor", .set_up = set_up, .post = post};
    return rounds_make(move, &kind, sizeof(struct state), state);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    bool joined = state && state->joined;
    MPI_Comm graph = joined ? state->graph : MPI_COMM_NULL;
    rounds_destroy(opaque);
    if (joined) (void)MPI_Comm_free(&graph);
}

const struct exchange exchange_neighbor = {
    .name = "neighbor",
    .lacks = LACKS_GRAPHS,
    .effort = effort,
    .make = make,
    .start = rounds_start,
    .progress = rounds_progress,
    .destroy = destroy,
};
