/* SPDX-License-Identifier: MIT */
#include "move/landing.h"

#include <stddef.h>
#include <string.h>

#include "base/intmath.h"

struct landing *landing_make(struct mem_account *account, int64_t elements, int block,
                             int64_t size)
{
    struct landing *landing = mem_alloc(account, 1, sizeof *landing);
    if (!landing) return NULL;
    landing->elements = elements;
    landing->block = block;
    landing->place = mem_alloc_list(account, elements, sizeof *landing->place);
    landing->buffer = mem_alloc_list(account, INT64_C(1) << block, (size_t)size);
    if (landing->place && landing->buffer) return landing;
    landing_free(landing);
    return NULL;
}

void landing_free(struct landing *landing)
{
    if (!landing) return;
    mem_free(landing->place);
    mem_free(landing->buffer);
    mem_free(landing);
}

#define INLINE static inline __attribute__((always_inline))

INLINE void spread(const uint16_t *place, int64_t n, size_t size,
                   const char *restrict block, char *restrict buffer)
{
    for (int64_t k = 0; k < n; k++)
        memcpy(buffer + place[k] * size, block + (size_t)k * size, size);
}

void landing_order(const struct landing *landing, int64_t size, char *array)
{
    int64_t most = INT64_C(1) << landing->block;
    for (int64_t at = 0; at < landing->elements; at += most) {
        int64_t n = int_min(most, landing->elements - at);
        const uint16_t *place = landing->place + at;
        char *block = array + at * size;
        switch (size) { /* one that the compiler knows makes a copy one move */
            case 4: spread(place, n, 4, block, landing->buffer); break;
            case 8: spread(place, n, 8, block, landing->buffer); break;
            case 16: spread(place, n, 16, block, landing->buffer); break;
            default: spread(place, n, (size_t)size, block, landing->buffer);
        }
        memcpy(block, landing->buffer, (size_t)(n * size));
    }
}
