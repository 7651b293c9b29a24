/* SPDX-License-Identifier: MIT
 *
 * plan/plan.h - what a plan consists of, in the order in which it is made.
 */
#ifndef REDIST_PLAN_PLAN_H
#define REDIST_PLAN_PLAN_H

#include <redist/redist.h>

#include "move/exchange.h"
#include "plan/agree.h"
#include "plan/choose.h"
#include "plan/options.h"
#include "plan/strategy.h"
#include "plan/team.h"

struct redist_plan {
    redist_options options;
    struct team team;
    struct mem_account plan_account, staging_account;

    struct overlap overlap[SIDES]; /* what this process sends, and receives */
    struct move move;              /* the same as transfers */
    bool hears_all;                /* each process receives from all others */
    bool has_local;                /* what it keeps */
    struct axis local_axes[REDIST_MAX_DIMS];
    struct walk local;

    struct strategy strategy;
    const char *origin;                   /* who said so: auto, .. (redist_report) */
    const struct schedule_kind *schedule; /* the order of the transfers; may be NULL */
    struct load load;
    struct rates rates; /* the machine's, or rates_default */
    bool measured;
    const struct exchange *exchange; /* the strategy's; NULL: there is none any more */
    void *exchange_state;

    /* the run that is under way */
    bool active;
    bool exchanging; /* the exchange has been started */
    enum { VOTING, LISTENING, SPREADING, AGREED } agreement;
    int64_t vote, lowest;       /* see plan/agree.h */
    struct agree_parcel parcel; /* what is wrong with the buffers of rank `lowest` */
    MPI_Request request;        /* of the vote, then of the parcel */
};

#endif
