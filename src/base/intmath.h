/* SPDX-License-Identifier: MIT
 *
 * base/intmath.h - 64-bit integer arithmetic that never overflows silently.
 */
#ifndef REDIST_BASE_INTMATH_H
#define REDIST_BASE_INTMATH_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

static inline int64_t int_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t int_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* Remainder in [0, m), also of a negative a; m > 0. */
static inline int64_t int_mod(int64_t a, int64_t m)
{
    int64_t r = a % m;
    return r < 0 ? r + m : r;
}

/* ceil(a / b) for a >= 0, b > 0. */
static inline int64_t int_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* Greatest common divisor of a, b >= 0; gcd(0, b) = b. */
static inline int64_t int_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* The x in [0, m) with a x = 1 (mod m), for gcd(a, m) = 1, m > 0; 0 where m = 1. */
static inline int64_t int_inverse(int64_t a, int64_t m)
{
    int64_t r0 = m, r1 = int_mod(a, m), x0 = 0, x1 = 1;
    while (r1 > 0) {
        int64_t q = r0 / r1, r = r0 - q * r1, x = x0 - q * x1;
        r0 = r1, r1 = r, x0 = x1, x1 = x;
    }
    return int_mod(x0, m);
}

/* Set *product = a b for a, b >= 0; false if it exceeds 64 bits. */
static inline bool int_mul(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* a b mod m in [0, m) for any a, b; m > 0. Dividing 128-bit products takes several times
 * as long. */
static inline int64_t int_mulmod(int64_t a, int64_t b, int64_t m)
{
    int64_t x = int_mod(a, m), y = int_mod(b, m), product = 0;
    return int_mul(x, y, &product) ? product % m : (int64_t)((int128)x * y % m);
}

/* Set *sum = a + b; false if it exceeds 64 bits. */
static inline bool int_add(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/* Set *multiple = lcm(a, b) for a, b > 0; false, and *multiple = INT64_MAX, if it exceeds
 * 64 bits. */
static inline bool int_lcm(int64_t a, int64_t b, int64_t *multiple)
{
    if (int_mul(a / int_gcd(a, b), b, multiple)) return true;
    *multiple = INT64_MAX;
    return false;
}

#endif
