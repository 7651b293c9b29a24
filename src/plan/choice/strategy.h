/* SPDX-License-Identifier: MIT
 *
 * plan/choice/strategy.h - a strategy: a schedule (who sends to whom, when) and an
 * exchange (by which mechanism). As text:
 *
 *   optimal/sendrecv   timeline/window(8)   links(3)/nonblocking
 *   optimal   nonblocking   alltoallv   auto
 *
 * For a schedule alone the library chooses the exchange.
 */
#ifndef REDIST_PLAN_CHOICE_STRATEGY_H
#define REDIST_PLAN_CHOICE_STRATEGY_H

#include "move/message/exchange.h"
#include "schedule/core/schedule.h"

enum { STRATEGY_TEXT_SIZE = 96 };

struct strategy {
    const struct schedule_kind *schedule; /* NULL: the exchange's own order */
    int seed;                             /* of the schedule, see schedule.h */
    const struct exchange *exchange;      /* NULL: the library chooses (select.h), among
                                             those that follow the schedule, if any */
    int parameter;
    char text[STRATEGY_TEXT_SIZE];
};

/* The strategies worth comparing, ended by NULL: auto, every exchange, and each schedule
 * with the exchanges it is meant for. */
extern const char *const known_strategies[];

/* Parse a strategy; NULL: auto. ARG: the message lists the names. */
redist_err strategy_parse(const char *text, struct strategy *strategy);

/* Take the strategy of the caller's options or, if `ask` and it is not empty, of
 * REDIST_STRATEGY in the environment; `*origin` tells which (redist_report). ARG: as
 * strategy_parse; names the variable if that is wrong. */
redist_err strategy_take(const char *given, bool ask, struct strategy *strategy,
                         const char **origin);

/* Make the strategy of an exchange with its number, and of a schedule with its seed, if
 * it is not NULL and the exchange can follow it. */
void strategy_make(const struct schedule_kind *schedule, int seed,
                   const struct exchange *exchange, int parameter,
                   struct strategy *strategy);

/* Make the strategy of in-place plans. Its text cannot be parsed; its origin is the
 * option. */
void strategy_in_place(struct strategy *strategy, const char **origin);

#endif
