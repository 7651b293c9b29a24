/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/planned.h - the plan of a problem, and what is round it: pieces that the
 * edge of a region crosses pass through memory of their own, and so does all of a matrix
 * whose leading dimension is not the one that the plan was made for.
 */
#ifndef REDIST_BIND_SCALAPACK_PLANNED_H
#define REDIST_BIND_SCALAPACK_PLANNED_H

#include "bind/scalapack/region.h"

struct group;

struct planned {
    struct problem problem;
    redist_plan *plan;
    int64_t lld[SIDES]; /* of this process, for which it was made */
    bool quick;         /* made in little time, perhaps not the best there is */
    double moved;       /* by its runs, see planned_is_due */
    int npieces;
    struct piece piece[]; /* [npieces] */
};

/* Make the plan of a problem of which region_cut gives `npieces` >= 1 pieces. `grid`
 * [SIDES] are of ranks of the group, NULL if there was no memory for one; `lld`[SIDES] is
 * this process's own. `well`: as well as can be, however long that takes.
 * Collective over the group. ARG: a leading dimension is too short; MEMORY, MPI: the same
 * code on every process. */
redist_err planned_make(const struct group *group, const struct problem *problem,
                        const redist_grid *const grid[SIDES], const int64_t lld[SIDES],
                        bool well, struct planned **planned);

/* Whether a plan that was quickly made has moved so much that a better one pays. It is
 * for all processes of the group or for none. */
bool planned_is_due(const struct group *group, const struct planned *planned);

/* Free it. NULL-safe. Collective over the group. */
void planned_free(struct planned *planned);

/* What is done to which matrices. */
struct work {
    const struct matrix *matrix[SIDES];
    const void *alpha, *beta; /* only if the problem is scaled */
    bool unusable;            /* this process must not use its matrices */
};

/* Run it. A process that has no memory for what is round the plan, or whose matrices are
 * unusable, plays its part without data.
 * Collective over the group. MEMORY, MPI; ARG, STATE: another process had no data. */
redist_err planned_run(struct group *group, struct planned *planned,
                       const struct work *work);

#endif
