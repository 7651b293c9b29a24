/* SPDX-License-Identifier: MIT
 *
 * move/walk/blocked_scatter.h - a cache-blocked scatter: an array is filled in two steps,
 * each with accesses that stay in the cache. First, arriving elements are appended to the
 * block they belong to. When all have arrived, each block is put in order.
 *
 *   arrived    | d b a c | g e h f |     in runs: some from each part of the source
 *   in order   | a b c d | e f g h |
 *
 * It takes memory for one block: arriving elements are stored in the array itself.
 */
#ifndef REDIST_MOVE_WALK_BLOCKED_SCATTER_H
#define REDIST_MOVE_WALK_BLOCKED_SCATTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

enum { BLOCKED_SCATTER_MOST = 16 }; /* an element's position in its block has two bytes */

struct blocked_scatter {
    int64_t elements;
    int block;          /* blocks have 1 << block elements, the last may be shorter */
    uint16_t *position; /* [elements] for each place of the array: where in its block its
                           element arrives */
    uint16_t *place;    /* [elements] for each arriving element: its place in its block;
                           or NULL */
    char *buffer;       /* room for a block */
};

/* Make one for `elements` of `size` bytes. The caller fills in the positions. NULL:
 * MEMORY. */
struct blocked_scatter *blocked_scatter_make(struct mem_account *account,
                                             int64_t elements, int block, int64_t size);
void blocked_scatter_free(struct blocked_scatter *scatter);

/* Invert the positions, for blocked_scatter_place. O(elements). False: MEMORY. */
bool blocked_scatter_find_places(struct mem_account *account,
                                 struct blocked_scatter *scatter);

/* Return the final place of the element that arrives at `at`. The places must have been
 * found. */
static inline int64_t blocked_scatter_place(const struct blocked_scatter *scatter,
                                            int64_t at)
{
    return (at >> scatter->block << scatter->block) + scatter->place[at];
}

/* Call `loop` for elements of `size` bytes. With a size known to the compiler, a copy is
 * one or two moves. */
#define BLOCKED_SCATTER_FOR_SIZE(loop, place, n, ...)                                    \
    switch (size) {                                                                      \
        case 4: loop(place, n, 4, __VA_ARGS__); break;                                   \
        case 8: loop(place, n, 8, __VA_ARGS__); break;                                   \
        case 16: loop(place, n, 16, __VA_ARGS__); break;                                 \
        case 24: loop(place, n, 24, __VA_ARGS__); break;                                 \
        case 32: loop(place, n, 32, __VA_ARGS__); break;                                 \
        case 40: loop(place, n, 40, __VA_ARGS__); break;                                 \
        case 48: loop(place, n, 48, __VA_ARGS__); break;                                 \
        case 56: loop(place, n, 56, __VA_ARGS__); break;                                 \
        case 64: loop(place, n, 64, __VA_ARGS__); break;                                 \
        default: loop(place, n, (size_t)size, __VA_ARGS__);                              \
    }

/* Put an array in order once all its elements have arrived. O(elements). */
void blocked_scatter_order(const struct blocked_scatter *scatter, int64_t size,
                           char *array);

#endif
