/* SPDX-License-Identifier: MIT
 *
 * intersect/period.h - cyclic(r) onto P -> cyclic(s) onto Q: partners and runs in closed
 * form.
 *
 * Both sides together repeat every L = lcm(P r, Q s) elements. With the sections' starts
 * a, b, element k of the section is at place x of its source block, i = k + a, and at
 * place y of its target block, j = k + b. Coordinates p, q (counted from the owners of
 * element 0) share k if and only if
 *
 *   z = y - x  satisfies  z = (p r - q s) + (b - a)  (mod g),   g = gcd(P r, Q s),
 *
 * and then no other k of the period has the same x and y. So each z in [-(r-1), s-1] of
 * this class is one run of a period, and a process finds its partners by solving for q,
 * class by class, without examining other processes: O(own degree), for any P and Q.
 */
#ifndef REDIST_INTERSECT_PERIOD_H
#define REDIST_INTERSECT_PERIOD_H

#include "intersect/partners.h"

/* The constants of a pair of sides. */
struct period {
    int64_t procs[SIDES], block[SIDES]; /* P, Q and r, s */
    int64_t g, length;                  /* gcd and lcm of P r and Q s */
    int64_t shift;                      /* b - a */
    int64_t sources_inverse;            /* (P r / g)^-1 mod (Q s / g) */
};

/* Tell whether to use the closed form for these sides, over `extent` elements: both
 * regular without stride, at least one period long, and no block so long that its runs
 * are better kept as progressions. If so, fill in the constants.
 * O(log). */
bool period_applies(const struct side sides[SIDES], int64_t extent,
                    struct period *period);

/* Find the partners of coordinate c of side `own` with the runs of one period, as
 * partners_make does. O(own runs of one period, log for their order). MEMORY. */
redist_err period_partners(const struct period *period, const struct side sides[SIDES],
                           redist_side own, int c, struct partners *partners);

/* Count as partners_count does. O(own partners + runs of a pair, log for their order).
 * MEMORY. */
redist_err period_count(const struct period *period, const struct side sides[SIDES],
                        redist_side own, int c, int other, struct partner_counts *counts);

#endif
