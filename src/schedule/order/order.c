/* SPDX-License-Identifier: MIT */
#include "schedule/order/order.h"

#include <stdlib.h>

#include "base/error.h"
#include "schedule/published/shifted.h"

/* The most messages of a communication grid that each process builds by itself. */
enum { MOST_MESSAGES = 1 << 20 };

redist_err order_make(const struct schedule_kind *kind, int seed,
                      const redist_view *source, const redist_view *target,
                      const redist_topology *topology, int nranks, struct order *order)
{
    order->kind = kind;
    order->nranks = nranks;
    if (!kind) return REDIST_OK; /* the rest is unused, and large */
    *order = (struct order){.kind = kind, .nranks = nranks};
    const char *why = NULL;
    struct pattern *pattern = &order->pattern;
    TRY(pattern_make(source, target, pattern));
    pattern->input.seed = seed;
    if (topology) TRY(pattern_place(pattern, topology));
    bool applicable = kind->applicable(&pattern->input, &why);
    if (!applicable) {
        TRY(pattern_build_grid(pattern, MOST_MESSAGES));
        applicable = kind->applicable(&pattern->input, &why);
    }
    if (applicable) return kind->make(&pattern->input, &order->state);
    return error_arg("schedule %s is not applicable: %s", kind->name, why);
}

void order_free(struct order *order)
{
    if (!order->kind) return;
    if (order->state) order->kind->free(order->state);
    pattern_free(&order->pattern);
    *order = (struct order){0};
}

/* The step of the message to or from a rank. */
struct rank_step {
    int rank;
    int64_t step;
};

static int by_rank(const void *a, const void *b)
{
    const struct rank_step *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Ascending by rank. */
static void rank_steps(const struct order *order, redist_side side,
                       const struct own_list *list, struct rank_step steps[])
{
    redist_side other = side == REDIST_SOURCE ? REDIST_TARGET : REDIST_SOURCE;
    for (int64_t k = 0; k < list->n; k++)
        steps[k] = (struct rank_step){
            pattern_rank(&order->pattern, other, list->message[k].partner),
            list->message[k].step};
    mem_sort(steps, list->n, sizeof *steps, by_rank);
}

/* After all steps of a schedule. */
static const int64_t BEHIND = INT64_MAX / 2;

/* The step that a message has without a schedule. */
static int64_t shifted_step(const struct order *order, const struct overlap *overlap,
                            int other)
{
    bool sends = overlap->own == REDIST_SOURCE;
    int own = overlap->rank;
    return schedule_shifted_step(sends ? own : other, sends ? other : own, order->nranks);
}

static redist_err look_up(const struct order *order, const struct overlap *overlap,
                          const struct own_list *list, int64_t step[])
{
    struct rank_step *steps = mem_alloc(NULL, list->n, sizeof *steps);
    if (!steps) return REDIST_ERR_MEMORY;
    rank_steps(order, overlap->own, list, steps);
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        struct rank_step key = {.rank = overlap->message[k].rank};
        const struct rank_step *found =
            bsearch(&key, steps, (size_t)list->n, sizeof *steps, by_rank);
        step[k] = found ? found->step : BEHIND + shifted_step(order, overlap, key.rank);
    }
    mem_free(steps);
    return REDIST_OK;
}

redist_err order_steps(const struct order *order, const struct overlap *overlap,
                       int64_t step[])
{
    if (!order->kind) {
        for (int64_t k = 0; k < overlap->nmessages; k++)
            step[k] = shifted_step(order, overlap, overlap->message[k].rank);
        return REDIST_OK;
    }
    if (overlap->nmessages == 0) return REDIST_OK;
    struct own_list list = {0};
    int64_t c = pattern_find(&order->pattern, overlap->own, overlap->rank);
    redist_err err = REDIST_OK;
    if (c >= 0) err = order->kind->own(order->state, overlap->own, c, &list);
    own_list_join_pieces(&list);
    if (!err) err = look_up(order, overlap, &list, step);
    own_list_free(&list);
    return err;
}
