/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/group.h - the processes that call together, those of a context, and what
 * is kept for them between calls: a communicator, on which alone anything is sent, and
 * the plans of late.
 *
 * It hangs on the communicator of the context as an attribute, and so goes when the BLACS
 * free that: at blacs_gridexit or blacs_exit, or at the latest as MPI_Finalize begins.
 */
#ifndef REDIST_BIND_SCALAPACK_GROUP_H
#define REDIST_BIND_SCALAPACK_GROUP_H

#include <mpi.h>

#include "bind/scalapack/problem.h"

/* Plans of a group; a plan that is made when there are as many takes the place of the one
 * that was last used the longest ago. */
enum { GROUP_PLANS = 16 };

struct group {
    MPI_Comm context; /* the BLACS's own */
    MPI_Comm comm;    /* a duplicate of it that returns errors */
    int rank, nranks;
    int64_t serial; /* no other group of this process has or had it */
    int tag;        /* of the last run's messages */
    int nplans;
    struct planned *plan[GROUP_PLANS]; /* [nplans] the last used first */
    struct group *next;                /* of all */
};

/* Find the group of a communicator of the BLACS, or make it.
 * Collective over it the first time. MEMORY, MPI. */
redist_err group_find(MPI_Comm context, struct group **group);

/* Find where the processes of a grid are in the group: [shape[0] * shape[1]] ranks, row
 * by row, and a hash of them. They are kept with the communicator of the grid, which the
 * caller must be of. ARG: one of them is not in the group. Local. */
struct map {
    int64_t group; /* its serial */
    uint64_t hash;
    int size;
    int *ranks;
};
redist_err group_map(const struct group *group, MPI_Comm grid, const struct map **map);

/* Find the plan for a problem among those that are kept, and make it the last used one;
 * NULL if there is none. What decides is the problem, which all processes of a group have
 * in common, and the sequence of calls so far, which is the same for all as each call is
 * collective over the group: so all of them find a plan or none does, without a word.
 * O(GROUP_PLANS). Local. */
struct planned *group_recall(struct group *group, const struct problem *problem);

/* Keep a plan as the last used one: in the place of `old`, which is that so far, or, if
 * it is NULL, of the first one if there are too many. That one is freed.
 * Collective: freeing may be. */
void group_keep(struct group *group, struct planned *planned, struct planned *old);

#endif
