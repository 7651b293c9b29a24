/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/planned.h - the plan of a problem, and what is round it: pieces
 * that the edge of a region crosses pass through memory of their own, and so does all of
 * a matrix whose leading dimension is not the one that the plan was made for.
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_PLANNED_H
#define REDIST_BIND_SCALAPACK_COPY_PLANNED_H

#include "bind/scalapack/matrix/region.h"

struct group;

struct planned {
    struct problem problem;
    redist_plan *plan;  /* NULL: there is none, or none yet */
    int64_t lld[SIDES]; /* of this process, for which it was made */
    bool idle;          /* it is silent, and this process has no part: there is no plan */
    bool unplanned;     /* it is silent, and done without a plan */
    bool single_use;    /* in little time, perhaps not the best there is */
    double moved;       /* by its runs, see planned_is_due */
    int npieces;
    struct piece *piece; /* [npieces] */
};

/* Begin without a plan. Local. */
void planned_begin(const struct group *group, const struct problem *problem,
                   struct planned *planned);

/* Whether it can run. */
static inline bool planned_is_ready(const struct planned *planned)
{
    return planned->plan || planned->idle || planned->unplanned;
}

/* The most staging memory of its plan, about, in bytes: the same on all processes. */
int64_t planned_weight(const struct problem *problem);

/* Whether processes make its plan each for itself, without a word to others. Of one that
 * fails then planned_run tells those who would hear of it. */
bool planned_is_silent(const struct planned *planned);

/* Whether more of its messages go in pieces (move_piece), if it is quickly made: where
 * processes are outside of a grid, as then many that send have nothing to wait for. */
bool planned_is_eager(const struct group *group, const struct problem *problem);

/* Make the plan of a problem of which region_cut gives at least one piece, in the place
 * of the one there is, which stays if that fails. `grid`[SIDES] are of ranks of the
 * group, NULL if there was no memory for one; `lld`[SIDES] is this process's own. `well`:
 * as well as can be, however long that takes.
 * Collective over the group; MEMORY, MPI: the same code on every process. Local if it is
 * silent and not to be made well. */
redist_err planned_make(struct group *group, const redist_grid *const grid[SIDES],
                        const int64_t lld[SIDES], bool well, struct planned *planned);

/* Whether a plan that was quickly made has moved so much that a better one pays. It is
 * for all processes of the group or for none. */
bool planned_is_due(const struct group *group, const struct planned *planned);

/* Free the plan and what is with it. Collective over the group. */
void planned_drop(struct planned *planned);

/* What is done to which matrices. */
struct work {
    const struct matrix *matrix[SIDES];
    const void *alpha, *beta; /* only if the problem is scaled */
    bool unusable;            /* this process must not use its matrices */
};

/* Run it. A process that has no memory for the plan or what is round it, or whose
 * matrices are unusable, plays its part without data.
 * Collective over the group. MEMORY, MPI; ARG, STATE: another process had no data. */
redist_err planned_run(struct group *group, struct planned *planned,
                       const struct work *work);

#endif
