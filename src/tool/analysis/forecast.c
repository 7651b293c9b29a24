/* SPDX-License-Identifier: MIT */
#include "tool/analysis/forecast.h"

#include <math.h>

#include "base/error.h"

const struct machine machine_default = {
    .alpha = 2e-6, .beta = 1e-10, .gamma = 1e-10, .bytes = 8};

void forecast_init(const struct machine *machine, const struct problem *problem,
                   struct forecast *forecast)
{
    *forecast = (struct forecast){
        .machine = machine,
        .model = {machine->alpha, machine->beta, machine->gamma,
                  (double)machine->bytes * pattern_unit_elements(&problem->pattern)},
    };
}

redist_err forecast_choose(const struct problem *problem, struct forecast *forecast)
{
    struct model_choice *choice = &forecast->choice;
    redist_err err = model_choose(&problem->pattern.input, &forecast->model, choice);
    if (err != REDIST_ERR_ARG) return err;
    choice->kind = NULL; /* none is applicable; the report gives the reason for each */
    return REDIST_OK;
}

redist_err forecast_times(const struct forecast *forecast, const struct outcome *outcome,
                          double seconds[MODEL_ISSUES])
{
    for (int issue = 0; issue < MODEL_ISSUES; issue++) seconds[issue] = INFINITY;
    if (outcome->why) return REDIST_OK;
    return model_times(outcome->kind, outcome->state, &outcome->problem->pattern.input,
                       &forecast->model, seconds);
}

const char *forecast_issue(const struct forecast *forecast, const struct outcome *outcome)
{
    const struct model_choice *choice = &forecast->choice;
    return choice->kind == outcome->kind ? model_issue_names[choice->issue] : NULL;
}
