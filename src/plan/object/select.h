/* SPDX-License-Identifier: MIT
 *
 * plan/object/select.h - settle on the exchange of a plan: the one that was asked for, or
 * the one that takes least, and make it.
 */
#ifndef REDIST_PLAN_OBJECT_SELECT_H
#define REDIST_PLAN_OBJECT_SELECT_H

#include "plan/object/plan.h"

/* Before anything else is known: find the site, if the plan's strategy is auto, kept with
 * the communicator `user`; else the one that is kept there already, if any; if not,
 * `*site` is NULL, and rates are assumed.
 * Collective. See site_find. */
redist_err select_rates(redist_plan *plan, MPI_Comm user, const struct site **site);

/* When the plan knows its arrays, or `err` says why not: find how the messages go, by the
 * strategy's schedule, or if it is auto by the fastest between the two views, of several
 * arrays by none; and what the network, if it is known, makes of the rates.
 * Collective, if it is known; the same on every process. `err`, MEMORY, MPI. */
redist_err select_course(redist_plan *plan, redist_err err);

/* When the plan knows its transfers, or `err` says why not: agree on that, choose an
 * exchange, unless one was asked for, and the staging memory that it uses, and make it;
 * where it cannot be made, because there is too little staging memory or MPI has not what
 * it takes, the next best. Without a site all processes are taken to live on one node.
 * Collective. One reduction, and a few for each exchange that is tried. ARG: the one that
 * was asked for cannot be made; MEMORY, MPI: the same on all processes. */
redist_err settle(redist_plan *plan, const struct site *site, redist_err err);

/* The same without a choice, for a single-use plan: with so much staging memory.
 * Local. ARG, MEMORY, MPI: of this process. */
enum { QUICK_STAGING = EFFORT_NEAR };
redist_err select_single_use(redist_plan *plan, redist_err err);

/* Find the site of a plan that has gone without, and its load there.
 * Collective. See site_find. */
redist_err select_measure(redist_plan *plan);

/* Rank what could be chosen for a plan, as choose_rank does. */
int select_rank(const redist_plan *plan, struct candidate candidates[CHOOSE_MOST]);

/* Find other ways for the messages of a plan, as choose_rivals does: none, if its order
 * was asked for with its exchange, or no messages leave their node.
 * Collective. See choose_rivals. */
redist_err select_rivals(const redist_plan *plan, struct manner rivals[CHOOSE_RIVALS],
                         int *n);

/* Predict what a rival takes, as choose_staging does. */
void select_predict(const redist_plan *plan, const struct manner *manner,
                    struct candidate *candidate);

/* Take a candidate in the place of the plan's exchange, of which there must be none.
 * Collective. A few reductions. Errors as settle; then there is no exchange either. */
redist_err select_take(redist_plan *plan, const struct candidate *candidate);

/* Destroy the plan's exchange and its vote, if there are any.
 * Collective. */
void select_drop(redist_plan *plan);

#endif
