/* SPDX-License-Identifier: MIT */
#include "tool/problem.h"

#include <stdio.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "intersect/overlap.h"
#include "tool/tool.h"

/* With more messages, the communication grid is not built. */
enum { MOST_MESSAGES = 1 << 22 };

/* ---- one period -------------------------------------------------------------------- */

/* Whether one side is one regular dimension, all of it, over all of its grid. */
static bool is_plain(const redist_view *view)
{
    const redist_dist *dist = view->dist;
    return dist->ndims == 1 && dim_is_regular(&dist->dim[0]) &&
           dist->grid->size == dist->dim[0].procs && view->start[0] == 0 &&
           view->stride[0] == 1 && view->extent[0] == dist->dim[0].extent;
}

/* Find the classes of one period of two plain sides, if there is a whole one. */
static bool find_period(const redist_view views[2], struct classes *classes)
{
    const struct dim *source = &views[0].dist->dim[0], *target = &views[1].dist->dim[0];
    int64_t r = source->m, s = target->m, period = 0;
    /* To one process any block is as good; the other side's makes the shortest period. */
    if (source->procs == 1) r = s;
    if (target->procs == 1) s = r;
    return r > 0 && s > 0 && !classes_make(source->procs, r, target->procs, s, classes) &&
           int_mul(classes->length, classes->d, &period) && period <= source->extent;
}

/* Delta from the classes alone: process p holds those of one residue modulo u, each with
 * b partners; q those of one modulo t, each with a. */
static int64_t class_degree(const struct classes *k)
{
    return int_max(k->b * int_ceil_div(k->n, k->u), k->a * int_ceil_div(k->n, k->t));
}

/* Whether the grid of the classes is small enough to be built. */
static bool is_small(const struct classes *k)
{
    int64_t edges = 0;
    return int_mul(k->n * k->a, k->b, &edges) &&
           int_mul(edges, k->g / (k->u * k->t), &edges) && edges <= MOST_MESSAGES;
}

/* ---- the problem ------------------------------------------------------------------- */

static redist_err find_input(struct problem *problem)
{
    const redist_view *views = problem->view;
    TRY(overlap_check(&views[0], &views[1]));
    bool plain = is_plain(&views[0]) && is_plain(&views[1]);
    if (!plain || !find_period(views, &problem->classes)) {
        problem->is_part = plain;
        TRY(comm_grid_from_views(&views[0], &views[1], &problem->grid));
        problem->input.grid = &problem->grid;
        return REDIST_OK;
    }
    problem->input.ndims = 1, problem->input.dim = &problem->classes;
    for (int side = 0; side < 2; side++)
        problem->first[side] = views[side].dist->dim[0].first;
    if (!is_small(&problem->classes)) return REDIST_OK;
    TRY(comm_grid_from_classes(&problem->classes, &problem->grid));
    problem->input.grid = &problem->grid;
    return REDIST_OK;
}

redist_err problem_read(const char *const specs[2], struct problem *problem)
{
    static const char *const names[2] = {"source", "target"};
    *problem = (struct problem){.first = {0, 0}};
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
    const redist_grid *grid = grid_of(problem, side);
    int first = problem->first[side == REDIST_TARGET];
    return grid_rank_at(grid, (c + first) % grid->size);
}

int64_t problem_find(const struct problem *problem, redist_side side, int rank)
{
    const redist_grid *grid = grid_of(problem, side);
    int64_t position = grid_find(grid, rank);
    if (position < 0) return -1;
    return int_mod(position - problem->first[side == REDIST_TARGET], grid->size);
}

const char *problem_caption(const struct problem *problem,
                            char text[PROBLEM_CAPTION_SIZE])
{
    const struct classes *k = problem->input.dim;
    if (!k)
        (void)snprintf(text, PROBLEM_CAPTION_SIZE, "all elements%s, lengths in elements",
                       problem->is_part ? ", less than one period" : "");
    else if (k->d == 1)
        (void)snprintf(text, PROBLEM_CAPTION_SIZE,
                       "one period of %" PRId64 " elements, lengths in elements",
                       k->length);
    else
        (void)snprintf(text, PROBLEM_CAPTION_SIZE,
                       "one period of %" PRId64 " elements, lengths in units of %" PRId64
                       " elements",
                       k->length * k->d, k->d);
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
        outcome->cost.delta = class_degree(input->dim);
        outcome->cost.w = input->dim->least;
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
