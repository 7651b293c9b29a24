/* SPDX-License-Identifier: MIT
 *
 * tool/command/schedule_data.c - schedules as JSON and CSV.
 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "tool/analysis/schedule_report.h"
#include "tool/common/tool.h"

/* ---- JSON -------------------------------------------------------------------------- */

/* Print a key on a line of its own, after earlier output. */
static void json_key(const char *key, int indent)
{
    (void)printf(",\n%*s\"%s\": ", indent + 2, "", key);
}

static void json_number(const char *key, bool known, int64_t number, int indent)
{
    json_key(key, indent);
    if (known)
        (void)printf("%" PRId64, number);
    else
        (void)printf("null");
}

static void json_text(const char *key, const char *text, int indent)
{
    json_key(key, indent);
    if (text)
        tool_print_json_string(stdout, text);
    else
        (void)printf("null");
}

static void json_cost(const struct outcome *outcome, int indent)
{
    const struct cost *cost = &outcome->cost;
    bool counted = outcome->cost.counted, made = !outcome->why;
    json_number("ns", counted, cost->ns, indent);
    json_number("tc", counted, cost->tc, indent);
    json_number("delta", made, cost->delta, indent);
    json_number("w", made, cost->w, indent);
    json_number("sb", counted, cost->sb, indent);
    json_number("messages", counted, cost->messages, indent);
}

static void json_seconds(const char *key, double seconds, int indent)
{
    json_key(key, indent);
    if (isinf(seconds))
        (void)printf("null");
    else
        (void)printf("%.6g", seconds);
}

static redist_err json_forecast(const struct outcome *outcome,
                                const struct forecast *forecast, int indent)
{
    double seconds[MODEL_ISSUES];
    TRY(forecast_times(forecast, outcome, seconds));
    json_seconds("seconds_barriers", seconds[MODEL_BARRIERS], indent);
    json_seconds("seconds_free", seconds[MODEL_FREE], indent);
    json_seconds("seconds_whole", seconds[MODEL_WHOLE], indent);
    json_text("chosen", forecast_issue(forecast, outcome), indent);
    return REDIST_OK;
}

/* Print what `rank` sends or receives: an empty list if it is not on that side. */
static redist_err json_own(const struct outcome *outcome, redist_side side, int rank,
                           int indent)
{
    const struct problem *problem = outcome->problem;
    bool sends = side == REDIST_SOURCE;
    int64_t c = problem_find(problem, side, rank);
    struct own_list list = {0};
    redist_err err = c < 0 ? REDIST_OK : outcome_own(outcome, side, c, &list);
    json_key(sends ? "sends" : "receives", indent);
    (void)printf("[");
    for (int64_t k = 0; !err && k < list.n; k++) {
        const struct own_message *own = &list.message[k];
        int partner =
            problem_rank(problem, sends ? REDIST_TARGET : REDIST_SOURCE, own->partner);
        (void)printf("%s\n%*s{\"%s\": %d, \"length\": %" PRId64 ", \"step\": %" PRId64
                     "}",
                     k > 0 ? "," : "", indent + 4, "", sends ? "to" : "from", partner,
                     own->weight, own->step);
    }
    if (list.n > 0) (void)printf("\n%*s", indent + 2, "");
    (void)printf("]");
    own_list_free(&list);
    return err;
}

redist_err print_schedule_json(const struct outcome *outcome,
                               const struct forecast *forecast, int rank, int indent)
{
    (void)printf("%*s{\n%*s\"schedule\": ", indent, "", indent + 2, "");
    tool_print_json_string(stdout, outcome->name);
    json_key("applicable", indent);
    (void)printf(outcome->why ? "false" : "true");
    json_text("why", outcome->why, indent);
    json_key("timed", indent);
    (void)printf(outcome->kind->timed ? "true" : "false");
    json_text("note", outcome_note(outcome), indent);
    json_number("unit_elements", true, outcome->problem->pattern.unit, indent);
    json_cost(outcome, indent);
    redist_err err = json_forecast(outcome, forecast, indent);
    if (!err && rank != EVERY_RANK && !outcome->why) {
        err = json_own(outcome, REDIST_SOURCE, rank, indent);
        if (!err) err = json_own(outcome, REDIST_TARGET, rank, indent);
    }
    (void)printf("\n%*s}", indent, "");
    return err;
}

/* ---- CSV --------------------------------------------------------------------------- */

void print_schedule_csv_head(void) { (void)printf("schedule,p,q,length,step\n"); }

/* Print the messages of process c of a side, except those from rank `but` to itself. */
static redist_err csv_own(const struct outcome *outcome, redist_side side, int64_t c,
                          int but, struct own_list *list)
{
    const struct problem *problem = outcome->problem;
    TRY(outcome_own(outcome, side, c, list));
    for (int64_t k = 0; k < list->n; k++) {
        const struct own_message *own = &list->message[k];
        bool sends = side == REDIST_SOURCE;
        int p = problem_rank(problem, REDIST_SOURCE, sends ? c : own->partner);
        int q = problem_rank(problem, REDIST_TARGET, sends ? own->partner : c);
        if (p == but && q == but) continue;
        (void)printf("%s,%d,%d,%" PRId64 ",%" PRId64 "\n", outcome->name, p, q,
                     own->weight, own->step);
    }
    return REDIST_OK;
}

redist_err print_schedule_csv(const struct outcome *outcome, int rank)
{
    const struct problem *problem = outcome->problem;
    struct own_list list = {0};
    redist_err err = REDIST_OK;
    if (outcome->why) return REDIST_OK;
    if (rank == EVERY_RANK) {
        int64_t sources = problem_processes(problem, REDIST_SOURCE);
        for (int64_t p = 0; !err && p < sources; p++)
            err = csv_own(outcome, REDIST_SOURCE, p, EVERY_RANK, &list);
    } else {
        int64_t p = problem_find(problem, REDIST_SOURCE, rank);
        int64_t q = problem_find(problem, REDIST_TARGET, rank);
        /* A message to itself is printed once, as sent. */
        if (p >= 0) err = csv_own(outcome, REDIST_SOURCE, p, EVERY_RANK, &list);
        if (!err && q >= 0) err = csv_own(outcome, REDIST_TARGET, q, rank, &list);
    }
    own_list_free(&list);
    return err;
}
