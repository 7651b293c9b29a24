/* SPDX-License-Identifier: MIT
 *
 * schedule/order/order.h - the order of a process's own messages: that of a schedule, or
 * of shifted.h without one.
 *
 * Both ends of a message give it the same step. Ordered by step and then by its ends, all
 * messages have one order, which each process follows. So they cannot deadlock, however
 * little memory there is.
 */
#ifndef REDIST_SCHEDULE_ORDER_ORDER_H
#define REDIST_SCHEDULE_ORDER_ORDER_H

#include "schedule/core/pattern.h"

struct order {
    const struct schedule_kind *kind; /* NULL: shifted.h */
    int nranks;
    struct pattern pattern;
    void *state;
};

/* Make the order of all messages between two views among `nranks` ranks, which the
 * topology places (NULL: unknown); the seed is that of schedule.h. The views and the
 * topology must live on. The same on every process. The caller frees with order_free,
 * after a failure too. Cost of the schedule. ARG: the schedule is not applicable;
 * MEMORY. */
redist_err order_make(const struct schedule_kind *kind, int seed,
                      const redist_view *source, const redist_view *target,
                      const redist_topology *topology, int nranks, struct order *order);

/* Find the step of each of the overlap's messages [nmessages], including one to itself.
 * The overlap may be of two other views: messages between processes that have none in the
 * schedule follow at the end, ordered by shifted.h.
 * O(messages log messages). MEMORY. */
redist_err order_steps(const struct order *order, const struct overlap *overlap,
                       int64_t step[]);

void order_free(struct order *order);

#endif
