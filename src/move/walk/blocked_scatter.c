/* SPDX-License-Identifier: MIT */
#include "move/walk/blocked_scatter.h"

#include <stddef.h>
#include <string.h>

#include "base/intmath.h"

enum { LINE = 64 }; /* bytes of a cache line, at least those of an element */

struct blocked_scatter *blocked_scatter_make(struct mem_account *account,
                                             int64_t elements, int block, int64_t size)
{
    struct blocked_scatter *scatter = mem_alloc(account, 1, sizeof *scatter);
    if (!scatter) return NULL;
    scatter->elements = elements;
    scatter->block = block;
    scatter->position = mem_alloc_list(account, elements, sizeof *scatter->position);
    scatter->buffer = mem_alloc_list(account, INT64_C(1) << block, (size_t)size);
    if (scatter->position && scatter->buffer) return scatter;
    blocked_scatter_free(scatter);
    return NULL;
}

void blocked_scatter_free(struct blocked_scatter *scatter)
{
    if (!scatter) return;
    mem_free(scatter->position);
    mem_free(scatter->place);
    mem_free(scatter->buffer);
    mem_free(scatter);
}

bool blocked_scatter_find_places(struct mem_account *account,
                                 struct blocked_scatter *scatter)
{
    int64_t most = INT64_C(1) << scatter->block;
    scatter->place = mem_alloc_list(account, scatter->elements, sizeof *scatter->place);
    if (!scatter->place) return false;
    for (int64_t at = 0; at < scatter->elements; at += most) {
        int64_t n = int_min(most, scatter->elements - at);
        for (int64_t k = 0; k < n; k++)
            scatter->place[at + scatter->position[at + k]] = (uint16_t)k;
    }
    return true;
}

#define INLINE static inline __attribute__((always_inline))

/* Collect the arrived elements in the buffer. The lines of the `next` block are
 * prefetched meanwhile. */
INLINE void collect(const uint16_t *position, int64_t n, size_t size,
                    const char *restrict buffer, char *restrict block, const char *next)
{
    int64_t line = (int64_t)(LINE / size), k = 0;
    for (; k + line <= n; k += line) {
        __builtin_prefetch(next + (size_t)k * size, 1, 2);
        for (int64_t j = k; j < k + line; j++)
            memcpy(block + (size_t)j * size, buffer + position[j] * size, size);
    }
    for (; k < n; k++)
        memcpy(block + (size_t)k * size, buffer + position[k] * size, size);
}

void blocked_scatter_order(const struct blocked_scatter *scatter, int64_t size,
                           char *array)
{
    int64_t most = INT64_C(1) << scatter->block;
    for (int64_t at = 0; at < scatter->elements; at += most) {
        int64_t left = scatter->elements - at, n = int_min(most, left);
        const uint16_t *position = scatter->position + at;
        char *block = array + at * size, *next = left >= 2 * n ? block + n * size : block;
        memcpy(scatter->buffer, block, (size_t)(n * size));
        BLOCKED_SCATTER_FOR_SIZE(collect, position, n, scatter->buffer, block, next)
    }
}
