/* SPDX-License-Identifier: MIT
 *
 * move/shared/source_window.h - a sliding window over the source in shared memory: the
 * source is copied as it is, slot by slot, for all its receivers to read.
 *
 *   source   0 1 2 3 4 5 6 7 ..     parts
 *   window   4 5 2 3                in slots: a slot is overwritten when all have read it
 *
 * If a process sends short runs to many, packing takes longer than copying the whole
 * source. Receivers read their runs from the window while it is in the cache, as from
 * arrays of redist_alloc. All receivers traverse the source in the same order, so their
 * targets must have it, too.
 */
#ifndef REDIST_MOVE_SHARED_SOURCE_WINDOW_H
#define REDIST_MOVE_SHARED_SOURCE_WINDOW_H

#include "move/message/exchange.h"

struct source_window {
    int64_t begin, bytes; /* of the source, in its buffer */
    int64_t slot, nslots,
        n; /* bytes of a part; slots; parts, rounded up to whole laps of the slots */
};

/* Tell whether the calling process should send through a window. It must send all of its
 * source, in short runs, to several receivers. Each receiver needs the runs in the
 * source's order; no two may differ by more than a window. The window fits the caller's
 * cap on staging memory and some times a second-level cache of `cache` bytes. A process
 * that sends nothing agrees.
 * O(messages). */
bool source_window_make(const struct move *move, int64_t cache,
                        struct source_window *window);

/* Copy part k of the source of a run into a slot; `past`: past the cache. */
void source_window_copy(const struct source_window *window, int64_t k, bool past,
                        const struct move *move, char *slot);

/* Return where the first k parts of the source end, in bytes. */
static inline int64_t source_window_end(const struct source_window *window, int64_t k)
{
    return window->begin + k * window->slot;
}

#endif
