/* SPDX-License-Identifier: MIT
 *
 * plan/object/log.h - a log of plans and runs, for debugging: the environment variable
 * REDIST_LOG names a file, to which each process appends lines such as
 *
 *   rank 2 plan 1: strategy shared (auto), at most 65536 B of staging, keeps 960 B
 *   rank 2 plan 1 run 3: sends 480 B to 0 in step 1
 *   rank 2 plan 1 run 3: fails: rank 0: source: buffer is NULL
 *
 * Without REDIST_LOG nothing is written. A line is one write; lines of several processes
 * may come in any order.
 */
#ifndef REDIST_PLAN_OBJECT_LOG_H
#define REDIST_PLAN_OBJECT_LOG_H

#include "plan/object/plan.h"

/* Log a plan that has been made. Local. */
void log_plan(redist_plan *plan);

/* Log that a run begins, and its messages. `unusable` is why this process takes part
 * without its buffers, or REDIST_OK. Local. O(own messages). */
void log_begin(redist_plan *plan, redist_err unusable);

/* Log how a run has ended. Local. */
void log_end(const redist_plan *plan, redist_err err);

#endif
