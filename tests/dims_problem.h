/* SPDX-License-Identifier: MIT
 *
 * tests/dims_problem.h - one problem of several dimensions to schedule, and the checked
 * cost of a schedule of it.
 */
#ifndef REDIST_TESTS_DIMS_PROBLEM_H
#define REDIST_TESTS_DIMS_PROBLEM_H

#include <stdio.h>

#include "base/error.h"
#include "schedule/model/cost.h"
#include "schedule/core/dims.h"
#include "unit/unit.h"

enum { MAX_NDIMS = 4 };

/* cyclic(r) onto P -> cyclic(s) onto Q along one dimension. */
struct along {
    int P, r, Q, s;
};

struct problem {
    int ndims;
    struct along along[MAX_NDIMS];
    struct classes dim[MAX_NDIMS];
    struct comm_grid grid;
    struct schedule_input input;
};

/* The input points into the problem, which must not move. */
static inline void problem_make(struct problem *x, int ndims, const struct along along[])
{
    *x = (struct problem){.ndims = ndims};
    for (int j = 0; j < ndims; j++) {
        x->along[j] = along[j];
        ok(classes_make(along[j].P, along[j].r, along[j].Q, along[j].s, &x->dim[j]));
    }
    ok(comm_grid_from_dims(ndims, x->dim, NULL, INT64_MAX, &x->grid));
    x->input = (struct schedule_input){
        .ndims = ndims, .dim = x->dim, .grid = &x->grid, .seed = 1999};
}

static inline void problem_free(struct problem *x) { comm_grid_free(&x->grid); }

static inline void fail_at(const struct problem *x, const struct schedule_kind *kind,
                           const char *what)
{
    char text[256] = "";
    int used = 0;
    for (int j = 0; j < x->ndims; j++)
        used += snprintf(text + used, sizeof text - (size_t)used, " (%d,%d)->(%d,%d)",
                         x->along[j].P, x->along[j].r, x->along[j].Q, x->along[j].s);
    fail_msg("%s:%s: %s", kind->name, text, what);
}

/* Make a schedule of it, check it and count its cost. */
static inline struct cost count(const struct problem *x, const struct schedule_kind *kind)
{
    const char *why = NULL;
    void *state = NULL;
    struct cost cost;
    if (!kind->applicable(&x->input, &why)) fail_at(x, kind, why);
    ok(kind->make(&x->input, &state));
    if (cost_count(kind, state, &x->input, &cost))
        fail_at(x, kind, redist_error_message());
    kind->free(state);
    return cost;
}

#endif
