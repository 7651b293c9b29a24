/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/group.h - the processes of a context, which call together, and what
 * is kept for them between calls: a communicator, the only one used for messages, and
 * recent plans.
 *
 * Contexts of the same processes, in any order, have one group. To make a group takes
 * longer than ScaLAPACK's whole call for a small matrix, and programs make and free grids
 * all the time. So a group outlives its contexts, until MPI_Finalize begins. A process
 * keeps the first GROUPS_KEPT groups. None is replaced, as processes that are only in the
 * other one would not know. A group for which one of its processes has no room belongs to
 * its context and is freed with it, at blacs_gridexit or blacs_exit.
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_GROUP_H
#define REDIST_BIND_SCALAPACK_COPY_GROUP_H

#include <mpi.h>
#include <stdbool.h>

#include "bind/scalapack/copy/planned.h"
#include "move/node/plan_cache.h"

/* The most plans of a group, and their most weight together. */
enum { GROUP_PLANS = 32, GROUP_WEIGHT = 64 << 20, GROUPS_KEPT = 8 };

struct group {
    MPI_Comm comm;    /* a duplicate of a context's that returns errors */
    int rank, nranks; /* in it; they may differ from those in this context */
    bool kept;        /* all its processes find it again in further contexts; else none
                         does */
    bool told;        /* REDIST_STRATEGY tells how to make plans */
    bool guided;      /* its first process was in both grids in the last call, or none
                         was */
    int64_t serial;   /* unique among all groups of this process, past ones too */
    struct plan_cache cache; /* for freed plans */
    int tag;                 /* of the messages of the last run */
    double moved;            /* bytes moved by runs of all plans so far
                                (planned_is_due) */
    int nplans;
    int64_t weight; /* of all plans */
    /* [nplans] the last used first; then free room, of which a call takes at most one */
    struct planned *plan[GROUP_PLANS + 1];
    struct planned room[GROUP_PLANS + 1];
    struct group *next; /* the next one made */
};

/* Find the group of a communicator of the BLACS, or make it.
 * Collective over it the first time; without communication if another context of these
 * processes has or had a group that is kept. MEMORY, MPI. */
redist_err group_find(MPI_Comm context, struct group **group);

/* Find the ranks in the group of a grid's processes, and the grid that they form; NULL if
 * out of memory. The result is kept with the communicator of the grid, to which the
 * caller must belong. ARG: one of them is not in the group; MPI. Local. */
struct map {
    int64_t group; /* its serial number */
    struct numbering numbering;
    redist_grid *grid;
};
redist_err group_map(const struct group *group, MPI_Comm grid, const int shape[],
                     struct numbering *numbering, const struct map **map);

/* Find the plan kept for a problem, and mark it as last used; if there is none, begin it.
 * The result depends on the problem, which is the same on all processes of a group, and
 * on the sequence of calls, which are collective: so all of them find it or none does,
 * without communication. There is room if group_trim followed the last call.
 * O(GROUP_PLANS). Local. */
struct planned *group_recall(struct group *group, const struct problem *problem);

/* Free the least recently used plans, if there are too many. Called at the end of a call,
 * when nobody waits for this process.
 * Collective: freeing a plan may be. */
void group_trim(struct group *group);

#endif
