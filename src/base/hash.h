/* SPDX-License-Identifier: MIT
 *
 * base/hash.h - a 64-bit hash that compares descriptions across processes. It does not
 * resist malice.
 */
#ifndef REDIST_BASE_HASH_H
#define REDIST_BASE_HASH_H

#include <stdint.h>

#define HASH_START UINT64_C(0x9e3779b97f4a7c15)

/* Fold one number into a hash: the finalizer of splitmix64 (Steele, Lea and Flood
 * 2014). */
static inline uint64_t hash_int(uint64_t hash, int64_t value)
{
    uint64_t z = hash * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)value + HASH_START;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
