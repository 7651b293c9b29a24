/* SPDX-License-Identifier: MIT
 *
 * schedule/order/relabel.h - redist_relabel, between its files:
 *
 *   relabel.c           any two views, with nodes or without: a matching
 *   relabel_regular.c   whole periods of regular formats: a closed form
 *
 * A place is a linear position in the target's grid; the rank that a place gets is named
 * by the place that it has as given.
 */
#ifndef REDIST_SCHEDULE_ORDER_RELABEL_H
#define REDIST_SCHEDULE_ORDER_RELABEL_H

#include "describe/view.h"

/* Assign to each place of the target's grid a rank, assigned[places], so that most stays,
 * if a closed form says how; else *applies is false.
 * O(processes + classes). ARG: the views don't fit each other. */
redist_err relabel_regular(const redist_view *source, const redist_view *target,
                           int assigned[], bool *applies);

#endif
