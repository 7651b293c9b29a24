/* SPDX-License-Identifier: MIT
 *
 * schedule/lists/list.h - list scheduling. Each message occupies some resources for its
 * duration, such as its two ends or the links of its route. No message waits while all
 * its resources are idle. Of several such messages, the first to start is the one with
 * the resource that has the most work left.
 */
#ifndef REDIST_SCHEDULE_LISTS_LIST_H
#define REDIST_SCHEDULE_LISTS_LIST_H

#include "schedule/core/grid.h"

struct list_work {
    int64_t nmessages;
    const struct edge *message; /* [nmessages], lasting its weight */
    int nresources;
    const int64_t *begin; /* [nmessages + 1]: message e occupies resource[begin[e]] .. */
    const int *resource;  /* .. each at most once */
};

/* Find the start of each message, start [nmessages] >= 0: messages with a common resource
 * do not overlap in time. Small inputs are tried with several rules, and the shortest
 * list is kept; tries end early when it is as short as the largest load of a resource. A
 * seed other than 0 makes one try, by a rule that it draws.
 * O(uses of resources log messages), and more where many wait for the same. MEMORY. */
redist_err list_schedule(const struct list_work *work, int seed, int64_t start[]);

/* The same where each message occupies its two ends, without a seed: sources are the
 * resources 0 .. P - 1, targets P .. P + Q - 1. MEMORY. */
redist_err list_schedule_ends(int P, int Q, int64_t nmessages,
                              const struct edge message[], int64_t start[]);

#endif
