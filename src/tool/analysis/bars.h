/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/bars.h - when each message of a schedule is on its way, at a time of 1
 * for a unit of length and none for a startup.
 */
#ifndef REDIST_TOOL_ANALYSIS_BARS_H
#define REDIST_TOOL_ANALYSIS_BARS_H

#include "tool/analysis/problem.h"

/* A message, or a piece of one, on its way for `weight` from `begin` on. */
struct bar {
    int p, q;
    int64_t weight, step;
    int64_t begin;
};

struct bars {
    int64_t P, Q;
    int64_t n, room;
    struct bar *bar;        /* [n] ascending by (step, p) */
    int64_t *sends_from;    /* [P] when a source is free again */
    int64_t *receives_from; /* [Q] when a target is */
    bool moved;             /* whether the last placing moved any */
    int64_t nbarriers, barriers_room;
    int64_t *barrier; /* [nbarriers] when a step ends, but for the last */
};

/* Read the messages of a schedule that was made, which begin at their steps: of a timed
 * schedule that is when they do. The caller frees with bars_free, after a failure too.
 * MEMORY. */
redist_err bars_read(const struct outcome *outcome, struct bars *bars);
void bars_free(struct bars *bars);

/* Let each message of a schedule in steps begin as soon as both ends are free, and, with
 * barriers, all steps before are done. *end is when the last message is done.
 * O(messages). MEMORY. */
redist_err bars_place(struct bars *bars, bool barriers, int64_t *end);

#endif
