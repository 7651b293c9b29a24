/* SPDX-License-Identifier: MIT
 *
 * plan/choice/strategy.h - a strategy is a schedule and an exchange: who sends to whom
 * when, and how. As text:
 *
 *   optimal/sendrecv   timeline/window(8)   links(3)/nonblocking
 *   optimal   nonblocking   alltoallv   auto
 *
 * Of a schedule alone the library chooses how it is followed.
 */
#ifndef REDIST_PLAN_CHOICE_STRATEGY_H
#define REDIST_PLAN_CHOICE_STRATEGY_H

#include "move/message/exchange.h"
#include "schedule/core/schedule.h"

enum { STRATEGY_TEXT_SIZE = 96 };

struct strategy {
    const struct schedule_kind *schedule; /* NULL: the exchange's own order */
    int seed;                             /* of the schedule, see schedule.h */
    const struct exchange *exchange;      /* NULL: the library chooses (select.h), of
                                             those that follow the schedule, if any */
    int parameter;
    char text[STRATEGY_TEXT_SIZE];
};

/* Those that are worth comparing, ended by NULL: auto, every exchange, and the published
 * and our own schedules with the exchanges that they are meant for. */
extern const char *const known_strategies[];

/* Read a strategy; NULL: auto. ARG: the message says what there is. */
redist_err strategy_parse(const char *text, struct strategy *strategy);

/* Take the strategy that the caller's options name, or, if it is asked and not empty,
 * REDIST_STRATEGY in the environment; `*origin` says which of them (redist_report). ARG:
 * as strategy_parse; names the variable if that is wrong. */
redist_err strategy_take(const char *given, bool ask, struct strategy *strategy,
                         const char **origin);

/* Make the strategy of an exchange with the number behind its name, and a schedule and
 * its seed, if that is not NULL and the exchange can follow it. */
void strategy_make(const struct schedule_kind *schedule, int seed,
                   const struct exchange *exchange, int parameter,
                   struct strategy *strategy);

/* Make the strategy of all plans in place, which has no text that could be read; its
 * origin is the option. */
void strategy_in_place(struct strategy *strategy, const char **origin);

#endif
