/* SPDX-License-Identifier: MIT
 *
 * schedule/core/table.h - a step for each edge of the communication grid. Schedules that
 * need the whole grid use it.
 */
#ifndef REDIST_SCHEDULE_CORE_TABLE_H
#define REDIST_SCHEDULE_CORE_TABLE_H

#include "base/error.h"
#include "schedule/core/schedule.h"

struct table {
    const struct comm_grid *grid; /* the input's, or: */
    struct comm_grid period;      /* of one period */
    int64_t *step;                /* [nedges]; -1: not yet scheduled */
};

/* Make a table in which no edge is scheduled yet; or one of a single period. MEMORY. */
redist_err table_make(const struct schedule_input *input, struct table **table);
redist_err table_make_period(const struct classes *k, struct table **table);

/* Return a table as a schedule's state, or free it after an error. Returns `err`. */
redist_err table_give(struct table *table, redist_err err, void **state);

/* schedule_kind's own, free and applicable for a state that is a table. */
redist_err table_own(const void *state, redist_side side, int64_t c,
                     struct own_list *list);
void table_free(void *state);
bool table_applicable(const struct schedule_input *input, const char **why);

/* Renumber the steps without the empty ones.
 * O(edges log edges). MEMORY. */
redist_err table_skip_empty_steps(struct table *table);

#endif
