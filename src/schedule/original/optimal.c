/* SPDX-License-Identifier: MIT
 *
 * schedule/original/optimal.c - as many steps as the largest degree, the fewest possible.
 *
 * For one whole dimension, block-cyclic on both sides, each process computes its own
 * steps from the core alone, which does not grow with the number of processes
 * (classes.h). For any other array it is an edge colouring of the communication grid.
 * docs/schedules.md has the proofs. If all send equally much to all, the steps are those
 * of the ring: data that stay on their process are then one step, for which nobody waits.
 * A seed draws another order of the steps (shuffle.h).
 */
#include "base/error.h"
#include "schedule/coloring/fewest.h"
#include "schedule/coloring/matching.h"
#include "schedule/core/dims.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"
#include "schedule/lists/shuffle.h"

/* The most messages of a grid for which heaviest matchings are tried, too; the edges
 * examined to improve a colouring. */
enum { MOST_MATCHED = 1 << 13, EFFORT = 1 << 19 };

struct optimal {
    const struct classes *classes; /* NULL: of a grid */
    struct fewest fewest;          /* of classes */
    struct table *table;           /* of a grid */
    struct shuffle shuffle;
};

/* Return the classes whose core has the steps; NULL: the grid has. */
static const struct classes *find_core(const struct schedule_input *input)
{
    const struct classes *k = schedule_classes(input);
    bool by_grid = input->by_grid && (input->is_part || !k || !classes_are_alike(k));
    return by_grid ? NULL : k;
}

static bool applicable(const struct schedule_input *input, const char **why)
{
    if (find_core(input)) return true;
    *why = "needs one whole dimension; combination is the same of several";
    return (input->ndims == 0 || input->by_grid) && table_applicable(input, why);
}

static void optimal_free(void *state)
{
    struct optimal *o = state;
    if (!o) return;
    fewest_free(&o->fewest);
    table_free(o->table);
    mem_free(o);
}

/* Find the steps, given the lengths of the messages of the core. */
static redist_err find_steps(struct optimal *o)
{
    const struct classes *k = o->classes;
    if (classes_are_alike(k)) return REDIST_OK;
    struct core core = core_of_classes(k);
    int64_t *weight = core_weights(k);
    if (!weight) return REDIST_ERR_MEMORY;
    redist_err err = fewest_find(&core, weight, &o->fewest);
    mem_free(weight);
    return err;
}

/* Color the messages of a grid, to which known[] is a step each if there is one. */
static redist_err color_grid(const struct comm_grid *grid, const int64_t known[],
                             int64_t step[])
{
    int64_t n = grid->nedges;
    int *left = NULL, *right = NULL;
    int64_t *weight = NULL, *count = NULL;
    const struct mem_part room[] = {MEM_PART(weight, n),
                                    MEM_PART(count, n),
                                    MEM_PART(left, n),
                                    MEM_PART(right, n),
                                    {0}};
    struct edge_coloring coloring;
    TRY(mem_alloc_parts(NULL, room));
    for (int64_t e = 0; e < n; e++) {
        left[e] = grid->edge[e].p;
        right[e] = grid->edge[e].q;
        weight[e] = grid->edge[e].weight;
        count[e] = 1;
    }
    struct multigraph graph = {n, left, right, weight, grid->P, grid->Q, {1, 1}};
    redist_err err =
        edge_coloring_make(&graph, count, grid->degree, known, EFFORT, &coloring);
    for (int64_t i = 0; !err && i < coloring.n; i++)
        step[coloring.entry[i].edge] = coloring.entry[i].color;
    edge_coloring_free(&coloring);
    mem_free(weight); /* and all in one block with it */
    return err;
}

/* Find the steps of a grid, beginning with those of `staircase-steps`, if applicable, or,
 * for a small grid, of `stepwise`. */
static redist_err find_grid_steps(const struct schedule_input *input, struct optimal *o)
{
    const struct comm_grid *grid = input->grid;
    const struct schedule_kind *kind = NULL;
    const char *why = NULL;
    void *known = NULL;
    TRY(table_make(input, &o->table));
    if (grid->nedges == 0) return REDIST_OK;
    if (schedule_staircase_steps.applicable(input, &why))
        kind = &schedule_staircase_steps;
    else if (grid->nedges <= MOST_MATCHED && schedule_stepwise.applicable(input, &why))
        kind = &schedule_stepwise;
    if (kind) TRY(kind->make(input, &known));
    redist_err err = color_grid(grid, known ? ((const struct table *)known)->step : NULL,
                                o->table->step);
    if (known) kind->free(known);
    return err;
}

static int64_t count_steps(const struct schedule_input *input)
{
    const struct classes *k = find_core(input);
    if (!k) return int_max(1, input->grid->degree);
    if (classes_are_alike(k)) return int_max(k->P, k->Q);
    return int_max(dims_degree(1, k, REDIST_SOURCE), dims_degree(1, k, REDIST_TARGET));
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct optimal *o = mem_alloc(NULL, 1, sizeof *o);
    if (!o) return REDIST_ERR_MEMORY;
    o->classes = find_core(input);
    o->shuffle = shuffle_draw(count_steps(input), input->seed);
    return schedule_give(o, o->classes ? find_steps(o) : find_grid_steps(input, o),
                         optimal_free, state);
}

/* The own messages, each with its step. */
static redist_err own_of_classes(const struct optimal *o, redist_side side, int64_t c,
                                 struct own_list *list)
{
    const struct classes *k = o->classes;
    TRY(dims_own(k, side, c, list));
    for (int64_t i = 0; i < list->n; i++) {
        struct own_message *message = &list->message[i];
        struct core_message in_core = dims_message(k, side, c, message->step);
        message->step = classes_are_alike(k)
                            ? classes_ring_step(k, side, c, message->partner)
                            : fewest_step(&o->fewest, in_core.z, in_core.A, in_core.B);
    }
    return REDIST_OK;
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    const struct optimal *o = state;
    if (o->classes)
        TRY(own_of_classes(o, side, c, list));
    else
        TRY(table_own(o->table, side, c, list));
    for (int64_t i = 0; i < list->n; i++)
        list->message[i].step = shuffle_step(&o->shuffle, list->message[i].step);
    own_list_sort(list);
    return REDIST_OK;
}

const struct schedule_kind schedule_optimal = {
    .name = "optimal",
    .what = "fewest steps; of block-cyclic arrays each process by itself",
    .source = "docs/schedules.md",
    .drawn = true,
    .least = true,
    .lifted = true,
    .applicable = applicable,
    .make = make,
    .own = own,
    .free = optimal_free,
};
