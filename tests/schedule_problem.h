/* SPDX-License-Identifier: MIT
 *
 * tests/schedule_problem.h - one problem to schedule, and the checked cost of a schedule
 * of it.
 */
#ifndef REDIST_TESTS_SCHEDULE_PROBLEM_H
#define REDIST_TESTS_SCHEDULE_PROBLEM_H

#include "schedule/model/cost.h"
#include "unit/unit.h"

/* One problem, as a schedule takes it. */
struct problem {
    struct classes classes;
    struct comm_grid grid;
    struct schedule_input input;
};

static inline void problem_make(struct problem *problem, int P, int r, int Q, int s)
{
    ok(classes_make(P, r, Q, s, &problem->classes));
    ok(comm_grid_from_classes(&problem->classes, NULL, &problem->grid));
    problem->input = (struct schedule_input){
        .ndims = 1, .dim = &problem->classes, .grid = &problem->grid};
}

static inline void problem_free(struct problem *problem)
{
    comm_grid_free(&problem->grid);
}

/* Make a schedule of it, check it and count its cost; false if it is not applicable. */
static inline bool problem_count(const struct problem *problem,
                                 const struct schedule_kind *kind, struct cost *cost)
{
    const char *why = NULL;
    if (!kind->applicable(&problem->input, &why)) {
        assert_non_null(why);
        return false;
    }
    void *state = NULL;
    ok(kind->make(&problem->input, &state));
    redist_err err = cost_count(kind, state, &problem->input, cost);
    if (err) {
        const struct classes *k = &problem->classes;
        fail_msg("(%d,%d)->(%d,%d): %s", (int)k->P, (int)k->r, (int)k->Q, (int)k->s,
                 redist_error_message());
    }
    kind->free(state);
    return true;
}

#endif
