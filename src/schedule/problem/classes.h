/* SPDX-License-Identifier: MIT
 *
 * schedule/problem/classes.h - the structure of cyclic(r) onto P -> cyclic(s) onto Q in
 * one period.
 *
 * Lengths are in units of d = gcd(r, s) elements; r and s stand divided by d. With g =
 * gcd(P r, Q s), the class z = (p r - q s) mod g fixes the length F(z) of the message (p,
 * q), and which pairs are of class z follows in closed form:
 *
 *   u = gcd(s, P), t = gcd(r, Q)     p holds class z if p r = z (mod u),
 *                                    q if -q s = z (mod t)
 *   b = Q u / g                      then p's partners are q0 + (g/u) B, 0 <= B < b
 *   a = P t / g                      and q's are          p0 + (g/t) A, 0 <= A < a
 *
 * So class z is one edge of a small multigraph, the core, from left node z mod u to right
 * node z mod t. All of P x Q repeats it: a schedule of u a x t b nodes is one of any
 * size.
 */
#ifndef REDIST_SCHEDULE_PROBLEM_CLASSES_H
#define REDIST_SCHEDULE_PROBLEM_CLASSES_H

#include <stdbool.h>

#include <redist/describe.h>

struct classes {
    int64_t P, Q, r, s; /* processes; block lengths in units */
    int64_t d;          /* elements of a unit */
    int64_t g, u, t, a, b;
    int64_t length;               /* L = lcm(P r, Q s), units of one period */
    int64_t least;                /* W = L / min(P, Q): a lower bound for all schedules */
    int64_t first;                /* classes with messages are first .. first + n - 1 */
    int64_t n;                    /* min(r + s - 1, g) */
    int64_t q_inverse, p_inverse; /* (s/u)^-1 mod g/u, (r/t)^-1 mod g/t */
};

/* Find the structure for P, Q >= 1 processes and blocks of r, s >= 1 elements.
 * O(log). ARG: a period exceeds 64 bits. */
redist_err classes_make(int64_t P, int64_t r, int64_t Q, int64_t s,
                        struct classes *classes);

/* Return the length F(z) of the messages of class z, in units. O(1). */
int64_t classes_weight(const struct classes *k, int64_t z);

/* Return the most messages of a process of a side: it holds the classes of one residue
 * mod u (source) or t (target), each with all copies of its partner. */
int64_t classes_degree(const struct classes *k, redist_side side);

/* Tell whether the core has at most 2^20 messages. O(1). */
bool classes_core_is_small(const struct classes *k);

/* Tell whether each source has a message for each target, all of one length. Then g
 * divides r or s, and the core is all of P x Q. */
static inline bool classes_are_alike(const struct classes *k)
{
    return k->r % k->g == 0 || k->s % k->g == 0;
}

/* Return the ring step of the message between coordinate c of a side and `partner` on the
 * other, of max(P, Q) steps; in step 0 the partner is c. */
int64_t classes_ring_step(const struct classes *k, redist_side side, int64_t c,
                          int64_t partner);

/* The copy index of a process: A = p div (g/t), B = q div (g/u). */
static inline int64_t classes_copy(const struct classes *k, redist_side side, int64_t c)
{
    return side == REDIST_SOURCE ? c / (k->g / k->t) : c / (k->g / k->u);
}

/* Return the first class that coordinate c of a side holds. The next ones are u (source)
 * or t (target) further, up to first + n - 1. If it lies beyond, c holds none. O(1). */
int64_t classes_first_of(const struct classes *k, redist_side side, int64_t c);

/* Return the partner with copy index 0 of coordinate c in class z, which c holds. The
 * others are g/u (of a source) or g/t (of a target) further. O(1). */
int64_t classes_partner(const struct classes *k, redist_side side, int64_t c, int64_t z);

#endif
