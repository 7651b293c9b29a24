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

#include "base/intmath.h"
#include "schedule/problem/classes.h"

struct periods {
    int64_t whole;
    int64_t rest; /* elements of a partial period; 0: all periods are whole */
};

/* Return the most elements of the array in one unit of a period; INT64_MAX if there are
 * more. O(1). */
static inline int64_t periods_stretch(const struct classes *k,
                                      const struct periods *periods)
{
    int64_t elements = 0;
    bool fits = int_mul(periods->whole + (periods->rest > 0), k->d, &elements);
    return fits ? elements : INT64_MAX;
}

/* Return the most runs of the rest; INT64_MAX if there are more. A run is sent by one
 * source to one target. O(1). */
static inline int64_t periods_runs(const struct classes *k, const struct periods *periods)
{
    int64_t blocks = 0;
    bool fits =
        int_add(periods->rest / (k->r * k->d), periods->rest / (k->s * k->d), &blocks);
    return fits && blocks < INT64_MAX ? blocks + 1 : INT64_MAX;
}

#endif
