/* SPDX-License-Identifier: MIT */
#include "schedule/fewest.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/nested.h"

/* How large a core is searched as a whole, and how often. */
enum {
    SEARCH_EDGES = 1 << 12, /* times tries */
    SEARCH_TRIES = 16,
};

bool fewest_side_exists(const struct core *core, bool mirrored)
{
    struct coloring c;
    return coloring_begin(core, mirrored, &c) &&
           (coloring_closed(&c) || coloring_size(&c) <= FEWEST_RESORT_SIZE);
}

bool fewest_exists(const struct core *core)
{
    return fewest_side_exists(core, false) || fewest_side_exists(core, true);
}

bool fewest_counts(const struct core *core)
{
    struct coloring c;
    (void)coloring_begin(core, !fewest_side_exists(core, false), &c);
    return coloring_size(&c) <= FEWEST_SEARCH_SIZE;
}

/* ---- the bound --------------------------------------------------------------------- */

/* A class at one of its nodes. */
struct incidence {
    int64_t node, weight;
};

static int heaviest_first(const void *a, const void *b)
{
    const struct incidence *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->weight < y->weight) - (x->weight > y->weight);
}

/* largest[k] = the largest k-th weight of the classes of a node of one side. */
static void find_largest(const struct core *core, bool lefts, const int64_t weight[],
                         struct incidence work[], int64_t largest[])
{
    for (int64_t z = 0; z < core->n; z++)
        work[z] = (struct incidence){lefts ? core_left(core, z) : core_right(core, z),
                                     weight[z]};
    qsort(work, (size_t)core->n, sizeof *work, heaviest_first);
    for (int64_t i = 0, k = 0; i < core->n; i++) {
        k = i > 0 && work[i].node == work[i - 1].node ? k + 1 : 0;
        largest[k] = int_max(largest[k], work[i].weight);
    }
}

redist_err fewest_bound(const struct core *core, const int64_t weight[], int64_t *bound)
{
    int64_t dr = core->dr, dc = core->dc;
    struct incidence *work = mem_alloc(NULL, core->n, sizeof *work);
    int64_t *left = mem_alloc(NULL, dr, sizeof *left);
    int64_t *right = mem_alloc(NULL, dc, sizeof *right);
    bool ok = work && left && right;
    *bound = 0;
    if (ok) {
        /* A left node has each of its weights b times, a right one a times. */
        find_largest(core, true, weight, work, left);
        find_largest(core, false, weight, work, right);
        int64_t i = 0, j = 0, done = 0; /* steps */
        while (i < dr || j < dc) {
            int64_t to = int_min(i < dr ? core->b * (i + 1) : INT64_MAX,
                                 j < dc ? core->a * (j + 1) : INT64_MAX);
            *bound += (to - done) * int_max(i < dr ? left[i] : 0, j < dc ? right[j] : 0);
            done = to;
            if (i < dr && core->b * (i + 1) == to) i++;
            if (j < dc && core->a * (j + 1) == to) j++;
        }
    }
    mem_free(work);
    mem_free(left);
    mem_free(right);
    return ok ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* ---- the search -------------------------------------------------------------------- */

/* What is known while the best schedule is looked for. */
struct choice {
    const int64_t *weight; /* [n] */
    int64_t bound;         /* SB: nothing costs less */
    bool small;            /* all of the core can be searched */
};

/* Take over a colouring if it is better, else free it. */
static void keep_better(struct fewest *f, struct coloring *coloring)
{
    if (coloring->tc >= f->tc) {
        coloring_free(coloring);
        return;
    }
    coloring_free(&f->coloring);
    f->coloring = *coloring;
    f->tc = coloring->tc;
}

/* Look for colourings of one side. */
static redist_err try_side(struct fewest *f, const struct choice *choice, bool mirrored)
{
    struct coloring family, split;
    bool found = false;
    if (!coloring_begin(&f->core, mirrored, &family) ||
        coloring_size(&family) > FEWEST_SEARCH_SIZE || f->tc == choice->bound)
        return REDIST_OK;
    split = family;
    TRY(coloring_search(&family, choice->weight, choice->bound, &found));
    if (found) keep_better(f, &family);
    if (f->tc == choice->bound || choice->small ||
        coloring_size(&split) > FEWEST_SPLIT_SIZE)
        return REDIST_OK;
    TRY(coloring_split(&split, choice->weight));
    keep_better(f, &split);
    return REDIST_OK;
}

/* Write the edges of the core, (z, A, B) at (z a + A) b + B. */
static void list_edges(const struct core *core, const int64_t weight[],
                       struct nested_edge edges[])
{
    for (int64_t z = 0; z < core->n; z++)
        for (int64_t A = 0; A < core->a; A++)
            for (int64_t B = 0; B < core->b; B++)
                *edges++ = (struct nested_edge){(int)(core_left(core, z) * core->a + A),
                                                (int)(core_right(core, z) * core->b + B),
                                                weight[z]};
}

/* Search all of the core. */
static redist_err search_core(struct fewest *f, const struct choice *choice)
{
    const struct core *core = &f->core;
    int64_t n = core->n * core->a * core->b, cost = 0;
    struct nested_edge *edges = mem_alloc(NULL, n, sizeof *edges);
    int *step = mem_alloc(NULL, n, sizeof *step);
    redist_err err = edges && step ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) {
        list_edges(core, choice->weight, edges);
        struct nested_graph graph = {(int)(core->u * core->a), (int)(core->t * core->b),
                                     (int)n, edges};
        int tries = (int)int_max(1, int_min(SEARCH_TRIES, SEARCH_EDGES / n));
        err = nested_color(&graph, tries, choice->bound, step, &cost);
    }
    mem_free(edges);
    if (!err && cost < f->tc) {
        f->step = step;
        f->tc = cost;
    } else {
        mem_free(step);
    }
    return err;
}

/* Find a schedule by all that fits, until one is at the bound. */
static redist_err choose(struct fewest *f, const int64_t weight[])
{
    const struct core *core = &f->core;
    struct choice choice = {.weight = weight};
    int64_t edges = 0;
    choice.small = int_mul(core->n * core->a, core->b, &edges) && edges <= SEARCH_EDGES;
    f->tc = INT64_MAX;
    TRY(fewest_bound(core, weight, &choice.bound));
    TRY(try_side(f, &choice, false));
    TRY(try_side(f, &choice, true));
    if (choice.small && f->tc > choice.bound) return search_core(f, &choice);
    if (f->tc < INT64_MAX) return REDIST_OK;
    TRY(coloring_split(&f->coloring, weight));
    f->tc = f->coloring.tc;
    return REDIST_OK;
}

redist_err fewest_coloring(const struct core *core, bool mirrored, const int64_t weight[],
                           struct coloring *coloring)
{
    struct fewest f = {.core = *core, .tc = INT64_MAX};
    struct choice choice = {.weight = weight};
    (void)coloring_begin(core, mirrored, coloring);
    if (coloring_size(coloring) > FEWEST_SEARCH_SIZE) return REDIST_OK;
    TRY(fewest_bound(core, weight, &choice.bound));
    redist_err err = try_side(&f, &choice, mirrored);
    if (!err && f.tc == INT64_MAX) return coloring_split(coloring, weight);
    if (err)
        coloring_free(&f.coloring);
    else
        *coloring = f.coloring;
    return err;
}

redist_err fewest_find(const struct core *core, const int64_t weight[],
                       struct fewest *fewest)
{
    *fewest = (struct fewest){.core = *core};
    (void)coloring_begin(core, !fewest_side_exists(core, false), &fewest->coloring);
    if (!fewest_counts(core)) return REDIST_OK;
    redist_err err = choose(fewest, weight);
    if (err) fewest_free(fewest);
    return err;
}

void fewest_free(struct fewest *fewest)
{
    coloring_free(&fewest->coloring);
    mem_free(fewest->step);
    fewest->step = NULL;
}

int64_t fewest_step(const struct fewest *f, int64_t z, int64_t A, int64_t B)
{
    if (f->step) return f->step[(z * f->core.a + A) * f->core.b + B];
    return coloring_step(&f->coloring, z, A, B);
}
