/* SPDX-License-Identifier: MIT
 *
 * schedule/lists/shuffle.h - steps in an order drawn by a seed. Their number and lengths
 * stay the same. Step k becomes factor k + shift modulo their number.
 */
#ifndef REDIST_SCHEDULE_LISTS_SHUFFLE_H
#define REDIST_SCHEDULE_LISTS_SHUFFLE_H

#include "base/hash.h"
#include "base/intmath.h"

struct shuffle {
    int64_t n, factor, shift;
};

/* Draw an order of n > 0 steps; seed 0 keeps theirs. */
static inline struct shuffle shuffle_draw(int64_t n, int seed)
{
    struct shuffle shuffle = {n, 1, 0};
    uint64_t hash = hash_int(HASH_START, seed);
    if (seed == 0 || n == 1) return shuffle;
    shuffle.shift = (int64_t)(hash % (uint64_t)n);
    shuffle.factor = (int64_t)(hash_int(hash, seed) % (uint64_t)n);
    while (int_gcd(shuffle.factor, n) != 1) shuffle.factor++;
    return shuffle;
}

static inline int64_t shuffle_step(const struct shuffle *shuffle, int64_t step)
{
    return (shuffle->factor * step + shuffle->shift) % shuffle->n;
}

#endif
