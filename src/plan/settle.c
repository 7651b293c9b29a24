/* SPDX-License-Identifier: MIT */
#include "plan/settle.h"

#include "base/error.h"
#include "base/intmath.h"
#include "plan/agree.h"

redist_err settle_rates(redist_plan *plan, MPI_Comm user)
{
    plan->rates = rates_default(plan->team.nranks);
    if (plan->strategy.exchange) return REDIST_OK;
    plan->measured = true;
    return rates_find(user, plan->team.comm, &plan->rates);
}

redist_err settle_schedule(redist_plan *plan, const redist_view *source,
                           const redist_view *target)
{
    plan->schedule = plan->strategy.schedule;
    if (plan->strategy.exchange || plan->narrays > 1) return REDIST_OK;
    return choose_schedule(source, target, plan->element,
                           (int64_t)plan->options.staging_bytes, &plan->rates,
                           &plan->schedule);
}

/* Find the most that any process has of each. */
static redist_err find_load(redist_plan *plan)
{
    const struct transfers *transfers[SIDES] = {&plan->move.send, &plan->move.receive};
    enum { EACH = 4 };
    int64_t most[SIDES * EACH + 1];
    for (int s = 0; s < SIDES; s++) {
        const struct transfers *t = transfers[s];
        const int64_t own[EACH] = {t->n, t->bytes, t->packed, t->largest};
        for (int k = 0; k < EACH; k++) most[s * EACH + k] = own[k];
    }
    most[SIDES * EACH] =
        plan->team.nranks - 1 - int_min(plan->move.send.n, plan->move.receive.n);
    TRY(exchange_check(MPI_Allreduce(MPI_IN_PLACE, most, SIDES * EACH + 1, MPI_INT64_T,
                                     MPI_MAX, plan->team.comm),
                       "MPI_Allreduce"));
    plan->load =
        (struct load){.nranks = plan->team.nranks, .unreached = most[SIDES * EACH]};
    for (int s = 0; s < SIDES; s++) {
        plan->load.messages[s] = most[s * EACH];
        plan->load.bytes[s] = most[s * EACH + 1];
        plan->load.packed[s] = most[s * EACH + 2];
        plan->load.largest[s] = most[s * EACH + 3];
    }
    return REDIST_OK;
}

int settle_rank(const redist_plan *plan, struct candidate candidates[CHOOSE_MOST])
{
    return choose_rank(&plan->load, &plan->rates, (int64_t)plan->options.staging_bytes,
                       plan->move.grain, plan->schedule, candidates);
}

void settle_drop(redist_plan *plan)
{
    if (plan->exchange) plan->exchange->destroy(plan->exchange_state);
    vote_free(&plan->vote);
    plan->exchange = NULL;
    plan->exchange_state = NULL;
}

static void find_usage(redist_plan *plan)
{
    struct usage *usage = &plan->usage;
    *usage = (struct usage){.tells = plan->exchange->tells};
    usage->messages[REDIST_SOURCE] = plan->move.send.n;
    usage->messages[REDIST_TARGET] = plan->move.receive.n;
    if (plan->exchange->usage) plan->exchange->usage(plan->exchange_state, usage);
}

/* Whether a run may find this process without a buffer that it needs. */
static bool holds(const redist_plan *plan)
{
    bool any = plan->usage.buffer[REDIST_SOURCE] || plan->usage.buffer[REDIST_TARGET];
    for (int k = 0; k < plan->narrays; k++)
        for (int s = 0; s < SIDES; s++)
            any = any || plan->array[k].overlap[s].nmessages > 0;
    return any || plan->number != NUMBER_NONE;
}

static redist_err make_state(redist_plan *plan)
{
    const struct exchange *exchange = plan->exchange;
    if (exchange->lacks)
        return error_set(REDIST_ERR_ARG, "%s: this MPI has no %s that works",
                         exchange->name, exchange->lacks);
    return exchange->make(&plan->move, &plan->exchange_state);
}

/* Make the plan's exchange, and the vote that goes with it. */
static redist_err make_exchange(redist_plan *plan)
{
    redist_err err = make_state(plan);
    TRY(agree(plan->team.comm, err));
    find_usage(plan);
    return vote_make(&plan->move, plan->usage.tells, holds(plan), &plan->vote);
}

redist_err settle_take(redist_plan *plan, const struct candidate *candidate)
{
    struct move *move = &plan->move;
    move->parameter = candidate->strategy.parameter;
    move->staging = candidate->staging;
    move->chunk = transfer_chunk(move->staging, move->grain);
    plan->exchange = candidate->strategy.exchange;
    redist_err err = make_exchange(plan);
    if (err) {
        settle_drop(plan);
        return err;
    }
    plan->strategy = candidate->strategy;
    plan->options.strategy = plan->strategy.text;
    return REDIST_OK;
}

/* What was asked for. */
static redist_err take_given(redist_plan *plan)
{
    struct candidate given = {.strategy = plan->strategy};
    (void)choose_staging(&plan->load, &plan->rates, (int64_t)plan->options.staging_bytes,
                         plan->move.grain, &given);
    return settle_take(plan, &given);
}

redist_err settle(redist_plan *plan)
{
    TRY(find_load(plan));
    if (plan->strategy.exchange) return take_given(plan);
    struct candidate candidates[CHOOSE_MOST];
    int n = settle_rank(plan, candidates);
    redist_err err = REDIST_ERR_ARG;
    for (int k = 0; k < n && err == REDIST_ERR_ARG; k++)
        err = settle_take(plan, &candidates[k]);
    return err;
}
