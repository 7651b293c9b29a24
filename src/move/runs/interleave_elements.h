/* SPDX-License-Identifier: MIT
 *
 * move/runs/interleave_elements.h - interleave single elements in registers. It applies
 * to periods (period_copy.h) with one element of each partner, where all elements of a
 * partner are contiguous, as in cyclic(1) -> block. Whole lines of the target are written
 * from registers.
 *
 *   partners   a a a a ..   b b b b ..
 *   target     a b a b a b a b ..
 */
#ifndef REDIST_MOVE_RUNS_INTERLEAVE_ELEMENTS_H
#define REDIST_MOVE_RUNS_INTERLEAVE_ELEMENTS_H

#include "move/runs/period_copy.h"

/* Tell whether elements of `size` bytes of so many partners can be interleaved in
 * registers. */
bool interleave_elements_can(int64_t size, int64_t partners);

/* Count the periods, of n, that must be appended in another way before a line begins and
 * registers can be used. Returns n if they cannot be used. O(partners). */
int64_t interleave_elements_before(const struct period_copy *copy, int64_t n,
                                   const struct line_buffer *buffer);

/* Append some of n periods, from there on. Returns how many. O(n partners). */
int64_t interleave_elements_append(struct period_copy *copy, int64_t n,
                                   struct line_buffer *buffer);

#endif
