/* SPDX-License-Identifier: MIT
 *
 *   view    = dist { "section" "[" range {"," range} "]"
 *                  | "axes" "(" dimension {"," dimension} ")"
 *                  | "order" ( "column-major" | "row-major"
 *                            | "(" dimension {"," dimension} ")" )
 *                  | "halo" "(" low [":" high] {"," low [":" high]} ")" }
 *   range   = first | [first] ":" [last] [":" stride]
 */
#include "describe/notation/notation.h"

#include "base/error.h"
#include "describe/view.h"

static redist_err scan_range(struct scan *scan, int64_t extent, int64_t *start,
                             int64_t *count, int64_t *stride)
{
    int64_t first = 0, last = 0;
    *stride = 1;
    if (*scan_place(scan) != ':') TRY(scan_integer(scan, "first", 0, extent, &first));
    last = first;
    if (scan_char(scan, ':')) {
        char next = *scan_place(scan);
        last = extent - 1;
        if (next != ':' && next != ',' && next != ']')
            TRY(scan_integer(scan, "last", -1, extent - 1, &last));
        if (scan_char(scan, ':')) TRY(scan_integer(scan, "stride", 1, INT64_MAX, stride));
    }
    *start = first;
    *count = last < first ? 0 : (last - first) / *stride + 1;
    return REDIST_OK;
}

static redist_err scan_ranges(struct scan *scan, int ndims, const int64_t extents[],
                              int64_t start[], int64_t count[], int64_t stride[])
{
    for (int i = 0; i < ndims; i++) {
        TRY(scan_item(scan, "[]", i, ndims, "ranges"));
        TRY(scan_range(scan, extents[i], &start[i], &count[i], &stride[i]));
    }
    return scan_item(scan, "[]", ndims, ndims, "ranges");
}

static redist_err scan_section(struct scan *scan, redist_view *view)
{
    int64_t extents[REDIST_MAX_DIMS];
    for (int i = 0; i < view->dist->ndims; i++) extents[i] = view->dist->dim[i].extent;
    return scan_ranges(scan, view->dist->ndims, extents, view->start, view->extent,
                       view->stride);
}

redist_err notation_section(const char *text, int ndims, const int64_t extents[],
                            int64_t start[], int64_t count[], int64_t stride[])
{
    struct scan scan = scan_of(text);
    TRY(scan_ranges(&scan, ndims, extents, start, count, stride));
    for (int i = 0; i < ndims; i++)
        if (count[i] > 0 && start[i] == extents[i])
            return error_arg("dim %d: element %" PRId64 ", must be below %" PRId64, i,
                             start[i], extents[i]);
    return *scan_place(&scan) ? scan_expected(&scan, "the end") : REDIST_OK;
}

static redist_err scan_dimensions(struct scan *scan, int ndims, int list[])
{
    for (int k = 0; k < ndims; k++) {
        TRY(scan_item(scan, "()", k, ndims, "dimensions"));
        TRY(scan_int(scan, "dimension", 0, ndims - 1, &list[k]));
    }
    return scan_item(scan, "()", ndims, ndims, "dimensions");
}

static redist_err scan_axes(struct scan *scan, redist_view *view)
{
    return scan_dimensions(scan, view->dist->ndims, view->axes);
}

static redist_err scan_order(struct scan *scan, redist_view *view)
{
    if (scan_word(scan, "column-major"))
        return redist_view_set_order(view, REDIST_COLUMN_MAJOR);
    if (scan_word(scan, "row-major"))
        return redist_view_set_order(view, REDIST_ROW_MAJOR);
    if (*scan_place(scan) != '(')
        return scan_expected(scan, "column-major, row-major or \"(\"");
    return scan_dimensions(scan, view->dist->ndims, view->order);
}

static redist_err scan_halo(struct scan *scan, redist_view *view)
{
    int ndims = view->dist->ndims;
    for (int i = 0; i < ndims; i++) {
        TRY(scan_item(scan, "()", i, ndims, "halos"));
        TRY(scan_integer(scan, "halo", 0, INT64_MAX, &view->halo_low[i]));
        view->halo_high[i] = view->halo_low[i];
        if (scan_char(scan, ':'))
            TRY(scan_integer(scan, "halo", 0, INT64_MAX, &view->halo_high[i]));
    }
    return scan_item(scan, "()", ndims, ndims, "halos");
}

static const struct clause {
    const char *name;
    redist_err (*scan)(struct scan *scan, redist_view *view);
} clauses[] = {
    {"section", scan_section},
    {"axes", scan_axes},
    {"order", scan_order},
    {"halo", scan_halo},
};
enum { NCLAUSES = sizeof clauses / sizeof *clauses };

static redist_err scan_clauses(struct scan *scan, redist_view *view)
{
    bool there[NCLAUSES] = {false};
    while (*scan_place(scan) != 0) {
        const char *place = scan_place(scan);
        int k = 0;
        while (k < NCLAUSES && !scan_word(scan, clauses[k].name)) k++;
        if (k == NCLAUSES)
            return scan_expected(scan, "section, axes, order, halo or the end");
        TRY(notation_once(scan, place, clauses[k].name, &there[k]));
        TRY(clauses[k].scan(scan, view));
        TRY(scan_blame(scan, place, view_check(view)));
    }
    return REDIST_OK;
}

redist_err redist_view_parse(const char *text, redist_dist **dist, redist_view *view)
{
    if (!dist) return error_arg("dist is NULL");
    *dist = NULL;
    if (!view) return error_arg("view is NULL");
    if (!text) return error_arg("text is NULL");
    struct scan scan = scan_of(text);
    redist_view read;
    TRY(notation_scan_dist(&scan, dist));
    redist_err err = redist_view_init(*dist, &read);
    if (!err) err = scan_clauses(&scan, &read);
    if (err)
        redist_dist_destroy(dist);
    else
        *view = read;
    return err;
}
