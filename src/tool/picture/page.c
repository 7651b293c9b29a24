/* SPDX-License-Identifier: MIT */
#include "tool/picture/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

enum {
    LEAST_ROOM = 32, /* runs along an axis; two of each coordinate if that is more, */
    MOST_ROOM = 128, /* up to this in all of a strip, */
    MOST_SIDE = 64,  /* or along a side of a matrix */
    LEAST_WIDTH = 240,
    BOTTOM = 16
};
static const double WIDEST = 680, HIGHEST = 480, LARGEST_CELL = 36;

/* ---- places ------------------------------------------------------------------------ */

int64_t page_shown(const struct slice *slice, int axis)
{
    return slice->axis[axis].dim < 0 ? 1 : slice->axis[axis].shown;
}

struct band page_band(const struct slice *slice, int axis, int64_t k)
{
    if (slice->axis[axis].dim < 0) return (struct band){0, 1, 0, true};
    return slice->axis[axis].bands[k];
}

double page_x(const struct page *page, int64_t element)
{
    return page->left + page->scale[1] * (double)element;
}

double page_y(const struct page *page, int64_t element)
{
    return page->top + page->scale[0] * (double)element;
}

bool page_cropped(const struct slice *slice, int axis)
{
    int dim = slice->axis[axis].dim;
    return dim >= 0 &&
           page_shown(slice, axis) < redist_dist_extent(slice->view->dist, dim);
}

int page_digits(int64_t number) { return snprintf(NULL, 0, "%" PRId64, number); }

double page_band_pixels(const struct page *page, int axis)
{
    double pixels = axis == 0 ? page->height : page->width;
    return pixels / (double)int_max(slice_bands(page->slice, axis), 1);
}

/* ---- patches ----------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const struct patch *p = a, *q = b;
    if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return p->begin < q->begin ? -1 : p->begin > q->begin;
}

/* Find the patches; equal neighbours in a row become one. */
static redist_err find_patches(struct page *page)
{
    const struct slice *slice = page->slice;
    int64_t rows = slice_bands(slice, 0), columns = slice_bands(slice, 1), n = 0;
    struct patch *patches = mem_alloc(NULL, rows * columns, sizeof *patches);
    if (!patches) return REDIST_ERR_MEMORY;
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t column = 0; column < columns; column++) {
            int rank = slice_rank(slice, row, column);
            if (column > 0 && patches[n - 1].rank == rank)
                patches[n - 1].end = column + 1;
            else
                patches[n++] = (struct patch){rank, row, column, column + 1};
        }
    }
    qsort(patches, (size_t)n, sizeof *patches, by_rank);
    for (int64_t i = 0; i < n; i++) {
        bool is_new = i == 0 || patches[i].rank != patches[i - 1].rank;
        if (is_new && patches[i].rank != SLICE_BLANK) page->nranks++;
    }
    page->patches = patches;
    page->npatches = n;
    return REDIST_OK;
}

/* ---- the layout -------------------------------------------------------------------- */

static double least_of(double a, double b) { return a < b ? a : b; }
static double most_of(double a, double b) { return a > b ? a : b; }

/* Return the least height or width at which the bands along an axis are
 * distinguishable. */
static double thinnest(const struct page *page, int axis)
{
    return most_of(150, 8 * (double)slice_bands(page->slice, axis));
}

/* Elements are squares unless the picture gets too thin. */
static void set_scale(struct page *page)
{
    enum { STRIP = 52 };
    double rows = (double)int_max(page_shown(page->slice, 0), 1);
    double columns = (double)int_max(page_shown(page->slice, 1), 1);
    double across = least_of(WIDEST / columns, LARGEST_CELL);
    double down = least_of(HIGHEST / rows, LARGEST_CELL), square = least_of(across, down);
    page->scale[0] = most_of(square, least_of(down, thinnest(page, 0) / rows));
    page->scale[1] = most_of(square, least_of(across, thinnest(page, 1) / columns));
    if (page->slice->axis[0].dim < 0) page->scale[0] = STRIP, page->scale[1] = across;
}

static int legend_entries(const struct page *page)
{
    return page->nranks > PAGE_MOST_LEGEND ? PAGE_MOST_LEGEND + 1 : page->nranks;
}

int page_legend_step(const struct page *page)
{
    return 56 + 8 * page_digits(grid_max_rank(page->slice->view->dist->grid));
}

int page_legend_columns(const struct page *page)
{
    return (int)((page->page_width - 2 * PAGE_PAD) / page_legend_step(page));
}

int page_legend_lines(const struct page *page)
{
    int columns = page_legend_columns(page);
    return (legend_entries(page) + columns - 1) / columns;
}

static void set_layout(struct page *page)
{
    const struct slice *slice = page->slice;
    bool two = slice->axis[0].dim >= 0;
    set_scale(page);
    page->width = page->scale[1] * (double)page_shown(slice, 1);
    page->height = page->scale[0] * (double)page_shown(slice, 0);
    page->top = PAGE_PAD + (two ? 76 : 56);
    page->left = PAGE_PAD;
    if (two)
        page->left += 30 + PAGE_FONT * PAGE_GLYPH * page_digits(page_shown(slice, 0));
    double title = least_of((double)strlen(page->title), PAGE_MOST_TITLE + 3);
    double width = most_of(page->left + page->width, PAGE_PAD + LEAST_WIDTH);
    width = most_of(width, PAGE_PAD + PAGE_TITLE_FONT * PAGE_GLYPH * title);
    for (int i = 0; i < page->caption.nlines; i++)
        width = most_of(width, PAGE_PAD + PAGE_FONT * PAGE_GLYPH *
                                              (double)strlen(page->caption.line[i]));
    page->page_width = width + PAGE_PAD;
    page->page_height = page->top + page->height + PAGE_PAD + BOTTOM +
                        PAGE_LINE * (page_legend_lines(page) + page->caption.nlines);
}

/* ---- the page ---------------------------------------------------------------------- */

static redist_err set_runs(struct slice *slice, int axis)
{
    int dim = slice->axis[axis].dim;
    if (dim < 0) return REDIST_OK;
    int64_t room = int_max(2 * (int64_t)slice->view->dist->dim[dim].procs, LEAST_ROOM);
    int64_t most = slice->axis[0].dim < 0 ? MOST_ROOM : MOST_SIDE;
    return slice_set_runs(slice, axis, int_min(room, most));
}

redist_err page_make(struct slice *slice, const char *title, struct page *page)
{
    *page = (struct page){.slice = slice, .title = title};
    TRY(set_runs(slice, 0));
    TRY(set_runs(slice, 1));
    TRY(find_patches(page));
    slice_caption(slice, &page->caption);
    set_layout(page);
    return REDIST_OK;
}

void page_free(struct page *page)
{
    mem_free(page->patches);
    page->patches = NULL;
    page->npatches = 0;
}
