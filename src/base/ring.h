/* SPDX-License-Identifier: MIT
 *
 * base/ring.h - staging memory handed out and taken back in the order of a queue.
 *
 *   bytes   |....xxxxxxxxxxx.....|    taken: [head, tail), cyclically; a piece never
 *                head       tail      wraps round, the gap at the end goes with it
 *
 * Where a piece lies follows from the sizes of those handed out before it since the ring
 * was reset, and not from when they were taken back: it is the same in each run.
 */
#ifndef REDIST_BASE_RING_H
#define REDIST_BASE_RING_H

#include <stdint.h>

struct ring {
    int64_t size;
    int64_t head, tail; /* bytes ever taken back, ever handed out, gaps included */
};

static inline void ring_reset(struct ring *ring) { ring->head = ring->tail = 0; }

/* Hand out n bytes (1 <= n <= size) side by side. Returns where they begin; -1 if they
 * are not free now. `*end` is what to give back with ring_pop, in the same order. */
static inline int64_t ring_push(struct ring *ring, int64_t n, int64_t *end)
{
    int64_t at = ring->tail % ring->size, gap = at + n > ring->size ? ring->size - at : 0;
    if (ring->tail == ring->head) ring->head += gap; /* empty: nobody's gap */
    if (ring->tail + gap + n - ring->head > ring->size) return -1;
    *end = ring->tail += gap + n;
    return gap ? 0 : at;
}

static inline void ring_pop(struct ring *ring, int64_t end) { ring->head = end; }

/* Bytes that are handed out. */
static inline int64_t ring_held(const struct ring *ring)
{
    return ring->tail - ring->head;
}

#endif
