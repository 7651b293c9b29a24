/* SPDX-License-Identifier: MIT
 *
 * schedule/core/pattern.h - from two views to the input of a schedule.
 *
 * If both sides are regular and whole, the input is the classes of each dimension, and
 * the communication grid of one period, with lengths in units of gcd(r, s) elements along
 * each. If the array does not end with a period, the grid is that of the whole array,
 * with lengths in elements. A dimension that is on one process on both sides becomes part
 * of the unit. In all other cases, and for an array shorter than a period with very many
 * messages, the input is the grid of all elements, with lengths in elements.
 */
#ifndef REDIST_SCHEDULE_CORE_PATTERN_H
#define REDIST_SCHEDULE_CORE_PATTERN_H

#include "schedule/core/schedule.h"

struct pattern {
    const redist_view *view[SIDES]; /* must live on */
    bool is_ragged; /* the array does not end with a period: the grid covers all of it */
    struct comm_grid grid; /* if input.grid */
    struct schedule_input input;
    struct classes dim[REDIST_MAX_DIMS];     /* [input.ndims] */
    int axis[REDIST_MAX_DIMS];               /* [input.ndims] of the sections */
    int64_t period[REDIST_MAX_DIMS];         /* if input.ndims: elements, of each axis */
    struct periods periods[REDIST_MAX_DIMS]; /* [input.ndims] periods that the array
                                                holds */
    int64_t alone;    /* elements along dimensions on one process */
    int64_t unit;     /* elements */
    int *rank[SIDES]; /* if placed */
};

/* Find the classes of two views, if any; the grid is not built. The caller frees with
 * pattern_free; a pattern must not be copied.
 * O(log). ARG: the views don't fit each other. */
redist_err pattern_make(const redist_view *source, const redist_view *target,
                        struct pattern *pattern);

/* Build the grid, too, unless it would have more than `most` messages in a period.
 * O(messages log messages). ARG, MEMORY. */
redist_err pattern_build_grid(struct pattern *pattern, int64_t most);
void pattern_free(struct pattern *pattern);

/* Set the ranks of the processes, and their network, which must live on, or NULL.
 * O(processes). MEMORY. */
redist_err pattern_place(struct pattern *pattern, const redist_topology *topology);

/* Return the elements of the sections in a unit of length, over all periods. The unit
 * changes when the grid of an array that does not end with a period is built. */
double pattern_unit_elements(const struct pattern *pattern);

/* Tell whether messages must be packed. None must if each is one block in memory, as in
 * one dimension if its two ends share one run. O(1). */
bool pattern_packs(const struct pattern *pattern);

/* Return the rank of the c-th process of a side; the number of a rank on it, or -1. */
int pattern_rank(const struct pattern *pattern, redist_side side, int64_t c);
int64_t pattern_find(const struct pattern *pattern, redist_side side, int rank);

#endif
