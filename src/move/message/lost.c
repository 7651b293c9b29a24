/* SPDX-License-Identifier: MIT */
#include "move/message/lost.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

void lost_note(const struct move *move, int number, struct walk *target,
               const struct walk_lost *lost)
{
    struct lost *first = move->lost;
    int64_t place;
    if (walk_is_listed(target))
        place = listed_place(target->list[REDIST_TARGET], lost->grain) * target->grain;
    else
        place = walk_place(target, WAY_SCATTER, lost->grain).target;
    place /= move->convert->size[REDIST_TARGET];
    if (first->any && (first->number < number ||
                       (first->number == number && first->place <= place)))
        return;
    *first = (struct lost){.any = true, .number = number, .place = place};
    memcpy(first->value, lost->number, sizeof first->value);
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

redist_err lost_error(const struct lost *lost, const struct move *move)
{
    const struct format *format = move->convert->format;
    char value[FORMAT_TEXT], name[FORMAT_NAME], index[INDEX_TEXT];
    TRY(print_index(&move->array[lost->number], lost->place, index));
    format_print_number(&format[REDIST_SOURCE], lost->value, value);
    format_print(&format[REDIST_TARGET], name);
    redist_err err = error_set(REDIST_ERR_ARG,
                               "the target's element %s would be %s, which %s cannot "
                               "hold",
                               index, value, name);
    return move->narrays > 1 ? error_prefix(err, "item %d", lost->number) : err;
}
