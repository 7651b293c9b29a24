/* SPDX-License-Identifier: MIT
 *
 * tool/command/schedule_print.c - schedules as text, in the papers' form.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/registry/schedules.h"
#include "tool/analysis/schedule_report.h"
#include "tool/common/terminal.h"
#include "tool/common/tool.h"

enum { MOST_ROWS = 40, MOST_COLUMNS = 40 };

/* Return the decimal places of a number >= 0. */
static int digits(int64_t number) { return snprintf(NULL, 0, "%" PRId64, number); }

/* Return the decimal places of the highest rank of a side. */
static int rank_width(const struct problem *problem, redist_side side)
{
    return digits(grid_max_rank(problem->specs.view[side == REDIST_TARGET].dist->grid));
}

static void print_head(const struct problem *problem)
{
    char caption[PROBLEM_CAPTION_SIZE];
    (void)printf("source  %s\ntarget  %s\n        %s\n", problem->specs.text[0],
                 problem->specs.text[1], problem_caption(problem, caption));
}

/* ---- the communication grid -------------------------------------------------------- */

/* Row p of the grid, its cells `width` wide. */
static void print_grid_row(const struct comm_grid *grid, int p, int width)
{
    int64_t e = grid->by_source[p];
    for (int q = 0; q < grid->Q; q++) {
        if (e < grid->by_source[p + 1] && grid->edge[e].q == q)
            (void)printf(" %*" PRId64, width, grid->edge[e++].weight);
        else
            (void)printf(" %*s", width, ".");
    }
    (void)printf("\n");
}

static void print_grid(const struct problem *problem)
{
    const struct comm_grid *grid = problem->pattern.input.grid;
    int64_t P = problem_processes(problem, REDIST_SOURCE);
    int64_t Q = problem_processes(problem, REDIST_TARGET), most = 0;
    (void)printf("\nlength of what each source (down) has for each target (across)\n\n");
    if (!grid || P > MOST_ROWS || Q > MOST_COLUMNS) {
        (void)printf("  too large to print: %" PRId64 " x %" PRId64 "\n", P, Q);
        return;
    }
    for (int64_t e = 0; e < grid->nedges; e++) most = int_max(most, grid->edge[e].weight);
    int label = rank_width(problem, REDIST_SOURCE);
    int width = (int)int_max(rank_width(problem, REDIST_TARGET), digits(most));
    (void)printf("  %*s  ", label, "");
    for (int q = 0; q < Q; q++)
        (void)printf(" %*d", width, problem_rank(problem, REDIST_TARGET, q));
    (void)printf("\n");
    for (int p = 0; p < P; p++) {
        (void)printf("  %*d |", label, problem_rank(problem, REDIST_SOURCE, p));
        print_grid_row(grid, p, width);
    }
}

/* ---- the schedule ------------------------------------------------------------------ */

/* Print the row of a process of a schedule in steps: its target at each step, at most
 * one. */
static void print_steps_row(const struct outcome *outcome, const struct own_list *list,
                            int width)
{
    int64_t k = 0;
    for (int64_t step = 0; step < outcome->cost.ns; step++) {
        if (k < list->n && list->message[k].step == step)
            (void)printf(" %*d", width,
                         problem_rank(outcome->problem, REDIST_TARGET,
                                      list->message[k++].partner));
        else
            (void)printf(" %*s", width, ".");
    }
    (void)printf("\n");
}

/* Print the row of a process of a timed schedule: start times and targets. */
static void print_times_row(const struct outcome *outcome, const struct own_list *list)
{
    int before = digits(outcome->cost.tc);
    int behind = rank_width(outcome->problem, REDIST_TARGET);
    for (int64_t k = 0; k < list->n; k++) {
        const struct own_message *own = &list->message[k];
        (void)printf("  %*" PRId64 ":%-*d", before, own->step,
                     k + 1 < list->n ? behind : 1,
                     problem_rank(outcome->problem, REDIST_TARGET, own->partner));
    }
    (void)printf("\n");
}

static redist_err print_table(const struct outcome *outcome)
{
    const struct problem *problem = outcome->problem;
    const struct cost *cost = &outcome->cost;
    bool timed = outcome->kind->timed;
    int64_t P = problem_processes(problem, REDIST_SOURCE);
    (void)printf(timed ? "\nwhen each source (down) starts to send, and to whom\n\n"
                       : "\nto whom each source (down) sends at each step (across)\n\n");
    if (!outcome->cost.counted || P > MOST_ROWS || cost->ns > MOST_COLUMNS) {
        (void)printf("  too large to print: --rank R prints the lists of one process, "
                     "--csv all\n");
        return REDIST_OK;
    }
    int label = rank_width(problem, REDIST_SOURCE);
    int width = (int)int_max(rank_width(problem, REDIST_TARGET), digits(cost->ns));
    if (!timed) {
        (void)printf("  %*s  ", label, "");
        for (int64_t step = 0; step < cost->ns; step++)
            (void)printf(" %*" PRId64, width, step);
        (void)printf("\n");
    }
    struct own_list list = {0};
    redist_err err = REDIST_OK;
    for (int64_t p = 0; !err && p < P; p++) {
        err = outcome_own(outcome, REDIST_SOURCE, p, &list);
        if (err) break;
        (void)printf("  %*d |", label, problem_rank(problem, REDIST_SOURCE, p));
        if (timed)
            print_times_row(outcome, &list);
        else
            print_steps_row(outcome, &list, width);
    }
    own_list_free(&list);
    return err;
}

/* ---- one process ------------------------------------------------------------------- */

static redist_err print_own(const struct outcome *outcome, redist_side side, int rank)
{
    const struct problem *problem = outcome->problem;
    bool sends = side == REDIST_SOURCE;
    int64_t c = problem_find(problem, side, rank);
    struct own_list list = {0};
    TRY(c < 0 ? REDIST_OK : outcome_own(outcome, side, c, &list));
    (void)printf("\nrank %d %s %" PRId64 " %s\n\n", rank, sends ? "sends" : "receives",
                 list.n, list.n == 1 ? "message" : "messages");
    if (list.n > 0)
        (void)printf("  %12s %12s %12s\n", outcome->kind->timed ? "start" : "step",
                     sends ? "to" : "from", "length");
    for (int64_t k = 0; k < list.n; k++) {
        const struct own_message *own = &list.message[k];
        int partner =
            problem_rank(problem, sends ? REDIST_TARGET : REDIST_SOURCE, own->partner);
        (void)printf("  %12" PRId64 " %12d %12" PRId64 "\n", own->step, partner,
                     own->weight);
    }
    own_list_free(&list);
    return REDIST_OK;
}

/* ---- all of one schedule ----------------------------------------------------------- */

static void print_costs(const struct outcome *outcome)
{
    const struct cost *cost = &outcome->cost;
    bool timed = outcome->kind->timed;
    (void)printf("\n");
    if (!outcome->cost.counted)
        (void)printf("  NS, TC and SB are not counted: there are too many messages, or "
                     "pieces of them\n");
    else
        (void)printf("  NS     %8" PRId64 "   %s\n"
                     "  TC     %8" PRId64 "   %s\n",
                     cost->ns,
                     timed ? "the most messages of a process, pieces counted"
                     : outcome->kind->loose ? "steps, in which a target may be met twice"
                                            : "steps",
                     cost->tc,
                     timed ? "when the last message is done"
                           : "the sum over steps of the longest message");
    (void)printf("  Delta  %8" PRId64 "   the fewest steps of any schedule\n"
                 "  W      %8" PRId64 "   no schedule is done before\n",
                 cost->delta, cost->w);
    if (outcome->cost.counted)
        (void)printf("  SB     %8" PRId64
                     "   nor one in steps of whole messages before this\n"
                     "  %" PRId64 " messages, those of a process to itself counted\n",
                     cost->sb, cost->messages);
}

redist_err print_schedule(const struct outcome *outcome, int rank)
{
    const char *note = outcome_note(outcome);
    print_head(outcome->problem);
    if (rank == EVERY_RANK) print_grid(outcome->problem);
    (void)printf("\nschedule %s: %s\n", outcome->name, outcome->kind->what);
    if (note) (void)printf("  %s\n", note);
    if (rank == EVERY_RANK) {
        TRY(print_table(outcome));
    } else {
        TRY(print_own(outcome, REDIST_SOURCE, rank));
        TRY(print_own(outcome, REDIST_TARGET, rank));
    }
    print_costs(outcome);
    return REDIST_OK;
}

/* ---- the model --------------------------------------------------------------------- */

static void print_machine(const struct machine *machine)
{
    char alpha[TOOL_SECONDS_SIZE], beta[TOOL_SECONDS_SIZE], gamma[TOOL_SECONDS_SIZE];
    (void)printf("alpha %s, beta %s, gamma %s, elements of %" PRId64 " byte%s\n",
                 tool_format_seconds(machine->alpha, alpha),
                 tool_format_seconds(machine->beta, beta),
                 tool_format_seconds(machine->gamma, gamma), machine->bytes,
                 machine->bytes == 1 ? "" : "s");
}

/* Print how the chosen schedule is issued, and why it was chosen. */
static void print_reason(const struct model_choice *choice)
{
    static const char *const issues[MODEL_ISSUES] = {
        [MODEL_FREE] = "without barriers",
        [MODEL_WHOLE] = "without barriers and each message in one piece",
        [MODEL_BARRIERS] = "with barriers"};
    static const char *const bases[] = {
        [MODEL_BY_ALL] = "fastest of all",
        [MODEL_BY_SOME] = "fastest of those that are quick to make",
        [MODEL_BY_RULE] = "by rule, as there are too many messages to time"};
    char time[TOOL_SECONDS_SIZE];
    (void)printf("%s, %s: %s%s\n", bases[choice->basis], issues[choice->issue],
                 choice->basis == MODEL_BY_RULE ? "at least " : "",
                 tool_format_seconds(choice->seconds, time));
}

void print_choice(const struct forecast *forecast)
{
    (void)printf("\n  ");
    print_reason(&forecast->choice);
    (void)printf("  if ");
    print_machine(forecast->machine);
}

/* ---- many schedules ---------------------------------------------------------------- */

void print_comparison_head(const struct problem *problem)
{
    print_head(problem);
    (void)printf("\n  %-18s %8s %10s %8s %8s %9s %9s\n", "schedule", "NS", "TC",
                 "NS/Delta", "TC/W", "free", "barriers");
}

/* Return x / y of counts; 1 if y is 0, as there is nothing to do. */
static double ratio(int64_t x, int64_t y) { return y > 0 ? (double)x / (double)y : 1; }

/* A time in a column, a dash if there is none. */
static void print_time(double seconds)
{
    char text[TOOL_SECONDS_SIZE];
    (void)printf(" %9s", isinf(seconds) ? "-" : tool_format_seconds(seconds, text));
}

redist_err print_comparison(const struct outcome *outcome,
                            const struct forecast *forecast)
{
    const struct cost *cost = &outcome->cost;
    double seconds[MODEL_ISSUES];
    TRY(forecast_times(forecast, outcome, seconds));
    int indent = printf("  %-18s ", outcome->name);
    if (outcome->why) {
        (void)printf("not applicable: ");
        terminal_print_wrapped(indent + (int)strlen("not applicable: "), outcome->why);
        return REDIST_OK;
    }
    if (outcome->cost.counted)
        (void)printf("%8" PRId64 " %10" PRId64 " %8.3f %8.3f", cost->ns, cost->tc,
                     ratio(cost->ns, cost->delta), ratio(cost->tc, cost->w));
    else
        (void)printf("%-37s", "not counted: too many messages");
    print_time(fmin(seconds[MODEL_FREE], seconds[MODEL_WHOLE]));
    print_time(seconds[MODEL_BARRIERS]);
    (void)printf("%s\n", forecast_issue(forecast, outcome) ? " *" : "");
    return REDIST_OK;
}

void print_comparison_foot(const struct forecast *forecast)
{
    (void)printf("\n  times if ");
    print_machine(forecast->machine);
    if (!forecast->choice.kind) return;
    (void)printf("  * ");
    print_reason(&forecast->choice);
}
