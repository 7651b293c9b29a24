/* SPDX-License-Identifier: MIT */
#include "move/message/lost.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

void lost_note(void *context, const char *at, const char *number)
{
    struct lost *lost = context;
    const struct move *move = lost->move;
    const int64_t *size = lost->convert->size;
    for (int k = 0; k < move->narrays; k++) {
        const int64_t span = move->array[k].sides[REDIST_TARGET].layout.span;
        const uintptr_t begin = (uintptr_t)move->targets[k], end = (uintptr_t)at;
        if (!begin || end < begin || end - begin >= (uintptr_t)(span * size[1])) continue;
        const int64_t place = (int64_t)(end - begin) / size[REDIST_TARGET];
        const bool first =
            !lost->any || k < lost->number || (k == lost->number && place < lost->place);
        if (!first) return;
        lost->any = true;
        lost->number = k;
        lost->place = place;
        memcpy(lost->value, number, (size_t)size[REDIST_SOURCE]);
        return;
    }
}

enum { INDEX_TEXT = 24 * REDIST_MAX_DIMS };

/* Find the local index of the element at a place of an array. The dimensions with more
 * than one element have different strides, of which each steps over the smaller ones. */
static void find_local(const struct layout *layout, int ndims, int64_t place,
                       int64_t local[])
{
    int64_t rest = place - layout->offset, last = INT64_MAX;
    for (int i = 0; i < ndims; i++) local[i] = 0;
    for (;;) {
        int next = -1;
        for (int i = 0; i < ndims; i++)
            if (layout->count[i] > 1 && layout->stride[i] < last &&
                (next < 0 || layout->stride[i] > layout->stride[next]))
                next = i;
        if (next < 0) return;
        last = layout->stride[next];
        local[next] = rest / last;
        rest %= last;
    }
}

/* Print the global index of the element at a place of the target's buffer, or, of index
 * lists, the place. */
static redist_err print_index(const struct array *array, int64_t place,
                              char text[INDEX_TEXT])
{
    const redist_view *view = &array->view[REDIST_TARGET];
    int64_t local[REDIST_MAX_DIMS], index[REDIST_MAX_DIMS];
    size_t n = 0;
    if (array->listed) {
        (void)snprintf(text, INDEX_TEXT, "at place %" PRId64 " of its list", place);
        return REDIST_OK;
    }
    find_local(&array->sides[REDIST_TARGET].layout, view->dist->ndims, place, local);
    TRY(redist_dist_index(view->dist, array->overlap[REDIST_TARGET].rank, local, index));
    for (int i = 0; i < view->dist->ndims; i++)
        n += (size_t)snprintf(text + n, INDEX_TEXT - n, "%s%" PRId64, i ? ", " : "(",
                              index[i]);
    (void)snprintf(text + n, INDEX_TEXT - n, ")");
    return REDIST_OK;
}

redist_err lost_error(const struct lost *lost)
{
    const struct format *format = lost->convert->format;
    char value[FORMAT_TEXT], name[FORMAT_NAME], index[INDEX_TEXT];
    TRY(print_index(&lost->move->array[lost->number], lost->place, index));
    format_print_number(&format[REDIST_SOURCE], lost->value, value);
    format_print(&format[REDIST_TARGET], name);
    redist_err err = error_arg("the target's element %s would be %s, which %s cannot "
                               "hold",
                               index, value, name);
    return lost->move->narrays > 1 ? error_prefix(err, "item %d", lost->number) : err;
}
