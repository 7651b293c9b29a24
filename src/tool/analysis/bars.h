/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/bars.h - the time intervals of the messages of a schedule, at 1 for a
 * unit of length and 0 for a startup.
 */
#ifndef REDIST_TOOL_ANALYSIS_BARS_H
#define REDIST_TOOL_ANALYSIS_BARS_H

#include "tool/analysis/problem.h"

/* A message, or a piece of one, in the interval from `begin` of length `weight`. */
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
    int64_t *receives_from; /* [Q] when a target is free again */
    bool moved;             /* the last placing changed something */
    int64_t nbarriers, barriers_room;
    int64_t *barrier; /* [nbarriers] the end of each step but the last */
};

/* Read the messages of a made schedule. They begin at their steps, which for a timed
 * schedule are start times. The caller frees with bars_free, after a failure too.
 * MEMORY. */
redist_err bars_read(const struct outcome *outcome, struct bars *bars);
void bars_free(struct bars *bars);

/* Place each message of a schedule in steps as soon as both ends are free and, with
 * barriers, all steps before are done. *end is the end of the last message.
 * O(messages). MEMORY. */
redist_err bars_place(struct bars *bars, bool barriers, int64_t *end);

#endif
