/* SPDX-License-Identifier: MIT */
#include "plan/object/lost.h"

#include <stdio.h>
#include <string.h>

#include "plan/object/plan.h"

void lost_note(void *context, const char *at, const char *number)
{
    redist_plan *plan = context;
    struct lost *first = &plan->first_lost;
    for (int k = 0; k < plan->narrays; k++) {
        const int64_t span = plan->array[k].sides[REDIST_TARGET].layout.span;
        const uintptr_t begin = (uintptr_t)plan->target[k], place = (uintptr_t)at - begin;
        const int64_t element = (int64_t)place / plan->convert.size[REDIST_TARGET];
        if (!begin || (uintptr_t)at < begin || element >= span) continue;
        if (first->any && (first->number < k ||
                           (first->number == k && first->place <= element)))
            return;
        *first = (struct lost){.any = true, .number = k, .place = element};
        memcpy(first->value, number, (size_t)plan->convert.size[REDIST_SOURCE]);
        return;
    }
}

enum { INDEX_TEXT = 24 * REDIST_MAX_DIMS };

/* Print the global index of the element at a place of the target's buffer, or, of index
 * lists, the place. */
static redist_err print_index(const struct array *array, int64_t place,
                              char text[INDEX_TEXT])
{
    const redist_view *view = &array->view[REDIST_TARGET];
    const struct layout *layout = &array->sides[REDIST_TARGET].layout;
    int64_t local[REDIST_MAX_DIMS], index[REDIST_MAX_DIMS], rest = place - layout->offset;
    size_t n = 0;
    if (array->listed) {
        (void)snprintf(text, INDEX_TEXT, "at place %" PRId64 " of its list", place);
        return REDIST_OK;
    }
    for (int k = 0; k < view->dist->ndims; k++) {
        int i = view->order[k];
        local[i] = rest / layout->stride[i];
        rest %= layout->stride[i];
    }
    TRY(redist_dist_index(view->dist, array->overlap[REDIST_TARGET].rank, local, index));
    for (int i = 0; i < view->dist->ndims; i++)
        n += (size_t)snprintf(text + n, INDEX_TEXT - n, "%s%" PRId64, i ? ", " : "(",
                              index[i]);
    (void)snprintf(text + n, INDEX_TEXT - n, ")");
    return REDIST_OK;
}

redist_err lost_error(const struct redist_plan *plan)
{
    const struct lost *lost = &plan->first_lost;
    char value[FORMAT_TEXT], name[FORMAT_NAME], index[INDEX_TEXT];
    TRY(print_index(&plan->array[lost->number], lost->place, index));
    format_print_number(&plan->convert.format[REDIST_SOURCE], lost->value, value);
    format_print(&plan->convert.format[REDIST_TARGET], name);
    redist_err err = error_set(REDIST_ERR_ARG,
                               "the target's element %s would be %s, which %s cannot "
                               "hold",
                               index, value, name);
    return plan->narrays > 1 ? error_prefix(err, "item %d", lost->number) : err;
}
