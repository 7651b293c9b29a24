/* SPDX-License-Identifier: MIT
 *
 * schedule/original/product.c - several dimensions: the product of the schedules along
 * each.
 *
 * A message of step c_1 along the first dimension, step c_2 along the second, .. has step
 * (c_1, c_2, ..): two messages of a process in one step would have the same partner along
 * each dimension. `product` takes the steps of `optimal`, so that NS is the product of
 * the largest degrees, and TC that of the costs. Where sources have the largest degree
 * along one dimension and targets along another, this is more than needed
 * (combination.c).
 *
 * The same holds for the instants of schedules without barriers, at each of which a
 * process has one element at most: `product-timeline` sends the element of instants
 * tau_1, tau_2, .. at instant (tau_1, tau_2, ..). Those along the last dimension follow
 * each other.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/dims.h"
#include "schedule/core/kinds.h"

/* The largest grid of a dimension without a timeline in closed form. */
enum { MAX_MESSAGES = 1 << 14 };

/* The schedule along one dimension. */
struct factor {
    const struct schedule_kind *kind;
    struct comm_grid grid; /* if it takes one */
    void *state;
    int64_t steps; /* or instants */
};

struct product {
    int ndims;
    const struct classes *dim;
    struct factor factor[REDIST_MAX_DIMS];
    int64_t stretch; /* of the array's messages over a period's (periods.h) */
};

static void destroy(void *state)
{
    struct product *product = state;
    if (!product) return;
    for (int j = 0; j < product->ndims; j++) {
        struct factor *factor = &product->factor[j];
        if (factor->state) factor->kind->free(factor->state);
        comm_grid_free(&factor->grid);
    }
    mem_free(product);
}

static redist_err factor_make(const struct classes *dim, bool timed,
                              struct factor *factor)
{
    struct schedule_input input = {.ndims = 1, .dim = dim};
    factor->kind = &schedule_optimal;
    factor->steps =
        int_max(classes_degree(dim, REDIST_SOURCE), classes_degree(dim, REDIST_TARGET));
    if (timed) {
        factor->kind = &schedule_timeline;
        factor->steps = dim->least;
        if (!timeline_applies(dim)) {
            factor->kind = &schedule_preemptive;
            TRY(comm_grid_from_classes(dim, NULL, &factor->grid));
            input.grid = &factor->grid;
        }
    }
    return factor->kind->make(&input, &factor->state);
}

static redist_err make_of(const struct schedule_input *input, bool timed, void **state)
{
    struct product *product = mem_alloc(NULL, 1, sizeof *product);
    if (!product) return REDIST_ERR_MEMORY;
    product->ndims = input->ndims;
    product->dim = input->dim;
    product->stretch = 1;
    for (int j = 0; input->periods && j < input->ndims; j++)
        product->stretch *= periods_stretch(&input->dim[j], &input->periods[j]);
    redist_err err = REDIST_OK;
    for (int j = 0; !err && j < input->ndims; j++)
        err = factor_make(&input->dim[j], timed, &product->factor[j]);
    return schedule_give(product, err, destroy, state);
}

/* Append the own messages along one dimension, if wanted cut into single elements. */
static redist_err own_along(const struct factor *factor, redist_side side, int64_t c,
                            bool cut, struct own_list *list)
{
    TRY(factor->kind->own(factor->state, side, c, list));
    int64_t n = list->n;
    for (int64_t k = 0; cut && k < n; k++) {
        struct own_message element = list->message[k];
        list->message[k].weight = 1;
        int64_t length = element.weight;
        for (element.weight = 1; length > 1; length--) {
            element.step++;
            TRY(own_list_append(list, element));
        }
    }
    return REDIST_OK;
}

static redist_err own_of(const struct product *product, bool timed, redist_side side,
                         int64_t c, struct own_list *list)
{
    struct own_list along[REDIST_MAX_DIMS] = {{0}};
    int64_t coords[REDIST_MAX_DIMS], steps[REDIST_MAX_DIMS];
    redist_err err = REDIST_OK;
    dims_coords(product->ndims, product->dim, side, c, coords);
    for (int j = 0; !err && j < product->ndims; j++) {
        bool cut = timed && j < product->ndims - 1;
        steps[j] = product->factor[j].steps;
        err = own_along(&product->factor[j], side, coords[j], cut, &along[j]);
    }
    if (!err) err = dims_join(product->ndims, product->dim, side, along, steps, list);
    for (int j = 0; j < product->ndims; j++) own_list_free(&along[j]);
    if (!err) own_list_sort(list);
    return err;
}

/* ---- in steps ---------------------------------------------------------------------- */

static bool several(const struct schedule_input *input, const char **why)
{
    *why = "needs several dimensions, regular on both sides";
    return input->ndims > 1;
}

static bool applicable(const struct schedule_input *input, const char **why)
{
    if (!several(input, why)) return false;
    for (int j = 0; j < input->ndims; j++) {
        struct schedule_input along = {.ndims = 1, .dim = &input->dim[j]};
        if (!schedule_optimal.applicable(&along, why)) return false;
    }
    return true;
}

static redist_err make(const struct schedule_input *input, void **state)
{
    return make_of(input, false, state);
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    return own_of(state, false, side, c, list);
}

const struct schedule_kind schedule_product = {
    .name = "product",
    .what = "several dimensions: the steps of `optimal` along each, multiplied",
    .source = "docs/schedules.md, Several dimensions",
    .applicable = applicable,
    .make = make,
    .own = own,
    .free = destroy,
};

/* ---- in instants ------------------------------------------------------------------- */

static bool timed_applicable(const struct schedule_input *input, const char **why)
{
    if (!several(input, why)) return false;
    *why = "has no closed form along one dimension, and more than 16384 messages there";
    int64_t elements = 1;
    for (int j = 0; j < input->ndims; j++) {
        const struct classes *k = &input->dim[j];
        elements *= k->least;
        if (!timeline_applies(k) && dims_messages(1, k) > MAX_MESSAGES) return false;
    }
    *why = "cuts messages into elements, of which a process has more than 2^20 here";
    return elements <= SCHEDULE_MOST_PIECES;
}

/* An element is a piece at worst. */
static int64_t timed_pieces(const struct schedule_input *input)
{
    return dims_length(input->ndims, input->dim);
}

static redist_err timed_make(const struct schedule_input *input, void **state)
{
    return make_of(input, true, state);
}

/* Merge pieces of a message that follow each other. */
static void merge(struct own_list *list)
{
    int64_t n = 0;
    for (int64_t k = 0; k < list->n; k++) {
        struct own_message next = list->message[k];
        struct own_message *last = n > 0 ? &list->message[n - 1] : NULL;
        if (last && next.partner == last->partner &&
            next.step == last->step + last->weight)
            last->weight += next.weight;
        else
            list->message[n++] = next;
    }
    list->n = n;
}

static redist_err timed_own(const void *state, redist_side side, int64_t c,
                            struct own_list *list)
{
    TRY(own_of(state, true, side, c, list));
    merge(list);
    own_list_stretch(list, ((const struct product *)state)->stretch);
    return REDIST_OK;
}

const struct schedule_kind schedule_product_timeline = {
    .name = "product-timeline",
    .what = "several dimensions, no barriers: the instants along each, multiplied",
    .source = "docs/schedules.md, Several dimensions",
    .timed = true,
    .applicable = timed_applicable,
    .pieces = timed_pieces,
    .make = timed_make,
    .own = timed_own,
    .free = destroy,
};
