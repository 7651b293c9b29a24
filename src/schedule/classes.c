/* SPDX-License-Identifier: MIT */
#include "schedule/classes.h"

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
        return error_set(REDIST_ERR_ARG,
                         "a period of cyclic(%" PRId64 ") onto %" PRId64
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

int64_t classes_weight(const struct classes *k, int64_t z)
{
    int64_t weight = 0;
    z = -(k->r - 1) + int_mod(z + k->r - 1, k->g);
    for (; z < k->s; z += k->g) weight += int_min(k->r, k->s - z) - int_max(0, -z);
    return weight;
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
