/* SPDX-License-Identifier: MIT
 *
 * plan/object/plan.h - the members of a plan, in the order in which they are made.
 */
#ifndef REDIST_PLAN_OBJECT_PLAN_H
#define REDIST_PLAN_OBJECT_PLAN_H

#include <redist/redist.h>

#include "move/message/exchange.h"
#include "move/message/lost.h"
#include "move/mpi/check.h"
#include "plan/comm/agree.h"
#include "plan/choice/choose.h"
#include "plan/comm/number.h"
#include "plan/comm/options.h"
#include "plan/choice/strategy.h"
#include "plan/comm/team.h"
#include "plan/comm/vote.h"

/* The arguments of a run. */
struct call {
    const void *const *sources; /* [narrays]; NULL: the process holds nothing of that
                                   array */
    void *const *targets;       /* [narrays], as sources */
    bool scaled;                /* by alpha and beta; else by 1 and 0 */
    const void *alpha, *beta;
};

/* A plan for each replica of the source, run one after the other
 * (plan/object/replica_passes.h). */
struct replica_passes {
    int64_t n;                /* 0: the plan has no passes */
    struct redist_plan *plan; /* [n] on the communicator of the plan they belong to */
    int64_t at;               /* in a run: the current pass */
    struct call call;         /* its arguments; coefficients are stored below */
    char alpha[NUMBER_SIZE], beta[NUMBER_SIZE];
};

/* The state of a plan in progress, for plan/object/active_runs.c. */
struct active_run {
    struct redist_plan *before, *after; /* in the queue */
    bool queued;
    bool landed;        /* its run ended while another was waited for */
    redist_err outcome; /* of that run; its message is in the failure */
};

struct redist_plan {
    redist_options options;
    struct team team;
    struct mem_account plan_account, staging_account;

    int narrays;
    int64_t element; /* bytes of the largest element */
    /* [narrays] sent, received and kept of each; one block with source and target */
    struct array *array;
    struct move move;       /* the same, as transfers */
    struct memory memory;   /* of the buffers of the run in progress */
    enum number number;     /* combined with the targets; NUMBER_NONE: none */
    struct convert convert; /* if move.converts */
    redist_reduction onto;  /* the reduction; NONE: as redist_execute_scaled defines */
    struct reducible reducible;      /* of the reduction */
    struct replica_passes passes;    /* of a plan that reduces, without an exchange */
    const struct redist_plan *whole; /* in a pass: the plan it belongs to; or NULL */

    struct strategy strategy;
    const char *origin;        /* of the strategy: auto, .. (redist_report) */
    struct choice choice;      /* of the transfers */
    redist_topology *topology; /* if the choice has rivals; or NULL */
    int64_t still;             /* see struct request */
    bool single_use, eager;    /* see struct request */
    bool partial;              /* the same */
    struct load load;
    struct rates rates; /* the machine's, or rates_default */
    bool measured;
    bool host_only; /* it was made when arrays could lie in host memory only */
    const struct exchange *exchange; /* the strategy's; NULL: none at present */
    void *exchange_state;
    struct usage usage;
    int64_t promise; /* bytes of staging memory that no process exceeds */

    /* the run in progress */
    struct combine combine;
    struct lost first_lost;       /* by a checked conversion */
    const void **source;          /* [narrays] the caller's buffers */
    void **target;                /* [narrays] */
    struct buffer_span *spans;    /* [2 narrays] see plan/object/buffers.h */
    const struct exchange *apart; /* with it, reads and writes were disjoint */
    bool exchanging;              /* the exchange has been started */
    enum { MOVING, VOTING, SPREADING, AGREED } agreement;
    struct vote vote;
    struct wait_time waiting;   /* for the vote */
    bool lost;                  /* a wait for the vote has timed out */
    int64_t lowest;             /* the lowest rank that failed, see plan/comm/agree.h */
    struct agree_error failure; /* the error of its buffers */
    MPI_Request request;        /* of the failure */
    /* Started, and its end not yet reported to the caller; for the caller's thread only,
     * whoever drives the run. */
    bool active;
    struct active_run active_run;
    struct {
        int64_t number, run;
    } log; /* in the log (plan/object/log.h) */
};

struct request; /* request.h */

/* Tell whether received data are combined with the targets, or converted. */
static inline bool plan_combines(const redist_plan *plan)
{
    return plan->onto != REDIST_REDUCTION_NONE || plan->number != NUMBER_NONE ||
           plan->move.converts;
}

/* Make a plan: redist_plan_create of any form.
 * Collective, as that is; local if it is single-use. ARG, MISMATCH, MEMORY, MPI: the same
 * on every process, unless it is single-use. */
redist_err plan_make(const struct request *request, redist_plan **plan);

/* Fill a plan that has a team and nothing else; free all of a plan but its team.
 * Collective. Errors as plan_make. */
redist_err plan_fill(redist_plan *plan, const struct request *request);
void plan_empty(redist_plan *plan);

/* Put the messages of a plan of one array, which has no exchange at present, into the
 * order of another schedule or seed.
 * Collective. One reduction, and the schedule's cost. MEMORY: the plan is unchanged. */
redist_err plan_reorder(redist_plan *plan, const struct schedule_kind *schedule,
                        int seed);

/* Refuse a single source and target for several arrays. ARG. */
redist_err plan_check_single(const redist_plan *plan);

/* Begin a run. ARG, STATE, MPI. */
redist_err plan_begin(redist_plan *plan, const struct call *call);

/* Advance a run; with `wait`, to its end. `*over` tells that it has ended, with or
 * without an error. ARG (of any process's buffers), MPI. */
redist_err plan_drive(redist_plan *plan, bool wait, bool *over);

/* Start a run for redist_test and redist_wait: redist_start of any form. Errors as
 * plan_begin. */
redist_err plan_start(redist_plan *plan, const struct call *call);

#endif
