/* SPDX-License-Identifier: MIT
 *
 * move/runs/avx2_gather.h - the runs of periods (period_copy.h), cut where registers of
 * the target end: after as many periods as fill whole lines every register is put
 * together in the same way again. A table of these cuts leaves nothing to find out run by
 * run, so that many lines are under way at a time.
 *
 *   target    aaaabbaaaabb|aaaabbaaaabb      registers
 *   cuts      1  | 2| 3 |4|..                each is read such that it lies in its place,
 *             aaaa????????                   and put over all that lies behind that
 *                 bb??????
 */
#ifndef REDIST_MOVE_RUNS_AVX2_GATHER_H
#define REDIST_MOVE_RUNS_AVX2_GATHER_H

#include "move/runs/line_buffer.h"

enum {
    AVX2_GATHER_MOST = 1024, /* they stay in the first-level cache */
    AVX2_GATHER_WIDE = 32,   /* bytes of a register; so many may be read before a run */
    TOO_MANY_PARTS = -1
};

struct period_copy;

/* From where a register is read for a run. */
struct gather_part {
    const char *at;         /* in the cycle that is gone over */
    int32_t from;           /* from the partner's first period of a cycle on */
    uint8_t partner, begin; /* bytes of the register that are before it */
    bool last;              /* of a register */
};

/* The lines of a cycle: the first one has `phase` bytes of the cycle before. */
struct avx2_gather {
    int64_t phase, cycle; /* bytes; periods: 0 before any are made, TOO_MANY_PARTS */
    struct gather_part cut[AVX2_GATHER_MOST], *end;
};

/* Whether the machine has what it takes: AVX2. O(1). */
bool avx2_gather_is_available(void);

/* Append n periods, and go on by as many with each partner. The line buffer must be
 * within a line that is all its own. Returns false if that cannot be done, here or with
 * so many runs. O(n runs of a period). */
bool avx2_gather_append(struct period_copy *copy, int64_t n, struct line_buffer *buffer);

#endif
