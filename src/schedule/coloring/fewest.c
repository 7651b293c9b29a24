/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/fewest.h"

#include <limits.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

/* The most units distributed one by one, which determine the width of a colour; and the
 * edges examined to improve a colouring. */
enum { MOST_UNITS = 1 << 13, EFFORT = 1 << 19 };

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
    mem_sort(work, core->n, sizeof *work, heaviest_first);
    for (int64_t i = 0, k = 0; i < core->n; i++) {
        k = i > 0 && work[i].node == work[i - 1].node ? k + 1 : 0;
        largest[k] = int_max(largest[k], work[i].weight);
    }
}

redist_err fewest_bound(const struct core *core, const int64_t weight[], int64_t *bound)
{
    int64_t dr = core->dr, dc = core->dc;
    struct incidence *work = NULL;
    int64_t *left = NULL, *right = NULL;
    const struct mem_part room[] = {
        MEM_PART(work, core->n), MEM_PART(left, dr), MEM_PART(right, dc), {0}};
    *bound = 0;
    TRY(mem_alloc_parts(NULL, room));
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
    mem_free(work); /* and the largest */
    return REDIST_OK;
}

/* ---- the search -------------------------------------------------------------------- */

/* Take the closed form of one side, if it has one and is large. */
static bool take_closed(struct fewest *f, const struct core *core, bool mirrored)
{
    return coloring_begin(core, mirrored, &f->coloring) &&
           coloring_size(&f->coloring) > FEWEST_PAIRS && coloring_closed(&f->coloring);
}

/* Return the smallest divisor of the left copies for which a core has few enough
 * units. */
static int64_t choose_width(const struct core *core)
{
    int64_t pairs = core->n * core->b;
    for (int64_t width = 1; width <= core->a / 2; width++)
        if (core->a % width == 0 && pairs <= MOST_UNITS / (core->a / width)) return width;
    return core->a;
}

/* Colour the units of a core, its sides as in begun->core, and distribute them to the
 * copies. */
static redist_err color_units(struct fewest *f, const struct coloring *begun,
                              int64_t width, const int64_t weight[])
{
    const struct core *core = &begun->core;
    int64_t groups = core->a / width, units = groups * core->b;
    int *left = NULL, *right = NULL;
    int64_t *count = NULL;
    const struct mem_part room[] = {
        MEM_PART(count, core->n), MEM_PART(left, core->n), MEM_PART(right, core->n), {0}};
    struct edge_coloring found;
    TRY(mem_alloc_parts(NULL, room));
    for (int64_t z = 0; z < core->n; z++) {
        count[z] = units;
        left[z] = (int)core_left(core, z);
        right[z] = (int)core_right(core, z);
    }
    struct multigraph graph = {
        core->n, left, right, weight, (int)core->u, (int)core->t, {core->a, core->b}};
    redist_err err =
        edge_coloring_make(&graph, count, groups * begun->colors, NULL, EFFORT, &found);
    if (!err && width == 1) f->bound = int_max(f->bound, found.bound);
    if (!err) {
        struct attached attached = {&graph, &found, groups, core->b, width};
        f->coloring = *begun;
        f->width = width;
        f->tc = found.cost * width;
        err = detachment_make(&attached, &f->detachment);
    }
    edge_coloring_free(&found);
    mem_free(count); /* and the ends */
    return err;
}

static redist_err search(struct fewest *f, const struct core *core,
                         const int64_t weight[])
{
    TRY(fewest_bound(core, weight, &f->bound));
    if (take_closed(f, core, false) || take_closed(f, core, true)) return REDIST_OK;
    struct coloring begun, mirrored;
    bool one = coloring_begin(core, false, &begun);
    bool other = coloring_begin(core, true, &mirrored);
    if (!one || (other && choose_width(&mirrored.core) < choose_width(&begun.core)))
        begun = mirrored;
    return color_units(f, &begun, choose_width(&begun.core), weight);
}

redist_err fewest_find(const struct core *core, const int64_t weight[],
                       struct fewest *fewest)
{
    *fewest = (struct fewest){.tc = INT64_MAX};
    redist_err err = search(fewest, core, weight);
    if (err) fewest_free(fewest);
    return err;
}

redist_err fewest_of_side(const struct core *core, bool mirrored, const int64_t weight[],
                          struct fewest *fewest)
{
    struct coloring begun;
    *fewest = (struct fewest){.tc = INT64_MAX};
    (void)coloring_begin(core, mirrored, &begun);
    redist_err err = fewest_bound(core, weight, &fewest->bound);
    if (!err && take_closed(fewest, core, mirrored)) return REDIST_OK;
    if (!err) err = color_units(fewest, &begun, begun.core.a, weight);
    if (err) fewest_free(fewest);
    return err;
}

void fewest_free(struct fewest *fewest) { detachment_free(&fewest->detachment); }

void fewest_pair(const struct fewest *f, int64_t z, int64_t copy, int64_t *color,
                 int64_t *rank)
{
    if (f->detachment.run)
        detachment_find(&f->detachment, z, 0, copy, color, rank);
    else
        coloring_pair(&f->coloring, z, copy, color, rank);
}

int64_t fewest_step(const struct fewest *f, int64_t z, int64_t A, int64_t B)
{
    if (!f->detachment.run) return coloring_step(&f->coloring, z, A, B);
    int64_t own = f->coloring.mirrored ? B : A, other = f->coloring.mirrored ? A : B;
    int64_t color = 0, rank = 0;
    detachment_find(&f->detachment, z, own / f->width, other, &color, &rank);
    return f->width * color + int_mod(own % f->width - rank, f->width);
}
