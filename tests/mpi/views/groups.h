/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/views/groups.h - two groups of processes and their intercommunicator. For
 * programs that trace what the library makes: of this nothing is counted as such.
 */
#ifndef REDIST_TESTS_GROUPS_H
#define REDIST_TESTS_GROUPS_H

#include "mpi/pair.h"
#include "mpi/sample.h"

/* Two groups of the world; the caller is `rank` of group `number`, or a bystander. */
struct groups {
    MPI_Comm group, inter;
    int number, rank, size[2];
};

/* Make the groups of the processes r of the world with number[r] 0 and 1. */
static inline struct groups make_groups(const int number[])
{
    struct groups g = {MPI_COMM_NULL, MPI_COMM_NULL, number[world_rank()], NOBODY, {0}};
    int leader[2] = {0};
    for (int r = world_size() - 1; r >= 0; r--) {
        if (number[r] == NOBODY) continue;
        leader[number[r]] = r;
        g.size[number[r]]++;
    }
    PMPI_Comm_split(MPI_COMM_WORLD, g.number == NOBODY ? MPI_UNDEFINED : g.number,
                    world_rank(), &g.group);
    if (g.number == NOBODY) return g;
    MPI_Comm_rank(g.group, &g.rank);
    MPI_Intercomm_create(g.group, 0, MPI_COMM_WORLD, leader[!g.number], 0, &g.inter);
    return g;
}

static inline void free_groups(struct groups *g)
{
    if (g->number == NOBODY) return;
    PMPI_Comm_free(&g->inter);
    PMPI_Comm_free(&g->group);
}

/* The side of the caller where group `from` is the source. */
static inline redist_side side_of(const struct groups *g, int from)
{
    return g->number == from ? REDIST_SOURCE : REDIST_TARGET;
}

#endif
