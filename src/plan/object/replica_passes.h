/* SPDX-License-Identifier: MIT
 *
 * plan/object/replica_passes.h - a plan that reduces: one plan for each replica of the
 * source, of which the first replaces the target, or scales it, and the others are put
 * together with what is there. They run one after the other, so that the order of the
 * operations is that of the replicas, whatever moves them:
 *
 *   replica 0   target = x_0
 *   replica 1   target = target op x_1
 *   ..
 *
 * A process goes on to the next when its own part of one is done.
 */
#ifndef REDIST_PLAN_OBJECT_REPLICA_PASSES_H
#define REDIST_PLAN_OBJECT_REPLICA_PASSES_H

#include "plan/object/request.h"

/* Whether a plan, whose request has been checked, is to be made of passes. */
bool replica_passes_wanted(const redist_plan *plan, const struct request *request);

/* Make them, with equal parts of the plan's staging memory; free what was made of them.
 * Collective. Errors as plan_make. */
redist_err replica_passes_make(redist_plan *plan, const struct request *request);
void replica_passes_free(struct replica_passes *passes);

/* What execute.c does for other plans; and report.c. */
redist_err replica_passes_start(redist_plan *plan, const struct call *call);
redist_err replica_passes_drive(redist_plan *plan, bool wait, bool *done);
redist_err replica_passes_report(const redist_plan *plan, redist_report *report);

#endif
