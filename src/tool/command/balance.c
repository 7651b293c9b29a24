/* SPDX-License-Identifier: MIT
 *
 * tool/command/balance.c - `redist balance`: who sends what to whom, so that all get
 * their share.
 */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "describe/balance.h"
#include "describe/notation/series.h"
#include "schedule/core/kinds.h"
#include "schedule/core/pattern.h"
#include "schedule/model/cost.h"
#include "tool/common/arguments.h"
#include "tool/common/tool.h"

enum { MOST_PROCESSES = 1 << 20 };

struct arguments {
    const char *counts, *weights, *method;
    bool json;
};

static struct arguments given;

static const struct argument option_table[] = {
    {"counts", "LIST",
     "elements of each process: 12,0,3, with repeats 4*100 and ranges\n"
     "0:30:10, or @FILE: the list is in the file",
     .text = &given.counts},
    {"method", "METHOD",
     "A keeps the order of the elements (the default); B moves only the\n"
     "surplus, no less could move; A-ceiling is A with ceil(n/p)\n"
     "elements each, and the last ones have fewer",
     .text = &given.method, .words = "A B A-ceiling"},
    {"weights", "LIST", "shares in proportion to these, instead of equal ones",
     .text = &given.weights},
    {"json", NULL, "one JSON object, for programs", .flag = &given.json},
    {.name = NULL}};

/* The contents of the report. */
struct report {
    redist_balance_method method;
    int nprocs;
    int64_t *counts, *weights, *shares; /* [nprocs]; weights may be NULL */
    int64_t n, kept, moved, messages;
    redist_dist *dist[2];
    char *text[2];
    redist_view stream[2]; /* the elements not kept by method B */
    struct pattern pattern;
    void *staircase;
    int64_t makespan;
};

/* The users' names of the methods. */
static const char *const method_name[] = {"A", "B", "A-ceiling"};
static const char *const method_says[] = {"the order is kept", "only the surplus moves",
                                          "the order is kept, all shares are rounded up"};
enum { METHODS = sizeof method_name / sizeof method_name[0] };

/* ---- the work ---------------------------------------------------------------------- */

/* Read a list; it must have `*n` numbers, unless that is 0. */
static redist_err read_list(const char *option, const char *argument, int *n,
                            int64_t **numbers)
{
    char *text = NULL;
    struct series series = {0};
    TRY(tool_read_spec(argument, &text));
    struct scan scan = scan_of(text);
    redist_err err = series_scan(&series, &scan, "number", INT64_MAX - 1);
    if (!err && *scan_place(&scan)) err = scan_expected(&scan, "a comma");
    if (!err && series.count > MOST_PROCESSES)
        err = error_arg("%" PRId64 " numbers, must be at most %d", series.count,
                        MOST_PROCESSES);
    if (!err && *n > 0 && series.count != *n)
        err =
            error_arg("%" PRId64 " numbers, must be %d, as counts are", series.count, *n);
    if (!err) err = series_write(&series, sizeof **numbers, numbers);
    *n = (int)series.count;
    series_free(&series);
    mem_free(text);
    return err ? error_prefix(err, "%s", option) : REDIST_OK;
}

/* Leave out the elements that method B keeps. */
static redist_err find_stream(struct report *report)
{
    for (int k = 0; k < report->nprocs; k++)
        report->kept +=
            balance_holding(report->method, report->counts[k], report->shares[k]).keep;
    for (int s = 0; s < 2; s++) {
        redist_view *view = &report->stream[s];
        TRY(redist_view_init(report->dist[s], view));
        TRY(tool_print_spec(view, &report->text[s]));
        view->start[0] += report->kept;
        view->extent[0] -= report->kept;
    }
    return REDIST_OK;
}

static redist_err find_schedule(struct report *report)
{
    struct cost cost;
    struct pattern *pattern = &report->pattern;
    TRY(pattern_make(&report->stream[0], &report->stream[1], pattern));
    TRY(pattern_build_grid(pattern, INT64_MAX));
    TRY(schedule_staircase.make(&pattern->input, &report->staircase));
    TRY(cost_count(&schedule_staircase, report->staircase, &pattern->input, &cost));
    report->makespan = cost.tc;
    for (int64_t e = 0; e < pattern->grid.nedges; e++) {
        const struct edge *edge = &pattern->grid.edge[e];
        if (edge->p == edge->q) continue;
        report->moved += edge->weight;
        report->messages++;
    }
    if (report->messages == 0) report->makespan = 0;
    return REDIST_OK;
}

static redist_err find(const struct arguments *args, struct report *report)
{
    int n = 0;
    TRY(read_list("--counts", args->counts, &n, &report->counts));
    if (args->weights) TRY(read_list("--weights", args->weights, &n, &report->weights));
    report->nprocs = n;
    report->shares = mem_alloc(NULL, n, sizeof *report->shares);
    if (!report->shares) return REDIST_ERR_MEMORY;
    TRY(redist_balance_shares(report->method, n, report->counts, report->weights,
                              report->shares));
    for (int k = 0; k < n; k++) report->n += report->counts[k];
    TRY(redist_balance_dists(report->method, n, report->counts, report->shares,
                             &report->dist[0], &report->dist[1]));
    TRY(find_stream(report));
    return find_schedule(report);
}

static void report_free(struct report *report)
{
    if (report->staircase) schedule_staircase.free(report->staircase);
    pattern_free(&report->pattern);
    for (int s = 0; s < 2; s++) {
        redist_dist_destroy(&report->dist[s]);
        mem_free(report->text[s]);
    }
    mem_free(report->counts);
    mem_free(report->weights);
    mem_free(report->shares);
}

/* ---- output ------------------------------------------------------------------------ */

/* Find what process k sends, and how much it keeps. Free with own_list_free. */
static redist_err find_own(const struct report *report, int k, struct own_list *list,
                           int64_t *stays)
{
    *list = (struct own_list){0};
    *stays = balance_holding(report->method, report->counts[k], report->shares[k]).keep;
    TRY(schedule_staircase.own(report->staircase, REDIST_SOURCE, k, list));
    int64_t sends = 0;
    for (int64_t i = 0; i < list->n; i++)
        if (list->message[i].partner == k)
            *stays += list->message[i].weight;
        else
            list->message[sends++] = list->message[i];
    list->n = sends;
    return REDIST_OK;
}

static void print_head(const struct report *report)
{
    (void)printf("source  %s\ntarget  %s\nmethod  %s: %s\n\n", report->text[0],
                 report->text[1], method_name[report->method],
                 method_says[report->method]);
    (void)printf("  moved    %14" PRId64 " elements", report->moved);
    if (report->n > 0)
        (void)printf("  %5.1f %%", 100 * (double)report->moved / (double)report->n);
    (void)printf("\n  kept     %14" PRId64 " elements\n", report->n - report->moved);
    if (report->messages == 0)
        (void)printf("  no messages: nothing moves\n\n");
    else
        (void)printf("  %" PRId64 " message%s; by the staircase all is over at %" PRId64
                     ", the time of an element being 1%s\n\n",
                     report->messages, report->messages == 1 ? "" : "s", report->makespan,
                     report->method == REDIST_BALANCE_B ? "" : ", of one that stays too");
}

static redist_err print_human(const struct report *report)
{
    print_head(report);
    (void)printf("  %7s %14s %14s %14s   sends\n", "process", "before", "after", "kept");
    for (int k = 0; k < report->nprocs; k++) {
        struct own_list list;
        int64_t stays = 0;
        redist_err err = find_own(report, k, &list, &stays);
        (void)printf("  %7d %14" PRId64 " %14" PRId64 " %14" PRId64, k, report->counts[k],
                     report->shares[k], stays);
        for (int64_t i = 0; i < list.n; i++)
            (void)printf("%s%" PRId64 " to %d at %" PRId64, i == 0 ? "   " : ", ",
                         list.message[i].weight, list.message[i].partner,
                         list.message[i].step);
        (void)printf("\n");
        own_list_free(&list);
        if (err) return err;
    }
    return REDIST_OK;
}

static redist_err print_json_process(const struct report *report, int k)
{
    struct own_list list;
    int64_t stays = 0;
    redist_err err = find_own(report, k, &list, &stays);
    (void)printf("    {\"rank\": %d, \"before\": %" PRId64 ", \"after\": %" PRId64
                 ", \"kept\": %" PRId64 ", \"sends\": [",
                 k, report->counts[k], report->shares[k], stays);
    for (int64_t i = 0; i < list.n; i++)
        (void)printf("%s{\"to\": %d, \"elements\": %" PRId64 ", \"at\": %" PRId64 "}",
                     i == 0 ? "" : ", ", list.message[i].partner, list.message[i].weight,
                     list.message[i].step);
    (void)printf("]}%s\n", k + 1 < report->nprocs ? "," : "");
    own_list_free(&list);
    return err;
}

static redist_err print_json(const struct report *report)
{
    static const char *const side_name[] = {"source", "target"};
    (void)printf("{\n  \"method\": \"%s\",\n", method_name[report->method]);
    for (int s = 0; s < 2; s++) {
        (void)printf("  \"%s\": ", side_name[s]);
        tool_print_json_string(stdout, report->text[s]);
        (void)printf(",\n");
    }
    (void)printf("  \"elements\": %" PRId64 ",\n  \"elements_moved\": %" PRId64
                 ",\n  \"messages\": %" PRId64 ",\n  \"makespan\": %" PRId64
                 ",\n  \"processes\": [\n",
                 report->n, report->moved, report->messages, report->makespan);
    for (int k = 0; k < report->nprocs; k++) TRY(print_json_process(report, k));
    (void)printf("  ]\n}\n");
    return REDIST_OK;
}

static redist_err find_and_print(const struct arguments *args, struct report *report)
{
    TRY(find(args, report));
    TRY(args->json ? print_json(report) : print_human(report));
    return tool_flush();
}

static int tool_balance(int argc, char **argv)
{
    given = (struct arguments){.method = "A"};
    int status = arguments_take(argc, argv, true, &command_balance, NULL);
    if (status) return status;
    if (!given.counts) return tool_misused(argv[0], "--counts is missing");
    int method = 0;
    while (method < METHODS && strcasecmp(given.method, method_name[method]) != 0)
        method++;
    if (method == METHODS)
        return tool_misused(argv[0], "--method is \"%s\", must be A, B or A-ceiling",
                            given.method);
    struct report report = {.method = (redist_balance_method)method};
    status = find_and_print(&given, &report) ? tool_fail_last() : TOOL_OK;
    report_free(&report);
    return status;
}

const struct command command_balance = {
    .name = "balance",
    .arguments = "--counts LIST",
    .nwords = 0,
    .summary = "give each process its share of elements",
    .options = option_table,
    .notes = "The schedule is the staircase: each message whole, nobody waits for all, "
             "and it is\n"
             "done when the busiest process is; with A, to keep an element takes as long "
             "as to send\n"
             "it. No processes are needed.\n",
    .run = tool_balance};
