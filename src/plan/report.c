/* SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "plan/plan.h"

redist_err redist_plan_report(const redist_plan *plan, redist_report *report)
{
    if (!plan) return error_set(REDIST_ERR_ARG, "plan is NULL");
    if (!report) return error_set(REDIST_ERR_ARG, "report is NULL");
    const struct move *move = &plan->move;
    int64_t element = (int64_t)move->element;
    *report = (redist_report){
        .strategy = plan->strategy.text,
        .elements_kept = plan->has_local ? plan->local.total : 0,
        .elements_sent = move->send.bytes / element,
        .elements_received = move->receive.bytes / element,
        .messages_sent = move->send.n,
        .messages_received = move->receive.n,
        .element_bytes = element,
        .plan_bytes = plan->plan_account.bytes + (int64_t)sizeof *plan,
        .staging_bytes = plan->staging_account.bytes,
        .staging_peak_bytes = plan->staging_account.peak,
    };
    return REDIST_OK;
}
