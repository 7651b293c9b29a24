/* SPDX-License-Identifier: MIT */
#include "tool/analysis/bars.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

static int by_step(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    if (x->p != y->p) return x->p < y->p ? -1 : 1;
    return (x->q > y->q) - (x->q < y->q);
}

static redist_err append(struct bars *bars, int p, const struct own_list *list)
{
    struct bar *grown =
        mem_reserve(NULL, bars->bar, bars->n + list->n, &bars->room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    bars->bar = grown;
    for (int64_t k = 0; k < list->n; k++) {
        const struct own_message *own = &list->message[k];
        grown[bars->n++] =
            (struct bar){p, own->partner, own->weight, own->step, own->step};
    }
    return REDIST_OK;
}

redist_err bars_read(const struct outcome *outcome, struct bars *bars)
{
    const struct problem *problem = outcome->problem;
    *bars = (struct bars){.P = problem_processes(problem, REDIST_SOURCE),
                          .Q = problem_processes(problem, REDIST_TARGET)};
    bars->sends_from = mem_alloc(NULL, bars->P, sizeof *bars->sends_from);
    bars->receives_from = mem_alloc(NULL, bars->Q, sizeof *bars->receives_from);
    if (!bars->sends_from || !bars->receives_from) return REDIST_ERR_MEMORY;
    struct own_list list = {0};
    redist_err err = REDIST_OK;
    for (int64_t p = 0; !err && p < bars->P; p++) {
        err = outcome_own(outcome, REDIST_SOURCE, p, &list);
        if (!err) err = append(bars, (int)p, &list);
    }
    own_list_free(&list);
    if (bars->n > 1) qsort(bars->bar, (size_t)bars->n, sizeof *bars->bar, by_step);
    return err;
}

void bars_free(struct bars *bars)
{
    mem_free(bars->bar);
    mem_free(bars->sends_from);
    mem_free(bars->receives_from);
    mem_free(bars->barrier);
    *bars = (struct bars){.n = 0};
}

static redist_err add_barrier(struct bars *bars, int64_t time)
{
    int64_t *grown = mem_reserve(NULL, bars->barrier, bars->nbarriers + 1,
                                 &bars->barriers_room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    bars->barrier = grown;
    grown[bars->nbarriers++] = time;
    return REDIST_OK;
}

redist_err bars_place(struct bars *bars, bool barriers, int64_t *end)
{
    int64_t step_begin = 0;
    memset(bars->sends_from, 0, (size_t)bars->P * sizeof *bars->sends_from);
    memset(bars->receives_from, 0, (size_t)bars->Q * sizeof *bars->receives_from);
    bars->nbarriers = 0;
    bars->moved = false;
    *end = 0;
    for (int64_t k = 0; k < bars->n; k++) {
        struct bar *bar = &bars->bar[k];
        if (barriers && k > 0 && bar->step != bar[-1].step) {
            step_begin = *end;
            TRY(add_barrier(bars, step_begin));
        }
        int64_t both_free =
            int_max(bars->sends_from[bar->p], bars->receives_from[bar->q]);
        int64_t begin = int_max(both_free, step_begin);
        bars->moved = bars->moved || begin != bar->begin;
        bar->begin = begin;
        int64_t done = bar->begin + bar->weight;
        bars->sends_from[bar->p] = bars->receives_from[bar->q] = done;
        *end = int_max(*end, done);
    }
    return REDIST_OK;
}
