/* SPDX-License-Identifier: MIT
 *
 * move/runs/period_copy.h - copy the same runs period after period, as fast as possible.
 * Copies have a fixed size and may extend beyond a run; the next run overwrites the
 * excess.
 *
 *   run       aaaa        bb            a fixed number of bytes is read for each run
 *             aaaa????    bb??????
 *   target    aaaabb??????
 *
 * Lines of the target are assembled in a line buffer (line_buffer.h). Short runs are
 * assembled in a register if the machine has AVX2 (avx2_gather.h): a line just stored run
 * by run cannot be loaded before all its stores have reached the cache. Single elements
 * of each partner are interleaved in registers on any machine (interleave_elements.h).
 */
#ifndef REDIST_MOVE_RUNS_PERIOD_COPY_H
#define REDIST_MOVE_RUNS_PERIOD_COPY_H

#include "move/runs/avx2_gather.h"
#include "move/runs/line_buffer.h"

enum {
    PERIOD_COPY_RUNS = 256,               /* most runs of a period */
    PERIOD_COPY_PARTNERS = 64,            /* most partners */
    PERIOD_COPY_BEYOND = LINE_BUFFER_LINE /* bytes that may be read behind a run */
};

/* A run: where it lies from where its partner's period begins. */
struct period_run {
    int64_t from;
    int32_t bytes, partner;
};

struct period_copy {
    struct period_run run[PERIOD_COPY_RUNS],
        *end; /* in the order of the target, without gaps */
    int partners;
    bool whole;     /* all data of the partners are complete */
    int64_t beyond; /* if not: bytes of the target that must be complete beyond those
                       copied */
    int64_t period; /* bytes of the target */
    const char *begin[PERIOD_COPY_PARTNERS]; /* no reads before these addresses */
    /* The next period of each partner. `from` is aligned: several are stored at once and
     * loaded at once, and a load across two pages waits until all stores before it, the
     * target's too, are in memory, which takes eight times as long. */
    alignas(LINE_BUFFER_LINE) const char *from[PERIOD_COPY_PARTNERS];
    int64_t step[PERIOD_COPY_PARTNERS]; /* bytes from period to period, > 0 */
    struct avx2_gather gather;          /* the table for these runs, once made */
};

/* Append n periods and advance each partner by as many. PERIOD_COPY_BEYOND bytes behind
 * them must be readable. O(n runs of a period). */
void period_copy_append(struct period_copy *copy, int64_t n, struct line_buffer *buffer);

#endif
