/* SPDX-License-Identifier: MIT
 *
 * plan/object/plan.h - what a plan consists of, in the order in which it is made.
 */
#ifndef REDIST_PLAN_OBJECT_PLAN_H
#define REDIST_PLAN_OBJECT_PLAN_H

#include <redist/redist.h>

#include "move/message/exchange.h"
#include "plan/comm/agree.h"
#include "plan/choice/choose.h"
#include "plan/comm/number.h"
#include "plan/comm/options.h"
#include "plan/choice/strategy.h"
#include "plan/comm/team.h"
#include "plan/comm/vote.h"

/* What is asked of a run. */
struct call {
    const void *const *sources; /* [narrays]; NULL: the process holds nothing of it */
    void *const *targets;       /* the same */
    bool scaled;                /* by alpha and beta, else by 1 and 0 */
    const void *alpha, *beta;
};

/* A plan for each replica of the source, run one after the other
 * (plan/object/replica_passes.h). */
struct replica_passes {
    int64_t n;                /* 0: the plan moves by itself */
    struct redist_plan *plan; /* [n] over the communicator of the plan that they make */
    int64_t at;               /* of a run: the pass under way */
    struct call call;         /* what was asked of it, its coefficients in these */
    char alpha[NUMBER_SIZE], beta[NUMBER_SIZE];
};

/* What plan/object/active_runs.c knows of a plan that is under way. */
struct active_run {
    struct redist_plan *before, *after; /* in the queue */
    bool queued;
    bool landed;        /* its run has ended while another plan was waited for */
    redist_err outcome; /* then; its sentence is in the parcel */
};

struct redist_plan {
    redist_options options;
    struct team team;
    struct mem_account plan_account, staging_account;

    int narrays;
    int64_t element; /* bytes of the largest element */
    /* [narrays] what the process sends, receives and keeps of each; in one block with
     * source and target */
    struct array *array;
    struct move move;      /* the same as transfers */
    enum number number;    /* that is combined with the targets; NUMBER_NONE: none is */
    redist_reduction onto; /* by what; NONE: as redist_execute_scaled says */
    struct reducible reducible; /* of a reduction */
    struct replica_passes
        passes; /* of a plan that reduces, which has no exchange of its own */
    const struct redist_plan *whole; /* of a pass: the plan that reduces; or NULL */

    struct strategy strategy;
    const char *origin;        /* who said so: auto, .. (redist_report) */
    struct course course;      /* of the transfers */
    redist_topology *topology; /* kept, if there are rivals to the course; or NULL */
    int64_t still;             /* see struct request */
    bool single_use, eager;    /* see struct request */
    bool partial;              /* the same */
    struct load load;
    struct rates rates; /* the machine's, or rates_default */
    bool measured;
    const struct exchange *exchange; /* the strategy's; NULL: there is none any more */
    void *exchange_state;
    struct usage usage;
    int64_t promise; /* bytes of staging memory that no process exceeds */

    /* the run that is under way */
    struct combine combine;
    const void **source;       /* [narrays] the caller's buffers */
    void **target;             /* [narrays] */
    struct buffer_span *spans; /* [2 narrays] to check these, see plan/object/buffers.h */
    const struct exchange *apart; /* with this what is read was found not to be written */
    bool exchanging;              /* the exchange has been started */
    enum { VOTING, SPREADING, AGREED } agreement;
    struct vote vote;
    int64_t lowest;             /* the lowest rank that failed, see plan/comm/agree.h */
    struct agree_parcel parcel; /* what is wrong with its buffers */
    MPI_Request request;        /* of the parcel */
    /* It has been started, and nobody was told of its end: for the caller's thread alone,
     * whichever drives the run. */
    bool active;
    struct active_run active_run;
    struct {
        int64_t number, run;
    } log; /* in the log (plan/object/log.h) */
};

struct request; /* request.h */

/* Whether what comes is combined with the targets. */
static inline bool plan_combines(const redist_plan *plan)
{
    return plan->onto != REDIST_REDUCTION_NONE || plan->number != NUMBER_NONE;
}

/* Make a plan: redist_plan_create of any form. Collective, as that is; local if it is to
 * be single-use. ARG, MISMATCH, MEMORY, MPI: the same on every process, unless it is
 * single-use. */
redist_err plan_make(const struct request *request, redist_plan **plan);

/* Make a plan, which has a team and nothing else yet; and free all of it but the team.
 * Collective. Errors as plan_make. */
redist_err plan_fill(redist_plan *plan, const struct request *request);
void plan_empty(redist_plan *plan);

/* Put the messages of a plan of one array, that has no exchange just now, into the order
 * of another schedule, or of another seed.
 * Collective. One reduction, and the schedule's cost. MEMORY: then it is as before. */
redist_err plan_reorder(redist_plan *plan, const struct schedule_kind *schedule,
                        int seed);

/* Refuse one source and one target for several arrays. ARG. */
redist_err plan_check_single(const redist_plan *plan);

/* Begin a run. ARG, STATE, MPI. */
redist_err plan_begin(redist_plan *plan, const struct call *call);

/* Drive a run on, or to its end if it is to wait; `*over` says that it has come to it, be
 * it by an error. ARG (of any process's buffers), MPI. */
redist_err plan_drive(redist_plan *plan, bool wait, bool *over);

/* Start a run, which redist_test and redist_wait drive: redist_start of any form. Errors
 * as plan_begin. */
redist_err plan_start(redist_plan *plan, const struct call *call);

#endif
