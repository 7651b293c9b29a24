/* SPDX-License-Identifier: MIT */
#include "schedule/problem/classes.h"

#include "base/error.h"
#include "base/intmath.h"

redist_err classes_make(int64_t P, int64_t r, int64_t Q, int64_t s,
                        struct classes *classes)
{
    struct classes k = {.P = P, .Q = Q, .d = int_gcd(r, s)};
    k.r = r / k.d;
    k.s = s / k.d;
    int64_t source = 0, target = 0;
    if (!int_mul(P, k.r, &source) || !int_mul(Q, k.s, &target) ||
        !int_lcm(source, target, &k.length))
        return error_arg("a period of cyclic(%" PRId64 ") onto %" PRId64
                         " and cyclic(%" PRId64 ") onto %" PRId64
                         " exceeds 2^63 elements",
                         r, P, s, Q);
    k.g = int_gcd(source, target);
    k.u = int_gcd(k.s, P);
    k.t = int_gcd(k.r, Q);
    k.a = P / (k.g / k.t);
    k.b = Q / (k.g / k.u);
    k.least = k.length / int_min(P, Q);
    bool full = k.r + k.s - 1 >= k.g;
    k.first = full ? 0 : -(k.r - 1);
    k.n = full ? k.g : k.r + k.s - 1;
    k.q_inverse = int_inverse(k.s / k.u, k.g / k.u);
    k.p_inverse = int_inverse(k.r / k.t, k.g / k.t);
    *classes = k;
    return REDIST_OK;
}

/* v + (v - g) + (v - 2 g) + .., as far as they are positive. */
static int128 falling_sum(int64_t v, int64_t g)
{
    if (v <= 0) return 0;
    int128 terms = (v - 1) / g + 1;
    return terms * v - g * (terms * (terms - 1) / 2);
}

int64_t classes_weight(const struct classes *k, int64_t z)
{
    /* Runs z' = z (mod g), -r < z' < s, have length min(r, s - z') - max(0, -z'),
     * which is max(0, z' + r) - max(0, z') - max(0, z' + r - s). */
    int64_t top = k->s - 1 - int_mod(k->s - 1 - z, k->g);
    return (int64_t)(falling_sum(top + k->r, k->g) - falling_sum(top, k->g) -
                     falling_sum(top + k->r - k->s, k->g));
}

int64_t classes_degree(const struct classes *k, redist_side side)
{
    return side == REDIST_SOURCE ? k->b * int_ceil_div(k->n, k->u)
                                 : k->a * int_ceil_div(k->n, k->t);
}

bool classes_core_is_small(const struct classes *k)
{
    int64_t messages = 0;
    return int_mul(k->n, k->a, &messages) && int_mul(messages, k->b, &messages) &&
           messages <= 1 << 20;
}

int64_t classes_first_of(const struct classes *k, redist_side side, int64_t c)
{
    int64_t residue =
        side == REDIST_SOURCE ? int_mulmod(c, k->r, k->u) : int_mulmod(-c, k->s, k->t);
    int64_t modulus = side == REDIST_SOURCE ? k->u : k->t;
    return k->first + int_mod(residue - k->first, modulus);
}

int64_t classes_partner(const struct classes *k, redist_side side, int64_t c, int64_t z)
{
    if (side == REDIST_SOURCE) {
        int128 w = (int128)c * k->r - z;
        return int_mulmod((int64_t)(w / k->u % (k->g / k->u)), k->q_inverse, k->g / k->u);
    }
    int128 w = (int128)c * k->s + z;
    return int_mulmod((int64_t)(w / k->t % (k->g / k->t)), k->p_inverse, k->g / k->t);
}

int64_t classes_ring_step(const struct classes *k, redist_side side, int64_t c,
                          int64_t partner)
{
    int64_t steps = int_max(k->P, k->Q);
    int64_t ahead = side == REDIST_SOURCE ? partner - c : c - partner;
    return int_mod(ahead, steps);
}
