/* SPDX-License-Identifier: MIT
 *
 * move/runs/interleave_elements.h - periods (period_copy.h) in which each partner has one
 * element, and all of a partner's lie side by side, as of cyclic(1) -> block: interleaved
 * in registers in registers, from which the lines of the target are written.
 *
 *   partners   a a a a ..   b b b b ..
 *   target     a b a b a b a b ..
 */
#ifndef REDIST_MOVE_RUNS_INTERLEAVE_ELEMENTS_H
#define REDIST_MOVE_RUNS_INTERLEAVE_ELEMENTS_H

#include "move/runs/period_copy.h"

/* Whether elements of so many bytes, one of each of so many partners, can be interleaved
 * in registers. */
bool interleave_elements_can(int64_t size, int64_t partners);

/* Find out how many of n periods must be appended before some can be interleaved in
 * registers: where a line begins. n: none can. O(partners). */
int64_t interleave_elements_before(const struct period_copy *copy, int64_t n,
                                   const struct line_buffer *buffer);

/* After those, append some of n periods. Returns how many. O(n partners). */
int64_t interleave_elements_append(struct period_copy *copy, int64_t n,
                                   struct line_buffer *buffer);

#endif
