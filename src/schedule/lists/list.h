/* SPDX-License-Identifier: MIT
 *
 * schedule/lists/list.h - list scheduling: each message occupies some resources as long
 * as it lasts, such as its two ends, or the links of its way. Never leave a message
 * waiting all of whose resources are idle; of several such messages start the one first
 * of whose resources the most loaded has the most left to do.
 */
#ifndef REDIST_SCHEDULE_LISTS_LIST_H
#define REDIST_SCHEDULE_LISTS_LIST_H

#include "schedule/core/grid.h"

struct list_work {
    int64_t nmessages;
    const struct edge *message; /* [nmessages], lasting its weight */
    int nresources;
    const int64_t *begin; /* [nmessages + 1]: message e occupies resource[begin[e]] .. */
    const int *resource;  /* .. none of them twice */
};

/* Give each message its start, start [nmessages] >= 0: no two that have a resource in
 * common overlap in time. Few messages are tried with several rules, and the shortest
 * list is kept; that no list is shorter than the largest load of a resource ends the
 * tries early. By a seed other than 0 there is one try, by a rule that it draws. O(uses
 * of resources log messages) and more where many wait for the same. MEMORY. */
redist_err list_schedule(const struct list_work *work, int seed, int64_t start[]);

#endif
