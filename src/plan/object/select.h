/* SPDX-License-Identifier: MIT
 *
 * plan/object/select.h - select the exchange of a plan, the requested or the fastest one,
 * and make it.
 */
#ifndef REDIST_PLAN_OBJECT_SELECT_H
#define REDIST_PLAN_OBJECT_SELECT_H

#include "plan/object/plan.h"

/* Find the rates, before all else. If the plan's strategy is auto, find the site, kept
 * with the communicator `user`; else use a site that is kept there already. If there is
 * none `*site` is NULL, and rates are assumed.
 * Collective. See site_find. */
redist_err select_rates(redist_plan *plan, MPI_Comm user, const struct site **site);

/* Choose the order of messages, once the plan knows its arrays or has failed with `err`:
 * by the strategy's schedule; for auto the fastest between the two views, and none for
 * several arrays. If a network is known, adapt the rates to it.
 * Collective, if it is known; the same on every process. `err`, MEMORY, MPI. */
redist_err select_method(redist_plan *plan, redist_err err);

/* Select the exchange, once the plan knows its transfers or has failed with `err`. Agree
 * on errors, choose an exchange, unless one was requested, and its staging memory, and
 * make it. If it cannot be made, for lack of staging memory or of an MPI call, take the
 * next best. Without a site all processes are assumed to be on one node.
 * Collective. One reduction, and a few for each exchange that is tried. ARG: the
 * requested one cannot be made; MEMORY, MPI: the same on all processes. */
redist_err select_exchange(redist_plan *plan, const struct site *site, redist_err err);

/* Make the exchange of a single-use plan, without a choice, with SINGLE_USE_STAGING
 * bytes. Local. ARG, MEMORY, MPI: of this process. */
enum { SINGLE_USE_STAGING = EFFORT_NEAR };
redist_err select_single_use(redist_plan *plan, redist_err err);

/* Find the site of a plan that has none, and its load there.
 * Collective. See site_find. */
redist_err select_measure(redist_plan *plan);

/* Rank the exchanges for a plan, as choose_rank does. */
int select_rank(const redist_plan *plan, struct candidate candidates[CHOOSE_MOST]);

/* Find alternative orders for a plan's messages, as choose_rivals does: none if both
 * order and exchange were requested, or no messages leave their node.
 * Collective. See choose_rivals. */
redist_err select_rivals(const redist_plan *plan, struct method rivals[CHOOSE_RIVALS],
                         int *n);

/* Predict the seconds of an alternative, as choose_staging does. */
void select_predict(const redist_plan *plan, const struct method *method,
                    struct candidate *candidate);

/* Make a candidate the plan's exchange; the plan must have none. Collective. A few
 * reductions. Errors as select_exchange; the plan then has no exchange. */
redist_err select_take(redist_plan *plan, const struct candidate *candidate);

/* Destroy the plan's exchange and its vote, if any.
 * Collective. */
void select_drop(redist_plan *plan);

#endif
