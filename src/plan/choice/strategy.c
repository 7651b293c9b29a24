/* SPDX-License-Identifier: MIT */
#include "plan/choice/strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "move/in_place/exchange_in_place.h"
#include "move/registry/exchanges.h"
#include "schedule/registry/schedules.h"

static const char automatic[] = "auto", by_options[] = "given";

const char *const known_strategies[] = {
    automatic,
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
    "lcm-phases",
    "aggregated",
    "multicast",
    "multicast(3)",
    "replicate",
    "replicate(1)",
    "shared",
    "naive",
    "naive/nonblocking",
    "random/synchronous",
    "caterpillar/sendrecv",
    "walker-otto/sendrecv",
    "stepwise/sendrecv",
    "guo-pan-1/sendrecv",
    "guo-pan-2/sendrecv",
    "optimal",
    "optimal/sendrecv",
    "optimal/nonblocking",
    "product/sendrecv",
    "combination/sendrecv",
    "combination/nonblocking",
    "timeline",
    "timeline/window(4)",
    "dense/window(4)",
    "links/window(4)",
    "links/nonblocking",
    NULL,
};

/* Parse the schedule before the slash, or alone. */
static redist_err read_schedule(const char *text, size_t length,
                                struct strategy *strategy)
{
    char name[STRATEGY_TEXT_SIZE];
    (void)snprintf(name, sizeof name, "%.*s", (int)length, text);
    return schedule_find(name, &strategy->schedule, &strategy->seed);
}

/* Tell whether a text without a slash is a schedule: its nearest name is one. A name of
 * both is an exchange. */
static bool is_schedule(const char *text)
{
    struct nearest nearest = nearest_to(text);
    for (size_t k = 0; exchanges[k]; k++) nearest_offer(&nearest, exchanges[k]->name);
    struct nearest either = nearest;
    for (size_t k = 0; schedules[k]; k++) nearest_offer(&either, schedules[k]->name);
    return either.name != nearest.name;
}

static redist_err check(const struct strategy *strategy)
{
    const struct schedule_kind *schedule = strategy->schedule;
    const struct exchange *exchange = strategy->exchange;
    if (!schedule) return REDIST_OK;
    if (!exchange->ordered)
        return error_arg("strategy \"%s\": %s follows no schedule", strategy->text,
                         exchange->name);
    return REDIST_OK;
}

static void print(struct strategy *strategy)
{
    char order[SCHEDULE_NAME_SIZE] = "", name[EXCHANGE_NAME_SIZE];
    const struct schedule_kind *schedule = strategy->schedule;
    if (schedule) schedule_print(schedule, strategy->seed, order);
    (void)snprintf(strategy->text, sizeof strategy->text, "%s%s%s", order,
                   schedule ? "/" : "",
                   exchange_print(strategy->exchange, strategy->parameter, name));
}

redist_err strategy_parse(const char *text, struct strategy *strategy)
{
    *strategy = (struct strategy){.schedule = NULL};
    if (!text || strcmp(text, automatic) == 0) {
        memcpy(strategy->text, automatic, sizeof automatic);
        return REDIST_OK;
    }
    const char *slash = strchr(text, '/');
    bool alone = !slash && is_schedule(text);
    size_t length = slash ? (size_t)(slash - text) : strlen(text);
    if (slash || alone) TRY(read_schedule(text, length, strategy));
    if (alone) {
        (void)snprintf(strategy->text, sizeof strategy->text, "%s", text);
        return REDIST_OK;
    }
    TRY(exchange_find(slash ? slash + 1 : text, &strategy->exchange,
                      &strategy->parameter));
    print(strategy);
    return check(strategy);
}

redist_err strategy_take(const char *given, bool ask, struct strategy *strategy,
                         const char **origin)
{
    static const char variable[] = "REDIST_STRATEGY";
    const char *said = ask ? secure_getenv(variable) : NULL;
    bool overrides = said && *said;
    redist_err err = strategy_parse(overrides ? said : given, strategy);
    bool chosen = !strategy->exchange && !strategy->schedule;
    *origin = chosen ? automatic : overrides ? variable : by_options;
    return err && overrides ? error_prefix(err, "%s", variable) : err;
}

void strategy_make(const struct schedule_kind *schedule, int seed,
                   const struct exchange *exchange, int parameter,
                   struct strategy *strategy)
{
    *strategy = (struct strategy){.exchange = exchange, .parameter = parameter};
    if (exchange->ordered) strategy->schedule = schedule, strategy->seed = seed;
    print(strategy);
}

void strategy_in_place(struct strategy *strategy, const char **origin)
{
    *strategy = (struct strategy){.exchange = &exchange_in_place};
    (void)snprintf(strategy->text, sizeof strategy->text, "%s", exchange_in_place.name);
    *origin = by_options;
}
