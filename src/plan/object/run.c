/* SPDX-License-Identifier: MIT
 *
 * plan/object/run.c - the public forms of a run: of one array or several, plain or
 * scaled.
 */
#include "base/error.h"
#include "plan/object/plan.h"

redist_err plan_check_single(const redist_plan *plan)
{
    if (plan->narrays == 1) return REDIST_OK;
    return error_arg("the plan is of %d arrays, one source and one target were given",
                     plan->narrays);
}

static redist_err check(const redist_plan *plan, const struct call *call, bool single)
{
    if (!plan) return error_arg("plan is NULL");
    if (single) TRY(plan_check_single(plan));
    if (call->scaled && !plan->options.scaled)
        return error_arg(
            "the plan is not scaled: options.scaled must be set when it is made");
    return REDIST_OK;
}

static redist_err start(redist_plan *plan, const struct call *call, bool single)
{
    TRY(check(plan, call, single));
    return plan_start(plan, call);
}

static redist_err execute(redist_plan *plan, const struct call *call, bool single)
{
    TRY(start(plan, call, single));
    return redist_wait(plan);
}

redist_err redist_start(redist_plan *plan, const void *source, void *target)
{
    const struct call call = {.sources = &source, .targets = &target};
    return start(plan, &call, true);
}

redist_err redist_execute(redist_plan *plan, const void *source, void *target)
{
    const struct call call = {.sources = &source, .targets = &target};
    return execute(plan, &call, true);
}

redist_err redist_start_batch(redist_plan *plan, const void *const sources[],
                              void *const targets[])
{
    const struct call call = {.sources = sources, .targets = targets};
    return start(plan, &call, false);
}

redist_err redist_execute_batch(redist_plan *plan, const void *const sources[],
                                void *const targets[])
{
    const struct call call = {.sources = sources, .targets = targets};
    return execute(plan, &call, false);
}

redist_err redist_start_scaled(redist_plan *plan, const void *alpha, const void *source,
                               const void *beta, void *target)
{
    const struct call call = {&source, &target, true, alpha, beta};
    return start(plan, &call, true);
}

redist_err redist_execute_scaled(redist_plan *plan, const void *alpha, const void *source,
                                 const void *beta, void *target)
{
    const struct call call = {&source, &target, true, alpha, beta};
    return execute(plan, &call, true);
}

redist_err redist_start_batch_scaled(redist_plan *plan, const void *alpha,
                                     const void *const sources[], const void *beta,
                                     void *const targets[])
{
    const struct call call = {sources, targets, true, alpha, beta};
    return start(plan, &call, false);
}

redist_err redist_execute_batch_scaled(redist_plan *plan, const void *alpha,
                                       const void *const sources[], const void *beta,
                                       void *const targets[])
{
    const struct call call = {sources, targets, true, alpha, beta};
    return execute(plan, &call, false);
}
