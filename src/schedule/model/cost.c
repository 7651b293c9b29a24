/* SPDX-License-Identifier: MIT */
#include "schedule/model/cost.h"

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/readout.h"

/* The load of a process in one step. A step lasts as long as its slowest process. */
struct load {
    int64_t step, weight;
};

static int by_load_step(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    return (x->step > y->step) - (x->step < y->step);
}

/* A schedule read from both ends. */
struct reading {
    const struct schedule_kind *kind;
    const struct schedule_input *input;
    struct readout end[SIDES]; /* as the sources list the messages, as the targets do */
    int64_t nloads;
    struct load *load; /* of both sides, ascending by step */
};

static void reading_free(struct reading *reading)
{
    readout_free(&reading->end[0]);
    readout_free(&reading->end[1]);
    mem_free(reading->load);
}

/* The process of a side that has a message, and its partner. */
static int own_end(const struct piece *piece, redist_side side)
{
    return side == REDIST_SOURCE ? piece->p : piece->q;
}

static int far_end(const struct piece *piece, redist_side side)
{
    return side == REDIST_SOURCE ? piece->q : piece->p;
}

/* Check that the own lists of a side are in order and that no process ever has two
 * messages at a time. */
static redist_err check_order(const struct schedule_kind *kind, redist_side side,
                              const struct readout *lists)
{
    const char *verb = side == REDIST_SOURCE ? "sends" : "receives";
    for (int64_t k = 0; k < lists->n; k++) {
        const struct piece *piece = &lists->piece[k], *before = piece - 1;
        int c = own_end(piece, side);
        if (piece->step < 0 || piece->weight < 1)
            return error_set(REDIST_ERR_STATE,
                             "schedule %s: process %d %s length %" PRId64
                             " at step %" PRId64 ", must be >= 1 and >= 0",
                             kind->name, c, verb, piece->weight, piece->step);
        if (k == 0 || own_end(before, side) != c) continue;
        int64_t earliest = before->step;
        if (!kind->loose) earliest += kind->timed ? before->weight : 1;
        if (piece->step < earliest)
            return error_set(REDIST_ERR_STATE,
                             "schedule %s: process %d %s to or from %d at %" PRId64
                             " while busy with %d since %" PRId64,
                             kind->name, c, verb, far_end(piece, side), piece->step,
                             far_end(before, side), before->step);
    }
    return REDIST_OK;
}

/* Append the loads of the own lists of a side, which are in order. */
static void add_loads(struct reading *reading, redist_side side)
{
    const struct readout *lists = &reading->end[side];
    for (int64_t k = 0; k < lists->n; k++) {
        const struct piece *piece = &lists->piece[k];
        bool same = k > 0 && own_end(piece, side) == own_end(piece - 1, side) &&
                    piece->step == piece[-1].step;
        if (!same) reading->load[reading->nloads++] = (struct load){.step = piece->step};
        reading->load[reading->nloads - 1].weight += piece->weight;
    }
}

/* Read and check the own lists of both sides. */
static redist_err read_both(struct reading *reading, const void *state)
{
    for (int side = 0; side < SIDES; side++) {
        struct readout *lists = &reading->end[side];
        TRY(readout_side(reading->kind, state, reading->input, (redist_side)side, lists));
        TRY(check_order(reading->kind, (redist_side)side, lists));
    }
    int64_t most = reading->end[0].n + reading->end[1].n;
    reading->load = mem_alloc(NULL, most, sizeof *reading->load);
    if (!reading->load) return REDIST_ERR_MEMORY;
    for (int side = 0; side < SIDES; side++) {
        add_loads(reading, (redist_side)side);
        readout_sort_by_message(&reading->end[side]);
    }
    mem_sort(reading->load, reading->nloads, sizeof *reading->load, by_load_step);
    return REDIST_OK;
}

/* Check that the sources' lists and the targets' are the same messages. */
static redist_err check_ends(const struct reading *reading)
{
    const struct readout *sent = &reading->end[0], *received = &reading->end[1];
    for (int64_t k = 0; k < sent->n && k < received->n; k++) {
        const struct piece *x = &sent->piece[k], *y = &received->piece[k];
        if (readout_compare(x, y) != 0 || x->weight != y->weight)
            return error_set(REDIST_ERR_STATE,
                             "schedule %s: (%d,%d) is sent at %" PRId64
                             " with length %" PRId64 ", but (%d,%d) received at %" PRId64
                             " with %" PRId64,
                             reading->kind->name, x->p, x->q, x->step, x->weight, y->p,
                             y->q, y->step, y->weight);
    }
    if (sent->n != received->n)
        return error_set(REDIST_ERR_STATE,
                         "schedule %s: %" PRId64 " messages are sent, %" PRId64
                         " received",
                         reading->kind->name, sent->n, received->n);
    return REDIST_OK;
}

/* Check that the messages sent are the grid: one piece a message, or several if the
 * schedule is timed or cut. */
static redist_err check_grid(const struct reading *reading)
{
    bool whole = !reading->kind->timed && !reading->kind->cut;
    const struct comm_grid *grid = reading->input->grid;
    const struct readout *sent = &reading->end[0];
    int64_t k = 0;
    for (int64_t e = 0; e < grid->nedges; e++) {
        const struct edge *edge = &grid->edge[e];
        int64_t weight = 0, pieces = 0;
        for (; k < sent->n && sent->piece[k].p == edge->p && sent->piece[k].q == edge->q;
             k++, pieces++)
            weight += sent->piece[k].weight;
        if (weight != edge->weight || (pieces > 1 && whole))
            return error_set(REDIST_ERR_STATE,
                             "schedule %s: (%d,%d) has length %" PRId64 ", but %" PRId64
                             " in %" PRId64 " messages is sent",
                             reading->kind->name, edge->p, edge->q, edge->weight, weight,
                             pieces);
    }
    if (k < sent->n)
        return error_set(REDIST_ERR_STATE,
                         "schedule %s: (%d,%d) is sent, but is no message of the grid",
                         reading->kind->name, sent->piece[k].p, sent->piece[k].q);
    return REDIST_OK;
}

/* NS and TC of a schedule in steps. A step takes as long as its busiest process; in one
 * that is a matching, as its longest message. */
static void count_steps(const struct reading *reading, struct cost *cost)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < reading->nloads; k++) {
        const struct load *load = &reading->load[k];
        if (k > 0 && load->step != load[-1].step) cost->tc += longest, longest = 0;
        longest = int_max(longest, load->weight);
        cost->ns = load->step + 1;
    }
    cost->tc += longest;
}

/* The most messages of a process, and the makespan, of a timed schedule. */
static redist_err count_times(const struct reading *reading, struct cost *cost)
{
    const struct comm_grid *grid = reading->input->grid;
    int64_t *own = mem_alloc(NULL, (int64_t)grid->P + grid->Q, sizeof *own);
    if (!own) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < reading->end[0].n; k++) {
        const struct piece *piece = &reading->end[0].piece[k];
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
        .counted = schedule_is_short(kind, input, SCHEDULE_MOST_PIECES),
        .messages = input->grid->nedges,
        .delta = input->grid->degree,
        .w = input->grid->load,
    };
    struct reading reading = {.kind = kind, .input = input};
    redist_err err = comm_grid_step_bound(input->grid, &cost->sb);
    if (err || !cost->counted) return err;
    err = read_both(&reading, state);
    if (!err) err = check_ends(&reading);
    if (!err) err = check_grid(&reading);
    if (!err && kind->timed) err = count_times(&reading, cost);
    if (!err && !kind->timed) count_steps(&reading, cost);
    reading_free(&reading);
    return err;
}
