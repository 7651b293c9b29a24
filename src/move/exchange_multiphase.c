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
#include "move/stage.h"
#include "schedule/phases.h"

struct phase {
    struct move move; /* its buffers are set when a run comes to it */
    struct array array;
    const void *source;
    void *target;
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

/* Make phase k with its share of the staging memory that the arrays leave. */
static redist_err make_phase(const struct move *plan, const struct phases *phases, int k,
                             struct phase *phase)
{
    const struct lanes_policy policy = {.window = INT64_MAX};
    const struct array *whole = &plan->array[0];
    const redist_view *first = &phases->between[k - (k > 0)], *last = &phases->between[k];
    redist_view view[SIDES] = {k > 0 ? *first : *whole->sides[REDIST_SOURCE].view,
                               k < phases->n - 1 ? *last
                                                 : *whole->sides[REDIST_TARGET].view};
    struct move *move = &phase->move;
    struct order order;
    *move = *plan;
    move->send = move->receive = (struct transfers){0};
    move->array = &phase->array;
    move->sources = &phase->source;
    move->targets = &phase->target;
    move->staging = (plan->staging - phases->elements * whole->sizes.element) / phases->n;
    move->chunk = transfer_chunk(move->staging, move->grain);
    move->combines = plan->combines && k == phases->n - 1;
    TRY(array_make(move->plan_account, view, whole->sizes, move->rank, &phase->array));
    TRY(order_make(NULL, &view[0], &view[1], NULL, move->nranks, &order));
    redist_err err = transfers_make(move->plan_account, &order, 1, &phase->array,
                                    REDIST_SOURCE, true, &move->send);
    if (!err)
        err = transfers_make(move->plan_account, &order, 1, &phase->array, REDIST_TARGET,
                             !move->combines, &move->receive);
    order_free(&order);
    return err ? err : lanes_make(move, &policy, &phase->lanes);
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
        bytes[k] = layout.span * move->array[0].sizes.element;
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
    const struct array *array = &move->array[0];
    return 2 * array->sizes.element * array->overlap[REDIST_SOURCE].ndims;
}

static redist_err make(const struct move *move, void **opaque)
{
    TRY(exchange_of_one_array(move, "multiphase"));
    const struct array *array = &move->array[0];
    int64_t element = array->sizes.element, least = least_of_phases(move);
    struct phases phases;
    redist_err err =
        phases_make(array->sides[REDIST_SOURCE].view, array->sides[REDIST_TARGET].view,
                    move->nranks, int_max(move->staging - least, 0) / element, &phases);
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
        array_free(&phase->array);
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
        .buffer = {first->array.overlap[REDIST_SOURCE].nmessages > 0,
                   last->array.overlap[REDIST_TARGET].nmessages > 0},
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
    phase->source = state->at > 0 ? phase[-1].between : plan->sources[0];
    phase->target = state->at < state->n - 1 ? phase->between : plan->targets[0];
    move->combine = move->combines ? plan->combine : NULL;
    move->tag = plan->tag;
    move->mute = plan->mute;
    move->muted = INT64_MAX;
    TRY(lanes_start(move, phase->lanes));
    if (!move->mute) stage_kept(move);
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
    .carries_kept = true,
    .needs_dists = true,
    .make = make,
    .start = start,
    .progress = progress,
    .usage = find_usage,
    .destroy = destroy,
};
