/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/schedule_report.h - schedules as text, as JSON and as CSV. Processes are
 * named by their ranks. All functions print on stdout.
 */
#ifndef REDIST_TOOL_ANALYSIS_SCHEDULE_REPORT_H
#define REDIST_TOOL_ANALYSIS_SCHEDULE_REPORT_H

#include "tool/analysis/forecast.h"

enum { EVERY_RANK = -1 };

/* As text: the problem, the communication grid, a made schedule and its costs; for
 * `rank`, if not EVERY_RANK, its own lists instead of the tables. MEMORY. */
redist_err print_schedule(const struct outcome *outcome, int rank);

/* As text: a line for each of many schedules, with a head and a foot. MEMORY. */
void print_comparison_head(const struct problem *problem);
redist_err print_comparison(const struct outcome *outcome,
                            const struct forecast *forecast);
void print_comparison_foot(const struct forecast *forecast);

/* As text: why this schedule was chosen. */
void print_choice(const struct forecast *forecast);

/* One JSON object, indented by `indent`, without a final newline; with the own lists of
 * `rank`. MEMORY. */
redist_err print_schedule_json(const struct outcome *outcome,
                               const struct forecast *forecast, int rank, int indent);

/* A line of CSV for each message, or each that `rank` sends or receives; nothing if not
 * applicable. MEMORY. */
void print_schedule_csv_head(void);
redist_err print_schedule_csv(const struct outcome *outcome, int rank);

#endif
