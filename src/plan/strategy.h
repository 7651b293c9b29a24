/* SPDX-License-Identifier: MIT
 *
 * plan/strategy.h - a strategy is a schedule and an exchange: who sends to whom when, and
 * how. As text:
 *
 *   optimal/sendrecv   timeline/window(8)   nonblocking   alltoallv
 */
#ifndef REDIST_PLAN_STRATEGY_H
#define REDIST_PLAN_STRATEGY_H

#include "move/exchange.h"
#include "schedule/schedule.h"

enum { STRATEGY_TEXT_SIZE = 96 };

struct strategy {
    const struct schedule_kind *schedule; /* NULL: the exchange's own order */
    const struct exchange *exchange;
    int parameter;
    char text[STRATEGY_TEXT_SIZE];
};

/* Those that are worth comparing, ended by NULL: every exchange, and the published and
 * our own schedules with the exchanges that they are meant for. */
extern const char *const known_strategies[];

/* Read a strategy; NULL: the default. ARG: the message says what there is. */
redist_err strategy_parse(const char *text, struct strategy *strategy);

/* The strategy of all plans in place: it has no text that could be read. */
struct strategy strategy_in_place(void);

#endif
