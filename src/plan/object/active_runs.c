/* SPDX-License-Identifier: MIT
 *
 * plan/object/active_runs.c - the runs in progress on this process, and who drives them.
 *
 * Processes may wait for their plans in different orders: the plan that one waits for may
 * need another process, which waits for something else. So a thread that waits for a plan
 * or tests it drives the others, too, the one first that was driven longest ago. Only
 * with a single plan in progress does a thread block in MPI.
 *
 *   queue    of plans that nobody drives:  first -> .. -> last
 *
 * A plan is taken out of the queue while it is driven, so that only one thread does it.
 */
#include <sched.h>

#include "base/error.h"
#include "base/latch.h"
#include "plan/object/plan.h"

enum { SPINS = 1000 }; /* rounds without progress before yielding */

static atomic_flag latch = ATOMIC_FLAG_INIT;
static redist_plan *first, *last;

static void lock(void) { latch_lock(&latch); }

static void unlock(void) { latch_unlock(&latch); }

/* ---- the queue, under the lock ----------------------------------------------------- */

static void append(redist_plan *plan)
{
    struct active_run *active_run = &plan->active_run;
    active_run->queued = true;
    active_run->before = last;
    active_run->after = NULL;
    *(last ? &last->active_run.after : &first) = plan;
    last = plan;
}

static void take(redist_plan *plan)
{
    struct active_run *active_run = &plan->active_run;
    active_run->queued = false;
    *(active_run->before ? &active_run->before->active_run.after : &first) =
        active_run->after;
    *(active_run->after ? &active_run->after->active_run.before : &last) =
        active_run->before;
}

/* ---- taking turns ------------------------------------------------------------------ */

/* Take a plan to drive it, once no other thread does. Returns whether there is anything
 * left to drive. */
static bool claim(redist_plan *plan)
{
    struct active_run *active_run = &plan->active_run;
    for (;; (void)sched_yield()) {
        lock();
        bool landed = active_run->landed, queued = active_run->queued;
        if (queued) take(plan);
        unlock();
        if (landed || queued) return queued;
    }
}

/* Return it. */
static void release(redist_plan *plan)
{
    lock();
    append(plan);
    unlock();
}

/* Drive the plan at the head. If its run ends, keep the result for redist_wait or
 * redist_test. Returns whether there was a plan. */
static bool drive_another(void)
{
    lock();
    redist_plan *plan = first;
    if (plan) take(plan);
    unlock();
    if (!plan) return false;
    bool over = false;
    redist_err err = plan_drive(plan, false, &over);
    if (!over) {
        release(plan);
        return true;
    }
    if (err) agree_pack(err, &plan->failure);
    plan->active_run.outcome = err;
    lock();
    plan->active_run.landed = true;
    unlock();
    return true;
}

/* Return the result of a run that another call has driven to its end. */
static redist_err land(redist_plan *plan)
{
    if (!plan->active_run.outcome) return REDIST_OK;
    return error_set(plan->active_run.outcome, "%s", plan->failure.text);
}

static redist_err check(const redist_plan *plan)
{
    if (!plan->active)
        return error_set(REDIST_ERR_STATE, "the plan has not been started");
    return REDIST_OK;
}

/* ---- public functions -------------------------------------------------------------- */

redist_err plan_start(redist_plan *plan, const struct call *call)
{
    if (plan->active)
        return error_set(
            REDIST_ERR_STATE,
            "the plan is moving: redist_wait must come before the next start");
    TRY(plan_begin(plan, call));
    plan->active = true;
    plan->active_run.landed = false;
    release(plan);
    return REDIST_OK;
}

redist_err redist_test(redist_plan *plan, int *done)
{
    if (!plan) return error_arg("plan is NULL");
    if (!done) return error_arg("done is NULL");
    *done = 0;
    TRY(check(plan));
    bool over = true;
    redist_err err = claim(plan) ? plan_drive(plan, false, &over) : land(plan);
    *done = over;
    plan->active = !over;
    if (over) return err;
    (void)drive_another();
    release(plan);
    return REDIST_OK;
}

redist_err redist_wait(redist_plan *plan)
{
    if (!plan) return error_arg("plan is NULL");
    TRY(check(plan));
    bool over = !claim(plan);
    redist_err err = over ? land(plan) : REDIST_OK;
    for (int64_t round = 0; !over; round++) {
        bool alone = !drive_another();
        err = plan_drive(plan, alone, &over);
        if (!alone && round > SPINS) (void)sched_yield();
    }
    plan->active = false;
    return err;
}
