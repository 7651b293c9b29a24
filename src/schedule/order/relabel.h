/* SPDX-License-Identifier: MIT
 *
 * schedule/order/relabel.h - redist_relabel: which rank has which place of the target's
 * grid. The interface between its files:
 *
 *   relabel.c           any two views, with nodes or without: a matching
 *   relabel_regular.c   whole periods of regular formats: a closed form
 *
 * A place is a linear position in the target's grid. A rank is named by its place before
 * relabelling.
 */
#ifndef REDIST_SCHEDULE_ORDER_RELABEL_H
#define REDIST_SCHEDULE_ORDER_RELABEL_H

#include "describe/view.h"

/* Assign a rank to each place of the target's grid, assigned[places], so that most
 * elements stay, if there is a closed form; else *applies is false.
 * O(processes + classes). ARG: the views don't fit each other. */
redist_err relabel_regular(const redist_view *source, const redist_view *target,
                           int assigned[], bool *applies);

#endif
