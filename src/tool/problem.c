/* SPDX-License-Identifier: MIT */
#include "tool/problem.h"

#include <stdio.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "intersect/overlap.h"
#include "schedule/dims.h"
#include "tool/tool.h"

/* With more messages, the communication grid is not built. */
enum { MOST_MESSAGES = 1 << 22 };

/* ---- one period -------------------------------------------------------------------- */

/* Whether one side is regular in all dimensions, all of it, over all of its grid. */
static bool is_plain(const redist_view *view)
{
    const redist_dist *dist = view->dist;
    bool plain = dist->nreplicas == 1;
    for (int i = 0; i < dist->ndims; i++)
        plain = plain && dim_is_regular(&dist->dim[i]) && view->start[i] == 0 &&
                view->stride[i] == 1 && view->extent[i] == dist->dim[i].extent;
    return plain;
}

/* The dimension of a side that is axis j of its section. */
static const struct dim *dim_at(const redist_view *view, int j)
{
    return &view->dist->dim[view->axes[j]];
}

/* Find the classes of one period of two plain dimensions, if there is a whole one. */
static bool find_period(const struct dim *source, const struct dim *target,
                        struct classes *classes, int64_t *period)
{
    int64_t r = source->m, s = target->m;
    /* To one process any block is as good; the other side's makes the shortest period. */
    if (source->procs == 1) r = s;
    if (target->procs == 1) s = r;
    return r > 0 && s > 0 && !classes_make(source->procs, r, target->procs, s, classes) &&
           int_mul(classes->length, classes->d, period) && *period <= source->extent;
}

/* Find one period of all dimensions of two plain sides, if there is a whole one. */
static bool find_periods(struct problem *problem)
{
    int naxes = problem->view[0].dist->ndims, ndims = 0;
    problem->unit = 1;
    for (int j = 0; j < naxes; j++) {
        const struct dim *source = dim_at(&problem->view[0], j);
        const struct dim *target = dim_at(&problem->view[1], j);
        struct classes *dim = &problem->dim[ndims];
        if (!find_period(source, target, dim, &problem->period[j])) return false;
        problem->unit *= dim->d;
        if (source->procs == 1 && target->procs == 1 && (ndims > 0 || j < naxes - 1))
            continue;
        problem->axis[ndims++] = j;
    }
    problem->input.dim = problem->dim;
    problem->input.ndims = ndims;
    return dims_fit(ndims, problem->dim);
}

/* ---- the problem ------------------------------------------------------------------- */

static redist_err find_input(struct problem *problem)
{
    const redist_view *views = problem->view;
    TRY(overlap_check(&views[0], &views[1]));
    bool plain = is_plain(&views[0]) && is_plain(&views[1]);
    if (!plain || !find_periods(problem)) {
        problem->is_part = plain;
        problem->unit = 1;
        problem->input.ndims = 0;
        TRY(comm_grid_from_views(&views[0], &views[1], &problem->grid));
        problem->input.grid = &problem->grid;
        return REDIST_OK;
    }
    int ndims = problem->input.ndims;
    if (dims_messages(ndims, problem->dim) > MOST_MESSAGES) return REDIST_OK;
    TRY(comm_grid_from_dims(ndims, problem->dim, &problem->grid));
    problem->input.grid = &problem->grid;
    return REDIST_OK;
}

redist_err problem_read(const char *const specs[2], struct problem *problem)
{
    static const char *const names[2] = {"source", "target"};
    *problem = (struct problem){.is_part = false};
    for (int k = 0; k < 2; k++) {
        redist_err err = tool_parse_spec(specs[k], &problem->dist[k], &problem->view[k]);
        if (err) return error_prefix(err, "%s", names[k]);
        TRY(tool_print_spec(&problem->view[k], &problem->text[k]));
    }
    return find_input(problem);
}

void problem_free(struct problem *problem)
{
    comm_grid_free(&problem->grid);
    for (int k = 0; k < 2; k++) {
        mem_free(problem->text[k]);
        redist_dist_destroy(&problem->dist[k]);
    }
}

static const redist_grid *grid_of(const struct problem *problem, redist_side side)
{
    return problem->view[side == REDIST_TARGET].dist->grid;
}

int64_t problem_processes(const struct problem *problem, redist_side side)
{
    return grid_of(problem, side)->size;
}

int problem_rank(const struct problem *problem, redist_side side, int64_t c)
{
    const redist_view *view = &problem->view[side == REDIST_TARGET];
    const struct schedule_input *input = &problem->input;
    if (input->ndims == 0) return grid_rank_at(view->dist->grid, c);
    int64_t along[REDIST_MAX_DIMS];
    int coords[REDIST_MAX_DIMS] = {0};
    dims_coords(input->ndims, input->dim, side, c, along);
    for (int d = 0; d < input->ndims; d++) {
        int i = view->axes[problem->axis[d]];
        const struct dim *dim = &view->dist->dim[i];
        coords[i] = (int)((along[d] + dim->first) % dim->procs);
    }
    return dist_rank(view->dist, coords, 0);
}

int64_t problem_find(const struct problem *problem, redist_side side, int rank)
{
    const redist_view *view = &problem->view[side == REDIST_TARGET];
    const struct schedule_input *input = &problem->input;
    int64_t c = grid_find(view->dist->grid, rank);
    if (c < 0 || input->ndims == 0) return c;
    int coords[REDIST_MAX_DIMS];
    grid_coords_at(view->dist->grid, c, coords);
    c = 0;
    for (int d = 0; d < input->ndims; d++) {
        int i = view->axes[problem->axis[d]];
        const struct dim *dim = &view->dist->dim[i];
        c = c * dim->procs +
            int_mod(dist_coord(view->dist, i, coords) - dim->first, dim->procs);
    }
    return c;
}

const char *problem_caption(const struct problem *problem,
                            char text[PROBLEM_CAPTION_SIZE])
{
    int size = PROBLEM_CAPTION_SIZE, used = 0;
    if (problem->input.ndims == 0) {
        (void)snprintf(text, PROBLEM_CAPTION_SIZE, "all elements%s, lengths in elements",
                       problem->is_part ? ", less than one period" : "");
        return text;
    }
    for (int j = 0; j < problem->view[0].dist->ndims; j++)
        used += snprintf(text + used, (size_t)(size - used), "%s%" PRId64,
                         j > 0 ? " x " : "one period of ", problem->period[j]);
    used += snprintf(text + used, (size_t)(size - used), " elements, lengths in ");
    if (problem->unit == 1)
        (void)snprintf(text + used, (size_t)(size - used), "elements");
    else
        (void)snprintf(text + used, (size_t)(size - used),
                       "units of %" PRId64 " elements", problem->unit);
    return text;
}

/* ---- a schedule -------------------------------------------------------------------- */

redist_err outcome_make(const struct problem *problem, const struct schedule_kind *kind,
                        struct outcome *outcome)
{
    *outcome = (struct outcome){.problem = problem, .kind = kind};
    const struct schedule_input *input = &problem->input;
    if (!kind->applicable(input, &outcome->why)) return REDIST_OK;
    outcome->why = NULL;
    TRY(kind->make(input, &outcome->state));
    if (!input->grid) {
        int64_t sends = dims_degree(input->ndims, input->dim, REDIST_SOURCE);
        int64_t receives = dims_degree(input->ndims, input->dim, REDIST_TARGET);
        outcome->cost.delta = int_max(sends, receives);
        outcome->cost.w = dims_least(input->ndims, input->dim);
        return REDIST_OK;
    }
    redist_err err = cost_count(kind, outcome->state, input, &outcome->cost);
    outcome->counted = !err;
    if (err) outcome_free(outcome);
    return err;
}

void outcome_free(struct outcome *outcome)
{
    if (outcome->state) outcome->kind->free(outcome->state);
    outcome->state = NULL;
}

redist_err outcome_own(const struct outcome *outcome, redist_side side, int64_t c,
                       struct own_list *list)
{
    list->n = 0;
    return outcome->kind->own(outcome->state, side, c, list);
}

const char *outcome_note(const struct outcome *outcome)
{
    const struct schedule_kind *kind = outcome->kind;
    return outcome->state && kind->note ? kind->note(outcome->state) : NULL;
}
