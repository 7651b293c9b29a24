/* SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "plan/object/replica_passes.h"

redist_err redist_plan_report(const redist_plan *plan, redist_report *report)
{
    if (!plan) return error_arg("plan is NULL");
    if (!report) return error_arg("report is NULL");
    if (plan->passes.n > 0) return replica_passes_report(plan, report);
    const struct move *move = &plan->move;
    *report = (redist_report){
        .strategy = plan->strategy.text,
        .elements_sent = move->send.elements,
        .elements_received = move->receive.elements,
        .messages_sent = plan->usage.messages[REDIST_SOURCE],
        .messages_received = plan->usage.messages[REDIST_TARGET],
        .element_bytes = plan->element,
        .plan_bytes = plan->plan_account.bytes + (int64_t)sizeof *plan,
        .staging_bytes = plan->staging_account.bytes,
        .staging_peak_bytes = plan->staging_account.peak,
        .arrays = plan->narrays,
        .bytes_sent = move->send.bytes,
        .bytes_received = move->receive.bytes,
        .origin = plan->origin,
    };
    for (int k = 0; k < plan->narrays; k++) {
        const struct array *array = &plan->array[k];
        report->elements_kept += array_kept(array);
        report->bytes_kept += array->kept.total * array->kept.grain;
    }
    return REDIST_OK;
}
