/* SPDX-License-Identifier: MIT
 *
 * intersect/merge.h - partners by a walk over the own blocks, for all formats: irregular
 * ones, sections with a stride, and periods longer than the array.
 *
 *   own     aaaa....aaaa....   each own block is cut where blocks of the other side end;
 *   other   001112223330011    a side with blocks long against the other's period is
 *                              processed block by block, as progressions
 */
#ifndef REDIST_INTERSECT_MERGE_H
#define REDIST_INTERSECT_MERGE_H

#include "intersect/partners.h"

/* Find the partners of coordinate c of side `own`, as partners_make does.
 * O(own runs of one period) time and memory, times log for their order. MEMORY. */
redist_err merge_partners(const struct side sides[SIDES], redist_side own, int c,
                          struct partners *partners);

#endif
