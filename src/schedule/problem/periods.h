/* SPDX-License-Identifier: MIT
 *
 * schedule/problem/periods.h - the number of periods that an array holds along a
 * dimension.
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
    int64_t rest; /* elements of a partial period; 0: all periods are whole */
};

/* Return the most elements of the array in one unit of a period. O(1). */
static inline int64_t periods_stretch(const struct classes *k,
                                      const struct periods *periods)
{
    return (periods->whole + (periods->rest > 0)) * k->d;
}

/* Return the most runs of the rest; a run is sent by one source to one target.
 * O(1). */
static inline int64_t periods_runs(const struct classes *k, const struct periods *periods)
{
    return periods->rest / (k->r * k->d) + periods->rest / (k->s * k->d) + 1;
}

#endif
