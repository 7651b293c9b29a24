/* SPDX-License-Identifier: MIT */
#include "schedule/cost.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/dims.h"

/* A message, or a piece of one, as one of its two ends lists it. */
struct piece {
    int p, q;
    int64_t weight, step;
};

struct pieces {
    int64_t n, room;
    struct piece *piece; /* [n] */
};

static redist_err pieces_append(struct pieces *list, struct piece piece)
{
    struct piece *grown =
        mem_reserve(NULL, list->piece, list->n + 1, &list->room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    list->piece = grown;
    grown[list->n++] = piece;
    return REDIST_OK;
}

static int by_message(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->p != y->p) return x->p < y->p ? -1 : 1;
    if (x->q != y->q) return x->q < y->q ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

static int by_step(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    return by_message(a, b);
}

static void pieces_sort(struct pieces *list, int (*order)(const void *a, const void *b))
{
    if (list->n > 1) qsort(list->piece, (size_t)list->n, sizeof *list->piece, order);
}

/* What a step asks of one process: its messages and their length. All of a step wait
 * for the process that needs longest. */
struct load {
    int64_t step, messages, weight;
};

static int by_load_step(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    return (x->step > y->step) - (x->step < y->step);
}

/* A schedule read out: the own lists of all processes. */
struct readout {
    const struct schedule_kind *kind;
    const struct schedule_input *input;
    struct pieces end[2]; /* as the sources list them, as the targets do */
    int64_t nloads, room;
    struct load *load;
};

static void readout_free(struct readout *out)
{
    mem_free(out->end[0].piece);
    mem_free(out->end[1].piece);
    mem_free(out->load);
}

/* Add the loads of one own list, which is in the order of steps. */
static redist_err add_loads(struct readout *out, const struct own_list *list)
{
    for (int64_t k = 0; k < list->n; k++) {
        const struct own_message *message = &list->message[k];
        if (k > 0 && message->step == list->message[k - 1].step) {
            struct load *same = &out->load[out->nloads - 1];
            same->messages++;
            same->weight += message->weight;
            continue;
        }
        struct load *grown =
            mem_reserve(NULL, out->load, out->nloads + 1, &out->room, sizeof *grown);
        if (!grown) return REDIST_ERR_MEMORY;
        out->load = grown;
        grown[out->nloads++] = (struct load){message->step, 1, message->weight};
    }
    return REDIST_OK;
}

/* Check that a process's own list is in order and that it never has two messages at a
 * time. */
static redist_err check_own(const struct schedule_kind *kind, redist_side side, int64_t c,
                            const struct own_list *list)
{
    const char *verb = side == REDIST_SOURCE ? "sends" : "receives";
    for (int64_t k = 0; k < list->n; k++) {
        const struct own_message *message = &list->message[k];
        if (message->step < 0 || message->weight < 1)
            return error_set(REDIST_ERR_STATE,
                             "schedule %s: process %" PRId64 " %s length %" PRId64
                             " at step %" PRId64 ", must be >= 1 and >= 0",
                             kind->name, c, verb, message->weight, message->step);
        if (k == 0) continue;
        const struct own_message *before = message - 1;
        int64_t earliest = before->step;
        if (!kind->loose) earliest += kind->timed ? before->weight : 1;
        if (message->step < earliest)
            return error_set(REDIST_ERR_STATE,
                             "schedule %s: process %" PRId64
                             " %s to or from %d at %" PRId64
                             " while busy with %d since %" PRId64,
                             kind->name, c, verb, message->partner, message->step,
                             before->partner, before->step);
    }
    return REDIST_OK;
}

static int64_t processes(const struct schedule_input *input, redist_side side)
{
    if (input->grid) return side == REDIST_SOURCE ? input->grid->P : input->grid->Q;
    return dims_processes(input->ndims, input->dim, side);
}

/* Read the own lists of the processes of one side, messages and loads sorted. */
static redist_err read_side(struct readout *out, const void *state, redist_side side)
{
    struct own_list list = {0};
    redist_err err = REDIST_OK;
    for (int64_t c = 0; !err && c < processes(out->input, side); c++) {
        list.n = 0;
        err = out->kind->own(state, side, c, &list);
        if (!err) err = check_own(out->kind, side, c, &list);
        if (!err) err = add_loads(out, &list);
        for (int64_t k = 0; !err && k < list.n; k++) {
            const struct own_message *own = &list.message[k];
            struct piece piece = {(int)c, own->partner, own->weight, own->step};
            if (side == REDIST_TARGET) piece.p = own->partner, piece.q = (int)c;
            err = pieces_append(&out->end[side == REDIST_TARGET], piece);
        }
    }
    own_list_free(&list);
    pieces_sort(&out->end[side == REDIST_TARGET], by_message);
    if (out->nloads > 1)
        qsort(out->load, (size_t)out->nloads, sizeof *out->load, by_load_step);
    return err;
}

/* Check that the sources' lists and the targets' are the same messages. */
static redist_err check_ends(const struct readout *out)
{
    const struct pieces *sent = &out->end[0], *received = &out->end[1];
    for (int64_t k = 0; k < sent->n && k < received->n; k++) {
        const struct piece *x = &sent->piece[k], *y = &received->piece[k];
        if (by_message(x, y) != 0 || x->weight != y->weight)
            return error_set(REDIST_ERR_STATE,
                             "schedule %s: (%d,%d) is sent at %" PRId64
                             " with length %" PRId64 ", but (%d,%d) received at %" PRId64
                             " with %" PRId64,
                             out->kind->name, x->p, x->q, x->step, x->weight, y->p, y->q,
                             y->step, y->weight);
    }
    if (sent->n != received->n)
        return error_set(REDIST_ERR_STATE,
                         "schedule %s: %" PRId64 " messages are sent, %" PRId64
                         " received",
                         out->kind->name, sent->n, received->n);
    return REDIST_OK;
}

/* Check that what is sent is the grid: one piece a message, or several where the
 * schedule is timed. */
static redist_err check_grid(const struct readout *out)
{
    const struct comm_grid *grid = out->input->grid;
    const struct pieces *sent = &out->end[0];
    int64_t k = 0;
    for (int64_t e = 0; e < grid->nedges; e++) {
        const struct edge *edge = &grid->edge[e];
        int64_t weight = 0, pieces = 0;
        for (; k < sent->n && sent->piece[k].p == edge->p && sent->piece[k].q == edge->q;
             k++, pieces++)
            weight += sent->piece[k].weight;
        if (weight != edge->weight || (pieces > 1 && !out->kind->timed))
            return error_set(REDIST_ERR_STATE,
                             "schedule %s: (%d,%d) has length %" PRId64 ", but %" PRId64
                             " in %" PRId64 " messages is sent",
                             out->kind->name, edge->p, edge->q, edge->weight, weight,
                             pieces);
    }
    if (k < sent->n)
        return error_set(REDIST_ERR_STATE,
                         "schedule %s: (%d,%d) is sent, but is no message of the grid",
                         out->kind->name, sent->piece[k].p, sent->piece[k].q);
    return REDIST_OK;
}

/* NS and TC of a schedule in steps. A step takes as long as its busiest process; in one
 * that is a matching, as its longest message. */
static void count_steps(const struct readout *out, struct cost *cost)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < out->nloads; k++) {
        const struct load *load = &out->load[k];
        if (k > 0 && load->step != load[-1].step) cost->tc += longest, longest = 0;
        longest = int_max(longest, load->weight);
        cost->ns = load->step + 1;
    }
    cost->tc += longest;
}

/* The most messages of a process, and the makespan, of a timed schedule. */
static redist_err count_times(const struct readout *out, struct cost *cost)
{
    const struct comm_grid *grid = out->input->grid;
    int64_t *own = mem_alloc(NULL, (int64_t)grid->P + grid->Q, sizeof *own);
    if (!own) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < out->end[0].n; k++) {
        const struct piece *piece = &out->end[0].piece[k];
        cost->ns = int_max(cost->ns, ++own[piece->p]);
        cost->ns = int_max(cost->ns, ++own[grid->P + piece->q]);
        cost->tc = int_max(cost->tc, piece->step + piece->weight);
    }
    mem_free(own);
    return REDIST_OK;
}

redist_err cost_count(const struct schedule_kind *kind, const void *state,
                      const struct schedule_input *input, struct cost *cost)
{
    *cost = (struct cost){
        .messages = input->grid->nedges,
        .delta = input->grid->degree,
        .w = input->grid->load,
    };
    struct readout out = {.kind = kind, .input = input};
    redist_err err = comm_grid_step_bound(input->grid, &cost->sb);
    if (!err) err = read_side(&out, state, REDIST_SOURCE);
    if (!err) err = read_side(&out, state, REDIST_TARGET);
    if (!err) err = check_ends(&out);
    if (!err) err = check_grid(&out);
    if (!err && kind->timed) err = count_times(&out, cost);
    if (!err && !kind->timed) count_steps(&out, cost);
    readout_free(&out);
    return err;
}

/* The time with a barrier after each step. */
static double time_barriers(const struct readout *out, const struct cost_model *model)
{
    double seconds = 0, longest = 0;
    for (int64_t k = 0; k < out->nloads; k++) {
        const struct load *load = &out->load[k];
        if (k > 0 && load->step != load[-1].step) seconds += longest, longest = 0;
        double busy =
            model->alpha * (double)load->messages + model->beta * (double)load->weight;
        if (busy > longest) longest = busy;
    }
    return seconds + longest;
}

/* The time without barriers. What a message waits for are messages of earlier steps,
 * so one pass over all in the order of steps finds when each is done. */
static redist_err time_free_running(struct readout *out, const struct cost_model *model,
                                    double *seconds)
{
    int64_t P = processes(out->input, REDIST_SOURCE);
    int64_t Q = processes(out->input, REDIST_TARGET);
    double *sends = mem_alloc(NULL, P, sizeof *sends);
    double *receives = mem_alloc(NULL, Q, sizeof *receives);
    bool ok = sends && receives;
    pieces_sort(&out->end[0], by_step);
    for (int64_t k = 0; ok && k < out->end[0].n; k++) {
        const struct piece *piece = &out->end[0].piece[k];
        double begin =
            sends[piece->p] > receives[piece->q] ? sends[piece->p] : receives[piece->q];
        double end = begin + model->alpha + model->beta * (double)piece->weight;
        sends[piece->p] = receives[piece->q] = end;
        if (end > *seconds) *seconds = end;
    }
    mem_free(sends);
    mem_free(receives);
    return ok ? REDIST_OK : REDIST_ERR_MEMORY;
}

redist_err cost_time(const struct schedule_kind *kind, const void *state,
                     const struct schedule_input *input, const struct cost_model *model,
                     bool barriers, double *seconds)
{
    *seconds = 0;
    struct readout out = {.kind = kind, .input = input};
    redist_err err = read_side(&out, state, REDIST_SOURCE);
    if (!err && barriers) err = read_side(&out, state, REDIST_TARGET);
    if (!err && barriers && !kind->timed)
        *seconds = time_barriers(&out, model);
    else if (!err)
        err = time_free_running(&out, model, seconds);
    readout_free(&out);
    return err;
}
