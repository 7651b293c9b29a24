/* SPDX-License-Identifier: MIT
 *
 * intersect/merge.h - partners by walking over the own blocks, for formats of any
 * kind: irregular ones, sections with a stride, and periods longer than the array.
 *
 *   own     aaaa....aaaa....   each own block is cut where the other side's blocks end;
 *   other   001112223330011   a side whose blocks are long against the other's cycle
 *                                 is taken a block at a time, as one progression
 */
#ifndef REDIST_INTERSECT_MERGE_H
#define REDIST_INTERSECT_MERGE_H

#include "intersect/partners.h"

/* Find the partners of coordinate c of side `own`, as partners_make does.
 * O(own runs of one period) time and memory, times log for their order. MEMORY. */
redist_err merge_partners(const struct side sides[SIDES], redist_side own, int c,
                          struct partners *partners);

#endif
