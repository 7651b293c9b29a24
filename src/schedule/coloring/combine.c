/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/combine.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

/* The core of all dimensions, but for its tables. */
static struct core core_of_dims(int ndims, const struct classes dim[])
{
    struct core core = {1, 1, 1, 1, 1, 1, 1, NULL, NULL};
    for (int j = 0; j < ndims; j++) {
        struct core k = core_of_classes(&dim[j]);
        core.n *= k.n;
        core.u *= k.u, core.t *= k.t;
        core.a *= k.a, core.b *= k.b;
        core.dr *= k.dr, core.dc *= k.dc;
    }
    return core;
}

/* The product of two costs, of which one may not be counted. */
static int64_t multiply_cost(int64_t x, int64_t y)
{
    return x == INT64_MAX || y == INT64_MAX ? INT64_MAX : x * y;
}

/* ---- colours ----------------------------------------------------------------------- */

/* The core along a dimension, in which a left node (a right one if mirrored) may have
 * `most` pairs of a colour. */
static struct core limited_core(const struct classes *dim, bool mirrored, int64_t most)
{
    struct core core = core_of_classes(dim);
    if (mirrored)
        core.b = most;
    else
        core.a = most;
    return core;
}

/* Choose the m_j: the minimum of each dimension, and then what each would have alone, as
 * far as their product allows. */
static bool choose_limits(int ndims, const struct classes dim[], bool mirrored,
                          int64_t most[])
{
    int64_t own[REDIST_MAX_DIMS], a = 1, used = 1;
    for (int j = 0; j < ndims; j++) {
        struct core core = core_of_classes(&dim[j]);
        struct coloring c;
        (void)coloring_begin(&core, mirrored, &c);
        most[j] = int_ceil_div(c.core.b * c.core.dr, c.core.dc);
        own[j] = c.core.a;
        a *= own[j];
        used *= most[j];
    }
    if (used > a) return false;
    for (int j = 0; j < ndims; j++) {
        int64_t others = used / most[j];
        most[j] = int_max(most[j], int_min(own[j], a / others));
        used = others * most[j];
    }
    return true;
}

static redist_err find_colors(struct combined *k)
{
    bool mirrored = k->way == COMBINE_COLORS_MIRRORED;
    int64_t most[REDIST_MAX_DIMS];
    (void)choose_limits(k->ndims, k->dim, mirrored, most);
    k->cost = 1;
    for (int j = 0; j < k->ndims; j++) {
        struct core core = limited_core(&k->dim[j], mirrored, most[j]);
        int64_t *weight = core_weights(&k->dim[j]);
        if (!weight) return REDIST_ERR_MEMORY;
        redist_err err = fewest_of_side(&core, mirrored, weight, &k->steps[j]);
        mem_free(weight);
        if (err) return err;
        int64_t copies = mirrored ? k->dim[j].b : k->dim[j].a, tc = k->steps[j].tc;
        k->cost = multiply_cost(k->cost, tc == INT64_MAX ? tc : tc / most[j] * copies);
    }
    return REDIST_OK;
}

static int64_t step_by_colors(const struct combined *k, const struct core_message at[])
{
    bool mirrored = k->way == COMBINE_COLORS_MIRRORED;
    int64_t copies = 1, copy = 0, colors = 0, ranks = 0;
    for (int j = 0; j < k->ndims; j++) {
        const struct coloring *c = &k->steps[j].coloring;
        int64_t along = mirrored ? k->dim[j].b : k->dim[j].a, color = 0, rank = 0;
        fewest_pair(&k->steps[j], at[j].z, mirrored ? at[j].A : at[j].B, &color, &rank);
        copies *= along;
        copy = copy * along + (mirrored ? at[j].B : at[j].A);
        colors = colors * c->colors + color;
        ranks = ranks * c->core.a + rank;
    }
    return copies * colors + int_mod(copy - ranks, copies);
}

/* ---- the core ---------------------------------------------------------------------- */

/* The most classes of the core of all dimensions; and the most pairs with which it is
 * searched if another way is known. */
enum { MOST_CLASSES = 1 << 20, MOST_PAIRS = 1 << 13 };

static bool core_exists(int ndims, const struct classes dim[])
{
    int64_t classes = 1;
    for (int j = 0; j < ndims; j++)
        if (!int_mul(classes, dim[j].n, &classes)) return false;
    return classes <= MOST_CLASSES;
}

static bool core_is_small(const struct core *core)
{
    struct coloring c;
    return (coloring_begin(core, false, &c) && coloring_size(&c) <= MOST_PAIRS) ||
           (coloring_begin(core, true, &c) && coloring_size(&c) <= MOST_PAIRS);
}

/* Fill in the nodes and the weights of a core, the class (z_1, z_2, ..) at its row-major
 * number. */
static void fill_tables(struct combined *k, int64_t n, int64_t weight[])
{
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, left = 0, right = 0, lefts = 1, rights = 1;
        weight[i] = 1;
        for (int j = k->ndims - 1; j >= 0; j--) {
            const struct classes *dim = &k->dim[j];
            int64_t z = rest % dim->n;
            rest /= dim->n;
            left += lefts * (z % dim->u);
            right += rights * (z % dim->t);
            lefts *= dim->u;
            rights *= dim->t;
            weight[i] *= classes_weight(dim, dim->first + z);
        }
        k->left[i] = (int)left;
        k->right[i] = (int)right;
    }
}

static redist_err find_core(struct combined *k, int64_t known)
{
    struct core core = core_of_dims(k->ndims, k->dim);
    k->cost = INT64_MAX;
    if (known < INT64_MAX && !core_is_small(&core)) return REDIST_OK;
    const struct mem_part tables[] = {
        MEM_PART(k->left, core.n), MEM_PART(k->right, core.n), {0}};
    TRY(mem_alloc_parts(NULL, tables));
    int64_t *weight = mem_alloc(NULL, core.n, sizeof *weight), bound = 0;
    if (!weight) return REDIST_ERR_MEMORY;
    fill_tables(k, core.n, weight);
    core.left = k->left;
    core.right = k->right;
    redist_err err = fewest_bound(&core, weight, &bound);
    if (!err && bound < known) {
        err = fewest_find(&core, weight, &k->steps[0]);
        k->cost = k->steps[0].tc;
    }
    mem_free(weight);
    return err;
}

static int64_t step_by_core(const struct combined *k, const struct core_message at[])
{
    int64_t z = 0, A = 0, B = 0;
    for (int j = 0; j < k->ndims; j++) {
        z = z * k->dim[j].n + at[j].z;
        A = A * k->dim[j].a + at[j].A;
        B = B * k->dim[j].b + at[j].B;
    }
    return fewest_step(&k->steps[0], z, A, B);
}

/* ---- all ways ---------------------------------------------------------------------- */

bool combine_exists(enum combine_way way, int ndims, const struct classes dim[])
{
    int64_t most[REDIST_MAX_DIMS];
    return way == COMBINE_CORE
               ? core_exists(ndims, dim)
               : choose_limits(ndims, dim, way == COMBINE_COLORS_MIRRORED, most);
}

redist_err combine_find(enum combine_way way, int ndims, const struct classes dim[],
                        int64_t known, struct combined *combined)
{
    *combined = (struct combined){.way = way, .ndims = ndims, .dim = dim};
    redist_err err =
        way == COMBINE_CORE ? find_core(combined, known) : find_colors(combined);
    if (err) combine_free(combined);
    return err;
}

void combine_free(struct combined *combined)
{
    for (int j = 0; j < combined->ndims; j++) fewest_free(&combined->steps[j]);
    mem_free(combined->left); /* and the right nodes */
    combined->left = combined->right = NULL;
}

int64_t combine_step(const struct combined *combined, const struct core_message along[])
{
    return combined->way == COMBINE_CORE ? step_by_core(combined, along)
                                         : step_by_colors(combined, along);
}
