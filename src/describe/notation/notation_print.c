/* SPDX-License-Identifier: MIT
 *
 * Only what differs from the defaults is printed, in one order and spacing, so that equal
 * descriptions have equal texts.
 */
#include "describe/notation/notation.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/intmath.h"
#include "describe/view.h"

/* A text that may exceed its room; the rest is only counted, as by snprintf. */
struct print {
    char *text;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct print *print,
                                                      const char *format, ...)
{
    bool room = print->length < print->size;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(room ? print->text + print->length : NULL,
                      room ? print->size - print->length : 0, format, args);
    va_end(args);
    print->length += n > 0 ? (size_t)n : 0;
}

/* Return the character before item i of a list: its bracket or a comma. */
static char before(int64_t i, char bracket) { return i == 0 ? bracket : ','; }

/* ---- a dist ------------------------------------------------------------------------ */

/* A list in which equal neighbours become count*value; `pending` of them are not yet
 * printed. */
struct repeats {
    struct print *print;
    int64_t value, pending;
    int64_t printed; /* items */
};

static void flush(struct repeats *repeats)
{
    if (repeats->pending == 0) return;
    put(repeats->print, "%c", before(repeats->printed++, '('));
    if (repeats->pending > 1) put(repeats->print, "%" PRId64 "*", repeats->pending);
    put(repeats->print, "%" PRId64, repeats->value);
    repeats->pending = 0;
}

static void put_repeats(struct repeats *repeats, int64_t value, int64_t count)
{
    if (count == 0) return;
    if (value != repeats->value) flush(repeats);
    repeats->value = value;
    repeats->pending += count;
}

static void print_sizes(struct print *print, const struct dim *dim)
{
    struct repeats repeats = {.print = print};
    int64_t next = 0; /* size */
    for (int64_t b = 0; b < dim->nblocks; b++) {
        struct block block = dim->blocks[b];
        int64_t k = int_mod((int64_t)block.owner - dim->first, dim->procs);
        put_repeats(&repeats, 0, k - next);
        put_repeats(&repeats, block.end - block.begin, 1);
        next = k + 1;
    }
    put_repeats(&repeats, 0, dim->procs - next);
    flush(&repeats);
    put(print, ")");
}

static void print_owners(struct print *print, const struct dim *dim)
{
    struct repeats repeats = {.print = print};
    for (int64_t b = 0; b < dim->nblocks; b++) {
        struct block block = dim->blocks[b];
        put_repeats(&repeats, block.owner, block.end - block.begin);
    }
    flush(&repeats);
    put(print, dim->nblocks == 0 ? "()" : ")");
}

/* Tell whether the axes of the distributed dimensions differ from 0, 1, .. in order. */
static bool names_axes(const redist_dist *dist)
{
    int next = 0;
    for (int i = 0; i < dist->ndims; i++)
        if (dist->dim[i].kind != REDIST_COLLAPSED && dist->dim[i].axis != next++)
            return true;
    return false;
}

/* Print the format, with its axis if necessary. */
static void print_format(struct print *print, const struct dim *dim, bool named)
{
    switch (dim->kind) {
        case REDIST_COLLAPSED: put(print, "*"); return;
        case REDIST_BLOCK: put(print, "block"); break;
        case REDIST_CYCLIC: put(print, "cyclic"); break;
        case REDIST_GEN_BLOCK: put(print, "gen_block"), print_sizes(print, dim); break;
        case REDIST_INDIRECT: put(print, "indirect"), print_owners(print, dim); break;
    }
    int64_t unwritten = dim->kind == REDIST_BLOCK ? REDIST_EVEN_BLOCK : 1;
    if (dim_is_regular(dim) && dim->written != unwritten)
        put(print, "(%" PRId64 ")", dim->written);
    if (dim->first != 0) put(print, " from %d", dim->first);
    if (named) put(print, " on %d", dim->axis);
}

/* Count the ranks, from the first on, that form a range: at least three, or one alone. */
static int64_t range_length(const int ranks[], int64_t count)
{
    int64_t n = 1;
    while (n < count && (int64_t)ranks[n] - ranks[n - 1] == (int64_t)ranks[1] - ranks[0])
        n++;
    return n < 3 ? 1 : n;
}

static void print_ranks(struct print *print, const int ranks[], int64_t count)
{
    put(print, " ranks");
    for (int64_t k = 0, n; k < count; k += n) {
        n = range_length(ranks + k, count - k);
        put(print, "%c%d", before(k, ' '), ranks[k]);
        if (n == 1) continue;
        int step = ranks[k + 1] - ranks[k]; /* fits: ranks are >= 0 */
        put(print, ":%d", ranks[k + n - 1]);
        if (step != 1) put(print, ":%d", step);
    }
}

static void print_grid(struct print *print, const redist_grid *grid)
{
    put(print, " onto ");
    for (int axis = 0; axis < grid->naxes; axis++)
        put(print, axis == 0 ? "%d" : "x%d", grid->shape[axis]);
    if (grid->order == REDIST_COLUMN_MAJOR && grid->naxes > 1)
        put(print, " column-major");
    if (grid->ranks) print_ranks(print, grid->ranks, grid->size);
}

static void print_dist(struct print *print, const redist_dist *dist)
{
    for (int i = 0; i < dist->ndims; i++)
        put(print, "%c%" PRId64, before(i, '['), dist->dim[i].extent);
    put(print, "] ");
    bool named = names_axes(dist);
    for (int i = 0; i < dist->ndims; i++) {
        put(print, "%c", before(i, '('));
        print_format(print, &dist->dim[i], named);
    }
    put(print, ")");
    print_grid(print, dist->grid);
}

/* ---- a view ------------------------------------------------------------------------ */

static void print_section(struct print *print, const redist_view *view)
{
    bool whole = true;
    for (int i = 0; i < view->dist->ndims; i++)
        whole = whole && view->start[i] == 0 && view->stride[i] == 1 &&
                view->extent[i] == view->dist->dim[i].extent;
    if (whole) return;
    put(print, " section ");
    for (int i = 0; i < view->dist->ndims; i++) {
        int64_t first = view->start[i], last = first - 1;
        if (view->extent[i] > 0) last = first + (view->extent[i] - 1) * view->stride[i];
        put(print, "%c%" PRId64 ":%" PRId64, before(i, '['), first, last);
        if (view->stride[i] != 1) put(print, ":%" PRId64, view->stride[i]);
    }
    put(print, "]");
}

static bool is_ascending(int n, const int list[])
{
    for (int k = 0; k < n; k++)
        if (list[k] != k) return false;
    return true;
}

static bool is_descending(int n, const int list[])
{
    for (int k = 0; k < n; k++)
        if (list[k] != n - 1 - k) return false;
    return true;
}

static void print_dimensions(struct print *print, const char *name, int n,
                             const int list[])
{
    put(print, " %s ", name);
    for (int k = 0; k < n; k++) put(print, "%c%d", before(k, '('), list[k]);
    put(print, ")");
}

static void print_halo(struct print *print, const redist_view *view)
{
    bool any = false;
    for (int i = 0; i < view->dist->ndims; i++)
        any = any || view->halo_low[i] != 0 || view->halo_high[i] != 0;
    if (!any) return;
    put(print, " halo ");
    for (int i = 0; i < view->dist->ndims; i++) {
        put(print, "%c%" PRId64, before(i, '('), view->halo_low[i]);
        if (view->halo_high[i] != view->halo_low[i])
            put(print, ":%" PRId64, view->halo_high[i]);
    }
    put(print, ")");
}

static void print_view(struct print *print, const redist_view *view)
{
    int ndims = view->dist->ndims;
    print_dist(print, view->dist);
    print_section(print, view);
    if (!is_ascending(ndims, view->axes))
        print_dimensions(print, "axes", ndims, view->axes);
    if (!is_ascending(ndims, view->order) && is_descending(ndims, view->order))
        put(print, " order column-major");
    else if (!is_ascending(ndims, view->order))
        print_dimensions(print, "order", ndims, view->order);
    print_halo(print, view);
}

/* ---- the public functions ---------------------------------------------------------- */

static redist_err start_print(char *text, size_t size, struct print *print)
{
    if (!text && size > 0) return error_arg("text is NULL, but its size is %zu", size);
    if (size > 0) text[0] = 0;
    *print = (struct print){text, size, 0};
    return REDIST_OK;
}

redist_err redist_dist_print(const redist_dist *dist, char *text, size_t size,
                             size_t *length)
{
    struct print print;
    if (!dist) return error_arg("dist is NULL");
    TRY(start_print(text, size, &print));
    print_dist(&print, dist);
    if (length) *length = print.length;
    return REDIST_OK;
}

redist_err redist_view_print(const redist_view *view, char *text, size_t size,
                             size_t *length)
{
    struct print print;
    TRY(view_check(view));
    TRY(start_print(text, size, &print));
    print_view(&print, view);
    if (length) *length = print.length;
    return REDIST_OK;
}
