/* SPDX-License-Identifier: MIT
 *
 * plan/object/execute.c - running a plan.
 *
 *   begin   check the buffers, begin the exchange, vote on the outcome, copy what stays
 *   drive   the exchange and the vote; over when both are
 *
 * The vote travels beside the data, behind the first messages: its own are posted while
 * those travel. A process with unusable buffers still plays its part in the exchange,
 * without data: nobody is left waiting, and all learn of it in the end.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "move/arith/reduce.h"
#include "move/message/stage.h"
#include "move/mpi/check.h"
#include "plan/comm/agree.h"
#include "plan/object/buffers.h"
#include "plan/object/log.h"
#include "plan/object/plan.h"
#include "plan/object/replica_passes.h"

/* Take over the addresses of the buffers, and what is to be done with them. */
static redist_err take_call(redist_plan *plan, const struct call *call)
{
    bool conjugate = options_conjugate(&plan->options);
    bool combines = true;
    if (plan->onto)
        reduce_make(plan->onto, &plan->reducible, conjugate, call->alpha, &plan->combine);
    else
        combines = combine_make(plan->number, conjugate, call->alpha, call->beta,
                                &plan->combine);
    plan->move.combine = combines ? &plan->combine : NULL;
    buffers_take(plan, call);
    TRY(error_take_refusal());
    if (call->scaled && (!call->alpha || !call->beta))
        return error_set(REDIST_ERR_ARG, "%s is NULL", call->alpha ? "beta" : "alpha");
    return buffers_check(plan);
}

static redist_err begin_exchange(redist_plan *plan)
{
    plan->exchanging = true;
    return plan->exchange->start(&plan->move, plan->exchange_state);
}

/* The vote is in, and what the data told: all is well, or the error has to be spread. */
static redist_err count_vote(redist_plan *plan)
{
    plan->lowest = int_min(plan->vote.lowest, plan->move.invalid_rank);
    bool well = plan->lowest == AGREE_NO_FAILURE;
    plan->agreement = well || plan->team.lent ? AGREED : SPREADING;
    if (plan->agreement == AGREED) return REDIST_OK;
    return agree_start_spread(plan->team.comm, plan->lowest, &plan->parcel,
                              &plan->request);
}

/* Drive the agreement on: the vote, then, if a process failed, its error. An exchange in
 * which all must take part with their data begins only when the vote says so. */
static redist_err drive_agreement(redist_plan *plan, bool wait)
{
    bool voted = false;
    int spread = 1;
    if (plan->agreement == VOTING) {
        TRY(vote_progress(&plan->vote, wait, &voted));
        if (voted) TRY(count_vote(plan));
    }
    if (plan->agreement == SPREADING) {
        TRY(mpi_complete(&plan->request, wait, &spread));
        if (spread) plan->agreement = AGREED;
    }
    if (plan->agreement != AGREED) return REDIST_OK;
    bool go = plan->exchange->collective && plan->lowest == AGREE_NO_FAILURE;
    return go && !plan->exchanging ? begin_exchange(plan) : REDIST_OK;
}

/* Drive the agreement and the exchange on; the run is done when both are. */
static redist_err drive(redist_plan *plan, bool wait, bool *done)
{
    bool exchanged = true;
    *done = false;
    if (plan->passes.n > 0) return replica_passes_drive(plan, wait, done);
    if (plan->exchange->collective) {
        TRY(drive_agreement(plan, wait));
        if (plan->agreement != AGREED) return REDIST_OK;
    }
    if (plan->exchanging)
        TRY(plan->exchange->progress(&plan->move, plan->exchange_state, wait,
                                     &exchanged));
    if (!exchanged) return REDIST_OK;
    TRY(drive_agreement(plan, wait));
    *done = plan->agreement == AGREED;
    return REDIST_OK;
}

/* The run is over: return what was agreed. */
static redist_err conclude(redist_plan *plan)
{
    if (plan->lowest == AGREE_NO_FAILURE) {
        stage_order(&plan->move);
        return REDIST_OK;
    }
    if (plan->team.lent && plan->lowest != plan->team.rank)
        return error_set(REDIST_ERR_STATE, "rank %" PRId64 " could not send its part",
                         plan->lowest);
    return agree_unpack(&plan->parcel, plan->lowest);
}

redist_err plan_begin(redist_plan *plan, const struct call *call)
{
    if (plan->passes.n > 0) return replica_passes_start(plan, call);
    if (!plan->exchange)
        return error_set(REDIST_ERR_STATE,
                         "the plan has lost its exchange, as redist_plan_tune said");
    redist_err unusable = take_call(plan, call);
    if (unusable) agree_pack(unusable, &plan->parcel);
    plan->move.buffers_invalid = unusable != REDIST_OK;
    plan->move.invalid_rank = AGREE_NO_FAILURE;
    plan->move.extra = &plan->vote.extra;
    plan->move.tag = move_next_tag(plan->move.tag);
    plan->exchanging = false;
    plan->agreement = VOTING;
    log_begin(plan, unusable);
    redist_err err = REDIST_OK;
    if (!plan->exchange->collective) err = begin_exchange(plan);
    if (!err) err = vote_start(&plan->vote, agree_vote(unusable, plan->team.rank));
    if (err) return err;
    if (!unusable && !plan->exchange->carries_kept) stage_kept(&plan->move);
    return REDIST_OK;
}

redist_err plan_drive(redist_plan *plan, bool wait, bool *over)
{
    redist_err err = drive(plan, wait, over);
    if (!err && !*over) return REDIST_OK;
    if (!err) err = conclude(plan);
    *over = true; /* if MPI failed under way, what it did is undefined */
    if (plan->passes.n == 0) log_end(plan, err);
    return err;
}
