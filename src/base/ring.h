/* SPDX-License-Identifier: MIT
 *
 * base/ring.h - staging memory that is allocated and freed as a queue.
 *
 *   bytes   |....xxxxxxxxxxx.....|    in use: [head, tail), cyclically; a piece never
 *                head       tail      wraps round, the gap at the end belongs to it
 *
 * The place of a piece depends only on the sizes of the pieces before it since the reset,
 * not on when they were freed: it is the same in each run.
 */
#ifndef REDIST_BASE_RING_H
#define REDIST_BASE_RING_H

#include <stdint.h>

struct ring {
    int64_t size;
    int64_t head, tail; /* bytes freed, and allocated, since the reset, with gaps */
};

static inline void ring_reset(struct ring *ring) { ring->head = ring->tail = 0; }

/* Allocate n contiguous bytes (1 <= n <= size). Returns their place; -1 if they are not
 * free now. Pass `*end` to ring_pop later, in the same order. */
static inline int64_t ring_push(struct ring *ring, int64_t n, int64_t *end)
{
    int64_t at = ring->tail % ring->size, gap = at + n > ring->size ? ring->size - at : 0;
    if (ring->tail == ring->head)
        ring->head += gap; /* empty: the gap belongs to no
                                                        piece */
    if (ring->tail + gap + n - ring->head > ring->size) return -1;
    *end = ring->tail += gap + n;
    return gap ? 0 : at;
}

static inline void ring_pop(struct ring *ring, int64_t end) { ring->head = end; }

/* Bytes in use. */
static inline int64_t ring_held(const struct ring *ring)
{
    return ring->tail - ring->head;
}

#endif
