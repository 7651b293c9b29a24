/* SPDX-License-Identifier: MIT
 *
 * move/relay/exchange_multiphase.c - redistribute some dimensions at a time (Walker and
 * Otto 1996, section 4; Guo, Yamashita and Nakata, section 4.3.1). A process has as many
 * messages as the sum of the phases' degrees, instead of their product, and all data
 * travel once a phase.
 *
 * Each phase is a redistribution between the caller's arrays and intermediate arrays.
 * These lie in turn at both ends of one block of staging memory:
 *
 *   phase 0   source -> |aaaa      |
 *   phase 1             |aaaa -> bb|
 *   phase 2             |cccc <- bb|
 *   phase 3             |cccc      | -> target
 *
 * lcm-phases does the same for one dimension, or for all together, in two phases through
 * blocks of the lcm (Walker and Otto 1996, section 4), each by their schedule if it
 * applies.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "move/relay/relay_stages.h"
#include "move/walk/memory.h"
#include "schedule/core/kinds.h"
#include "schedule/model/phases.h"

struct phase {
    struct array array;
    const void *source; /* the buffers; the caller's are set when a run begins */
    void *target;
};

struct state {
    struct relay_stages stages; /* one a phase */
    struct phase *phase;        /* [stages.n] */
    char *staging;              /* of the intermediate arrays */
};

/* ---- making ------------------------------------------------------------------------ */

/* Return the schedule of Walker and Otto if it applies, or NULL: ring order. */
static redist_err find_schedule(const redist_view view[SIDES],
                                const struct schedule_kind **kind)
{
    struct pattern pattern;
    const char *why = NULL;
    redist_err err = pattern_make(&view[0], &view[1], &pattern);
    bool applies = !err && schedule_walker_otto.applicable(&pattern.input, &why);
    pattern_free(&pattern);
    *kind = applies ? &schedule_walker_otto : NULL;
    return err;
}

/* Make the messages of phase k. */
static redist_err make_phase(const struct move *plan, const struct phases *phases, int k,
                             bool scheduled, struct phase *phase, struct move *move)
{
    const struct array *whole = &plan->array[0];
    const redist_view *first = &phases->between[k - (k > 0)], *last = &phases->between[k];
    redist_view view[SIDES] = {k > 0 ? *first : *whole->sides[REDIST_SOURCE].view,
                               k < phases->n - 1 ? *last
                                                 : *whole->sides[REDIST_TARGET].view};
    struct order order;
    const struct schedule_kind *kind = NULL;
    move->array = &phase->array;
    move->sources = &phase->source;
    move->targets = &phase->target;
    move->combines = plan->combines && k == phases->n - 1;
    struct sizes sizes = whole->sizes;
    if (k < phases->n - 1) sizes.target = 0; /* the last one converts */
    TRY(array_make(move->plan_account, view, sizes, move->rank, &phase->array));
    if (scheduled) TRY(find_schedule(view, &kind));
    redist_err err = order_make(kind, 0, &view[0], &view[1], NULL, move->nranks, &order);
    if (!err)
        err = transfers_make(move->plan_account, &order, 1, &phase->array, REDIST_SOURCE,
                             true, &move->send);
    if (!err)
        err = transfers_make(move->plan_account, &order, 1, &phase->array, REDIST_TARGET,
                             !move->combines, &move->receive);
    order_free(&order);
    return err;
}

/* Place the intermediate arrays: those at the begin and at the end of a phase lie at the
 * two ends of the block. */
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
    state->staging = mem_alloc_elements(move->staging_account, most);
    if (!state->staging) return REDIST_ERR_MEMORY;
    for (int k = 0; k < phases->n - 1; k++) {
        char *between = state->staging + (k % 2 ? most - bytes[k] : 0);
        state->phase[k].target = between;
        state->phase[k + 1].source = between;
    }
    return REDIST_OK;
}

/* The phases have equal parts of the staging memory that the arrays leave. */
static redist_err make_state(const struct move *move, const struct phases *phases,
                             bool scheduled, void **opaque)
{
    int64_t arrays = phases->elements * move->array[0].sizes.element;
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *opaque = state;
    state->stages.with_kept = true;
    TRY(relay_stages_make(move, phases->n, (move->staging - arrays) / phases->n,
                          &state->stages));
    state->phase = mem_alloc(move->plan_account, phases->n, sizeof *state->phase);
    if (!state->phase) return REDIST_ERR_MEMORY;
    TRY(place_arrays(move, phases, state));
    for (int k = 0; k < phases->n; k++)
        TRY(make_phase(move, phases, k, scheduled, &state->phase[k],
                       &state->stages.stage[k].move));
    return relay_stages_ready(&state->stages);
}

/* Each of n phases needs staging memory for an element each way. */
static int64_t least_of_phases(const struct move *move, int n)
{
    return 2 * move->array[0].sizes.element * n;
}

/* Return the elements for which there is room between n phases. */
static int64_t room_between(const struct move *move, int n)
{
    int64_t room = int_max(move->staging - least_of_phases(move, n), 0);
    return room / move->array[0].sizes.element;
}

static redist_err too_little(const struct move *move, const char *name, int n,
                             int64_t elements)
{
    int64_t least = least_of_phases(move, n) + elements * move->array[0].sizes.element;
    return error_arg("staging_bytes is %" PRId64 ", %s needs %" PRId64
                     " to hold the array between its phases",
                     move_in_cap(move, move->staging), name, move_in_cap(move, least));
}

static redist_err make(const struct move *move, void **opaque)
{
    TRY(exchange_check(move, NEEDS_ONE_ARRAY, "multiphase"));
    const struct array *array = &move->array[0];
    struct phases phases;
    int most = array->overlap[REDIST_SOURCE].ndims; /* phases */
    redist_err err =
        phases_make(array->sides[REDIST_SOURCE].view, array->sides[REDIST_TARGET].view,
                    move->nranks, room_between(move, most), &phases);
    if (!err && phases.n == 1 && phases.least > 0)
        err = too_little(move, "multiphase", most, phases.least);
    if (!err) err = make_state(move, &phases, false, opaque);
    phases_free(&phases);
    return err;
}

static redist_err make_lcm(const struct move *move, void **opaque)
{
    TRY(exchange_check(move, NEEDS_ONE_ARRAY, "lcm-phases"));
    const struct array *array = &move->array[0];
    struct phases phases;
    redist_err err = phases_through_lcm(array->sides[REDIST_SOURCE].view,
                                        array->sides[REDIST_TARGET].view, &phases);
    if (!err && phases.elements > room_between(move, phases.n))
        err = too_little(move, "lcm-phases", phases.n, phases.elements);
    if (!err) err = make_state(move, &phases, true, opaque);
    phases_free(&phases);
    return err;
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int k = 0; state->phase && k < state->stages.n; k++)
        array_free(&state->phase[k].array);
    relay_stages_free(&state->stages);
    mem_free(state->staging);
    mem_free(state->phase);
    mem_free(state);
}

static void find_usage(const void *opaque, struct usage *usage)
{
    const struct state *state = opaque;
    const struct phase *first = &state->phase[0],
                       *last = &state->phase[state->stages.n - 1];
    *usage = (struct usage){
        .buffer = {first->array.overlap[REDIST_SOURCE].nmessages > 0,
                   last->array.overlap[REDIST_TARGET].nmessages > 0},
        .reports_status = state->stages.n == 1,
    };
    relay_stages_usage(state, usage);
}

/* ---- a run ------------------------------------------------------------------------- */

static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    state->phase[0].source = move->sources[0];
    state->phase[state->stages.n - 1].target = move->targets[0];
    return relay_stages_start(move, &state->stages);
}

const struct exchange exchange_multiphase = {
    .name = "multiphase",
    .carries_kept = true,
    .needs_dists = true,
    .make = make,
    .start = start,
    .progress = relay_stages_progress,
    .usage = find_usage,
    .destroy = destroy,
};

const struct exchange exchange_lcm_phases = {
    .name = "lcm-phases",
    .carries_kept = true,
    .needs_dists = true,
    .make = make_lcm,
    .start = start,
    .progress = relay_stages_progress,
    .usage = find_usage,
    .destroy = destroy,
};
