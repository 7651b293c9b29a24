/* SPDX-License-Identifier: MIT
 *
 * plan/object/replica_passes.h - a plan that reduces: one plan, a pass, for each replica
 * of the source. The first pass replaces the target, or scales it; the others combine
 * with it. They run one after the other, so that the order of operations is that of the
 * replicas, whatever the exchange:
 *
 *   replica 0   target = x_0
 *   replica 1   target = target op x_1
 *   ..
 *
 * A process enters the next pass when its own part of one is done.
 */
#ifndef REDIST_PLAN_OBJECT_REPLICA_PASSES_H
#define REDIST_PLAN_OBJECT_REPLICA_PASSES_H

#include "plan/object/request.h"

/* Tell whether a plan, whose request has been checked, needs passes. */
bool replica_passes_wanted(const redist_plan *plan, const struct request *request);

/* Make the passes, with equal parts of the plan's staging memory; free them.
 * Collective. Errors as plan_make. */
redist_err replica_passes_make(redist_plan *plan, const struct request *request);
void replica_passes_free(struct replica_passes *passes);

/* The functions of execute.c and report.c, for plans with passes. */
redist_err replica_passes_start(redist_plan *plan, const struct call *call);
redist_err replica_passes_drive(redist_plan *plan, bool wait, bool *done);
redist_err replica_passes_report(const redist_plan *plan, redist_report *report);

#endif
