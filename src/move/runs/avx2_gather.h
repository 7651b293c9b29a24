/* SPDX-License-Identifier: MIT
 *
 * move/runs/avx2_gather.h - copy the runs of periods (period_copy.h) by AVX2 registers.
 * Runs are cut where registers of the target end. The cuts repeat after as many periods
 * as fill whole lines: one cycle. They are found once and kept in a table, so that no run
 * has to be looked up and several lines are in progress at a time.
 *
 *   target    aaaabbaaaabb|aaaabbaaaabb      registers
 *   parts     1  | 2| 3 |4|..                each is loaded so that it lies in its place,
 *             aaaa????????                   and overwrites all that lies behind it
 *                 bb??????
 */
#ifndef REDIST_MOVE_RUNS_AVX2_GATHER_H
#define REDIST_MOVE_RUNS_AVX2_GATHER_H

#include "move/runs/line_buffer.h"

enum {
    AVX2_GATHER_MOST = 1024, /* entries; the table stays in the first-level cache */
    AVX2_GATHER_WIDE = 32,   /* bytes of a register; as many may be read before a run */
    TOO_MANY_PARTS = -1
};

struct period_copy;

/* One part of a register: the load that fills it from one run. */
struct gather_part {
    const char *at;         /* address in the current cycle */
    int32_t from;           /* bytes from the partner's first period of a cycle */
    uint8_t partner, begin; /* begin: bytes of the register before the part */
    bool last;              /* the last part of a register */
};

/* The lines of a cycle. The first one begins with `phase` bytes of the cycle before. */
struct avx2_gather {
    int64_t phase, cycle; /* bytes; periods (0: no table yet; or TOO_MANY_PARTS) */
    struct gather_part part[AVX2_GATHER_MOST], *end;
};

/* Tell whether the machine has AVX2. O(1). */
bool avx2_gather_is_available(void);

/* Append n periods and advance each partner by as many. The current line of the buffer
 * must contain no bytes of others. Returns false if this machine cannot do it, or a cycle
 * has too many parts. O(n runs of a period). */
bool avx2_gather_append(struct period_copy *copy, int64_t n, struct line_buffer *buffer);

#endif
