/* SPDX-License-Identifier: MIT
 *
 * schedule/optimal.c - as many steps as the largest degree, which is the fewest possible,
 * for all P, Q, r and s; each process computes its own, from the core alone.
 *
 * The core (classes.h) does not grow with the number of processes. Its schedule is the
 * best of several colourings (coloring.h) and, where the core is small and none is yet at
 * the bound, of nested stepwise (nested.h) on all of it.
 * docs/schedules.md has the proofs.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/coloring.h"
#include "schedule/kinds.h"
#include "schedule/nested.h"

enum {
    TABLE_SIZE = 1 << 20,   /* the largest colouring that has a table, */
    RESORT_SIZE = 1 << 16,  /* that is made by splitting if nothing else fits, */
    SPLIT_SIZE = 1 << 13,   /* and that is split to see if this is better */
    SEARCH_EDGES = 1 << 12, /* of the core, times tries */
    SEARCH_TRIES = 16,
};

struct optimal {
    const struct classes *classes;
    struct coloring coloring;
    int *step; /* [n][a][b] the step of an edge of the core; NULL: the colouring's */
};

/* The entries of the tables that a colouring needs. */
static int64_t table_size(const struct coloring *c)
{
    int64_t pairs = 0, uses = 0;
    if (!int_mul(c->n, c->b, &pairs) || !int_mul(c->u, c->colors, &uses))
        return INT64_MAX;
    return int_max(pairs, uses);
}

/* Whether some colouring can be had of this side. */
static bool feasible(const struct classes *k, bool mirrored)
{
    struct coloring c;
    return coloring_begin(k, mirrored, &c) &&
           (coloring_closed(&c) || table_size(&c) <= RESORT_SIZE);
}

static bool applicable(const struct schedule_input *input, const char **why)
{
    *why = "needs one dimension, block-cyclic on both sides";
    if (!input->classes) return false;
    *why = "needs a core small enough to search where no closed form fits";
    return feasible(input->classes, false) || feasible(input->classes, true);
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* largest[k] = the largest k-th weight of the classes of one residue of modulus m. */
static void find_largest(const int64_t weight[], int64_t n, int64_t m, int64_t work[],
                         int64_t largest[])
{
    for (int64_t residue = 0; residue < int_min(m, n); residue++) {
        int64_t count = 0;
        for (int64_t z = residue; z < n; z += m) work[count++] = weight[z];
        qsort(work, (size_t)count, sizeof *work, descending);
        for (int64_t k = 0; k < count; k++) largest[k] = int_max(largest[k], work[k]);
    }
}

/* SB of the core: a left node has each of its weights b times, a right one a times. */
static redist_err step_bound(const struct classes *k, const int64_t weight[],
                             int64_t *bound)
{
    int64_t dr = int_ceil_div(k->n, k->u), dc = int_ceil_div(k->n, k->t);
    int64_t *work = mem_alloc(NULL, int_max(dr, dc), sizeof *work);
    int64_t *left = mem_alloc(NULL, dr, sizeof *left);
    int64_t *right = mem_alloc(NULL, dc, sizeof *right);
    bool ok = work && left && right;
    *bound = 0;
    if (ok) {
        find_largest(weight, k->n, k->u, work, left);
        find_largest(weight, k->n, k->t, work, right);
        int64_t i = 0, j = 0, done = 0; /* steps */
        while (i < dr || j < dc) {
            int64_t to = int_min(i < dr ? k->b * (i + 1) : INT64_MAX,
                                 j < dc ? k->a * (j + 1) : INT64_MAX);
            *bound += (to - done) * int_max(i < dr ? left[i] : 0, j < dc ? right[j] : 0);
            done = to;
            if (i < dr && k->b * (i + 1) == to) i++;
            if (j < dc && k->a * (j + 1) == to) j++;
        }
    }
    mem_free(work);
    mem_free(left);
    mem_free(right);
    return ok ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* What is known while the best schedule is looked for. */
struct choice {
    const int64_t *weight; /* [n] */
    int64_t bound;         /* SB: nothing costs less */
    int64_t cost;          /* of the best so far; INT64_MAX: there is none */
    bool small;            /* all of the core can be searched */
};

/* Take over a colouring if it is better, else free it. */
static void keep_better(struct optimal *o, struct choice *best, struct coloring *coloring)
{
    if (coloring->tc >= best->cost) {
        coloring_free(coloring);
        return;
    }
    coloring_free(&o->coloring);
    o->coloring = *coloring;
    best->cost = coloring->tc;
}

/* Look for colourings of one side. */
static redist_err try_side(struct optimal *o, struct choice *best, bool mirrored)
{
    struct coloring family, split;
    bool found = false;
    if (!coloring_begin(o->classes, mirrored, &family) ||
        table_size(&family) > TABLE_SIZE || best->cost == best->bound)
        return REDIST_OK;
    split = family;
    TRY(coloring_search(&family, best->weight, best->bound, &found));
    if (found) keep_better(o, best, &family);
    if (best->cost == best->bound || best->small || table_size(&split) > SPLIT_SIZE)
        return REDIST_OK;
    TRY(coloring_split(&split, best->weight));
    keep_better(o, best, &split);
    return REDIST_OK;
}

/* Search all of the core, edge (z, A, B) at (z a + A) b + B. */
static redist_err search_core(struct optimal *o, struct choice *best)
{
    const struct classes *k = o->classes;
    int64_t n = k->n * k->a * k->b, e = 0, cost = 0;
    struct nested_edge *edges = mem_alloc(NULL, n, sizeof *edges);
    int *step = mem_alloc(NULL, n, sizeof *step);
    redist_err err = edges && step ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) {
        for (int64_t z = 0; z < k->n; z++)
            for (int64_t A = 0; A < k->a; A++)
                for (int64_t B = 0; B < k->b; B++)
                    edges[e++] =
                        (struct nested_edge){(int)(z % k->u * k->a + A),
                                             (int)(z % k->t * k->b + B), best->weight[z]};
        struct nested_graph graph = {(int)(k->u * k->a), (int)(k->t * k->b), (int)n,
                                     edges};
        int tries = (int)int_max(1, int_min(SEARCH_TRIES, SEARCH_EDGES / n));
        err = nested_color(&graph, tries, best->bound, step, &cost);
    }
    mem_free(edges);
    if (!err && cost < best->cost) {
        o->step = step;
        best->cost = cost;
    } else {
        mem_free(step);
    }
    return err;
}

/* Find a schedule by all that fits, until one is at the bound. */
static redist_err choose(struct optimal *o, const int64_t weight[])
{
    const struct classes *k = o->classes;
    struct choice best = {.weight = weight, .cost = INT64_MAX};
    int64_t edges = 0;
    best.small = int_mul(k->n * k->a, k->b, &edges) && edges <= SEARCH_EDGES;
    TRY(step_bound(k, weight, &best.bound));
    TRY(try_side(o, &best, false));
    TRY(try_side(o, &best, true));
    if (best.small && best.cost > best.bound) return search_core(o, &best);
    return best.cost < INT64_MAX ? REDIST_OK : coloring_split(&o->coloring, weight);
}

static void optimal_free(void *state)
{
    struct optimal *o = state;
    if (!o) return;
    coloring_free(&o->coloring);
    mem_free(o->step);
    mem_free(o);
}

static redist_err make(const struct schedule_input *input, void **state)
{
    const struct classes *k = input->classes;
    struct optimal *o = mem_alloc(NULL, 1, sizeof *o);
    if (!o) return REDIST_ERR_MEMORY;
    o->classes = k;
    bool mirrored = !feasible(k, false);
    (void)coloring_begin(k, mirrored, &o->coloring);
    redist_err err = REDIST_OK;
    if (table_size(&o->coloring) <= TABLE_SIZE) {
        int64_t *weight = mem_alloc(NULL, k->n, sizeof *weight);
        err = weight ? REDIST_OK : REDIST_ERR_MEMORY;
        for (int64_t z = 0; !err && z < k->n; z++)
            weight[z] = classes_weight(k, k->first + z);
        if (!err) err = choose(o, weight);
        mem_free(weight);
    }
    if (err)
        optimal_free(o);
    else
        *state = o;
    return err;
}

static int64_t step_of(const struct optimal *o, int64_t z, int64_t A, int64_t B)
{
    const struct classes *k = o->classes;
    if (o->step) return o->step[(z * k->a + A) * k->b + B];
    return coloring_step(&o->coloring, z, A, B);
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    const struct optimal *o = state;
    const struct classes *k = o->classes;
    bool sends = side == REDIST_SOURCE;
    int64_t copy = classes_copy(k, side, c), copies = sends ? k->b : k->a;
    int64_t stride = sends ? k->g / k->u : k->g / k->t; /* from partner to partner */
    int64_t z = classes_first_of(k, side, c);
    for (; z < k->first + k->n; z += sends ? k->u : k->t) {
        int64_t partner = classes_partner(k, side, c, z), weight = classes_weight(k, z);
        for (int64_t i = 0; i < copies; i++, partner += stride) {
            int64_t step = step_of(o, z - k->first, sends ? copy : i, sends ? i : copy);
            struct own_message message = {(int)partner, weight, step};
            redist_err err = own_list_append(list, message);
            if (err) return err;
        }
    }
    own_list_sort(list);
    return REDIST_OK;
}

const struct schedule_kind schedule_optimal = {
    .name = "optimal",
    .what = "fewest steps for all parameters, each process by itself",
    .source = "docs/schedules.md",
    .lifted = true,
    .applicable = applicable,
    .make = make,
    .own = own,
    .free = optimal_free,
};
