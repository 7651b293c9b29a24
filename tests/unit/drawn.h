/* SPDX-License-Identifier: MIT
 *
 * tests/unit/drawn.h - a redistribution drawn at random: its numbers, which the test goes
 * by, and its two texts, which the library reads.
 *
 * Axis j of the section stands for one dimension of each side. In a regular problem both
 * are block-cyclic; in a plain one arrays take part as a whole, and once. Nothing
 * here is shared with the library.
 */
#ifndef REDIST_TESTS_UNIT_DRAWN_H
#define REDIST_TESTS_UNIT_DRAWN_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "oracle.h" /* random numbers */

enum {
    MOST_AXES = 3,
    MOST_PROCS = 12,   /* along a dimension */
    MOST_RANKS = 64,   /* of both sides together */
    MOST_ALONG = 2048, /* elements of a dimension */
    MOST_TEXT = 16384
};

enum drawn_kind { BY_BLOCK, BY_EVEN_BLOCK, BY_CYCLE, BY_SIZES, BY_LIST, UNDIVIDED };

struct drawn_dim {
    enum drawn_kind kind;
    int64_t extent, m; /* m: elements of a block */
    int procs, first;
    int grid_axis;             /* -1: none */
    int64_t sizes[MOST_PROCS]; /* of BY_SIZES */
    int owners[MOST_ALONG];    /* of BY_LIST */
    int64_t start, stride;     /* of the section */
};

struct drawn_side {
    struct drawn_dim dim[MOST_AXES]; /* as the text has them */
    int axes[MOST_AXES];             /* the dimension that axis j is */
    bool sectioned, permuted, named; /* named: dimensions name their axes of the grid */
    int naxes, shape[MOST_AXES + 1];
    int replica_axis; /* of the grid, or -1 */
    bool column_major, listed;
    int size, rank[MOST_RANKS]; /* by the position in the grid */
    char text[MOST_TEXT];
};

struct drawn {
    int ndims;
    bool regular, plain;
    int64_t extent[MOST_AXES]; /* of the section */
    struct drawn_side side[2];
    int nranks;
    int schedule_seed;
    const char *network; /* or NULL */
    uint64_t random;
};

static inline int drawn_in(struct drawn *x, int64_t low, int64_t high)
{
    return (int)random_in(&x->random, low, high);
}

/* Whether something is so in a share of all cases. */
static inline bool drawn_chance(struct drawn *x, int percent)
{
    return drawn_in(x, 0, 99) < percent;
}

static inline int64_t drawn_gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : drawn_gcd(b, a % b);
}

static inline int64_t drawn_lcm(int64_t a, int64_t b) { return a / drawn_gcd(a, b) * b; }

/* The coordinate that owns element i of a dimension. */
static inline int drawn_owner(const struct drawn_dim *dim, int64_t i)
{
    int turn = 0;
    switch (dim->kind) {
        case UNDIVIDED: return 0;
        case BY_LIST: return dim->owners[i];
        case BY_SIZES:
            for (int64_t end = dim->sizes[0]; i >= end; end += dim->sizes[turn]) turn++;
            return (dim->first + turn) % dim->procs;
        case BY_EVEN_BLOCK:
        case BY_BLOCK:
        case BY_CYCLE: break;
    }
    return (int)((dim->first + i / dim->m) % dim->procs);
}

/* ---- dimensions -------------------------------------------------------------------- */

/* What one axis is like, before its length is known. */
struct drawn_axis {
    int procs[2];
    int64_t m[2];
    int64_t period; /* of both together, were they block-cyclic */
};

/* The fewer dimensions, the more may be along each. */
static inline struct drawn_axis draw_axis(struct drawn *x)
{
    static const int procs[] = {0, MOST_PROCS, 5, 3}, blocks[] = {0, 12, 5, 3};
    static const int64_t longest[] = {0, 1000, 60, 18};
    struct drawn_axis axis;
    for (int tries = 0; tries < 20; tries++) {
        int64_t common = drawn_chance(x, 25) ? drawn_in(x, 2, 3) : 1;
        for (int s = 0; s < 2; s++) {
            axis.procs[s] = drawn_in(x, 1, procs[x->ndims]);
            axis.m[s] = drawn_in(x, 1, blocks[x->ndims]) * common;
        }
        if (drawn_chance(x, 25)) axis.procs[1] = axis.procs[0];
        axis.period = drawn_lcm(axis.procs[0] * axis.m[0], axis.procs[1] * axis.m[1]);
        if (axis.period <= longest[x->ndims]) break;
    }
    return axis;
}

/* Below a period, one or a few of them, or ragged. */
static inline int64_t draw_length(struct drawn *x, const struct drawn_axis *axis)
{
    static const int64_t longest[] = {0, 2000, 75, 20};
    int64_t most = longest[x->ndims], length = axis->period;
    if ((!x->regular || !x->plain) && most > 600) most = 600; /* strides make it longer */
    if (drawn_chance(x, x->regular ? 10 : 50) || length > most)
        return drawn_in(x, 1, length < most ? length : most);
    if (drawn_chance(x, 50) && 2 * length <= most)
        length *= drawn_in(x, 2, most / length < 4 ? most / length : 4);
    if (drawn_chance(x, 25)) length += drawn_in(x, 0, axis->period - 1);
    return length < most ? length : most;
}

/* Sizes that sum to the extent; some are 0. */
static inline void draw_sizes(struct drawn *x, struct drawn_dim *dim)
{
    int64_t left = dim->extent;
    for (int c = 0; c < dim->procs; c++) {
        int64_t even = 2 * dim->extent / dim->procs + 1;
        dim->sizes[c] = drawn_in(x, 0, left < even ? left : even);
        if (c == dim->procs - 1) dim->sizes[c] = left;
        left -= dim->sizes[c];
    }
}

static inline void draw_owners(struct drawn *x, struct drawn_dim *dim)
{
    int percent = drawn_in(x, 0, 100);
    for (int64_t i = 0; i < dim->extent; i++)
        dim->owners[i] = i == 0 || drawn_chance(x, percent)
                             ? drawn_in(x, 0, dim->procs - 1)
                             : dim->owners[i - 1];
}

/* Draw the format of a dimension whose extent is known. */
static inline void draw_format(struct drawn *x, struct drawn_dim *dim, int procs,
                               int64_t m)
{
    int64_t even = (dim->extent + procs - 1) / procs;
    dim->procs = procs;
    dim->kind = BY_CYCLE;
    dim->m = m;
    if (!x->regular) dim->kind = (enum drawn_kind)drawn_in(x, BY_BLOCK, UNDIVIDED);
    if (x->regular && drawn_chance(x, 12)) dim->kind = UNDIVIDED;
    if (x->regular && drawn_chance(x, 12)) dim->kind = BY_BLOCK;
    if (x->regular && m == even && drawn_chance(x, 50)) dim->kind = BY_EVEN_BLOCK;
    if (dim->kind == BY_BLOCK && m < even) dim->m = even + drawn_in(x, 0, 2);
    if (dim->kind == BY_EVEN_BLOCK) dim->m = even;
    if (dim->m < 1) dim->m = 1;
    if (dim->kind == UNDIVIDED) dim->procs = 1;
    if (dim->kind == BY_SIZES) draw_sizes(x, dim);
    if (dim->kind == BY_LIST) draw_owners(x, dim);
    bool turned = dim->kind != UNDIVIDED && dim->kind != BY_LIST && drawn_chance(x, 40);
    dim->first = turned ? drawn_in(x, 0, procs - 1) : 0;
}

/* Draw the dimension that axis j is on a side. */
static inline void draw_dim(struct drawn *x, struct drawn_side *side, int j, int procs,
                            int64_t m)
{
    struct drawn_dim *dim = &side->dim[side->axes[j]];
    dim->start = 0, dim->stride = 1;
    dim->extent = x->extent[j];
    if (side->sectioned) {
        dim->start = drawn_in(x, 0, 3), dim->stride = drawn_in(x, 1, 3);
        int64_t last = x->extent[j] > 0 ? (x->extent[j] - 1) * dim->stride + 1 : 0;
        dim->extent = dim->start + last + drawn_in(x, 0, 3);
    }
    draw_format(x, dim, procs, m);
}

/* ---- grids ------------------------------------------------------------------------- */

static inline void draw_permutation(struct drawn *x, int n, int of[])
{
    for (int k = 0; k < n; k++) {
        int j = drawn_in(x, 0, k);
        of[k] = of[j];
        of[j] = k;
    }
}

/* Give the dimensions their axes of the grid, and the grid perhaps one more. */
static inline void draw_shape(struct drawn *x, struct drawn_side *side, bool may_repeat)
{
    int taken[MOST_AXES + 1], divided = 0, next = 0;
    for (int i = 0; i < x->ndims; i++) divided += side->dim[i].kind != UNDIVIDED;
    int copies = 1;
    if (may_repeat && drawn_chance(x, 30)) copies = drawn_in(x, 2, 3);
    bool more = divided == 0 || copies > 1 || drawn_chance(x, 5);
    side->naxes = divided + more;
    side->named = drawn_chance(x, 30);
    for (int a = 0; a < side->naxes; a++) taken[a] = a;
    if (side->named) draw_permutation(x, side->naxes, taken);
    side->size = 1;
    for (int i = 0; i < x->ndims; i++) {
        struct drawn_dim *dim = &side->dim[i];
        dim->grid_axis = dim->kind == UNDIVIDED ? -1 : taken[next++];
        if (dim->grid_axis >= 0) side->shape[dim->grid_axis] = dim->procs;
        side->size *= dim->procs;
    }
    if (side->size * copies > MOST_RANKS - 8) copies = 1;
    side->replica_axis = more ? taken[next] : -1;
    if (more) side->shape[taken[next]] = copies;
    side->size *= copies;
}

static inline void draw_grid(struct drawn *x, struct drawn_side *side, bool may_repeat)
{
    draw_shape(x, side, may_repeat);
    side->column_major = drawn_chance(x, 30);
    side->listed = drawn_chance(x, 30);
    int ranks[MOST_RANKS], most = side->size + drawn_in(x, 0, 6);
    draw_permutation(x, most, ranks);
    for (int c = 0; c < side->size; c++) side->rank[c] = side->listed ? ranks[c] : c;
    for (int c = 0; c < side->size; c++)
        if (side->rank[c] >= x->nranks) x->nranks = side->rank[c] + 1;
}

/* How far apart in the grid's order two neighbours along one of its axes are. */
static inline int drawn_apart(const struct drawn_side *side, int axis)
{
    int apart = 1;
    for (int a = 0; a < side->naxes; a++)
        if (side->column_major ? a < axis : a > axis) apart *= side->shape[a];
    return apart;
}

/* ---- texts ------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static inline void
drawn_write(struct drawn_side *side, const char *format, ...)
{
    size_t used = strlen(side->text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(side->text + used, sizeof side->text - used, format, arguments);
    va_end(arguments);
}

static inline void write_format(struct drawn_side *side, const struct drawn_dim *dim)
{
    switch (dim->kind) {
        case UNDIVIDED: drawn_write(side, "*"); return;
        case BY_EVEN_BLOCK: drawn_write(side, "block"); break;
        case BY_BLOCK: drawn_write(side, "block(%" PRId64 ")", dim->m); break;
        case BY_CYCLE: drawn_write(side, "cyclic(%" PRId64 ")", dim->m); break;
        case BY_SIZES:
            for (int c = 0; c < dim->procs; c++)
                drawn_write(side, "%s%" PRId64, c ? "," : "gen_block(", dim->sizes[c]);
            drawn_write(side, ")");
            break;
        case BY_LIST:
            drawn_write(side, "indirect(");
            for (int64_t i = 0, n = 1; i < dim->extent; i += n, n = 1) {
                while (i + n < dim->extent && dim->owners[i + n] == dim->owners[i]) n++;
                drawn_write(side, "%s", i ? "," : "");
                if (n > 1) drawn_write(side, "%" PRId64 "*", n);
                drawn_write(side, "%d", dim->owners[i]);
            }
            drawn_write(side, ")");
            break;
    }
    if (dim->first > 0) drawn_write(side, " from %d", dim->first);
    if (side->named) drawn_write(side, " on %d", dim->grid_axis);
}

static inline void write_section(struct drawn_side *side, const struct drawn_dim *dim,
                                 int64_t extent)
{
    int64_t stride = extent > 0 ? dim->stride : 1; /* an empty one is 5:4 */
    drawn_write(side, "%" PRId64 ":%" PRId64, dim->start,
                dim->start + (extent - 1) * stride);
    if (stride > 1) drawn_write(side, ":%" PRId64, stride);
}

static inline void write_side(const struct drawn *x, struct drawn_side *side)
{
    int64_t extent[MOST_AXES];
    side->text[0] = 0;
    for (int i = 0; i < x->ndims; i++)
        drawn_write(side, "%s%" PRId64, i ? "," : "[", side->dim[i].extent);
    drawn_write(side, "] (");
    for (int i = 0; i < x->ndims; i++) {
        drawn_write(side, "%s", i ? "," : "");
        write_format(side, &side->dim[i]);
    }
    drawn_write(side, ") onto ");
    for (int a = 0; a < side->naxes; a++)
        drawn_write(side, "%s%d", a ? "x" : "", side->shape[a]);
    if (side->column_major) drawn_write(side, " column-major");
    for (int c = 0; side->listed && c < side->size; c++)
        drawn_write(side, "%s%d", c ? "," : " ranks ", side->rank[c]);
    for (int j = 0; j < x->ndims; j++) extent[side->axes[j]] = x->extent[j];
    for (int i = 0; side->sectioned && i < x->ndims; i++) {
        drawn_write(side, "%s", i ? "," : " section [");
        write_section(side, &side->dim[i], extent[i]);
    }
    if (side->sectioned) drawn_write(side, "]");
    for (int j = 0; side->permuted && j < x->ndims; j++)
        drawn_write(side, "%s%d", j ? "," : " axes (", side->axes[j]);
    if (side->permuted) drawn_write(side, ")");
}

/* ---- all of it --------------------------------------------------------------------- */

static inline void draw_problem(uint64_t seed, struct drawn *x)
{
    static const char *const networks[] = {
        NULL, NULL, "mesh(8,8)", "torus(4,4,4)", "tree(2:1,32)", "tree(4:2,16)"};
    x->random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (int k = 0; k < 3; k++) (void)random_next(&x->random);
    x->ndims = drawn_chance(x, 60) ? 1 : drawn_chance(x, 65) ? 2 : 3;
    x->regular = drawn_chance(x, 75);
    x->plain = drawn_chance(x, 80);
    x->nranks = 0;
    x->schedule_seed = drawn_in(x, 0, 5);
    x->network = networks[drawn_in(x, 0, sizeof networks / sizeof *networks - 1)];
    for (int s = 0; s < 2; s++) {
        struct drawn_side *side = &x->side[s];
        side->sectioned = !x->plain && drawn_chance(x, 50);
        side->permuted = x->ndims > 1 && drawn_chance(x, 25);
        for (int j = 0; j < x->ndims; j++) side->axes[j] = j;
        if (side->permuted) draw_permutation(x, x->ndims, side->axes);
    }
    for (int j = 0; j < x->ndims; j++) {
        struct drawn_axis axis = draw_axis(x);
        x->extent[j] = draw_length(x, &axis);
        if (!x->plain && drawn_chance(x, 2)) x->extent[j] = 0;
        for (int s = 0; s < 2; s++) draw_dim(x, &x->side[s], j, axis.procs[s], axis.m[s]);
    }
    for (int s = 0; s < 2; s++) {
        draw_grid(x, &x->side[s], s == 1 && !x->plain);
        write_side(x, &x->side[s]);
    }
}

#endif
