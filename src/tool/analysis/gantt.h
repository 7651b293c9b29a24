/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/gantt.h - a schedule as a chart: a lane for each source, time to the
 * right, a bar for each message, as long as the message and in the colour of its target.
 */
#ifndef REDIST_TOOL_ANALYSIS_GANTT_H
#define REDIST_TOOL_ANALYSIS_GANTT_H

#include <stdio.h>

#include "tool/analysis/problem.h"

/* Write the SVG picture of a schedule that was made to `out`. A schedule in steps is
 * drawn twice: with a barrier after each step, and without, each process going on as soon
 * as both ends are free; or once, where that is the same. MEMORY. ARG: the schedule has
 * too many messages to be drawn. */
redist_err gantt_draw(FILE *out, const struct outcome *outcome);

#endif
