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
    if (plan->strategy.exchange || plan->narrays > 1 || plan->quick) return REDIST_OK;
    return choose_schedule(source, target, plan->element,
                           (int64_t)plan->options.staging_bytes, &plan->rates,
                           &plan->schedule);
}

enum { EACH = 4, UNREACHED = SIDES * EACH, FAILED, LOADS };

/* Find the most that any process has of each, and the common error. */
static redist_err reduce_load(MPI_Comm comm, redist_err err, int64_t most[LOADS])
{
    most[FAILED] = err != REDIST_OK;
    TRY(exchange_check(
        MPI_Allreduce(MPI_IN_PLACE, most, LOADS, MPI_INT64_T, MPI_MAX, comm),
        "MPI_Allreduce"));
    return most[FAILED] ? agree(comm, err) : REDIST_OK;
}

static redist_err find_load(redist_plan *plan, redist_err err)
{
    const struct transfers *transfers[SIDES] = {&plan->move.send, &plan->move.receive};
    int64_t most[LOADS];
    for (int s = 0; s < SIDES; s++) {
        const struct transfers *t = transfers[s];
        const int64_t own[EACH] = {t->n, t->bytes, t->packed, t->largest};
        for (int k = 0; k < EACH; k++) most[s * EACH + k] = own[k];
    }
    most[UNREACHED] =
        plan->team.nranks - 1 - int_min(plan->move.send.n, plan->move.receive.n);
    TRY(reduce_load(plan->team.comm, err, most));
    plan->load = (struct load){.nranks = plan->team.nranks, .unreached = most[UNREACHED]};
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

/* Make the plan's exchange, unless something has failed, and the vote that goes with
 * it. */
static redist_err make_exchange(redist_plan *plan, redist_err err)
{
    if (!err) err = plan->exchange->make(&plan->move, &plan->exchange_state);
    TRY(agree(plan->team.comm, err));
    find_usage(plan);
    if (plan->team.lent) { /* no vote, see plan_create_lent */
        plan->vote = (struct vote){.comm = plan->team.comm};
        return REDIST_OK;
    }
    return vote_make(&plan->move, plan->usage.tells, holds(plan), &plan->vote);
}

static redist_err take(redist_plan *plan, const struct candidate *candidate,
                       redist_err err)
{
    struct move *move = &plan->move;
    move->parameter = candidate->strategy.parameter;
    move->staging = candidate->staging;
    move->chunk = transfer_chunk(move->staging, move->grain);
    plan->exchange = candidate->strategy.exchange;
    err = make_exchange(plan, err);
    if (err) {
        settle_drop(plan);
        return err;
    }
    plan->strategy = candidate->strategy;
    plan->options.strategy = plan->strategy.text;
    return REDIST_OK;
}

redist_err settle_take(redist_plan *plan, const struct candidate *candidate)
{
    return take(plan, candidate, REDIST_OK);
}

redist_err settle_quickly(redist_plan *plan, redist_err err)
{
    struct candidate plain = {.staging = EFFORT_NEAR};
    strategy_make(NULL, &exchange_nonblocking, 0, &plain.strategy);
    return take(plan, &plain, err);
}

/* What was asked for. */
static redist_err take_given(redist_plan *plan)
{
    struct candidate given = {.strategy = plan->strategy};
    (void)choose_staging(&plan->load, &plan->rates, (int64_t)plan->options.staging_bytes,
                         plan->move.grain, &given);
    return settle_take(plan, &given);
}

redist_err settle(redist_plan *plan, redist_err err)
{
    TRY(find_load(plan, err));
    if (plan->strategy.exchange) return take_given(plan);
    struct candidate candidates[CHOOSE_MOST];
    int n = settle_rank(plan, candidates);
    err = REDIST_ERR_ARG;
    for (int k = 0; k < n && err == REDIST_ERR_ARG; k++)
        err = settle_take(plan, &candidates[k]);
    return err;
}
