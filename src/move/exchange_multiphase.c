/* SPDX-License-Identifier: MIT
 *
 * move/exchange_multiphase.c - some dimensions at a time (Walker and Otto 1996, section
 * 4; Guo, Yamashita and Nakata, section 4.3.1): a process has as many messages as the sum
 * of the phases' degrees, in place of their product, and all travels once a phase.
 *
 * Each phase is a redistribution of its own between the caller's arrays and those between
 * the phases, which lie in turn at the one end and at the other of one block of staging
 * memory:
 *
 *   phase 0   source -> |aaaa      |
 *   phase 1             |aaaa -> bb|
 *   phase 2             |cccc <- bb|
 *   phase 3             |cccc      | -> target
 *
 * A process goes on to its next phase when its own messages have travelled: messages of a
 * pair don't overtake each other, so nobody takes one of a later phase for one of this.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "move/copy.h"
#include "move/lanes.h"
#include "schedule/order.h"
#include "schedule/phases.h"

struct phase {
    struct move move;              /* its buffers are set when a run comes to it */
    struct overlap overlap[SIDES]; /* what this process sends, and receives */
    bool has_local;                /* what it keeps */
    struct axis local_axes[REDIST_MAX_DIMS];
    struct walk local;
    void *lanes;
    char *between; /* the array that it leads to; not of the last phase */
};

struct state {
    int n;
    struct phase *phase; /* [n] */
    char *staging;       /* of the arrays between them */
    int at;              /* the phase under way; n: none */
};

/* ---- making ------------------------------------------------------------------------ */

/* Find what this process sends and receives in a phase, and what it keeps. */
static redist_err find_transfers(struct phase *phase)
{
    struct move *move = &phase->move;
    struct transfers *transfers[SIDES] = {&move->send, &move->receive};
    struct memory_side sides[SIDES];
    for (int s = 0; s < SIDES; s++) {
        sides[s].view = move->view[s];
        TRY(view_layout(move->view[s], move->rank, &sides[s].layout));
    }
    struct order order;
    TRY(order_make(NULL, move->view[0], move->view[1], move->nranks, &order));
    redist_err err = REDIST_OK;
    for (int s = 0; s < SIDES && !err; s++) {
        struct overlap *overlap = &phase->overlap[s];
        int64_t *step = NULL;
        err = overlap_make(move->plan_account, move->view[0], move->view[1],
                           (redist_side)s, move->rank, overlap);
        if (!err) step = mem_alloc(NULL, overlap->nmessages, sizeof *step);
        if (!err) err = step ? order_steps(&order, overlap, step) : REDIST_ERR_MEMORY;
        if (!err)
            err = transfers_make(move->plan_account, overlap, sides, move->element, step,
                                 transfers[s]);
        mem_free(step);
    }
    order_free(&order);
    if (err) return err;
    phase->has_local = transfer_local(&phase->overlap[REDIST_SOURCE], sides,
                                      move->element, phase->local_axes, &phase->local);
    return REDIST_OK;
}

/* Make phase k with its share of the staging memory that the arrays leave. */
static redist_err make_phase(const struct move *plan, const struct phases *phases, int k,
                             struct phase *phase)
{
    const struct lanes_policy policy = {.window = INT64_MAX};
    struct move *move = &phase->move;
    int64_t element = (int64_t)plan->element;
    *move = *plan;
    move->send = move->receive = (struct transfers){0};
    if (k > 0) move->view[REDIST_SOURCE] = &phases->between[k - 1];
    if (k < phases->n - 1) move->view[REDIST_TARGET] = &phases->between[k];
    move->staging = (plan->staging - phases->elements * element) / phases->n;
    move->chunk = transfer_chunk(move->staging, element);
    TRY(find_transfers(phase));
    TRY(lanes_make(move, &policy, &phase->lanes));
    move->view[0] = move->view[1] = NULL;
    return REDIST_OK;
}

/* Place the arrays between the phases: what a phase starts from and what it leads to lie
 * at the two ends. */
static redist_err place_arrays(const struct move *move, const struct phases *phases,
                               struct state *state)
{
    int64_t bytes[REDIST_MAX_DIMS] = {0}, most = 0;
    for (int k = 0; k < phases->n - 1; k++) {
        struct layout layout;
        TRY(view_layout(&phases->between[k], move->rank, &layout));
        bytes[k] = layout.span * (int64_t)move->element;
        most = int_max(most, bytes[k] + (k > 0 ? bytes[k - 1] : 0));
    }
    if (most == 0) return REDIST_OK;
    state->staging = memory_host.alloc(move->staging_account, most);
    if (!state->staging) return REDIST_ERR_MEMORY;
    for (int k = 0; k < phases->n - 1; k++)
        state->phase[k].between = state->staging + (k % 2 ? most - bytes[k] : 0);
    return REDIST_OK;
}

static redist_err make_state(const struct move *move, const struct phases *phases,
                             void **opaque)
{
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *opaque = state;
    state->phase = mem_alloc(move->plan_account, phases->n, sizeof *state->phase);
    if (!state->phase) return REDIST_ERR_MEMORY;
    state->n = phases->n;
    TRY(place_arrays(move, phases, state));
    for (int k = 0; k < phases->n; k++)
        TRY(make_phase(move, phases, k, &state->phase[k]));
    return REDIST_OK;
}

/* In each phase there has to be staging memory for an element each way. */
static int64_t least_of_phases(const struct move *move)
{
    return 2 * (int64_t)move->element * move->view[0]->dist->ndims;
}

static redist_err make(const struct move *move, void **opaque)
{
    int64_t element = (int64_t)move->element, least = least_of_phases(move);
    struct phases phases;
    redist_err err =
        phases_make(move->view[REDIST_SOURCE], move->view[REDIST_TARGET], move->nranks,
                    int_max(move->staging - least, 0) / element, &phases);
    if (!err && phases.n == 1 && phases.least > 0)
        err = error_set(REDIST_ERR_ARG,
                        "staging_bytes is %" PRId64 ", multiphase needs %" PRId64
                        " to hold the array between its phases",
                        move->staging, least + phases.least * element);
    if (!err) err = make_state(move, &phases, opaque);
    phases_free(&phases);
    return err;
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int k = 0; k < state->n; k++) {
        struct phase *phase = &state->phase[k];
        lanes_destroy(phase->lanes);
        transfers_free(&phase->move.send);
        transfers_free(&phase->move.receive);
        for (int s = 0; s < SIDES; s++) overlap_free(&phase->overlap[s]);
    }
    memory_host.free(state->staging);
    mem_free(state->phase);
    mem_free(state);
}

static void find_usage(const void *opaque, struct usage *usage)
{
    const struct state *state = opaque;
    const struct phase *first = &state->phase[0], *last = &state->phase[state->n - 1];
    *usage = (struct usage){
        .buffer = {first->has_local || first->move.send.n > 0,
                   last->has_local || last->move.receive.n > 0},
        .tells = state->n == 1,
    };
    for (int k = 0; k < state->n; k++) {
        usage->messages[REDIST_SOURCE] += state->phase[k].move.send.n;
        usage->messages[REDIST_TARGET] += state->phase[k].move.receive.n;
    }
}

/* ---- a run ------------------------------------------------------------------------- */

/* Begin the phase that a run has come to, between its buffers. */
static redist_err start_phase(const struct move *plan, struct state *state)
{
    struct phase *phase = &state->phase[state->at];
    struct move *move = &phase->move;
    move->source = state->at > 0 ? phase[-1].between : plan->source;
    move->target = state->at < state->n - 1 ? phase->between : plan->target;
    move->tag = plan->tag;
    move->mute = plan->mute;
    move->muted = INT64_MAX;
    TRY(lanes_start(move, phase->lanes));
    if (!phase->has_local || move->mute) return REDIST_OK;
    walk_seek(&phase->local, 0);
    walk_move(&phase->local, WAY_COPY, move->source, move->target, phase->local.total);
    return REDIST_OK;
}

static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    state->at = 0;
    return start_phase(move, state);
}

static redist_err progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    *done = state->at == state->n;
    while (!*done) {
        struct phase *phase = &state->phase[state->at];
        bool over = false;
        TRY(lanes_progress(&phase->move, phase->lanes, wait, &over));
        if (!over) return REDIST_OK;
        move->muted = int_min(move->muted, phase->move.muted);
        state->at++;
        *done = state->at == state->n;
        if (!*done) TRY(start_phase(move, state));
    }
    return REDIST_OK;
}

const struct exchange exchange_multiphase = {
    .name = "multiphase",
    .what = "some dimensions at a time, each as nonblocking",
    .carries_local = true,
    .make = make,
    .start = start,
    .progress = progress,
    .usage = find_usage,
    .destroy = destroy,
};
