/* SPDX-License-Identifier: MIT
 *
 * move/shared/source_window.h - a source that is shown as it lies to all who receive from
 * it, stretch by stretch, in a window of shared memory that has_window over it:
 *
 *   source   0 1 2 3 4 5 6 7 ..     stretches
 *   window   4 5 2 3                in slots: one is written anew when all have read it
 *
 * Where a process sends short runs to many, to pack them takes longer than to copy all of
 * it as it lies; and who receives reads its runs, as from arrays of redist_alloc, while
 * they are in the cache. All go over the sources together: so must the targets' order.
 */
#ifndef REDIST_MOVE_SHARED_SOURCE_WINDOW_H
#define REDIST_MOVE_SHARED_SOURCE_WINDOW_H

#include "move/message/exchange.h"

struct source_window {
    int64_t begin, bytes; /* of the source, in its buffer */
    int64_t slot, nslots,
        n; /* bytes of a stretch; slots; stretches: whole laps of them */
};

/* Find out whether what the calling process sends is better shown in a window: to
 * several, all of it, in short runs, which each receiver needs in the order in which they
 * lie, not sooner or later than the others do by more than a window holds. It is within
 * the caller's cap on staging memory and a few times a second-level cache of so many
 * bytes. Who sends nothing does not mind.
 * O(messages). */
bool source_window_make(const struct move *move, int64_t cache,
                        struct source_window *window);

/* Copy stretch k of the source; or past the cache. */
void source_window_copy(const struct source_window *window, int64_t k, bool past,
                        const char *source, char *slot);

/* Where the source ends that the first k stretches hold, in bytes. */
static inline int64_t source_window_end(const struct source_window *window, int64_t k)
{
    return window->begin + k * window->slot;
}

#endif
