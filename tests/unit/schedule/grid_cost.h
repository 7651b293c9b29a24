/* SPDX-License-Identifier: MIT
 *
 * tests/unit/schedule/grid_cost.h - the checked cost of a schedule of a communication
 * grid, and how many pieces its messages go in.
 */
#ifndef REDIST_TESTS_UNIT_SCHEDULE_GRID_COST_H
#define REDIST_TESTS_UNIT_SCHEDULE_GRID_COST_H

#include "schedule/model/cost.h"
#include "unit/unit.h"

static inline struct cost count(const struct schedule_kind *kind,
                                const struct comm_grid *grid, int64_t *pieces)
{
    struct schedule_input input = {.grid = grid};
    const char *why = NULL;
    void *state = NULL;
    struct cost cost;
    struct own_list own = {0};
    assert_true(kind->applicable(&input, &why));
    ok(kind->make(&input, &state));
    ok(cost_count(kind, state, &input, &cost));
    *pieces = 0;
    for (int64_t p = 0; p < grid->P; p++) {
        own.n = 0;
        ok(kind->own(state, REDIST_SOURCE, p, &own));
        *pieces += own.n;
    }
    own_list_free(&own);
    kind->free(state);
    return cost;
}

#endif
