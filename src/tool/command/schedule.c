/* SPDX-License-Identifier: MIT
 *
 * tool/command/schedule.c - `redist schedule`: who sends to whom, when, by any algorithm
 * or by all of them side by side.
 */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/registry/schedules.h"
#include "tool/analysis/gantt.h"
#include "tool/analysis/schedule_report.h"
#include "tool/common/arguments.h"
#include "tool/common/tool.h"
#include "tool/picture/picture.h"

enum format { FOR_PEOPLE, JSON, CSV };

struct arguments {
    const char *spec[2], *schedule, *svg;
    int64_t rank; /* or EVERY_RANK */
    bool json, csv;
};

static const char *name_of(size_t k) { return schedules[k] ? schedules[k]->name : NULL; }

static struct arguments given;
static struct machine machine_given;

static const struct argument option_table[] = {
    {"schedule", "NAME",
     "by this algorithm; all: compare them, a line each; auto: the\n"
     "one that would be fastest; otherwise optimal or, of several\n"
     "whole dimensions, combination or product",
     .text = &given.schedule, .candidate = name_of, .words = "all auto"},
    {"rank", "R", "only what rank R sends and receives", .number = &given.rank,
     .least = 0, .most = INT_MAX},
    {"json", NULL, "one JSON object, for programs; of all: an array",
     .flag = &given.json},
    {"csv", NULL, "a line for each message: schedule,p,q,length,step",
     .flag = &given.csv},
    {"svg", "FILE", "write a chart of the schedule instead, to stdout where FILE is -",
     .text = &given.svg},
    {"alpha", "TIME",
     "of the machine on which it would be fastest: a startup, 2us by\n"
     "default;",
     .seconds = &machine_given.alpha},
    {"beta", "TIME", "a byte on the wire, 0.1ns;", .seconds = &machine_given.beta},
    {"gamma", "TIME", "a byte packed or unpacked, 0.1ns, or 0 if none is",
     .seconds = &machine_given.gamma},
    {"bytes", "N", "of an element, 8 by default", .number = &machine_given.bytes,
     .least = 1, .most = INT32_MAX},
    {.name = NULL}};

static bool is_all(const struct arguments *args)
{
    return args->schedule && strcmp(args->schedule, "all") == 0;
}

static bool is_auto(const struct arguments *args)
{
    return args->schedule && strcmp(args->schedule, "auto") == 0;
}

/* ---- the reports ------------------------------------------------------------------- */

/* Compare all schedules. */
static redist_err report_all(const struct problem *problem,
                             const struct forecast *forecast, enum format format,
                             int rank)
{
    redist_err err = REDIST_OK;
    if (format == FOR_PEOPLE) print_comparison_head(problem);
    if (format == CSV) print_schedule_csv_head();
    if (format == JSON) (void)printf("[\n");
    for (size_t k = 0; !err && schedules[k]; k++) {
        struct outcome outcome;
        err = outcome_make(problem, schedules[k], &outcome);
        if (err) break;
        if (format == FOR_PEOPLE) err = print_comparison(&outcome, forecast);
        if (format == CSV) err = print_schedule_csv(&outcome, rank);
        if (format == JSON) {
            err = print_schedule_json(&outcome, forecast, rank, 2);
            (void)printf(schedules[k + 1] ? ",\n" : "\n]\n");
        }
        outcome_free(&outcome);
    }
    if (!err && format == FOR_PEOPLE) print_comparison_foot(forecast);
    return err;
}

/* Report one schedule that was made. */
static redist_err report_one(const struct arguments *args, const struct outcome *outcome,
                             const struct forecast *forecast, enum format format,
                             int rank)
{
    if (format == FOR_PEOPLE) {
        TRY(print_schedule(outcome, rank));
        if (is_auto(args)) print_choice(forecast);
        return REDIST_OK;
    }
    if (format == CSV) {
        print_schedule_csv_head();
        return print_schedule_csv(outcome, rank);
    }
    redist_err err = print_schedule_json(outcome, forecast, rank, 0);
    (void)printf("\n");
    return err;
}

/* Choose the requested schedule, or a good one. */
static redist_err choose(const struct arguments *args, struct problem *problem,
                         const struct forecast *forecast,
                         const struct schedule_kind **kind)
{
    static const char *const good[] = {"optimal", "combination", "product"};
    struct schedule_input *input = &problem->pattern.input;
    const char *why = NULL;
    *kind = forecast->choice.kind;
    if (is_auto(args) && *kind) return REDIST_OK;
    if (args->schedule && !is_auto(args))
        return schedule_find(args->schedule, kind, &input->seed);
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        TRY(schedule_find(good[k], kind, &input->seed));
        if ((*kind)->applicable(input, &why)) break;
    }
    return REDIST_OK;
}

static redist_err draw_gantt(FILE *out, void *outcome)
{
    return gantt_draw(out, outcome);
}

static redist_err make_and_report(const struct arguments *args, struct problem *problem,
                                  const struct forecast *forecast, enum format format,
                                  int rank)
{
    const struct schedule_kind *kind = NULL;
    struct outcome outcome;
    TRY(choose(args, problem, forecast, &kind));
    TRY(outcome_make(problem, kind, &outcome));
    redist_err err = REDIST_OK;
    if (outcome.why)
        err =
            error_arg("schedule %s is not applicable: %s%s", outcome.name, outcome.why,
                      problem->pattern.input.is_part && problem->pattern.input.ndims == 0
                          ? "; the array is shorter than a period of very many messages"
                          : "");
    else if (args->svg)
        err = picture_write(args->svg, draw_gantt, &outcome);
    else
        err = report_one(args, &outcome, forecast, format, rank);
    outcome_free(&outcome);
    return err;
}

/* ---- arguments --------------------------------------------------------------------- */

static redist_err schedule(const struct arguments *args, const struct machine *machine,
                           struct problem *problem)
{
    int rank = (int)args->rank;
    TRY(problem_read(args->spec, problem));
    if (rank != EVERY_RANK && problem_find(problem, REDIST_SOURCE, rank) < 0 &&
        problem_find(problem, REDIST_TARGET, rank) < 0)
        return error_arg("--rank: %d, must be a rank of the source or of the target",
                         rank);
    enum format format = args->json ? JSON : args->csv ? CSV : FOR_PEOPLE;
    struct forecast forecast;
    forecast_init(machine, problem, &forecast);
    if (is_auto(args) || format == JSON || (is_all(args) && format == FOR_PEOPLE))
        TRY(forecast_choose(problem, &forecast));
    if (is_all(args))
        TRY(report_all(problem, &forecast, format, rank));
    else
        TRY(make_and_report(args, problem, &forecast, format, rank));
    return tool_flush();
}

/* Check the arguments without the specifications. Returns TOOL_OK or TOOL_USAGE. */
static int check_arguments(char **argv, const struct arguments *args)
{
    const struct schedule_kind *kind;
    int seed;
    if (args->json && args->csv)
        return tool_misused(argv[0], "--json and --csv are given, must be one of them");
    if (args->svg &&
        (args->json || args->csv || args->rank != EVERY_RANK || is_all(args)))
        return tool_misused(argv[0], "--svg draws one schedule, whole: it goes with no "
                                     "--json, --csv, --rank or --schedule all");
    if (is_all(args) && args->rank != EVERY_RANK && !args->json && !args->csv)
        return tool_misused(argv[0], "--rank of all schedules needs --json or --csv");
    if (args->schedule && !is_all(args) && !is_auto(args) &&
        schedule_find(args->schedule, &kind, &seed))
        return tool_misused(argv[0], "%s%s", redist_error_message(),
                            strchr(args->schedule, '(') ? "" : ", all, auto");
    return TOOL_OK;
}

static void print_names(void)
{
    for (size_t k = 0; schedules[k]; k++)
        (void)printf("  %s%-*s %s\n", schedules[k]->name,
                     18 - (int)strlen(schedules[k]->name),
                     schedules[k]->drawn ? "(k)" : "", schedules[k]->what);
}

static int tool_schedule(int argc, char **argv)
{
    given = (struct arguments){.rank = EVERY_RANK};
    machine_given = machine_default;
    int status = arguments_take(argc, argv, true, &command_schedule, given.spec);
    if (status == TOOL_HELPED) print_names();
    if (!status) status = check_arguments(argv, &given);
    if (status) return status;
    struct problem problem;
    status = schedule(&given, &machine_given, &problem) ? tool_fail_last() : TOOL_OK;
    problem_free(&problem);
    return status;
}

const struct command command_schedule = {
    .name = "schedule",
    .arguments = "SOURCE TARGET",
    .nwords = 2,
    .summary = "say who sends to whom, when",
    .options = option_table,
    .notes =
        "SOURCE and TARGET are texts of distributions, such as '[240] (cyclic(3)) onto "
        "16',\n"
        "or @FILE: the text is in the file. No processes are needed. The algorithms:\n\n",
    .run = tool_schedule};
