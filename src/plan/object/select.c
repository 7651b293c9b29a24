/* SPDX-License-Identifier: MIT */
#include "plan/object/select.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/mpi/check.h"
#include "move/relay/replicas.h"
#include "plan/comm/agree.h"
#include "schedule/problem/topology.h"

redist_err select_rates(redist_plan *plan, MPI_Comm user, const struct site **site)
{
    plan->rates = rates_default(plan->team.nranks);
    if (plan->strategy.exchange)
        TRY(site_known(user, site));
    else
        TRY(site_find(user, plan->team.comm, site));
    plan->measured = *site != NULL;
    if (plan->measured) plan->rates = (*site)->rates;
    return REDIST_OK;
}

static bool is_tunable(const redist_plan *plan)
{
    return !plan->team.lent && !plan->options.in_place;
}

/* Return the query of a plan for choose.h. */
static struct query query_of(const redist_plan *plan, const struct rates *rates)
{
    const redist_view *first = plan->array[0].view;
    return (struct query){.source = &first[REDIST_SOURCE],
                          .target = &first[REDIST_TARGET],
                          .topology = plan->options.topology,
                          .element = plan->element,
                          .most = (int64_t)plan->options.staging_bytes,
                          .rates = rates,
                          .schedule =
                              plan->choice.given ? plan->choice.method.schedule : NULL,
                          .seed = plan->choice.given ? plan->choice.method.seed : 0,
                          .nranks = plan->team.nranks};
}

/* Copy the dists, from which an exchange, or another order, can be made later
 * (redist_plan_tune). */
static redist_err keep_dists(redist_plan *plan)
{
    for (int k = 0; is_tunable(plan) && k < plan->narrays; k++)
        TRY(array_keep_dists(&plan->plan_account, &plan->array[k]));
    return REDIST_OK;
}

redist_err select_method(redist_plan *plan, redist_err err)
{
    struct choice *choice = &plan->choice;
    const struct schedule_kind *schedule = plan->strategy.schedule;
    bool is_open = !plan->strategy.exchange;
    *choice =
        (struct choice){.method = {.schedule = schedule, .seed = plan->strategy.seed},
                        .given = is_open && schedule,
                        .strain = 1};
    if (!is_open || plan->narrays > 1 || plan->single_use) return err;
    const struct query query = query_of(plan, &plan->rates);
    TRY(choose_method(&query, &plan->team, err, choice));
    if (plan->rates.stated) plan->rates.seconds[EFFORT_WIRE] *= choice->strain;
    plan->rates.overlaps = plan->rates.stated && plan->options.topology;
    choice->has_rivals = choice->has_rivals && is_tunable(plan);
    if (!choice->has_rivals) return REDIST_OK;
    TRY(topology_copy(&plan->plan_account, plan->options.topology, &plan->topology));
    return keep_dists(plan);
}

redist_err select_rivals(const redist_plan *plan, struct method rivals[CHOOSE_RIVALS],
                         int *n)
{
    const struct load *load = &plan->load;
    struct rates rates = plan->rates;
    *n = 0;
    bool any = load->far[REDIST_SOURCE].messages + load->far[REDIST_TARGET].messages > 0;
    if (!plan->choice.has_rivals || !any) return REDIST_OK;
    if (rates.stated) rates.seconds[EFFORT_WIRE] /= plan->choice.strain;
    const struct query query = query_of(plan, &rates);
    return choose_rivals(&query, &plan->team, rivals, n);
}

static void mark_near(const struct site *site, struct transfers *transfers)
{
    for (int64_t k = 0; k < transfers->n; k++) {
        struct transfer *transfer = &transfers->transfer[k];
        transfer->near = !site || site_is_near(site, transfer->rank);
    }
}

/* Return the load of this process. */
static struct load own_load(redist_plan *plan, const struct site *site)
{
    struct move *move = &plan->move;
    struct load load = {.nranks = plan->team.nranks,
                        .partial = plan->partial,
                        .kinds = memory_has_kinds()};
    load.plain = move->narrays == 1 && !move->combines && !move->array[0].listed;
    load.replicas = move->narrays == 1 ? plan->array[0].replicas : 1;
    if (load.plain && load.replicas > 1)
        load.beside = replicas_beside(plan->array[0].view[REDIST_TARGET].dist,
                                      plan->team.rank, site ? site->width : 1);
    load.unreached = plan->team.nranks - 1 - int_min(move->send.n, move->receive.n);
    for (int s = 0; s < SIDES; s++) {
        struct transfers *transfers = s == REDIST_SOURCE ? &move->send : &move->receive;
        mark_near(site, transfers);
        load_add(&load, transfers, (redist_side)s);
    }
    return load;
}

/* Find the maximum of each number over all processes, and the common error. */
static redist_err find_load(redist_plan *plan, const struct site *site, redist_err err)
{
    enum { FAILED = LOAD_NUMBERS };
    MPI_Comm comm = plan->team.comm;
    int64_t most[LOAD_NUMBERS + 1] = {[FAILED] = err != REDIST_OK};
    plan->load = (struct load){0};
    if (!err) plan->load = own_load(plan, site);
    memcpy(most, load_numbers(&plan->load), LOAD_NUMBERS * sizeof *most);
    TRY(mpi_call(
        MPI_Allreduce(MPI_IN_PLACE, most, FAILED + 1, MPI_INT64_T, MPI_MAX, comm)));
    memcpy(load_numbers(&plan->load), most, LOAD_NUMBERS * sizeof *most);
    return most[FAILED] ? agree(comm, err) : REDIST_OK;
}

redist_err select_measure(redist_plan *plan)
{
    const struct site *site = NULL;
    if (plan->measured) return REDIST_OK;
    TRY(site_find(plan->team.comm, plan->team.comm, &site));
    plan->rates = site->rates;
    plan->measured = true;
    return find_load(plan, site, REDIST_OK);
}

int select_rank(const redist_plan *plan, struct candidate candidates[CHOOSE_MOST])
{
    return choose_rank(&plan->load, &plan->rates, (int64_t)plan->options.staging_bytes,
                       plan->move.grain, &plan->choice, candidates);
}

void select_predict(const redist_plan *plan, const struct method *method,
                    struct candidate *candidate)
{
    const struct exchange *exchange =
        method->exchange ? method->exchange : &exchange_nonblocking;
    strategy_make(method->schedule, method->seed, exchange, method->parameter,
                  &candidate->strategy);
    (void)choose_staging_of(method, &plan->load, &plan->rates,
                            (int64_t)plan->options.staging_bytes, plan->move.grain,
                            candidate);
}

void select_drop(redist_plan *plan)
{
    if (plan->exchange) plan->exchange->destroy(plan->exchange_state);
    vote_free(&plan->vote);
    plan->exchange = NULL;
    plan->exchange_state = NULL;
}

static void find_usage(redist_plan *plan)
{
    struct usage *usage = &plan->usage;
    *usage = (struct usage){.reports_status = plan->exchange->reports_status};
    usage->messages[REDIST_SOURCE] = plan->move.send.n;
    usage->messages[REDIST_TARGET] = plan->move.receive.n;
    if (plan->exchange->usage) plan->exchange->usage(plan->exchange_state, usage);
}

static redist_err make_state(redist_plan *plan)
{
    const struct exchange *exchange = plan->exchange;
    if (exchange->lacks)
        return error_arg("%s: this MPI has no %s that works", exchange->name,
                         exchange->lacks);
    if (exchange->collective && plan->team.lent)
        return error_arg("%s: all must take part in a run, on which these have no vote",
                         exchange->name);
    return exchange->make(&plan->move, &plan->exchange_state);
}

/* Make the plan's exchange and its vote, unless something has failed. */
static redist_err make_exchange(redist_plan *plan, redist_err err)
{
    if (!err) err = make_state(plan);
    TRY(plan->single_use ? err : agree(plan->team.comm, err));
    find_usage(plan);
    bool lent = plan->team.lent; /* no vote, see struct request */
    /* A run fails before its exchange or not at all. */
    bool early = !plan->load.kinds && !plan->convert.checked;
    if (lent ||
        (early && plan->exchange->vote && plan->exchange->vote(plan->exchange_state))) {
        plan->vote = (struct vote){.comm = plan->team.comm};
        return REDIST_OK;
    }
    bool reports = early && plan->usage.reports_status;
    return vote_make(&plan->move, reports, &plan->vote);
}

static redist_err take(redist_plan *plan, const struct candidate *candidate,
                       redist_err err)
{
    struct move *move = &plan->move;
    move->parameter = candidate->strategy.parameter;
    move->staging = candidate->staging;
    move->most = (int64_t)plan->options.staging_bytes;
    if (!err) move->chunk = transfer_chunk(move->staging, move->grain);
    plan->exchange = candidate->strategy.exchange;
    if (!plan->strategy.exchange && plan->exchange->needs_dists)
        err =
            agree(plan->team.comm, err ? err : keep_dists(plan)); /* before all make it */
    err = make_exchange(plan, err);
    if (err) {
        select_drop(plan);
        return err;
    }
    plan->promise =
        isinf(candidate->seconds) ? candidate->staging : candidate->effort.staging;
    plan->strategy = candidate->strategy;
    plan->options.strategy = plan->strategy.text;
    return REDIST_OK;
}

redist_err select_take(redist_plan *plan, const struct candidate *candidate)
{
    return take(plan, candidate, REDIST_OK);
}

redist_err select_single_use(redist_plan *plan, redist_err err)
{
    static const struct candidate plain = {
        .strategy = {.exchange = &exchange_nonblocking, .text = "nonblocking"},
        .staging = SINGLE_USE_STAGING,
        .seconds = INFINITY};
    return take(plan, &plain, err);
}

/* List the requested exchange, or all that could be chosen. Returns their number. */
static int list_candidates(const redist_plan *plan,
                           struct candidate candidates[CHOOSE_MOST])
{
    if (!plan->strategy.exchange) return select_rank(plan, candidates);
    candidates[0] = (struct candidate){.strategy = plan->strategy};
    (void)choose_staging(&plan->load, &plan->rates, (int64_t)plan->options.staging_bytes,
                         plan->move.grain, &candidates[0]);
    return 1;
}

/* Tell whether redist_plan_tune may make an exchange from the dists, whatever is chosen
 * now: the requested one, or one for replicas. */
static bool may_need_dists(const redist_plan *plan)
{
    const struct exchange *given = plan->strategy.exchange;
    bool replicated = plan->narrays == 1 && plan->array[0].replicas > 1;
    return replicated || (given && given->needs_dists);
}

redist_err select_exchange(redist_plan *plan, const struct site *site, redist_err err)
{
    if (!err && may_need_dists(plan)) err = keep_dists(plan);
    TRY(find_load(plan, site, err));
    struct candidate candidates[CHOOSE_MOST];
    int n = list_candidates(plan, candidates);
    err = REDIST_ERR_ARG;
    for (int k = 0; k < n && (err == REDIST_ERR_ARG || err == REDIST_ERR_MPI); k++)
        err = select_take(plan, &candidates[k]);
    return err;
}
