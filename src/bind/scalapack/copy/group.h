/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/group.h - the processes that call together, those of a context, and
 * what is kept for them between calls: a communicator, on which alone anything is sent,
 * and the plans of late.
 *
 * Contexts of the same processes, in whatever order, have one group. Making one takes
 * longer than ScaLAPACK's whole call of a small matrix, and programs make and free grids
 * as they go; so a group outlives its contexts, until MPI_Finalize begins. A process
 * keeps GROUPS_KEPT of them, the first there are: none makes way for another, as those
 * who are in the one alone would not know. A group that has found no room with one of its
 * processes is its context's own and goes with it, at blacs_gridexit or blacs_exit.
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_GROUP_H
#define REDIST_BIND_SCALAPACK_COPY_GROUP_H

#include <mpi.h>
#include <stdbool.h>

#include "bind/scalapack/copy/planned.h"
#include "move/node/plan_cache.h"

/* Plans of a group, and what they may weigh together. */
enum { GROUP_PLANS = 32, GROUP_WEIGHT = 64 << 20, GROUPS_KEPT = 8 };

struct group {
    MPI_Comm comm;    /* a duplicate of a context's that returns errors */
    int rank, nranks; /* in it, which may be others than in this context */
    bool kept;        /* found by all its processes in further contexts, or by none */
    bool told;        /* REDIST_STRATEGY says how plans are to be made */
    bool guided;      /* its first process was in both grids in the last call, or none */
    int64_t serial;   /* no other group of this process has or had it */
    struct plan_cache cache; /* of plans that have been freed */
    int tag;                 /* of the last run's messages */
    double moved;            /* by runs of all plans so far, see planned_is_due */
    int nplans;
    int64_t weight; /* of them all */
    /* [nplans] the last used first; then free room, of which a call takes one at most */
    struct planned *plan[GROUP_PLANS + 1];
    struct planned room[GROUP_PLANS + 1];
    struct group *next; /* made after this one */
};

/* Find the group of a communicator of the BLACS, or make it.
 * Collective over it the first time; silent if another context of these processes has or
 * had a group that is kept. MEMORY, MPI. */
redist_err group_find(MPI_Comm context, struct group **group);

/* Find where the processes of a grid are in the group, and the grid that they make; NULL
 * if there is no memory for it. All is kept with the communicator of the grid, which the
 * caller must be of. ARG: one of them is not in the group; MPI. Local. */
struct map {
    int64_t group; /* its serial */
    struct numbering numbering;
    redist_grid *grid;
};
redist_err group_map(const struct group *group, MPI_Comm grid, const int shape[],
                     struct numbering *numbering, const struct map **map);

/* Find what is kept for a problem, and make it the last used one; where there is nothing,
 * begin it. What decides is the problem, which all processes of a group have in common,
 * and the sequence of calls so far, which is the same for all as each call is collective
 * over the group: so all of them find it or none does, without a word. There is room, if
 * group_trim has followed the last call. O(GROUP_PLANS). Local. */
struct planned *group_recall(struct group *group, const struct problem *problem);

/* Drop what was last used the longest ago, as far as there is too much. At the end of a
 * call, when nobody waits for this process any more.
 * Collective: freeing a plan may be. */
void group_trim(struct group *group);

#endif
