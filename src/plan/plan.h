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

struct redist_plan {
    redist_options options;
    struct team team;
    struct mem_account plan_account, staging_account;

    int narrays;
    int64_t element; /* bytes of the largest element */
    struct array
        *array;       /* [narrays] what this process sends, receives and keeps of each */
    struct move move; /* the same as transfers */
    bool hears_all;   /* each process receives from all others */

    struct strategy strategy;
    const struct exchange *exchange; /* the strategy's */
    void *exchange_state;
    struct usage usage;

    /* the run that is under way */
    const void **source; /* [narrays] the caller's buffers */
    void **target;       /* [narrays] */
    bool active;
    bool exchanging; /* the exchange has been started */
    enum { VOTING, LISTENING, SPREADING, AGREED } agreement;
    int64_t vote, lowest;       /* see plan/agree.h */
    struct agree_parcel parcel; /* what is wrong with the buffers of rank `lowest` */
    MPI_Request request;        /* of the vote, then of the parcel */
};

/* Start a run on the caller's buffers, [narrays] each: redist_start of any form. `sources`
 * or `targets` may be NULL where the process holds nothing of that side. STATE, MPI. */
redist_err plan_start(redist_plan *plan, const void *const sources[],
                      void *const targets[]);

#endif
