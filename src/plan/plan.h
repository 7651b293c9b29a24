/* SPDX-License-Identifier: MIT
 *
 * plan/plan.h - what a plan consists of, in the order in which it is made.
 */
#ifndef REDIST_PLAN_PLAN_H
#define REDIST_PLAN_PLAN_H

#include <redist/redist.h>

#include "move/exchange.h"
#include "plan/agree.h"
#include "plan/options.h"
#include "plan/strategy.h"
#include "plan/team.h"
#include "plan/vote.h"

struct redist_plan {
    redist_options options;
    struct team team;
    struct mem_account plan_account, staging_account;

    struct overlap overlap[SIDES]; /* what this process sends, and receives */
    struct move move;              /* the same as transfers */
    bool has_local;                /* what it keeps */
    struct axis local_axes[REDIST_MAX_DIMS];
    struct walk local;

    struct strategy strategy;
    const struct exchange *exchange; /* the strategy's */
    void *exchange_state;

    /* the run that is under way */
    bool active;
    bool exchanging; /* the exchange has been started */
    enum { VOTING, SPREADING, AGREED } agreement;
    struct vote vote;
    int64_t lowest;             /* the lowest rank that failed, see plan/agree.h */
    struct agree_parcel parcel; /* what is wrong with its buffers */
    MPI_Request request;        /* of the parcel */
};

#endif
