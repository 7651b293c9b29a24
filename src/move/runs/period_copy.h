/* SPDX-License-Identifier: MIT
 *
 * move/runs/period_copy.h - the runs of a period, gone over again and again as quickly as
 * can be: what is moved may go beyond a run, as the next one is put over that.
 *
 *   run       aaaa        bb            so much is read, whatever a run has
 *             aaaa????    bb??????
 *   target    aaaabb??????
 *
 * Lines of the target are put together in the room of a line buffer (line_buffer.h), or,
 * of short runs where the machine has AVX2, in a register (avx2_gather.h): what has just
 * been stored run by run cannot be read by the line at once, but after all of it has
 * reached the cache. One element of each partner is interleaved in registers
 * (interleave_elements.h), which any machine does.
 */
#ifndef REDIST_MOVE_RUNS_PERIOD_COPY_H
#define REDIST_MOVE_RUNS_PERIOD_COPY_H

#include "move/runs/avx2_gather.h"
#include "move/runs/line_buffer.h"

enum {
    PERIOD_COPY_RUNS = 256,               /* of a period */
    PERIOD_COPY_PARTNERS = 64,            /* whose they are */
    PERIOD_COPY_BEYOND = LINE_BUFFER_LINE /* bytes that may be read behind a run */
};

/* A run: where it lies from where its partner's period begins. */
struct period_run {
    int64_t from;
    int32_t bytes, partner;
};

struct period_copy {
    struct period_run run[PERIOD_COPY_RUNS],
        *end; /* in the order of the target, without a gap */
    int partners;
    bool whole;     /* all that the partners will bring is there */
    int64_t beyond; /* else of so many bytes of the target more than are gone over */
    int64_t period; /* bytes of the target */
    const char *begin[PERIOD_COPY_PARTNERS]; /* before which nothing may be read */
    /* The period that comes next. These are written several at a time, and read at once:
     * of what lies on two pages only after all that was written before, the target too,
     * is in the memory, which takes eight times as long. */
    alignas(LINE_BUFFER_LINE) const char *from[PERIOD_COPY_PARTNERS];
    int64_t step[PERIOD_COPY_PARTNERS]; /* from one to the next, > 0 */
    struct avx2_gather gather;          /* of what is above, once there are any */
};

/* Append n periods, and go on by as many with each partner. Whatever lies behind them for
 * PERIOD_COPY_BEYOND bytes can be read. O(n runs of a period). */
void period_copy_append(struct period_copy *copy, int64_t n, struct line_buffer *buffer);

#endif
