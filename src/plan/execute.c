/* SPDX-License-Identifier: MIT
 *
 * plan/execute.c - running a plan.
 *
 *   start   check the buffers, vote on the outcome, begin the exchange, copy what stays
 *   test    drive the exchange and the vote; done when both are
 *   wait    the same, to the end
 *
 * The vote is a nonblocking reduction that travels beside the data, so that agreeing
 * costs no waiting; where each process receives from all others, it needs none. A
 * process with unusable buffers still plays its part in the exchange, without data:
 * nobody is left waiting, and all learn of it in the end.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "plan/agree.h"
#include "plan/plan.h"

/* MPI failed under way: the plan is idle again, what it did is undefined. */
static redist_err broken(redist_plan *plan, redist_err err)
{
    plan->active = false;
    return err;
}

static redist_err check_buffers(const redist_plan *plan, const void *source,
                                const void *target)
{
    if (!source && (plan->move.send.n > 0 || plan->has_local))
        return error_set(REDIST_ERR_ARG,
                         "source is NULL, but this process holds elements of it");
    if (!target && (plan->move.receive.n > 0 || plan->has_local))
        return error_set(REDIST_ERR_ARG,
                         "target is NULL, but this process holds elements of it");
    bool reads = plan->move.send.n > 0, writes = plan->move.receive.n > 0;
    if (plan->options.in_place && source != target)
        return error_set(REDIST_ERR_ARG,
                         "source and target are two buffers, must be one: the plan is "
                         "in place");
    if (!plan->options.in_place && source && source == target &&
        (plan->has_local || (reads && writes)))
        return error_set(REDIST_ERR_ARG,
                         "source and target are one buffer, must be two, or the plan be "
                         "made with options.in_place");
    return REDIST_OK;
}

static redist_err begin_exchange(redist_plan *plan)
{
    plan->exchanging = true;
    return plan->exchange->start(&plan->move, plan->exchange_state);
}

/* The vote is in: all is well, or the error has to be spread. */
static redist_err count_vote(redist_plan *plan)
{
    plan->agreement = plan->lowest == AGREE_NO_FAILURE ? AGREED : SPREADING;
    if (plan->agreement == AGREED) return REDIST_OK;
    return agree_start_spread(plan->team.comm, plan->lowest, &plan->parcel,
                              &plan->request);
}

/* Drive the agreement on: the vote, then, if a process failed, its error. Who hears from
 * all needs no vote, but has to have heard them. An exchange in which all must take part
 * with their data begins only when the vote says so. */
static redist_err drive_agreement(redist_plan *plan, bool wait)
{
    if (plan->agreement == LISTENING) {
        plan->lowest = int_min(plan->vote, plan->move.muted);
        TRY(count_vote(plan));
    }
    while (plan->agreement != AGREED) {
        int done = 1;
        if (wait)
            TRY(exchange_check(MPI_Wait(&plan->request, MPI_STATUS_IGNORE), "MPI_Wait"));
        else
            TRY(exchange_check(MPI_Test(&plan->request, &done, MPI_STATUS_IGNORE),
                               "MPI_Test"));
        if (!done) return REDIST_OK;
        if (plan->agreement == VOTING)
            TRY(count_vote(plan));
        else
            plan->agreement = AGREED;
    }
    bool go = plan->exchange->collective && plan->lowest == AGREE_NO_FAILURE;
    return go && !plan->exchanging ? begin_exchange(plan) : REDIST_OK;
}

/* Drive the agreement and the exchange on; the run is done when both are. */
static redist_err drive(redist_plan *plan, bool wait, bool *done)
{
    bool exchanged = true;
    *done = false;
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
    plan->active = false;
    if (plan->lowest == AGREE_NO_FAILURE) return REDIST_OK;
    return agree_unpack(&plan->parcel, plan->lowest);
}

redist_err redist_start(redist_plan *plan, const void *source, void *target)
{
    if (!plan) return error_set(REDIST_ERR_ARG, "plan is NULL");
    if (plan->active)
        return error_set(
            REDIST_ERR_STATE,
            "the plan is moving: redist_wait must come before the next start");
    redist_err unusable = check_buffers(plan, source, target);
    if (unusable) agree_pack(unusable, &plan->parcel);
    plan->move.source = source;
    plan->move.target = target;
    plan->move.mute = unusable != REDIST_OK;
    plan->move.muted = AGREE_NO_FAILURE;
    plan->move.tag = !plan->move.tag;
    plan->active = true;
    plan->exchanging = false;
    plan->agreement = plan->hears_all ? LISTENING : VOTING;
    plan->vote = agree_vote(unusable, plan->team.rank);
    redist_err err = REDIST_OK;
    if (!plan->hears_all)
        err = exchange_check(MPI_Iallreduce(&plan->vote, &plan->lowest, 1, MPI_INT64_T,
                                            MPI_MIN, plan->team.comm, &plan->request),
                             "MPI_Iallreduce");
    if (!err && !plan->exchange->collective) err = begin_exchange(plan);
    if (err) return broken(plan, err);
    if (plan->has_local && !unusable && !plan->options.in_place) {
        walk_seek(&plan->local, 0);
        walk_move(&plan->local, WAY_COPY, source, target, plan->local.total);
    }
    return REDIST_OK;
}

redist_err redist_test(redist_plan *plan, int *done)
{
    if (!plan) return error_set(REDIST_ERR_ARG, "plan is NULL");
    if (!done) return error_set(REDIST_ERR_ARG, "done is NULL");
    *done = 0;
    if (!plan->active)
        return error_set(REDIST_ERR_STATE, "the plan has not been started");
    bool over = false;
    redist_err err = drive(plan, false, &over);
    if (err) return broken(plan, err);
    *done = over;
    return over ? conclude(plan) : REDIST_OK;
}

redist_err redist_wait(redist_plan *plan)
{
    if (!plan) return error_set(REDIST_ERR_ARG, "plan is NULL");
    if (!plan->active)
        return error_set(REDIST_ERR_STATE, "the plan has not been started");
    for (bool over = false; !over;) {
        redist_err err = drive(plan, true, &over);
        if (err) return broken(plan, err);
    }
    return conclude(plan);
}

redist_err redist_execute(redist_plan *plan, const void *source, void *target)
{
    TRY(redist_start(plan, source, target));
    return redist_wait(plan);
}
