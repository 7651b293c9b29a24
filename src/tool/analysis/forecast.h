/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/forecast.h - the time of a problem's schedules on a machine described on
 * the command line, and the fastest of them.
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

/* Typical for a cluster: a startup of 2 us, 10 GB/s on the wire and for packing, elements
 * of 8 bytes. */
extern const struct machine machine_default;

struct forecast {
    const struct machine *machine;
    struct model model;
    struct model_choice choice; /* its kind is NULL if no schedule is applicable */
};

/* Set up the forecast of a problem on a machine, without a choice; then choose.
 * MEMORY. */
void forecast_init(const struct machine *machine, const struct problem *problem,
                   struct forecast *forecast);
redist_err forecast_choose(const struct problem *problem, struct forecast *forecast);

/* Find the seconds of a made schedule (model_times). MEMORY. */
redist_err forecast_times(const struct forecast *forecast, const struct outcome *outcome,
                          double seconds[MODEL_ISSUES]);

/* Return the chosen issue, if the outcome's schedule was chosen; else NULL. */
const char *forecast_issue(const struct forecast *forecast,
                           const struct outcome *outcome);

#endif
