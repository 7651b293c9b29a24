/* SPDX-License-Identifier: MIT
 *
 * tool/schedule_report.h - schedules as text: for people, as JSON and as CSV. Processes
 * go by their ranks. All print on stdout.
 */
#ifndef REDIST_TOOL_SCHEDULE_REPORT_H
#define REDIST_TOOL_SCHEDULE_REPORT_H

#include "tool/problem.h"

enum { EVERY_RANK = -1 };

/* For people: what is scheduled, the communication grid, a schedule that was made and its
 * costs; of `rank`, if it is not EVERY_RANK, its own lists in place of the tables.
 * MEMORY. */
redist_err print_schedule(const struct outcome *outcome, int rank);

/* For people: a line for each of many schedules, behind their head. */
void print_comparison_head(const struct problem *problem);
void print_comparison(const struct outcome *outcome);

/* One JSON object, `indent` spaces from the left, no newline behind it; with the own
 * lists of `rank`. MEMORY. */
redist_err print_schedule_json(const struct outcome *outcome, int rank, int indent);

/* A line of CSV for each message, or each that `rank` sends or receives; nothing for what
 * is not applicable. MEMORY. */
void print_schedule_csv_head(void);
redist_err print_schedule_csv(const struct outcome *outcome, int rank);

#endif
