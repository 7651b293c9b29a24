/* SPDX-License-Identifier: MIT
 *
 * move/runs/hops.h - the runs of a period, gone over again and again as quickly as can
 * be: what is moved may go beyond a run, as the next one is put over that.
 *
 *   run       aaaa        bb            so much is read, whatever a run has
 *             aaaa????    bb??????
 *   target    aaaabb??????
 *
 * Lines of the target are put together in the room of a seam (seam.h), or, of short runs
 * where the machine has AVX2, in a register (cuts.h): what has just been stored run by
 * run cannot be read by the line at once, but after all of it has reached the cache. One
 * element of each partner is zipped (zips.h), which any machine does.
 */
#ifndef REDIST_MOVE_RUNS_HOPS_H
#define REDIST_MOVE_RUNS_HOPS_H

#include "move/runs/cuts.h"
#include "move/runs/seam.h"

enum {
    HOPS_MOST = 256,        /* of a period */
    HOPS_PARTNERS = 64,     /* whose they are */
    HOPS_BEYOND = SEAM_LINE /* bytes that may be read behind a run */
};

/* A run: where it lies from where its partner's period begins. */
struct hop {
    int64_t from;
    int32_t bytes, partner;
};

struct hops {
    struct hop hop[HOPS_MOST], *end; /* in the order of the target, without a gap */
    int partners;
    bool whole;     /* all that the partners will bring is there */
    int64_t beyond; /* else of so many bytes of the target more than are gone over */
    int64_t period; /* bytes of the target */
    const char *begin[HOPS_PARTNERS]; /* before which nothing may be read */
    /* The period that comes next. These are written several at a time, and read at once:
     * of what lies on two pages only after all that was written before, the target too,
     * is in the memory, which takes eight times as long. */
    alignas(SEAM_LINE) const char *from[HOPS_PARTNERS];
    int64_t step[HOPS_PARTNERS]; /* from one to the next, > 0 */
    struct cuts cuts;            /* of what is above, once there are any */
};

/* Append n periods, and go on by as many with each partner. Whatever lies behind them for
 * HOPS_BEYOND bytes can be read. O(n runs of a period). */
void hops_over(struct hops *hops, int64_t n, struct seam *seam);

#endif
