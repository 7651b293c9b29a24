/* SPDX-License-Identifier: MIT */
#include "views.h"

#include <string.h>

#include "base/intmath.h"
#include "intersect/side.h"

enum { MOST_RANKS = 64 };

static char *print(const redist_view *view)
{
    size_t length = 0, again = 0;
    GOOD(redist_view_print(view, NULL, 0, &length));
    char *text = malloc(length + 1);
    CHECK(text);
    GOOD(redist_view_print(view, text, length + 1, &again));
    CHECK(again == length && strlen(text) == length);
    return text;
}

static bool same_numbers(int n, const int64_t a[], const int64_t b[])
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static void check_same(const redist_view *a, const redist_view *b)
{
    int n = redist_dist_ndims(a->dist);
    CHECK(redist_dist_equal(a->dist, b->dist) && redist_dist_equal(b->dist, a->dist));
    CHECK(redist_dist_ndims(b->dist) == n);
    CHECK(same_numbers(n, a->start, b->start) && same_numbers(n, a->extent, b->extent));
    CHECK(same_numbers(n, a->halo_low, b->halo_low));
    CHECK(same_numbers(n, a->halo_high, b->halo_high));
    CHECK(memcmp(a->axes, b->axes, (size_t)n * sizeof *a->axes) == 0);
    CHECK(memcmp(a->order, b->order, (size_t)n * sizeof *a->order) == 0);
    for (int i = 0; i < n; i++) /* that of a single element need not be told */
        CHECK(a->stride[i] == b->stride[i] || a->extent[i] <= 1);
}

void views_check_text(const char *text, const redist_view *view)
{
    redist_dist *dist = NULL;
    redist_view read;
    redist_err err = redist_view_parse(text, &dist, &read);
    if (err == REDIST_ERR_MEMORY) return;
    GOOD(err);
    check_same(view, &read);
    redist_dist_destroy(&dist);
}

/* The processes' elements along a dimension, over the ranks that differ in its coordinate
 * alone, are all. */
static void check_sums(const redist_dist *dist)
{
    const redist_grid *grid = redist_dist_grid(dist);
    if (redist_grid_size(grid) > MOST_RANKS) return;
    for (int i = 0; i < redist_dist_ndims(dist); i++) {
        int axis = dist->dim[i].axis, coords[REDIST_MAX_DIMS] = {0};
        int procs = axis < 0 ? 1 : redist_grid_shape(grid, axis);
        int64_t sum = 0, local[REDIST_MAX_DIMS];
        for (int c = 0; c < procs; c++) {
            if (axis >= 0) coords[axis] = c;
            GOOD(redist_dist_local_extents(dist, redist_grid_rank(grid, coords), local));
            CHECK(local[i] >= 0);
            sum += local[i];
        }
        CHECK(sum == redist_dist_extent(dist, i));
    }
}

/* Look at the first, the middle and the last element. */
static void check_owners(const redist_dist *dist)
{
    int ndims = redist_dist_ndims(dist);
    for (int where = 0; where < 3; where++) {
        int64_t index[REDIST_MAX_DIMS], local[REDIST_MAX_DIMS], back[REDIST_MAX_DIMS];
        int64_t counts[REDIST_MAX_DIMS];
        int rank = -1;
        for (int i = 0; i < ndims; i++) {
            int64_t last = redist_dist_extent(dist, i) - 1;
            if (last < 0) return;
            index[i] = where == 0 ? 0 : where == 1 ? last / 2 : last;
        }
        GOOD(redist_dist_owner(dist, index, &rank, local));
        GOOD(redist_dist_local_extents(dist, rank, counts));
        for (int i = 0; i < ndims; i++) CHECK(local[i] >= 0 && local[i] < counts[i]);
        GOOD(redist_dist_index(dist, rank, local, back));
        CHECK(same_numbers(ndims, index, back));
    }
}

static void check_spans(const redist_view *view)
{
    const redist_grid *grid = redist_dist_grid(view->dist);
    for (int rank = -1; rank <= 3 && rank <= redist_grid_size(grid); rank++) {
        int64_t span = -1;
        fuzz_clear();
        redist_err err = redist_view_span(view, rank, &span);
        if (err)
            fuzz_refused(err, NULL);
        else
            CHECK(span >= 0);
    }
}

void views_check(const redist_view *view)
{
    char *printed = print(view);
    views_check_text(printed, view);
    free(printed);
    check_sums(view->dist);
    check_owners(view->dist);
    check_spans(view);
}

/* ---- drawing ----------------------------------------------------------------------- */

enum { MOST_DIMS = 4, MOST_OWNERS = 64, MOST_SIZES = 32 };

/* What a format borrows. */
struct lists {
    int64_t sizes[MOST_SIZES];
    int owners[MOST_OWNERS];
};

static redist_format draw_format(struct bytes *in, int64_t extent, int procs,
                                 struct lists *lists)
{
    redist_format format = redist_block();
    int kind = take_below(in, 8);
    if (kind == 0) return redist_collapsed();
    if (kind == 1) format = redist_block_of(take_number(in, 0, INT64_MAX));
    if (kind >= 4 || kind == 3)
        format = redist_cyclic(take_number(in, kind > 3, INT64_MAX));
    if (kind == 6 && procs <= MOST_SIZES) {
        int64_t left = extent;
        for (int c = 0; c < procs; c++) {
            lists->sizes[c] = c + 1 < procs ? take_number(in, 0, left) : left;
            left -= lists->sizes[c];
        }
        format = redist_gen_block(lists->sizes);
    }
    if (kind == 7 && extent <= MOST_OWNERS) {
        for (int64_t e = 0; e < extent; e++)
            lists->owners[e] = take_below(in, 256) % procs;
        return redist_indirect(lists->owners);
    }
    if (take_below(in, 4) == 0) format.first = take_int(in, 0, procs);
    return format;
}

/* Draw a permutation of 0 .. n - 1. */
static void draw_order(struct bytes *in, int n, int order[])
{
    for (int k = 0; k < n; k++) {
        int at = take_below(in, 4) ? k : take_below(in, k + 1);
        order[k] = order[at];
        order[at] = k;
    }
}

static int draw_procs(struct bytes *in, int most)
{
    return take_below(in, 4) ? 1 + take_below(in, 6) % most : take_int(in, 1, most);
}

/* Draw the section of n elements along a dimension of a view, and return the extent of
 * the array. */
static int64_t draw_section(struct bytes *in, int64_t n, redist_view *view, int i)
{
    int64_t last = 0, extent = 0;
    bool whole = take_below(in, 2);
    view->extent[i] = n;
    view->start[i] = whole ? 0 : take_number(in, 0, INT64_MAX);
    view->stride[i] = whole ? 1 : take_number(in, 1, INT64_MAX);
    if (n > 0 && int_mul(n - 1, view->stride[i], &last) &&
        int_add(view->start[i], last, &last) && last < INT64_MAX)
        extent = last + 1;
    else if (n > 0)
        view->start[i] = 0, view->stride[i] = 1, extent = n;
    else
        extent = view->start[i];
    return whole ? extent : extent + take_number(in, 0, INT64_MAX - extent);
}

static bool refused(redist_err err)
{
    if (err) fuzz_refused(err, NULL);
    return err;
}

static bool draw_grid(struct bytes *in, int naxes, const int shape[], redist_grid **grid)
{
    enum { LISTED = 64 };
    int64_t size = 1;
    int ranks[LISTED], first = take_int(in, 0, INT32_MAX - LISTED);
    redist_order order = take_below(in, 2) ? REDIST_ROW_MAJOR : REDIST_COLUMN_MAJOR;
    for (int k = 0; k < naxes; k++) size = int_min(size * shape[k], LISTED + 1);
    bool listed = size <= LISTED && take_below(in, 4) == 0;
    for (int k = 0; listed && k < size; k++) ranks[k] = first + (int)size - 1 - k;
    return !refused(redist_grid_create(naxes, shape, order, listed ? ranks : NULL, grid));
}

static bool draw_view(struct bytes *in, int most, int ndims, const int64_t section[],
                      redist_view *view)
{
    static struct lists lists[MOST_DIMS];
    int naxes = 0, shape[MOST_DIMS + 1], axes[MOST_DIMS];
    redist_view drawn = {.dist = NULL};
    redist_format formats[MOST_DIMS];
    int64_t extents[MOST_DIMS];
    draw_order(in, ndims, axes);
    for (int j = 0; j < ndims; j++) {
        int i = axes[j], procs = draw_procs(in, most);
        extents[i] = draw_section(in, section[j], &drawn, i);
        formats[i] = draw_format(in, extents[i], procs, &lists[i]);
        if (formats[i].kind == REDIST_COLLAPSED) continue;
        formats[i].axis = naxes;
        shape[naxes++] = procs;
    }
    if (naxes == 0 || take_below(in, 8) == 0) shape[naxes++] = draw_procs(in, most);
    redist_grid *grid = NULL;
    redist_dist *dist = NULL;
    if (!draw_grid(in, naxes, shape, &grid)) return false;
    redist_err err = redist_dist_create(ndims, extents, formats, grid, &dist);
    redist_grid_destroy(&grid);
    if (refused(err)) return false;
    GOOD(redist_view_init(dist, view));
    for (int i = 0; i < ndims; i++) {
        view->start[i] = drawn.start[i];
        view->extent[i] = drawn.extent[i];
        view->stride[i] = drawn.stride[i];
        view->axes[i] = axes[i];
        if (take_below(in, 8) == 0) view->halo_low[i] = take_number(in, 0, INT64_MAX);
        if (take_below(in, 8) == 0) view->halo_high[i] = take_number(in, 0, INT64_MAX);
    }
    draw_order(in, ndims, view->order);
    GOOD(view_check(view));
    return true;
}

bool views_draw(struct bytes *in, int most, redist_view views[2])
{
    int ndims = 1 + take_below(in, MOST_DIMS);
    int64_t section[MOST_DIMS];
    views[0].dist = views[1].dist = NULL;
    for (int j = 0; j < ndims; j++) section[j] = take_number(in, 0, INT64_MAX);
    bool drawn = draw_view(in, most, ndims, section, &views[0]) &&
                 draw_view(in, most, ndims, section, &views[1]);
    if (!drawn) views_free(views);
    return drawn;
}

void views_free(redist_view views[2])
{
    for (int s = 0; s < 2; s++) {
        redist_dist *dist = (redist_dist *)(uintptr_t)views[s].dist;
        redist_dist_destroy(&dist);
        views[s].dist = NULL;
    }
}

/* ---- bounds ------------------------------------------------------------------------ */

/* The blocks of a side within n elements of the section. */
static int64_t blocks_of(const struct side *side, int64_t n)
{
    if (!dim_is_regular(side->dim)) return side->dim->nblocks;
    return n / int_max(side->dim->m / side->stride, 1);
}

int64_t views_runs(const redist_view views[2])
{
    int64_t runs = 0;
    for (int j = 0; j < views[0].dist->ndims; j++) {
        const struct side sides[2] = {side_of_view(&views[0], j),
                                      side_of_view(&views[1], j)};
        int64_t period = INT64_MAX, x = side_period(&sides[0]),
                y = side_period(&sides[1]);
        if (x < INT64_MAX && y < INT64_MAX) (void)int_lcm(x, y, &period);
        int64_t n = int_min(period, sides[0].extent);
        for (int s = 0; s < 2; s++)
            if (!int_add(runs, blocks_of(&sides[s], n), &runs)) return INT64_MAX;
    }
    return runs;
}

int64_t views_messages(const redist_view views[2])
{
    int64_t messages = 1;
    for (int s = 0; s < 2; s++)
        if (!int_mul(messages, redist_grid_size(views[s].dist->grid), &messages))
            return INT64_MAX;
    return messages;
}
