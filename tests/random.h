/* SPDX-License-Identifier: MIT
 *
 * tests/random.h - random numbers from a seed, and draws that can be recorded, so that a
 * random case can be repeated and made smaller.
 */
#ifndef REDIST_TESTS_RANDOM_H
#define REDIST_TESTS_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A small reproducible generator (xorshift64*, Vigna 2016). */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

/* The draws of one case, each as its distance from the least that it may be. Of a tape
 * that is given the draws are taken instead of made; behind its end all are 0. */
struct random_tape {
    bool given;
    size_t n, next, room;
    uint64_t *draw; /* [room], the first n of them are there */
};
static struct random_tape *random_tape; /* NULL: draws are not recorded */

/* Draw, uniform enough, from [low, high]. */
static inline int64_t random_in(uint64_t *state, int64_t low, int64_t high)
{
    struct random_tape *tape = random_tape;
    uint64_t width = (uint64_t)(high - low + 1), drawn = 0;
    if (!tape || !tape->given)
        drawn = random_next(state) % width;
    else if (tape->next < tape->n)
        drawn = tape->draw[tape->next++] % width;
    if (tape && !tape->given && tape->n < tape->room) tape->draw[tape->n++] = drawn;
    return low + (int64_t)drawn;
}

#endif
