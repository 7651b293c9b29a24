/* SPDX-License-Identifier: MIT
 *
 * move/runs/cuts.h - the runs of periods (hops.h), cut where registers of the target end:
 * after as many periods as fill whole lines every register is put together in the same
 * way again. A table of these cuts leaves nothing to find out run by run, so that many
 * lines are under way at a time.
 *
 *   target    aaaabbaaaabb|aaaabbaaaabb      registers
 *   cuts      1  | 2| 3 |4|..                each is read such that it lies in its place,
 *             aaaa????????                   and put over all that lies behind that
 *                 bb??????
 */
#ifndef REDIST_MOVE_RUNS_CUTS_H
#define REDIST_MOVE_RUNS_CUTS_H

#include "move/runs/seam.h"

enum {
    CUTS_MOST = 1024, /* they stay in the first-level cache */
    CUTS_WIDE = 32,   /* bytes of a register; so many may be read before a run */
    TOO_MANY_CUTS = -1
};

struct hops;

/* From where a register is read for a run. */
struct cut {
    const char *at;         /* in the cycle that is gone over */
    int32_t from;           /* from the partner's first period of a cycle on */
    uint8_t partner, begin; /* bytes of the register that are before it */
    bool last;              /* of a register */
};

/* The lines of a cycle: the first one has `phase` bytes of the cycle before. */
struct cuts {
    int64_t phase, cycle; /* bytes; periods: 0 before any are made, TOO_MANY_CUTS */
    struct cut cut[CUTS_MOST], *end;
};

/* Whether the machine has what it takes: AVX2. O(1). */
bool cuts_run_here(void);

/* Append n periods, and go on by as many with each partner. The seam must be within a
 * line that is all its own. Returns false if that cannot be done, here or with so many
 * runs. O(n runs of a period). */
bool cuts_over(struct hops *hops, int64_t n, struct seam *seam);

#endif
