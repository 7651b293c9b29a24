/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/forecast.h - how long schedules of a problem would take on a machine that
 * the command line describes, and which one takes least.
 */
#ifndef REDIST_TOOL_ANALYSIS_FORECAST_H
#define REDIST_TOOL_ANALYSIS_FORECAST_H

#include "schedule/model/model.h"
#include "tool/analysis/problem.h"

/* The machine, as read from the command line. */
struct machine {
    double alpha, beta, gamma; /* as in struct model */
    int64_t bytes;             /* of an element */
};

/* A startup of 2 us, 10 GB/s on the wire and to pack, elements of 8 bytes: what a
 * cluster's interconnect and memory are like. */
extern const struct machine machine_default;

struct forecast {
    const struct machine *machine;
    struct model model;
    struct model_choice choice; /* its kind is NULL if none is applicable */
};

/* Describe what the machine makes of a problem, without a choice; then choose. MEMORY. */
void forecast_init(const struct machine *machine, const struct problem *problem,
                   struct forecast *forecast);
redist_err forecast_choose(const struct problem *problem, struct forecast *forecast);

/* The seconds of a schedule that was made, as model_times has them. MEMORY. */
redist_err forecast_times(const struct forecast *forecast, const struct outcome *outcome,
                          double seconds[MODEL_ISSUES]);

/* The issue that was chosen, if the outcome's schedule was; else, or without a choice,
 * NULL. */
const char *forecast_issue(const struct forecast *forecast,
                           const struct outcome *outcome);

#endif
