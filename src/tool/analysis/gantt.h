/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/gantt.h - a schedule as a Gantt chart: one row for each source, time to
 * the right, one bar for each message, as long as the message and in the colour of its
 * target.
 */
#ifndef REDIST_TOOL_ANALYSIS_GANTT_H
#define REDIST_TOOL_ANALYSIS_GANTT_H

#include <stdio.h>

#include "tool/analysis/problem.h"

/* Write the SVG picture of a made schedule to `out`. A schedule in steps is drawn twice,
 * with a barrier after each step and without; or once, if both are the same. MEMORY. ARG:
 * the schedule has too many messages to be drawn. */
redist_err gantt_draw(FILE *out, const struct outcome *outcome);

#endif
