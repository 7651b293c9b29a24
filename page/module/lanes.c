/* SPDX-License-Identifier: MIT
 *
 * page/module/lanes.c - schedules: their figures, as the tool prints them, and their
 * messages.
 */
#include "explorer.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "tool/analysis/bars.h"
#include "tool/analysis/schedule_report.h"

static struct problem problem;
static struct forecast forecast;
static struct machine machine;
static struct outcome outcome;
static struct bars bars;
static struct own_list list;

static void forget_outcome(void)
{
    bars_free(&bars);
    own_list_free(&list);
    list = (struct own_list){0};
    outcome_free(&outcome);
}

/* Read the two texts, one after the other and each ended by a 0, and choose the fastest
 * schedule for elements of `bytes`. */
PAGE_EXPORT("page_problem") redist_err page_problem(int bytes)
{
    const char *first = page_given();
    const char *const specs[SIDES] = {first, first + strlen(first) + 1};
    forget_outcome();
    problem_free(&problem);
    TRY(problem_read(specs, &problem));
    machine = machine_default;
    machine.bytes = bytes;
    forecast_init(&machine, &problem, &forecast);
    return forecast_choose(&problem, &forecast);
}

/* Return the number of schedules, and the name of one. */
PAGE_EXPORT("page_schedules") int page_schedules(void)
{
    int n = 0;
    while (schedules[n]) n++;
    return n;
}

PAGE_EXPORT("page_schedule_says") const char *page_schedule_says(int k)
{
    return schedules[k]->what;
}

PAGE_EXPORT("page_schedule_source") const char *page_schedule_source(int k)
{
    return schedules[k]->source;
}

/* Make the k-th schedule, and print its figures. */
PAGE_EXPORT("page_schedule") redist_err page_schedule(int k)
{
    forget_outcome();
    TRY(outcome_make(&problem, schedules[k], &outcome));
    redist_err err = print_schedule_json(&outcome, &forecast, EVERY_RANK, 0);
    (void)printf("\n");
    (void)fflush(stdout);
    return err;
}

/* Read all messages of the schedule. Returns their number, or -1: out of memory. */
PAGE_EXPORT("page_bars_read") int page_bars_read(void)
{
    bars_free(&bars);
    return bars_read(&outcome, &bars) ? -1 : (int)bars.n;
}

/* Return the messages, as struct bar, placed with barriers or without. Those of a timed
 * schedule stay at their times. */
PAGE_EXPORT("page_bars_place") const struct bar *page_bars_place(int barriers)
{
    int64_t end = 0;
    if (!outcome.kind->timed && bars_place(&bars, barriers, &end)) return NULL;
    return bars.bar;
}

/* Find the messages of process c of a side. Returns their number, or -1: out of memory;
 * and the messages, as struct own_message. */
PAGE_EXPORT("page_own_read") int page_own_read(redist_side side, int64_t c)
{
    return outcome_own(&outcome, side, c, &list) ? -1 : (int)list.n;
}

PAGE_EXPORT("page_own") const struct own_message *page_own(void) { return list.message; }

/* Return the rank of process c of a side, in the schedule's order. */
PAGE_EXPORT("page_schedule_rank") int page_schedule_rank(redist_side side, int64_t c)
{
    return problem_rank(&problem, side, c);
}
