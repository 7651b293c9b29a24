/* SPDX-License-Identifier: MIT
 *
 * move/walk/blocked_scatter.h - an array that is filled in two steps, each of which stays
 * in the cache where one would be all over the array: what comes is put into the block to
 * which it belongs, one behind the other; when all has come, each block is put in order.
 *
 *   lands      | d b a c | g e h f |     in runs: from each part of the source some
 *   in order   | a b c d | e f g h |
 *
 * It takes no memory but a block's: until it is in order, the array itself is the room.
 */
#ifndef REDIST_MOVE_WALK_BLOCKED_SCATTER_H
#define REDIST_MOVE_WALK_BLOCKED_SCATTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

enum {
    BLOCKED_SCATTER_MOST = 16
}; /* two bytes an element say where in its block it lands */

struct blocked_scatter {
    int64_t elements;
    int block;          /* blocks are of 1 << block elements, the last may be shorter */
    uint16_t *position; /* [elements] where in its block lands what belongs here */
    uint16_t *place; /* [elements] where in its block belongs what lands here, or NULL */
    char *buffer;    /* for a block */
};

/* Make one for `elements` of `size` bytes, its positions for the caller to fill in. NULL:
 * MEMORY. */
struct blocked_scatter *blocked_scatter_make(struct mem_account *account,
                                             int64_t elements, int block, int64_t size);
void blocked_scatter_free(struct blocked_scatter *scatter);

/* Find the places by the positions, for blocked_scatter_place. O(elements). False:
 * MEMORY. */
bool blocked_scatter_find_places(struct mem_account *account,
                                 struct blocked_scatter *scatter);

/* Where what lands at `at` belongs, once the places have been found. */
static inline int64_t blocked_scatter_place(const struct blocked_scatter *scatter,
                                            int64_t at)
{
    return (at >> scatter->block << scatter->block) + scatter->place[at];
}

/* Call `loop` for elements of `size` bytes: a size that the compiler knows makes a copy
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

/* Put an array in order, all of whose elements have landed. O(elements). */
void blocked_scatter_order(const struct blocked_scatter *scatter, int64_t size,
                           char *array);

#endif
