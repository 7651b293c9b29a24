/* SPDX-License-Identifier: MIT
 *
 * tool/schedule.c - `redist schedule`: who sends to whom, when, by any algorithm or by
 * all of them side by side.
 */
#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "tool/gantt.h"
#include "tool/picture.h"
#include "tool/schedule_report.h"
#include "tool/tool.h"

static const char help[] =
    "redist schedule SOURCE TARGET [OPTION..] - say who sends to whom, when\n"
    "\n"
    "  --schedule NAME  by this algorithm; all: compare them, a line each; auto: the\n"
    "                   one that would be fastest; otherwise optimal or, of several\n"
    "                   dimensions, combination or product; stepwise where these are\n"
    "                   not applicable\n"
    "  --rank R         only what rank R sends and receives\n"
    "  --json           one JSON object, for programs; of all: an array\n"
    "  --csv            a line for each message: schedule,p,q,length,step\n"
    "  --svg FILE       write a chart of the schedule instead, to stdout where FILE is "
    "-\n"
    "  --alpha TIME     of the machine on which it would be fastest: a startup, 2us by\n"
    "                   default;\n"
    "  --beta TIME      a byte on the wire, 0.1ns;\n"
    "  --gamma TIME     a byte packed or unpacked, 0.1ns, or 0 if none is\n"
    "  --bytes N        of an element, 8 by default\n"
    "\n"
    "SOURCE and TARGET are texts of distributions, such as '[240] (cyclic(3)) onto 16',\n"
    "or @FILE: the text is in the file. No processes are needed. The algorithms:\n"
    "\n";

enum format { FOR_PEOPLE, JSON, CSV };

struct arguments {
    const char *spec[2], *schedule, *rank, *svg;
    const char *alpha, *beta, *gamma, *bytes;
    bool json, csv;
};

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

/* The schedule that was asked for, or a good one. */
static redist_err choose(const struct arguments *args, const struct problem *problem,
                         const struct forecast *forecast,
                         const struct schedule_kind **kind)
{
    static const char *const good[] = {"optimal", "combination", "product"};
    const char *why = NULL;
    *kind = forecast->choice.kind;
    if (is_auto(args) && *kind) return REDIST_OK;
    if (args->schedule && !is_auto(args)) return schedule_find(args->schedule, kind);
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        TRY(schedule_find(good[k], kind));
        if ((*kind)->applicable(&problem->pattern.input, &why)) return REDIST_OK;
    }
    return schedule_find("stepwise", kind);
}

static redist_err draw_gantt(FILE *out, void *outcome)
{
    return gantt_draw(out, outcome);
}

static redist_err make_and_report(const struct arguments *args,
                                  const struct problem *problem,
                                  const struct forecast *forecast, enum format format,
                                  int rank)
{
    const struct schedule_kind *kind = NULL;
    struct outcome outcome;
    TRY(choose(args, problem, forecast, &kind));
    TRY(outcome_make(problem, kind, &outcome));
    redist_err err = REDIST_OK;
    if (outcome.why)
        err = error_set(REDIST_ERR_ARG, "schedule %s is not applicable: %s%s", kind->name,
                        outcome.why,
                        problem->pattern.is_part ? "; the array is shorter than a period"
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
                           int rank, struct problem *problem)
{
    TRY(problem_read(args->spec, problem));
    if (rank != EVERY_RANK && problem_find(problem, REDIST_SOURCE, rank) < 0 &&
        problem_find(problem, REDIST_TARGET, rank) < 0)
        return error_set(REDIST_ERR_ARG,
                         "--rank: %d, must be a rank of the source or of the target",
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
    if (fflush(stdout) || ferror(stdout))
        return error_set(REDIST_ERR_IO, "standard output cannot be written");
    return REDIST_OK;
}

static void print_help(void)
{
    (void)fputs(help, stdout);
    for (size_t k = 0; schedules[k]; k++)
        (void)printf("  %-18s %s\n", schedules[k]->name, schedules[k]->what);
}

/* Check what can be checked without the specifications. Returns TOOL_OK or TOOL_USAGE. */
static int check_arguments(char **argv, const struct arguments *args)
{
    const struct schedule_kind *kind;
    if (args->json && args->csv)
        return tool_misused(argv[0], "--json and --csv are given, must be one of them");
    if (args->svg && (args->json || args->csv || args->rank || is_all(args)))
        return tool_misused(argv[0], "--svg draws one schedule, whole: it goes with no "
                                     "--json, --csv, --rank or --schedule all");
    if (is_all(args) && args->rank && !args->json && !args->csv)
        return tool_misused(argv[0], "--rank of all schedules needs --json or --csv");
    if (args->schedule && !is_all(args) && !is_auto(args) &&
        schedule_find(args->schedule, &kind))
        return tool_misused(argv[0], "%s, all, auto", redist_error_message());
    return TOOL_OK;
}

/* Returns TOOL_OK; or TOOL_USAGE; or -1 if the help was asked for, and has been given. */
static int read_arguments(int argc, char **argv, struct arguments *args)
{
    enum {
        SCHEDULE = TOOL_FIRST_LONG_OPTION,
        RANK,
        AS_JSON,
        AS_CSV,
        SVG,
        ALPHA,
        BETA,
        GAMMA,
        BYTES
    };
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"schedule", required_argument, NULL, SCHEDULE},
        {"rank", required_argument, NULL, RANK},
        {"json", no_argument, NULL, AS_JSON},
        {"csv", no_argument, NULL, AS_CSV},
        {"svg", required_argument, NULL, SVG},
        {"alpha", required_argument, NULL, ALPHA},
        {"beta", required_argument, NULL, BETA},
        {"gamma", required_argument, NULL, GAMMA},
        {"bytes", required_argument, NULL, BYTES},
        {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        switch (c) {
            case 'h': return print_help(), -1;
            case SCHEDULE: args->schedule = optarg; break;
            case RANK: args->rank = optarg; break;
            case AS_JSON: args->json = true; break;
            case AS_CSV: args->csv = true; break;
            case SVG: args->svg = optarg; break;
            case ALPHA: args->alpha = optarg; break;
            case BETA: args->beta = optarg; break;
            case GAMMA: args->gamma = optarg; break;
            case BYTES: args->bytes = optarg; break;
            default: return tool_bad_option(argv, c);
        }
    }
    if (argc - optind != 2)
        return tool_misused(argv[0], "%d specifications given, must be two (in quotes)",
                            argc - optind);
    args->spec[0] = argv[optind];
    args->spec[1] = argv[optind + 1];
    return check_arguments(argv, args);
}

/* Read what the machine is like, where it is given. */
static redist_err read_machine(const struct arguments *args, struct machine *machine)
{
    *machine = machine_default;
    if (args->alpha) TRY(tool_parse_seconds("--alpha", args->alpha, &machine->alpha));
    if (args->beta) TRY(tool_parse_seconds("--beta", args->beta, &machine->beta));
    if (args->gamma) TRY(tool_parse_seconds("--gamma", args->gamma, &machine->gamma));
    if (!args->bytes) return REDIST_OK;
    return tool_parse_number("--bytes", args->bytes, 1, INT32_MAX, &machine->bytes);
}

int tool_schedule(int argc, char **argv)
{
    struct arguments args = {.schedule = NULL};
    int64_t rank = EVERY_RANK;
    int status = read_arguments(argc, argv, &args);
    if (status) return status < 0 ? TOOL_OK : status;
    if (args.rank && tool_parse_number("--rank", args.rank, 0, INT_MAX, &rank))
        return tool_misused(argv[0], "%s", redist_error_message());
    struct machine machine;
    if (read_machine(&args, &machine))
        return tool_misused(argv[0], "%s", redist_error_message());
    struct problem problem;
    status = schedule(&args, &machine, (int)rank, &problem) ? tool_fail_last() : TOOL_OK;
    problem_free(&problem);
    return status;
}
