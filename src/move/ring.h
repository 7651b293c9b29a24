/* SPDX-License-Identifier: MIT
 *
 * move/ring.h - staging memory handed out and taken back in the order of a queue.
 *
 *   bytes   |....xxxxxxxxxxx.....|    taken: [head, tail), cyclically; a piece never
 *                head       tail      wraps round, the gap at the end goes with it
 */
#ifndef REDIST_MOVE_RING_H
#define REDIST_MOVE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
    char *base;
    int64_t size;
    int64_t head, tail; /* bytes ever taken back, ever handed out, gaps included */
};

/* Hand out n bytes (1 <= n <= size) side by side; NULL if they are not free now.
 * `*taken` is what to give back with ring_pop, in the same order. */
static inline char *ring_push(struct ring *ring, int64_t n, int64_t *taken)
{
    int64_t at = ring->tail % ring->size, gap = at + n > ring->size ? ring->size - at : 0;
    if (ring->tail == ring->head) { /* empty: begin anew rather than leave a gap */
        ring->head = ring->tail = at = gap = 0;
    }
    if (ring->tail + gap + n - ring->head > ring->size) return NULL;
    *taken = gap + n;
    ring->tail += gap + n;
    return ring->base + (gap ? 0 : at);
}

static inline void ring_pop(struct ring *ring, int64_t taken) { ring->head += taken; }

#endif
