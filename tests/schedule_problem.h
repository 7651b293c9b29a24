/* SPDX-License-Identifier: MIT
 *
 * tests/schedule_problem.h - one problem to schedule, and the checked cost of a schedule
 * of it.
 */
#ifndef REDIST_TESTS_SCHEDULE_PROBLEM_H
#define REDIST_TESTS_SCHEDULE_PROBLEM_H

#include <stdio.h>

#include "base/error.h"
#include "schedule/core/dims.h"
#include "schedule/model/cost.h"
#include "unit/unit.h"

enum { MAX_NDIMS = 4 };

/* cyclic(r) onto P -> cyclic(s) onto Q along one dimension. */
struct along {
    int P, r, Q, s;
};

struct problem {
    int ndims; /* 0: any grid */
    struct along along[MAX_NDIMS];
    struct classes dim[MAX_NDIMS];
    struct comm_grid grid;
    struct schedule_input input; /* points into the problem, which must not move */
};

static inline void problem_along(struct problem *x, int ndims, const struct along along[])
{
    *x = (struct problem){.ndims = ndims};
    for (int j = 0; j < ndims; j++) {
        x->along[j] = along[j];
        ok(classes_make(along[j].P, along[j].r, along[j].Q, along[j].s, &x->dim[j]));
    }
    ok(comm_grid_from_dims(ndims, x->dim, NULL, INT64_MAX, &x->grid));
    x->input = (struct schedule_input){.ndims = ndims, .dim = x->dim, .grid = &x->grid};
}

static inline void problem_make(struct problem *x, int P, int r, int Q, int s)
{
    const struct along along = {P, r, Q, s};
    problem_along(x, 1, &along);
}

/* Make the problem of a grid, which it then owns. */
static inline void problem_of_grid(struct problem *x, struct comm_grid grid)
{
    *x = (struct problem){.grid = grid};
    x->input = (struct schedule_input){.grid = &x->grid};
}

static inline void problem_of_edges(struct problem *x, int P, int Q, int64_t n,
                                    const struct edge edge[])
{
    struct comm_grid grid;
    ok(comm_grid_from_edges(P, Q, n, edge, &grid));
    problem_of_grid(x, grid);
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

/* Count the pieces that a schedule cuts all messages into. */
static inline int64_t count_pieces(const struct problem *x,
                                   const struct schedule_kind *kind, const void *state)
{
    int64_t pieces = 0;
    struct own_list own = {0};
    for (int64_t p = 0; p < x->grid.P; p++) {
        own.n = 0;
        ok(kind->own(state, REDIST_SOURCE, p, &own));
        pieces += own.n;
    }
    own_list_free(&own);
    return pieces;
}

/* The exponent of a factor l of n. */
static inline int exponent(int64_t n, int64_t l)
{
    int e = 0;
    for (; n % l == 0; n /= l) e++;
    return e;
}

/* Whether `most` has all the factors that `least` has of n. */
static inline bool has_factors(int64_t most, int64_t least, int64_t n)
{
    for (int64_t l = 2; l <= n; l++)
        if (n % l == 0 && exponent(most, l) < exponent(least, l)) return false;
    return true;
}

/* Make a schedule of the problem, check it, and count its cost and, unless NULL, its
 * pieces. Returns false if the schedule is not applicable. */
static inline bool problem_measure(const struct problem *x,
                                   const struct schedule_kind *kind, struct cost *cost,
                                   int64_t *pieces)
{
    const char *why = NULL;
    void *state = NULL;
    if (!kind->applicable(&x->input, &why)) {
        assert_non_null(why);
        return false;
    }
    ok(kind->make(&x->input, &state));
    if (cost_count(kind, state, &x->input, cost))
        fail_at(x, kind, redist_error_message());
    if (pieces) *pieces = count_pieces(x, kind, state);
    kind->free(state);
    return true;
}

static inline bool problem_count(const struct problem *x,
                                 const struct schedule_kind *kind, struct cost *cost)
{
    return problem_measure(x, kind, cost, NULL);
}

/* Count the cost of a schedule, which must be applicable. */
static inline struct cost count(const struct problem *x, const struct schedule_kind *kind)
{
    struct cost cost = {0};
    if (!problem_count(x, kind, &cost)) fail_at(x, kind, "is not applicable");
    return cost;
}

#endif
