/* SPDX-License-Identifier: MIT
 *
 * tests/unit/nests.h - random nests of loops, and buffers of just the bytes that they
 * reach, which begin anywhere.
 */
#ifndef REDIST_TESTS_NESTS_H
#define REDIST_TESTS_NESTS_H

#include <assert.h>
#include <string.h>

#include "move/kernel/nest.h"
#include "oracle.h"

static inline int64_t draw(uint64_t *seed, int64_t low, int64_t high)
{
    return random_in(seed, low, high);
}

/* Bytes that begin anywhere, not where malloc would have them. */
struct bytes {
    char *block, *at;
    int64_t n;
};

static inline struct bytes bytes_make(int64_t n, int64_t offset, uint64_t seed)
{
    int64_t room = n + offset > 0 ? n + offset : 1;
    struct bytes bytes = {.block = malloc((size_t)room), .n = n};
    assert(bytes.block);
    bytes.at = bytes.block + offset;
    for (int64_t k = 0; k < n; k++) bytes.at[k] = (char)(random_next(&seed) >> 24);
    return bytes;
}

static inline struct bytes bytes_like(const struct bytes *bytes)
{
    struct bytes copy = bytes_make(bytes->n, bytes->at - bytes->block, 1);
    assert(bytes->n >= 0);
    memcpy(copy.at, bytes->at, (size_t)bytes->n);
    return copy;
}

/* Give the loops steps on side `s` such that no two blocks overlap: each steps over all
 * that those before it in a random order make, and sometimes over a gap or up to the next
 * cache line. Returns the span in bytes. */
static inline int64_t draw_steps(uint64_t *seed, struct nest *nest, int s, bool sorted)
{
    int order[NEST_MAX_LEVELS];
    bool lines = draw(seed, 0, 2) == 0;
    int64_t span = nest->block;
    for (int k = 0; k < nest->n; k++) {
        int j = sorted ? 0 : (int)draw(seed, 0, k);
        memmove(order + j + 1, order + j, (size_t)(k - j) * sizeof *order);
        order[j] = k;
    }
    for (int k = 0; k < nest->n; k++) {
        struct level *level = &nest->level[order[k]];
        level->step[s] = span + (draw(seed, 0, 2) ? 0 : draw(seed, 1, 70));
        if (lines && k > 0) level->step[s] = (level->step[s] + 63) / 64 * 64;
        span = level->step[s] * (level->count - 1) + span;
    }
    return span;
}

static inline void draw_nest(uint64_t *seed, struct nest *nest)
{
    static const int64_t most[] = {2000, 300, 40, 12, 6};
    static const int64_t usual[] = {1, 2, 4, 8, 16};
    nest->n = (int)draw(seed, 0, 4);
    nest->stream = draw(seed, 0, 1);
    nest->combine = NULL;
    nest->block = draw(seed, 0, 1) ? usual[draw(seed, 0, 4)] : draw(seed, 1, 100);
    if (nest->n == 0) nest->block = draw(seed, 1, 3000);
    for (int k = 0; k < nest->n; k++)
        nest->level[k].count = draw(seed, 2, most[draw(seed, nest->n - 1, 4)]);
    if (draw(seed, 0, 9) == 0) nest->block = draw(seed, 500, 1500);
}

#endif
