/* SPDX-License-Identifier: MIT
 *
 * move/lines.h - the runs of periods (hops.h), a line of the target at a time: after as
 * many periods as fill whole lines, and go on by whole lines with each partner, every
 * line comes from the same places of its lines again. A permutation puts all that one of
 * these has for it in its place, however many runs that are.
 *
 *   line of a     a a a a a a a a       line of b     b b b b b b b b
 *                       \ \ \ \ \                     | |     |
 *   line of the target   a a a a a b b b
 *
 * So a line of a partner is read as it lies, which is quicker than what lies across two.
 */
#ifndef REDIST_MOVE_LINES_H
#define REDIST_MOVE_LINES_H

#include "move/hops.h"

/* Find out how many of n periods must be appended before it pays, for the machine has
 * AVX-512, to go on by lines; after that none is read of which nothing is needed. 0: it
 * does not pay.
 * O(partners). */
int64_t lines_before(const struct hops *hops, int64_t n);

/* After those, append some of n periods, where all lies at multiples
 * of 4 bytes. The seam must be within a line that is all its own. Returns how many.
 * O(n runs of a period). */
int64_t lines_over(struct hops *hops, int64_t n, struct seam *seam);

#endif
