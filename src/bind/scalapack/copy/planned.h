/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/planned.h - the plan of a problem, and its runs. Pieces that the
 * edge of a region crosses go through memory of their own (copied_box.h). So does a
 * matrix whose leading dimension is not the one that the plan was made for.
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_PLANNED_H
#define REDIST_BIND_SCALAPACK_COPY_PLANNED_H

#include "bind/scalapack/matrix/region.h"

struct group;

struct planned {
    struct problem problem;
    redist_plan *plan;  /* NULL: none, or not yet */
    int64_t lld[SIDES]; /* of this process, for which the plan was made */
    bool idle;          /* silent, and this process has no part: it has no plan */
    bool unplanned;     /* silent, and done without a plan */
    bool single_use;    /* made quickly, perhaps not the fastest */
    double moved;       /* bytes moved by its runs (planned_is_due) */
    int npieces;
    struct piece *piece; /* [npieces] */
};

/* Begin without a plan. Local. */
void planned_begin(const struct group *group, const struct problem *problem,
                   struct planned *planned);

/* Tell whether it can run. */
static inline bool planned_is_ready(const struct planned *planned)
{
    return planned->plan || planned->idle || planned->unplanned;
}

/* Return the most staging memory of its plan, about, in bytes: the same on all
 * processes. */
int64_t planned_weight(const struct problem *problem);

/* Tell whether each process makes the plan alone, without communication. planned_run then
 * reports the failure of one to those that would receive from it. */
bool planned_is_silent(const struct planned *planned);

/* Tell whether a single-use plan sends more of its messages in pieces (move_piece): if
 * processes are outside of a grid, many senders have nothing to wait for. */
bool planned_is_eager(const struct group *group, const struct problem *problem);

/* Make the plan of a problem with at least one piece (region_cut). It replaces the
 * present plan, which stays if this fails. `grid`[SIDES] have ranks of the group, NULL if
 * out of memory; `lld`[SIDES] is this process's own. `well`: choose the best plan,
 * however long that takes.
 * Collective over the group; MEMORY, MPI: the same code on every process. Local if it is
 * silent and not `well`. */
redist_err planned_make(struct group *group, const redist_grid *const grid[SIDES],
                        const int64_t lld[SIDES], bool well, struct planned *planned);

/* Tell whether a single-use plan has moved so much that a better one pays: the same on
 * all processes of the group. */
bool planned_is_due(const struct group *group, const struct planned *planned);

/* Free the plan and its pieces. Collective over the group. */
void planned_drop(struct planned *planned);

/* The matrices and coefficients of a call. */
struct work {
    const struct matrix *matrix[SIDES];
    const void *alpha, *beta; /* only if the problem is scaled */
    bool unusable;            /* this process must not use its matrices */
};

/* Run it. A process without memory for the plan or its pieces, or with unusable matrices,
 * takes part without data.
 * Collective over the group. MEMORY, MPI; ARG, STATE: another process had no data. */
redist_err planned_run(struct group *group, struct planned *planned,
                       const struct work *work);

#endif
