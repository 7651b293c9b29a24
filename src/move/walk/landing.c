/* SPDX-License-Identifier: MIT */
#include "move/walk/landing.h"

#include <stddef.h>
#include <string.h>

#include "base/intmath.h"

enum { LINE = 64 }; /* bytes of a cache line, no less than an element that lands */

struct landing *landing_make(struct mem_account *account, int64_t elements, int block,
                             int64_t size)
{
    struct landing *landing = mem_alloc(account, 1, sizeof *landing);
    if (!landing) return NULL;
    landing->elements = elements;
    landing->block = block;
    landing->spot = mem_alloc_list(account, elements, sizeof *landing->spot);
    landing->buffer = mem_alloc_list(account, INT64_C(1) << block, (size_t)size);
    if (landing->spot && landing->buffer) return landing;
    landing_free(landing);
    return NULL;
}

void landing_free(struct landing *landing)
{
    if (!landing) return;
    mem_free(landing->spot);
    mem_free(landing->place);
    mem_free(landing->buffer);
    mem_free(landing);
}

bool landing_find_places(struct mem_account *account, struct landing *landing)
{
    int64_t most = INT64_C(1) << landing->block;
    landing->place = mem_alloc_list(account, landing->elements, sizeof *landing->place);
    if (!landing->place) return false;
    for (int64_t at = 0; at < landing->elements; at += most) {
        int64_t n = int_min(most, landing->elements - at);
        for (int64_t k = 0; k < n; k++)
            landing->place[at + landing->spot[at + k]] = (uint16_t)k;
    }
    return true;
}

#define INLINE static inline __attribute__((always_inline))

/* Collect what has landed in the buffer. The lines of the `next` block are asked for on
 * the way: what is in the cache is in order before it has come. */
INLINE void collect(const uint16_t *spot, int64_t n, size_t size,
                    const char *restrict buffer, char *restrict block, const char *next)
{
    int64_t line = (int64_t)(LINE / size), k = 0;
    for (; k + line <= n; k += line) {
        __builtin_prefetch(next + (size_t)k * size, 1, 2);
        for (int64_t j = k; j < k + line; j++)
            memcpy(block + (size_t)j * size, buffer + spot[j] * size, size);
    }
    for (; k < n; k++) memcpy(block + (size_t)k * size, buffer + spot[k] * size, size);
}

void landing_order(const struct landing *landing, int64_t size, char *array)
{
    int64_t most = INT64_C(1) << landing->block;
    for (int64_t at = 0; at < landing->elements; at += most) {
        int64_t left = landing->elements - at, n = int_min(most, left);
        const uint16_t *spot = landing->spot + at;
        char *block = array + at * size, *next = left >= 2 * n ? block + n * size : block;
        memcpy(landing->buffer, block, (size_t)(n * size));
        LANDING_FOR_SIZE(collect, spot, n, landing->buffer, block, next)
    }
}
