/* SPDX-License-Identifier: MIT
 *
 * intersect/side.h - one dimension of one side, counted in elements of the section:
 * section element k is global element start + k stride.
 *
 *   CYCLIC(2) onto 2       global     0 1 2 3 4 5 6 7
 *   section 1:7:2          element k    0   1   2   3     coordinate 0 owns k = 0, 2
 *                          owner      0 0 1 1 0 0 1 1     coordinate 1 owns k = 1, 3
 */
#ifndef REDIST_INTERSECT_SIDE_H
#define REDIST_INTERSECT_SIDE_H

#include "describe/view.h"

struct side {
    const struct dim *dim;
    int64_t start, stride;
    int64_t extent; /* of the section */
};

/* Return the side for dimension `j` of a view's section (after its axis order). */
struct side side_of_view(const redist_view *view, int j);

/* Return the consecutive section elements around k, 0 <= k < extent, that lie in one
 * block; `local` is the local index of the first.
 * O(1), irregular O(log blocks). */
struct block side_block_at(const struct side *side, int64_t k);

/* Return the first section element >= k that coordinate c owns; `extent` if none.
 * O(1); O(log(P m)) if the section has a stride; irregular O(log blocks + blocks
 * skipped). */
int64_t side_next_owned(const struct side *side, int c, int64_t k);

/* Return the section elements after which the owners repeat, and how far local indices of
 * an owner advance in that time; INT64_MAX if irregular or too large.
 * O(log). */
int64_t side_period(const struct side *side);
int64_t side_local_advance(const struct side *side, int64_t period);

#endif
