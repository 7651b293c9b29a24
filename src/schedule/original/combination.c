/* SPDX-License-Identifier: MIT
 *
 * schedule/original/combination.c - several dimensions in as many steps as the largest
 * degree, the fewest possible. Each process computes its own steps from the cores of the
 * dimensions alone. docs/schedules.md has the proofs. A seed draws another order of the
 * steps (shuffle.h).
 */
#include "schedule/coloring/combine.h"
#include "schedule/core/dims.h"
#include "schedule/core/kinds.h"
#include "schedule/lists/shuffle.h"

struct combination {
    struct combined combined;
    struct shuffle shuffle;
};

static bool applicable(const struct schedule_input *input, const char **why)
{
    *why = "needs several dimensions, regular on both sides";
    if (input->ndims < 2) return false;
    *why =
        "the dimensions cannot be coloured one by one, and all together have more than "
        "1048576 classes";
    for (int way = 0; way < COMBINE_WAYS; way++)
        if (combine_exists((enum combine_way)way, input->ndims, input->dim)) return true;
    return false;
}

/* Try all ways, until one costs as little as any schedule, and keep the cheapest. */
static redist_err choose(const struct schedule_input *input, struct combined *best)
{
    int64_t least = dims_least(input->ndims, input->dim);
    bool found = false;
    redist_err err = REDIST_OK;
    for (int way = 0; !err && way < COMBINE_WAYS; way++) {
        struct combined next;
        if ((found && best->cost == least) ||
            !combine_exists((enum combine_way)way, input->ndims, input->dim))
            continue;
        err = combine_find((enum combine_way)way, input->ndims, input->dim,
                           found ? best->cost : INT64_MAX, &next);
        if (err) break;
        if (!found || next.cost < best->cost) {
            combine_free(best);
            *best = next;
            found = true;
        } else {
            combine_free(&next);
        }
    }
    return err;
}

static void destroy(void *state)
{
    struct combination *combination = state;
    if (combination) combine_free(&combination->combined);
    mem_free(combination);
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct combination *made = mem_alloc(NULL, 1, sizeof *made);
    if (!made) return REDIST_ERR_MEMORY;
    int64_t sends = dims_degree(input->ndims, input->dim, REDIST_SOURCE);
    int64_t receives = dims_degree(input->ndims, input->dim, REDIST_TARGET);
    made->shuffle = shuffle_draw(int_max(sends, receives), input->seed);
    return schedule_give(made, choose(input, &made->combined), destroy, state);
}

/* The step of an own message, from the number of what it is along each dimension. */
static int64_t step_of(const struct combined *k, redist_side side, const int64_t coords[],
                       int64_t number)
{
    struct core_message along[REDIST_MAX_DIMS];
    for (int j = k->ndims - 1; j >= 0; j--) {
        int64_t places = dims_places(&k->dim[j], side);
        along[j] = dims_message(&k->dim[j], side, coords[j], number % places);
        number /= places;
    }
    return combine_step(k, along);
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    const struct combination *combination = state;
    const struct combined *k = &combination->combined;
    struct own_list along[REDIST_MAX_DIMS] = {{0}};
    int64_t coords[REDIST_MAX_DIMS], places[REDIST_MAX_DIMS];
    redist_err err = REDIST_OK;
    dims_coords(k->ndims, k->dim, side, c, coords);
    for (int j = 0; !err && j < k->ndims; j++) {
        places[j] = dims_places(&k->dim[j], side);
        err = dims_own(&k->dim[j], side, coords[j], &along[j]);
    }
    if (!err) err = dims_join(k->ndims, k->dim, side, along, places, list);
    for (int j = 0; j < k->ndims; j++) own_list_free(&along[j]);
    if (err) return err;
    for (int64_t i = 0; i < list->n; i++) {
        int64_t step = step_of(k, side, coords, list->message[i].step);
        list->message[i].step = shuffle_step(&combination->shuffle, step);
    }
    own_list_sort(list);
    return REDIST_OK;
}

static const char *note(const void *state)
{
    switch (((const struct combination *)state)->combined.way) {
        case COMBINE_CORE: return "the steps of the core of all dimensions together";
        default: return "the colours of the dimensions, multiplied";
    }
}

const struct schedule_kind schedule_combination = {
    .name = "combination",
    .what = "several dimensions together: fewest steps, each process by itself",
    .source = "docs/schedules.md, Several dimensions",
    .drawn = true,
    .applicable = applicable,
    .make = make,
    .own = own,
    .note = note,
    .free = destroy,
};
