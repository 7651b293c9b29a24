/* SPDX-License-Identifier: MIT */
#include "describe/view.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"

redist_err redist_view_init(const redist_dist *dist, redist_view *view)
{
    if (!dist) return error_arg("dist is NULL");
    if (!view) return error_arg("view is NULL");
    *view = (redist_view){.dist = dist};
    for (int i = 0; i < dist->ndims; i++) {
        view->extent[i] = dist->dim[i].extent;
        view->stride[i] = 1;
        view->axes[i] = view->order[i] = i;
    }
    return REDIST_OK;
}

redist_err redist_view_set_order(redist_view *view, redist_order order)
{
    if (!view || !view->dist) return error_arg("view is NULL or has no dist");
    if (order != REDIST_ROW_MAJOR && order != REDIST_COLUMN_MAJOR)
        return error_arg("order is %d, must be row- or column-major", (int)order);
    int ndims = view->dist->ndims;
    for (int k = 0; k < ndims; k++)
        view->order[k] = order == REDIST_ROW_MAJOR ? k : ndims - 1 - k;
    return REDIST_OK;
}

/* ---- checking ---------------------------------------------------------------------- */

static redist_err check_permutation(const char *name, int ndims, const int list[])
{
    unsigned seen = 0;
    for (int k = 0; k < ndims; k++) {
        if (list[k] < 0 || list[k] >= ndims)
            return error_arg("%s[%d] is %d, must be 0 to %d", name, k, list[k],
                             ndims - 1);
        if (seen & 1u << list[k])
            return error_arg("%s names dimension %d twice", name, list[k]);
        seen |= 1u << list[k];
    }
    return REDIST_OK;
}

static redist_err check_section(const redist_view *view, int i)
{
    int64_t extent = view->dist->dim[i].extent, n = view->extent[i];
    int64_t start = view->start[i], stride = view->stride[i], last = 0;
    if (n < 0)
        return error_arg("dim %d: section extent is %" PRId64 ", must be >= 0", i, n);
    if (stride < 1)
        return error_arg("dim %d: section stride is %" PRId64 ", must be >= 1", i,
                         stride);
    bool fits = start >= 0 && start <= extent;
    if (n > 0)
        fits = fits && int_mul(n - 1, stride, &last) && int_add(start, last, &last) &&
               last < extent;
    if (!fits)
        return error_arg("dim %d: section of %" PRId64 " elements from %" PRId64
                         " by %" PRId64 " leaves the extent %" PRId64,
                         i, n, start, stride, extent);
    return REDIST_OK;
}

redist_err view_check(const redist_view *view)
{
    if (!view) return error_arg("view is NULL");
    if (!view->dist) return error_arg("the view's dist is NULL");
    int ndims = view->dist->ndims;
    for (int i = 0; i < ndims; i++) {
        TRY(check_section(view, i));
        if (view->halo_low[i] < 0 || view->halo_high[i] < 0)
            return error_arg("dim %d: halo is %" PRId64 ":%" PRId64 ", must be >= 0", i,
                             view->halo_low[i], view->halo_high[i]);
    }
    TRY(check_permutation("axes", ndims, view->axes));
    return check_permutation("order", ndims, view->order);
}

/* ---- memory ------------------------------------------------------------------------ */

static redist_err too_large(void)
{
    return error_arg("the local array spans more than 2^63 elements");
}

/* Dense strides for halo and local part, the fastest dimension first. */
static redist_err dense_strides(const redist_view *view, struct layout *layout)
{
    int64_t stride = 1;
    for (int k = view->dist->ndims - 1; k >= 0; k--) {
        int i = view->order[k];
        int64_t width = layout->count[i];
        layout->stride[i] = stride;
        if (!int_add(width, view->halo_low[i], &width) ||
            !int_add(width, view->halo_high[i], &width) ||
            !int_mul(stride, int_max(width, 1), &stride))
            return too_large();
    }
    return REDIST_OK;
}

/* The caller's strides are valid if, from the smallest to the largest, each steps over
 * all elements that the smaller ones reach. */
static redist_err given_strides(const redist_view *view, struct layout *layout)
{
    int ndims = view->dist->ndims, by_stride[REDIST_MAX_DIMS];
    for (int i = 0; i < ndims; i++) {
        if (view->lead[i] < 1)
            return error_arg("dim %d: lead is %" PRId64 ", must be >= 1", i,
                             view->lead[i]);
        layout->stride[i] = view->lead[i];
        int k = i;
        for (; k > 0 && view->lead[by_stride[k - 1]] > view->lead[i]; k--)
            by_stride[k] = by_stride[k - 1];
        by_stride[k] = i;
    }
    int64_t reach = 1;
    for (int k = 0; k < ndims; k++) {
        int i = by_stride[k];
        int64_t step = 0;
        if (layout->count[i] > 1 && view->lead[i] < reach)
            return error_arg("dim %d: lead is %" PRId64
                             ", but the other dimensions span %" PRId64 " elements",
                             i, view->lead[i], reach);
        if (!int_mul(view->lead[i], int_max(layout->count[i] - 1, 0), &step) ||
            !int_add(reach, step, &reach))
            return too_large();
    }
    return REDIST_OK;
}

redist_err view_layout(const redist_view *view, int rank, struct layout *layout)
{
    const redist_dist *dist = view->dist;
    *layout = (struct layout){.span = 1};
    int coords[REDIST_MAX_DIMS];
    layout->member = redist_grid_coords(dist->grid, rank, coords);
    bool given = false, empty = !layout->member;
    for (int i = 0; i < dist->ndims; i++) {
        layout->count[i] =
            layout->member ? dim_count(&dist->dim[i], dist_coord(dist, i, coords)) : 0;
        given = given || view->lead[i] != 0;
        empty = empty || layout->count[i] == 0;
    }
    if (layout->member)
        TRY(given ? given_strides(view, layout) : dense_strides(view, layout));
    for (int i = 0; i < dist->ndims && !empty; i++) {
        int64_t before = 0, width = layout->count[i] - 1;
        if (!int_mul(view->halo_low[i], layout->stride[i], &before) ||
            !int_add(layout->offset, before, &layout->offset) ||
            !int_add(width, view->halo_low[i], &width) ||
            !int_add(width, view->halo_high[i], &width) ||
            !int_mul(width, layout->stride[i], &width) ||
            !int_add(layout->span, width, &layout->span))
            return too_large();
    }
    if (empty) layout->span = 0;
    /* along a dimension of one element it may be any number */
    for (int i = 0; i < dist->ndims; i++)
        layout->stride[i] = int_min(layout->stride[i], int_max(layout->span, 1));
    return REDIST_OK;
}

redist_view view_dense(const redist_view *view)
{
    redist_view dense = *view;
    for (int i = 0; i < REDIST_MAX_DIMS; i++)
        dense.halo_low[i] = dense.halo_high[i] = dense.lead[i] = 0;
    return dense;
}

redist_err view_bytes(int64_t elements, int64_t element, int64_t *bytes)
{
    if (int_mul(elements, element, bytes)) return REDIST_OK;
    return error_arg("the local array spans %" PRId64 " elements of %" PRId64
                     " bytes, more than 2^63 - 1 bytes",
                     elements, element);
}

redist_err redist_view_span(const redist_view *view, int rank, int64_t *elements)
{
    TRY(view_check(view));
    if (!elements) return error_arg("elements is NULL");
    struct layout layout;
    TRY(view_layout(view, rank, &layout));
    *elements = layout.span;
    return REDIST_OK;
}

/* ---- comparing --------------------------------------------------------------------- */

int64_t view_elements(const redist_view *view)
{
    int64_t elements = 1;
    for (int i = 0; i < view->dist->ndims; i++) elements *= view->extent[i];
    return elements;
}

uint64_t view_hash(const redist_view *view)
{
    uint64_t hash = dist_hash(view->dist);
    for (int i = 0; i < view->dist->ndims; i++) {
        hash = hash_int(hash_int(hash, view->start[i]), view->extent[i]);
        hash = hash_int(hash_int(hash, view->stride[i]), view->axes[i]);
        hash = hash_int(hash_int(hash, view->order[i]), view->halo_low[i]);
        hash = hash_int(hash, view->halo_high[i]);
    }
    return hash;
}
