/* SPDX-License-Identifier: MIT
 *
 * plan/run.c - the forms in which a run can be asked for.
 */
#include "base/error.h"
#include "plan/plan.h"

redist_err redist_start_batch(redist_plan *plan, const void *const sources[],
                              void *const targets[])
{
    if (!plan) return error_set(REDIST_ERR_ARG, "plan is NULL");
    return plan_start(plan, sources, targets);
}

redist_err redist_start(redist_plan *plan, const void *source, void *target)
{
    if (plan && plan->narrays > 1)
        return error_set(REDIST_ERR_ARG,
                         "the plan is of %d arrays, one source and one target were given",
                         plan->narrays);
    return redist_start_batch(plan, &source, &target);
}

redist_err redist_execute_batch(redist_plan *plan, const void *const sources[],
                                void *const targets[])
{
    TRY(redist_start_batch(plan, sources, targets));
    return redist_wait(plan);
}

redist_err redist_execute(redist_plan *plan, const void *source, void *target)
{
    TRY(redist_start(plan, source, target));
    return redist_wait(plan);
}
