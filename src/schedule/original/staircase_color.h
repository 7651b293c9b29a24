/* SPDX-License-Identifier: MIT
 *
 * schedule/original/staircase_color.h - Delta steps for a staircase (staircase.c), with a
 * small sum over the steps of the longest message.
 *
 * Give step k a limit, limits descending: a message may use any step whose limit it
 * keeps, i.e. the first ones. Whether limits suffice is decided exactly, in O(messages
 * log steps). An exchange shows that a link needs only its last three steps: its hubs
 * have at most two other links, so one of the three is free of these, and a message of a
 * hub that has this step trades it for the link's, which is earlier. With its links
 * placed, a hub gives the remaining steps to its other messages, the longest first.
 *
 * The k-th limit is at least the k-th longest message of any process; if these limits
 * suffice the sum is SB, which is minimal. Otherwise limits are lowered one by one, by
 * bisection, in several orders, until an effort is spent; the sum need not be minimal
 * then.
 */
#ifndef REDIST_SCHEDULE_ORIGINAL_STAIRCASE_COLOR_H
#define REDIST_SCHEDULE_ORIGINAL_STAIRCASE_COLOR_H

#include "schedule/core/grid.h"

/* Find the step of each message. The result is the same on every process. MEMORY. */
redist_err staircase_color(const struct comm_grid *grid, int64_t step[]);

#endif
