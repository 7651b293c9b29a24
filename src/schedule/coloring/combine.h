/* SPDX-License-Identifier: MIT
 *
 * schedule/coloring/combine.h - steps of several dimensions, as few as the largest
 * degree.
 *
 * Taken together, several dimensions have a core (coloring.h), as one dimension has: its
 * classes are tuples of classes, its nodes and copies tuples of nodes and copies. There
 * are several ways to find steps:
 *
 *   COLORS   colour each dimension alone, where m_j pairs of one left node may have one
 *            colour instead of a_j: the tuples of colours are a colouring if the product
 *            of the m_j is at most that of the a_j; either side may be the left one
 *   CORE     search the core of all dimensions, if it is small
 *
 * If u = t = 1 along all dimensions, one of COLORS always works: then m_j = b_j, and TC =
 * W.
 */
#ifndef REDIST_SCHEDULE_COLORING_COMBINE_H
#define REDIST_SCHEDULE_COLORING_COMBINE_H

#include "schedule/coloring/fewest.h"
#include "schedule/core/dims.h"

enum combine_way { COMBINE_COLORS, COMBINE_COLORS_MIRRORED, COMBINE_CORE, COMBINE_WAYS };

struct combined {
    enum combine_way way;
    int ndims;
    const struct classes *dim;            /* [ndims] borrowed */
    int64_t cost;                         /* INT64_MAX: not counted, or not found */
    struct fewest steps[REDIST_MAX_DIMS]; /* along each dimension; CORE: the first */
    int *left, *right;                    /* CORE: the tables of nodes */
};

/* Tell whether a way is possible. O(ndims). */
bool combine_exists(enum combine_way way, int ndims, const struct classes dim[]);

/* Find the steps in one way. CORE stops early, with a cost of INT64_MAX, if a cost below
 * `known` is unlikely; INT64_MAX: nothing is known. MEMORY. */
redist_err combine_find(enum combine_way way, int ndims, const struct classes dim[],
                        int64_t known, struct combined *combined);
void combine_free(struct combined *combined);

/* Return the step of a message, along[ndims] of each dimension's core. O(ndims). */
int64_t combine_step(const struct combined *combined, const struct core_message along[]);

#endif
