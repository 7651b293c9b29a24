/* SPDX-License-Identifier: MIT
 *
 * schedule/problem/periods.h - how many periods an array holds along a dimension.
 *
 *   [24]  cyclic(2) onto 2 -> cyclic(3) onto 2, period 12:  two
 *   [14]  the same:                                         one, and 2 elements more
 *   [7]   the same:                                         none, and 7 elements of one
 */
#ifndef REDIST_SCHEDULE_PROBLEM_PERIODS_H
#define REDIST_SCHEDULE_PROBLEM_PERIODS_H

#include "schedule/problem/classes.h"

struct periods {
    int64_t whole;
    int64_t rest; /* elements of one more; 0: all periods are whole */
};

/* How many elements of the array one unit of a period stands for at most. O(1). */
static inline int64_t periods_stretch(const struct classes *k,
                                      const struct periods *periods)
{
    return (periods->whole + (periods->rest > 0)) * k->d;
}

/* The most runs of the rest: elements in a row that one source sends to one target.
 * O(1). */
static inline int64_t periods_runs(const struct classes *k, const struct periods *periods)
{
    return periods->rest / (k->r * k->d) + periods->rest / (k->s * k->d) + 1;
}

#endif
