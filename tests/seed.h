/* SPDX-License-Identifier: MIT
 *
 * tests/seed.h - the random numbers of a test.
 */
#ifndef REDIST_TESTS_SEED_H
#define REDIST_TESTS_SEED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

/* The seed of this run, printed, from REDIST_TEST_SEED if that is set. */
static inline uint64_t seed_or(uint64_t usual)
{
    const char *given = getenv("REDIST_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : usual;
    printf("REDIST_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* A number in 0 .. n - 1. */
static inline int below(uint64_t *seed, int n)
{
    *seed = hash_int(*seed, n);
    return (int)(*seed % (uint64_t)n);
}

#endif
