/* SPDX-License-Identifier: MIT
 *
 * plan/object/execute.c - run a plan.
 *
 *   begin   check the buffers, begin the exchange and the vote, copy elements that stay
 *   drive   the exchange and the vote; the run ends when both have
 *
 * The vote travels beside the data: its messages are posted after the first ones of the
 * exchange. A process with invalid buffers still takes part in the exchange, without
 * data: nobody waits forever, and all learn of it in the end.
 */
#include <sched.h>

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

/* Store the addresses of the buffers, and the coefficients. */
static redist_err take_call(redist_plan *plan, const struct call *call)
{
    bool conjugate = options_conjugate(&plan->options);
    bool combines = true;
    if (plan->move.converts)
        plan->combine =
            (struct combine){.convert = &plan->convert, .calls = plan->convert.checked};
    else if (plan->onto)
        reduce_make(plan->onto, &plan->reducible, conjugate, call->alpha, &plan->combine);
    else
        combines = combine_make(plan->number, conjugate, call->alpha, call->beta,
                                &plan->combine);
    plan->move.combine = combines ? &plan->combine : NULL;
    buffers_take(plan, call);
    TRY(error_take_refusal());
    if (call->scaled && (!call->alpha || !call->beta))
        return error_arg("%s is NULL", call->alpha ? "beta" : "alpha");
    return buffers_open(plan);
}

static redist_err begin_exchange(redist_plan *plan)
{
    plan->exchanging = true;
    return plan->exchange->start(&plan->move, plan->exchange_state);
}

/* Evaluate the vote and the data's reports: all buffers are valid, or the error has to be
 * broadcast. */
static redist_err count_vote(redist_plan *plan)
{
    plan->lowest = int_min(plan->vote.lowest, plan->move.invalid_rank);
    bool well = plan->lowest == AGREE_NO_FAILURE;
    plan->agreement = well || plan->team.lent ? AGREED : SPREADING;
    if (plan->agreement == AGREED) return REDIST_OK;
    return agree_start_spread(plan->team.comm, plan->lowest, &plan->failure,
                              &plan->request);
}

/* Begin the vote after all own moves. */
static redist_err vote_late(redist_plan *plan)
{
    redist_err err = memory_fence(plan->move.memory);
    if (!err && plan->first_lost.any) err = lost_error(&plan->first_lost);
    if (err) agree_pack(err, &plan->failure);
    plan->agreement = VOTING;
    return vote_start(&plan->vote, agree_vote(err, plan->team.rank));
}

/* Advance the vote; with `wait`, to its end. Fail when the time is over, also if the wait
 * is made of several calls. */
static redist_err drive_vote(redist_plan *plan, bool wait, bool *voted)
{
    double limit = plan->options.timeout_s;
    if (limit <= 0) return vote_progress(&plan->vote, wait, voted);
    for (;; (void)sched_yield()) {
        TRY(vote_progress(&plan->vote, false, voted));
        if (*voted) return REDIST_OK;
        plan->lost = mpi_waits_too_long(&plan->waiting, limit);
        if (plan->lost)
            return error_set(REDIST_ERR_MPI,
                             "no word from all processes for %g s (timeout_s)", limit);
        if (!wait) return REDIST_OK;
    }
}

/* Advance the agreement: the vote, then, if a process failed, its error. An exchange that
 * needs true counts of all processes begins after the vote. */
static redist_err drive_agreement(redist_plan *plan, bool wait)
{
    bool voted = false;
    int spread = 1;
    if (plan->agreement == VOTING) {
        TRY(drive_vote(plan, wait, &voted));
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

/* Advance the agreement and the exchange; the run ends when both have. */
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
    if (plan->agreement == MOVING) TRY(vote_late(plan));
    TRY(drive_agreement(plan, wait));
    *done = plan->agreement == AGREED;
    return REDIST_OK;
}

/* The run is over: return the agreed error. */
static redist_err conclude(redist_plan *plan)
{
    if (plan->lowest == AGREE_NO_FAILURE) {
        stage_order(&plan->move);
        return REDIST_OK;
    }
    if (plan->team.lent && plan->lowest != plan->team.rank)
        return error_set(REDIST_ERR_STATE, "rank %" PRId64 " could not send its part",
                         plan->lowest);
    return agree_unpack(&plan->failure, plan->lowest);
}

redist_err plan_begin(redist_plan *plan, const struct call *call)
{
    if (plan->passes.n > 0) return replica_passes_start(plan, call);
    if (!plan->exchange)
        return error_set(REDIST_ERR_STATE,
                         "the plan has lost its exchange, as redist_plan_tune said");
    if (plan->lost)
        return error_set(REDIST_ERR_MPI, "an earlier run of the plan was given up");
    redist_err unusable = take_call(plan, call);
    if (unusable) agree_pack(unusable, &plan->failure);
    plan->move.buffers_invalid = unusable != REDIST_OK;
    plan->move.invalid_rank = AGREE_NO_FAILURE;
    bool late = !unusable && /* moves may still fail */
                (memory_queues(&plan->memory) || plan->convert.checked);
    plan->move.extra = late ? NULL : &plan->vote.extra;
    plan->move.tag = move_next_tag(plan->move.tag);
    plan->exchanging = plan->first_lost.any = false;
    plan->waiting = (struct wait_time){0};
    plan->agreement = late ? MOVING : VOTING;
    log_begin(plan, unusable);
    redist_err err = REDIST_OK;
    if (!plan->exchange->collective) err = begin_exchange(plan);
    if (!err && !late)
        err = vote_start(&plan->vote, agree_vote(unusable, plan->team.rank));
    if (err) return buffers_close(plan, err);
    if (!unusable && !plan->exchange->carries_kept) stage_kept(&plan->move);
    return REDIST_OK;
}

redist_err plan_drive(redist_plan *plan, bool wait, bool *over)
{
    redist_err err = drive(plan, wait, over);
    if (!err && !*over) return REDIST_OK;
    if (!err) err = conclude(plan);
    if (plan->passes.n == 0) err = buffers_close(plan, err);
    *over = true; /* if MPI failed during the run, its effect is undefined */
    if (plan->passes.n == 0) log_end(plan, err);
    return err;
}
