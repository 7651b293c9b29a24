/* SPDX-License-Identifier: MIT */
#include "plan/object/replica_passes.h"

#include <string.h>

#include "base/error.h"

bool replica_passes_wanted(const redist_plan *plan, const struct request *request)
{
    return plan->options.reduction && !request->indexed &&
           request_replicas(request->items) > 1;
}

/* ---- making ------------------------------------------------------------------------ */

/* The items of one pass: those of the plan, with one replica of each source. */
struct replica {
    redist_item *item;  /* [n] */
    redist_view *view;  /* [n] of the sources */
    redist_dist **dist; /* [n] */
};

static redist_err find_replica(const struct request *request, int64_t number,
                               struct replica *replica)
{
    int n = request->nitems;
    const struct mem_part parts[] = {MEM_PART(replica->item, n),
                                     MEM_PART(replica->view, n),
                                     MEM_PART(replica->dist, n),
                                     {0}};
    TRY(mem_alloc_parts(NULL, parts));
    for (int k = 0; k < n; k++) {
        replica->item[k] = request->items[k];
        replica->view[k] = *request->items[k].source;
        TRY(dist_of_replica(replica->view[k].dist, number, &replica->dist[k]));
        replica->view[k].dist = replica->dist[k];
        replica->item[k].source = &replica->view[k];
    }
    return REDIST_OK;
}

static void free_replica(struct replica *replica, int n)
{
    for (int k = 0; replica->dist && k < n; k++) redist_dist_destroy(&replica->dist[k]);
    mem_free(replica->item); /* and all in one block with it */
}

/* Return the options of one pass. */
static redist_options share(const redist_plan *plan)
{
    redist_options options = plan->options;
    options.reduction = REDIST_REDUCTION_NONE;
    options.staging_bytes /= (size_t)plan->passes.n;
    if (!plan->strategy.exchange && !plan->strategy.schedule) options.strategy = NULL;
    return options;
}

static redist_err make_pass(redist_plan *plan, const struct request *request, int64_t k)
{
    struct replica_passes *passes = &plan->passes;
    struct replica replica = {NULL, NULL, NULL};
    const redist_options options = share(plan);
    struct request part = *request;
    part.failed = find_replica(request, k, &replica);
    part.items = replica.item;
    part.options = &options;
    part.onto = k > 0 ? plan->options.reduction : REDIST_REDUCTION_NONE;
    passes->plan[k].team = plan->team;
    passes->plan[k].whole = plan;
    redist_err err = agree(plan->team.comm, part.failed);
    if (!err) err = plan_fill(&passes->plan[k], &part);
    free_replica(&replica, request->nitems);
    return err ? error_prefix(err, "replica %" PRId64 " of %" PRId64, k, passes->n) : err;
}

redist_err replica_passes_make(redist_plan *plan, const struct request *request)
{
    struct replica_passes *passes = &plan->passes;
    int64_t n = request_replicas(request->items), least = 2 * plan->element * n;
    if ((int64_t)plan->options.staging_bytes < least)
        return error_arg("staging_bytes is %zu, a reduction of so many replicas needs "
                         "%" PRId64 " to hold two elements of each",
                         plan->options.staging_bytes, least);
    passes->plan = mem_alloc(&plan->plan_account, n, sizeof *passes->plan);
    TRY(agree(plan->team.comm, passes->plan ? REDIST_OK : REDIST_ERR_MEMORY));
    passes->n = n;
    for (int64_t k = 0; k < n; k++) TRY(make_pass(plan, request, k));
    return REDIST_OK;
}

void replica_passes_free(struct replica_passes *passes)
{
    for (int64_t k = 0; k < passes->n; k++) plan_empty(&passes->plan[k]);
    mem_free(passes->plan);
}

/* ---- a run ------------------------------------------------------------------------- */

/* Begin the current pass of a run. Consecutive passes differ in their tags, as two runs
 * do. */
static redist_err start_pass(redist_plan *plan)
{
    redist_plan *pass = &plan->passes.plan[plan->passes.at];
    pass->move.tag = plan->move.tag;
    plan->move.tag = move_next_tag(plan->move.tag);
    return plan_begin(pass, &plan->passes.call);
}

/* Keep a coefficient that is needed after the start. */
static const void *keep_number(const redist_plan *plan, const void *number, char *kept)
{
    if (number) memcpy(kept, number, (size_t)plan->element);
    return number ? kept : NULL;
}

redist_err replica_passes_start(redist_plan *plan, const struct call *call)
{
    struct replica_passes *passes = &plan->passes;
    for (int k = 0; k < plan->narrays; k++) {
        plan->source[k] = call->sources ? call->sources[k] : NULL;
        plan->target[k] = call->targets ? call->targets[k] : NULL;
    }
    passes->call = (struct call){
        .sources = plan->source, .targets = plan->target, .scaled = call->scaled};
    passes->call.alpha = keep_number(plan, call->alpha, passes->alpha);
    passes->call.beta = keep_number(plan, call->beta, passes->beta);
    passes->at = 0;
    plan->lowest = AGREE_NO_FAILURE;
    return start_pass(plan);
}

redist_err replica_passes_drive(redist_plan *plan, bool wait, bool *done)
{
    struct replica_passes *passes = &plan->passes;
    *done = false;
    for (;;) {
        redist_plan *pass = &passes->plan[passes->at];
        bool over = false;
        TRY(plan_drive(pass, wait, &over));
        if (!over) return REDIST_OK;
        *done = passes->at + 1 == passes->n;
        if (*done) return REDIST_OK;
        passes->at++;
        TRY(start_pass(plan));
    }
}

/* ---- the report -------------------------------------------------------------------- */

/* The strategy is that of the last replica; that of the first, which replaces, may
 * differ. */
redist_err replica_passes_report(const redist_plan *plan, redist_report *report)
{
    redist_report all = {.plan_bytes = plan->plan_account.bytes + (int64_t)sizeof *plan};
    for (int64_t k = 0; k < plan->passes.n; k++) {
        redist_report one;
        TRY(redist_plan_report(&plan->passes.plan[k], &one));
        all.strategy = one.strategy;
        all.origin = one.origin;
        all.arrays = one.arrays;
        all.element_bytes = one.element_bytes;
        all.elements_kept += one.elements_kept;
        all.elements_sent += one.elements_sent;
        all.elements_received += one.elements_received;
        all.messages_sent += one.messages_sent;
        all.messages_received += one.messages_received;
        all.plan_bytes += one.plan_bytes - (int64_t)sizeof *plan;
        all.staging_bytes += one.staging_bytes;
        all.staging_peak_bytes += one.staging_peak_bytes;
        all.bytes_kept += one.bytes_kept;
        all.bytes_sent += one.bytes_sent;
        all.bytes_received += one.bytes_received;
    }
    *report = all;
    return REDIST_OK;
}
