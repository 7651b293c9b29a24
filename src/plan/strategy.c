/* SPDX-License-Identifier: MIT */
#include "plan/strategy.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "move/exchange_in_place.h"

const char *const known_strategies[] = {
    "nonblocking",
    "window(4)",
    "sendrecv",
    "synchronous",
    "ready",
    "alltoallv",
    "neighbor",
    "alltoallw",
    "onesided",
    "multiphase",
    "aggregated",
    "naive",
    "naive/nonblocking",
    "random/synchronous",
    "caterpillar/sendrecv",
    "walker-otto/sendrecv",
    "stepwise/sendrecv",
    "guo-pan-1/sendrecv",
    "guo-pan-2/sendrecv",
    "optimal/sendrecv",
    "optimal/nonblocking",
    "product/sendrecv",
    "combination/sendrecv",
    "combination/nonblocking",
    "timeline/window(4)",
    "dense/window(4)",
    NULL,
};

/* Find the schedule that stands before the slash. */
static redist_err read_schedule(const char *text, size_t length,
                                const struct schedule_kind **kind)
{
    char name[STRATEGY_TEXT_SIZE];
    (void)snprintf(name, sizeof name, "%.*s", (int)length, text);
    return schedule_find(name, kind);
}

static redist_err check(const struct strategy *strategy)
{
    const struct schedule_kind *schedule = strategy->schedule;
    const struct exchange *exchange = strategy->exchange;
    if (!schedule) return REDIST_OK;
    if (exchange->order == ORDER_NONE)
        return error_set(REDIST_ERR_ARG, "strategy \"%s\": %s follows no schedule",
                         strategy->text, exchange->name);
    if (exchange->order == ORDER_STEPS && schedule->timed)
        return error_set(REDIST_ERR_ARG,
                         "strategy \"%s\": %s goes by steps, and %s has start times "
                         "instead; window(k) goes by these",
                         strategy->text, exchange->name, schedule->name);
    return REDIST_OK;
}

redist_err strategy_parse(const char *text, struct strategy *strategy)
{
    char name[EXCHANGE_NAME_SIZE];
    const char *slash = text ? strchr(text, '/') : NULL;
    *strategy = (struct strategy){.schedule = NULL};
    if (slash) TRY(read_schedule(text, (size_t)(slash - text), &strategy->schedule));
    TRY(exchange_find(slash ? slash + 1 : text, &strategy->exchange,
                      &strategy->parameter));
    (void)snprintf(strategy->text, sizeof strategy->text, "%s%s%s",
                   slash ? strategy->schedule->name : "", slash ? "/" : "",
                   exchange_print(strategy->exchange, strategy->parameter, name));
    return check(strategy);
}

struct strategy strategy_in_place(void)
{
    struct strategy strategy = {.exchange = &exchange_in_place};
    (void)snprintf(strategy.text, sizeof strategy.text, "%s", exchange_in_place.name);
    return strategy;
}
