/* SPDX-License-Identifier: MIT */
#include "tool/analysis/problem.h"

#include <stdio.h>

#include "base/error.h"
#include "base/intmath.h"
#include "intersect/overlap.h"
#include "schedule/core/dims.h"

/* With more messages, the communication grid is not built. */
enum { MOST_MESSAGES = 1 << 22 };

/* ---- the problem ------------------------------------------------------------------- */

static redist_err find_input(struct problem *problem)
{
    const redist_view *views = problem->specs.view;
    struct pattern *pattern = &problem->pattern;
    TRY(pattern_make(&views[0], &views[1], pattern));
    TRY(pattern_build_grid(pattern, MOST_MESSAGES));
    if (pattern->input.ndims > 0 || pattern->input.grid) return REDIST_OK;
    return error_arg("more than %d messages, which is too many to list", MOST_MESSAGES);
}

redist_err problem_read(const char *const specs[2], struct problem *problem)
{
    *problem = (struct problem){.specs = {.text = {NULL, NULL}}};
    TRY(specs_read(specs, &problem->specs));
    return find_input(problem);
}

void problem_free(struct problem *problem)
{
    pattern_free(&problem->pattern);
    specs_free(&problem->specs);
}

static const redist_grid *grid_of(const struct problem *problem, redist_side side)
{
    return problem->specs.view[side == REDIST_TARGET].dist->grid;
}

int64_t problem_processes(const struct problem *problem, redist_side side)
{
    return grid_of(problem, side)->size;
}

int problem_rank(const struct problem *problem, redist_side side, int64_t c)
{
    return pattern_rank(&problem->pattern, side, c);
}

int64_t problem_find(const struct problem *problem, redist_side side, int rank)
{
    return pattern_find(&problem->pattern, side, rank);
}

/* Print which elements the messages have. Returns the length. */
static int print_elements(const struct pattern *pattern, char *text, int size)
{
    int used = 0;
    if (pattern->input.ndims == 0 || pattern->input.periods)
        return snprintf(text, (size_t)size, "all elements%s",
                        pattern->input.is_part ? ", less than one period" : "");
    for (int j = 0; j < pattern->view[0]->dist->ndims; j++)
        used += snprintf(text + used, (size_t)(size - used), "%s%" PRId64,
                         j > 0 ? " x " : "one period of ", pattern->period[j]);
    return used + snprintf(text + used, (size_t)(size - used), " elements");
}

const char *problem_caption(const struct problem *problem,
                            char text[PROBLEM_CAPTION_SIZE])
{
    const struct pattern *pattern = &problem->pattern;
    int used = print_elements(pattern, text, PROBLEM_CAPTION_SIZE);
    size_t left = (size_t)(PROBLEM_CAPTION_SIZE - used);
    if (pattern->unit == 1)
        (void)snprintf(text + used, left, ", lengths in elements");
    else
        (void)snprintf(text + used, left, ", lengths in units of %" PRId64 " elements",
                       pattern->unit);
    return text;
}

/* ---- a schedule -------------------------------------------------------------------- */

redist_err outcome_make(const struct problem *problem, const struct schedule_kind *kind,
                        struct outcome *outcome)
{
    *outcome = (struct outcome){.problem = problem, .kind = kind};
    const struct schedule_input *input = &problem->pattern.input;
    schedule_print(kind, kind->drawn ? input->seed : 0, outcome->name);
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
    return schedule_own(outcome->kind, outcome->state, &outcome->problem->pattern.input,
                        side, c, list);
}

const char *outcome_note(const struct outcome *outcome)
{
    const struct schedule_kind *kind = outcome->kind;
    return outcome->state && kind->note ? kind->note(outcome->state) : NULL;
}
