/* SPDX-License-Identifier: MIT
 *
 * schedule/pattern.h - what two views give a schedule to work on.
 *
 * Where both sides are one-dimensional, regular and whole, and hold a period at least,
 * that is one period: its classes, with lengths in units of gcd(r, s) elements. Of
 * everything else it is the communication grid of all elements, with lengths in elements.
 */
#ifndef REDIST_SCHEDULE_PATTERN_H
#define REDIST_SCHEDULE_PATTERN_H

#include "schedule/schedule.h"

struct pattern {
    const redist_grid *ranks[SIDES]; /* of the views' dists, which must live on */
    int first[SIDES];                /* the position in its grid of a side's process 0 */
    bool is_part;           /* of one period, which is why input.classes is NULL */
    struct classes classes; /* if input.classes */
    struct comm_grid grid;  /* if input.grid */
    struct schedule_input input;
};

/* Find the classes of two views, if they have some; the grid is not built. The caller
 * frees with pattern_free. O(log). ARG: the views don't fit each other. */
redist_err pattern_make(const redist_view *source, const redist_view *target,
                        struct pattern *pattern);

/* Build the grid too, unless it would have more than `most` messages in a period.
 * O(messages log messages). ARG, MEMORY. */
redist_err pattern_build_grid(struct pattern *pattern, const redist_view *source,
                              const redist_view *target, int64_t most);
void pattern_free(struct pattern *pattern);

/* The rank of the c-th process of a side; which one a rank is, or -1. */
int pattern_rank(const struct pattern *pattern, redist_side side, int64_t c);
int64_t pattern_find(const struct pattern *pattern, redist_side side, int rank);

#endif
