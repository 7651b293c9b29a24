/* SPDX-License-Identifier: MIT
 *
 * move/runs/zips.h - periods (hops.h) in which each partner has one element, and all of a
 * partner's lie side by side, as of cyclic(1) -> block: zipped in registers, from which
 * the lines of the target are written.
 *
 *   partners   a a a a ..   b b b b ..
 *   target     a b a b a b a b ..
 */
#ifndef REDIST_MOVE_RUNS_ZIPS_H
#define REDIST_MOVE_RUNS_ZIPS_H

#include "move/runs/hops.h"

/* Whether elements of so many bytes, one of each of so many partners, can be zipped. */
bool zips_can(int64_t size, int64_t partners);

/* Find out how many of n periods must be appended before some can be zipped: where a line
 * begins. n: none can. O(partners). */
int64_t zips_before(const struct hops *hops, int64_t n, const struct seam *seam);

/* After those, append some of n periods. Returns how many. O(n partners). */
int64_t zips_over(struct hops *hops, int64_t n, struct seam *seam);

#endif
