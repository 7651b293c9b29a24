/* SPDX-License-Identifier: MIT */
#include "tool/picture/slice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "describe/view.h"

/* Return the first element of the section in [begin, end) of dimension i, or -1. */
static int64_t first_inside(const redist_view *view, int i, int64_t begin, int64_t end)
{
    int64_t start = view->start[i], stride = view->stride[i];
    int64_t k = begin <= start ? 0 : int_ceil_div(begin - start, stride);
    if (k >= view->extent[i]) return -1;
    int64_t element = start + k * stride;
    return element < end ? element : -1;
}

/* ---- which dimensions -------------------------------------------------------------- */

/* Find the last two distributed dimensions; if only one is distributed, that and the last
 * other one. Ascending. */
static void default_dims(const redist_dist *dist, int dims[2])
{
    int taken = 0, pick[2] = {0, 0};
    for (int distributed = 1; distributed >= 0; distributed--) {
        for (int i = dist->ndims - 1; i >= 0 && taken < 2; i--) {
            if ((dist->dim[i].kind != REDIST_COLLAPSED) == distributed) pick[taken++] = i;
        }
    }
    dims[0] = pick[0] < pick[1] ? pick[0] : pick[1];
    dims[1] = pick[0] < pick[1] ? pick[1] : pick[0];
}

void slice_init(const redist_view *view, const int dims[2], struct slice *slice)
{
    const redist_dist *dist = view->dist;
    int chosen[2] = {-1, 0};
    if (dims)
        memcpy(chosen, dims, sizeof chosen);
    else if (dist->ndims > 1)
        default_dims(dist, chosen);
    *slice =
        (struct slice){.view = view, .axis = {{.dim = chosen[0]}, {.dim = chosen[1]}}};
    memcpy(slice->at, view->start, sizeof slice->at);
}

redist_err slice_restrict(struct slice *slice, int rank)
{
    const redist_dist *dist = slice->view->dist;
    int coords[REDIST_MAX_DIMS];
    if (!redist_grid_coords(dist->grid, rank, coords))
        return error_arg("rank %d is not in the grid", rank);
    slice->only_rank = true;
    slice->rank = rank;
    for (int i = 0; i < dist->ndims; i++)
        slice->rank_coord[i] = dist_coord(dist, i, coords);
    return REDIST_OK;
}

static bool is_shown(const struct slice *slice, int dim)
{
    return dim == slice->axis[0].dim || dim == slice->axis[1].dim;
}

/* ---- bands ------------------------------------------------------------------------- */

static struct band make_band(const redist_view *view, int i, int64_t begin, int64_t end)
{
    int64_t inside = first_inside(view, i, begin, end);
    int64_t sample = inside >= 0 ? inside : begin;
    int owner = dim_block_at(&view->dist->dim[i], sample).owner;
    return (struct band){begin, end, owner, inside >= 0};
}

/* Return where the elements from i on cease to have one owner. */
static int64_t owner_end(const struct dim *dim, int64_t i)
{
    return dim->procs == 1 ? dim->extent : dim_block_at(dim, i).end;
}

/* Return the elements of a cell, if there is room for `room` cells. At least extent /
 * room, but cells that end with blocks are preferred, even if larger; and if blocks are
 * shorter, cells are blocks, and the rest is left out. O(room). */
static int64_t cell_size(const struct dim *dim, int64_t room)
{
    int64_t least = int_max(int_ceil_div(dim->extent, room), 1);
    if (!dim_is_regular(dim) || dim->procs == 1 || dim->m >= dim->extent) return least;
    for (int64_t cells = dim->m / least; cells > 0 && dim->m / cells <= 2 * least;
         cells--) {
        if (dim->m % cells == 0) return dim->m / cells;
    }
    return int_min(least, dim->m);
}

redist_err slice_set_cells(struct slice *slice, int axis, int64_t room)
{
    struct axis *a = &slice->axis[axis];
    const struct dim *dim = &slice->view->dist->dim[a->dim];
    mem_free(a->bands);
    a->cell = cell_size(dim, room);
    a->nbands = int_min(int_ceil_div(dim->extent, a->cell), room);
    a->exact = true;
    a->shown = 0;
    a->bands = mem_alloc(NULL, a->nbands, sizeof *a->bands);
    if (!a->bands) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < a->nbands; k++) {
        int64_t begin = a->shown, end = begin + int_min(a->cell, dim->extent - begin);
        a->bands[k] = make_band(slice->view, a->dim, begin, end);
        if (owner_end(dim, begin) < end) a->exact = false;
        a->shown = end;
    }
    return REDIST_OK;
}

/* Return where the elements from i on cease to be all inside or all outside the
 * section. */
static int64_t inside_end(const redist_view *view, int dim, int64_t i)
{
    int64_t extent = view->dist->dim[dim].extent;
    int64_t next = first_inside(view, dim, i, extent);
    if (next != i) return next < 0 ? extent : next;
    return view->stride[dim] > 1 ? i + 1 : view->start[dim] + view->extent[dim];
}

redist_err slice_set_runs(struct slice *slice, int axis, int64_t room)
{
    struct axis *a = &slice->axis[axis];
    const struct dim *dim = &slice->view->dist->dim[a->dim];
    mem_free(a->bands);
    *a = (struct axis){.dim = a->dim, .exact = true};
    a->bands = mem_alloc(NULL, room, sizeof *a->bands);
    if (!a->bands) return REDIST_ERR_MEMORY;
    while (a->shown < dim->extent && a->nbands < room) {
        int64_t end =
            int_min(owner_end(dim, a->shown), inside_end(slice->view, a->dim, a->shown));
        a->bands[a->nbands++] = make_band(slice->view, a->dim, a->shown, end);
        a->shown = end;
    }
    if (a->shown < dim->extent && dim_is_regular(dim) && dim->procs < a->nbands) {
        /* cut inside a round: better after a whole one */
        a->nbands -= a->nbands % dim->procs;
        a->shown = a->bands[a->nbands - 1].end;
    }
    return REDIST_OK;
}

void slice_free(struct slice *slice)
{
    for (int k = 0; k < 2; k++) {
        mem_free(slice->axis[k].bands);
        slice->axis[k].bands = NULL;
        slice->axis[k].nbands = 0;
    }
}

/* ---- contents ---------------------------------------------------------------------- */

/* Return the band of a dimension at which the slice lies. */
static struct band band_at(const struct slice *slice, int dim, int64_t row,
                           int64_t column)
{
    if (dim == slice->axis[0].dim) return slice->axis[0].bands[row];
    if (dim == slice->axis[1].dim) return slice->axis[1].bands[column];
    return make_band(slice->view, dim, slice->at[dim], slice->at[dim] + 1);
}

int slice_rank(const struct slice *slice, int64_t row, int64_t column)
{
    const redist_dist *dist = slice->view->dist;
    int coords[REDIST_MAX_DIMS];
    for (int i = 0; i < dist->ndims; i++) {
        struct band band = band_at(slice, i, row, column);
        if (!band.inside) return SLICE_BLANK;
        if (slice->only_rank && band.owner != slice->rank_coord[i]) return SLICE_BLANK;
        coords[i] = band.owner;
    }
    return slice->only_rank ? slice->rank : dist_rank(dist, coords, 0);
}

int64_t slice_bands(const struct slice *slice, int axis)
{
    return slice->axis[axis].dim < 0 ? 1 : slice->axis[axis].nbands;
}

/* ---- captions ---------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void say(struct caption *caption,
                                                      const char *format, ...)
{
    char *line = caption->line[caption->nlines++];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof caption->line[0], format, args);
    va_end(args);
}

/* "[0,:,:] of the array, dimension 1 down and 2 across". */
static void say_where(const struct slice *slice, struct caption *caption)
{
    char index[128] = "";
    size_t length = 0;
    for (int i = 0; i < slice->view->dist->ndims && length < sizeof index; i++) {
        const char *comma = i > 0 ? "," : "";
        int more = is_shown(slice, i)
                       ? snprintf(index + length, sizeof index - length, "%s:", comma)
                       : snprintf(index + length, sizeof index - length, "%s%" PRId64,
                                  comma, slice->at[i]);
        length += (size_t)more;
    }
    say(caption, "slice [%s], dimension %d down and %d across", index, slice->axis[0].dim,
        slice->axis[1].dim);
}

static void say_cells(const struct slice *slice, struct caption *caption)
{
    const struct axis *rows = &slice->axis[0], *columns = &slice->axis[1];
    bool two = rows->dim >= 0;
    if (columns->cell <= 1 && (!two || rows->cell <= 1)) return;
    const char *whose = columns->exact && (!two || rows->exact)
                            ? ""
                            : ", and shows the owner of the first of them";
    if (two)
        say(caption, "a cell stands for %" PRId64 " x %" PRId64 " elements%s", rows->cell,
            columns->cell, whose);
    else
        say(caption, "a cell stands for %" PRId64 " elements%s", columns->cell, whose);
}

void slice_caption(const struct slice *slice, struct caption *caption)
{
    const redist_view *view = slice->view;
    const redist_dist *dist = view->dist;
    int64_t elements = dist_elements(dist), inside = view_elements(view);
    caption->nlines = 0;
    if (elements == 0) {
        say(caption, "no elements");
        return;
    }
    if (dist->ndims > 2 || slice->axis[0].dim > slice->axis[1].dim)
        say_where(slice, caption);
    say_cells(slice, caption);
    for (int k = 0; k < 2; k++) {
        const struct axis *a = &slice->axis[k];
        int64_t extent = a->dim < 0 ? 0 : dist->dim[a->dim].extent;
        if (a->dim >= 0 && a->shown < extent)
            say(caption, "of dimension %d, the first %" PRId64 " of %" PRId64 " elements",
                a->dim, a->shown, extent);
    }
    if (inside < elements)
        say(caption, "%" PRId64 " of %" PRId64 " elements are in the section", inside,
            elements);
    if (slice->only_rank)
        say(caption, "only the elements of rank %d", slice->rank);
    else if (dist->nreplicas > 1)
        say(caption, "each element is held %" PRId64 " times; its first owner is shown",
            dist->nreplicas);
}
