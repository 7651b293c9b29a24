/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/schedule_report.h - schedules as text: for people, as JSON and as CSV.
 * Processes go by their ranks. All print on stdout.
 */
#ifndef REDIST_TOOL_ANALYSIS_SCHEDULE_REPORT_H
#define REDIST_TOOL_ANALYSIS_SCHEDULE_REPORT_H

#include "tool/analysis/forecast.h"

enum { EVERY_RANK = -1 };

/* For people: what is scheduled, the communication grid, a schedule that was made and its
 * costs; of `rank`, if it is not EVERY_RANK, its own lists in place of the tables.
 * MEMORY. */
redist_err print_schedule(const struct outcome *outcome, int rank);

/* For people: a line for each of many schedules, between their head and their foot.
 * MEMORY. */
void print_comparison_head(const struct problem *problem);
redist_err print_comparison(const struct outcome *outcome,
                            const struct forecast *forecast);
void print_comparison_foot(const struct forecast *forecast);

/* For people: why this schedule was chosen. */
void print_choice(const struct forecast *forecast);

/* One JSON object, `indent` spaces from the left, no newline behind it; with the own
 * lists of `rank`. MEMORY. */
redist_err print_schedule_json(const struct outcome *outcome,
                               const struct forecast *forecast, int rank, int indent);

/* A line of CSV for each message, or each that `rank` sends or receives; nothing for what
 * is not applicable. MEMORY. */
void print_schedule_csv_head(void);
redist_err print_schedule_csv(const struct outcome *outcome, int rank);

#endif
