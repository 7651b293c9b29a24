/* SPDX-License-Identifier: MIT
 *
 * schedule/greedy.c - the heaviest matching of what is left, until nothing is left
 * (Desprez et al. 1998, section 4.3). Long messages go together, so a step wastes
 * little, but there may be more steps than needed.
 */
#include "schedule/kinds.h"
#include "schedule/matching.h"
#include "schedule/table.h"

static redist_err peel(struct matching *matching, int64_t step_of[])
{
    for (int64_t step = 0; matching->nleft > 0; step++) {
        redist_err err = matching_solve(matching);
        if (err) return err;
        matching_remove(matching, step, step_of);
    }
    return REDIST_OK;
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    redist_err err = table_make(input, &table);
    if (err) return err;
    struct matching matching;
    err = matching_create(table->grid, &matching);
    if (!err) {
        err = peel(&matching, table->step);
        matching_free(&matching);
    }
    return table_give(table, err, state);
}

const struct schedule_kind schedule_greedy = {
    .name = "greedy",
    .what = "the heaviest matching of what is left, until nothing is left",
    .source = "Desprez et al. 1998, section 4.3",
    .applicable = table_applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};
