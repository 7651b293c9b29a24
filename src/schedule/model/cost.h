/* SPDX-License-Identifier: MIT
 *
 * schedule/model/cost.h - the cost of a schedule, and lower bounds for all schedules.
 */
#ifndef REDIST_SCHEDULE_MODEL_COST_H
#define REDIST_SCHEDULE_MODEL_COST_H

#include "schedule/core/schedule.h"

struct cost {
    bool counted; /* false: messages are cut into more than SCHEDULE_MOST_PIECES pieces;
                     ns and tc are unknown */
    int64_t messages;
    /* NS: number of steps; of a timed schedule the most messages of a process. */
    int64_t ns;
    /* TC: sum over steps of the longest message; of a timed schedule the makespan. */
    int64_t tc;
    int64_t delta; /* Delta <= NS of any schedule */
    int64_t w;     /* W <= TC of any schedule */
    int64_t sb;    /* SB <= TC of any schedule in steps that splits no message */
};

/* Count the cost of a made schedule of `input`, whose grid must exist, from the own lists
 * of all processes, and check them: each message of the grid is sent once (in pieces, if
 * the schedule is timed or cut), sender and receiver agree, and, unless the schedule is
 * loose, no process sends or receives two at a time. A step of a loose schedule takes as
 * long as its busiest process.
 * O(edges log edges). STATE: the check failed, which is a bug of the schedule; MEMORY. */
redist_err cost_count(const struct schedule_kind *kind, const void *state,
                      const struct schedule_input *input, struct cost *cost);

#endif
