/* SPDX-License-Identifier: MIT */
#include "move/in_place/gaps.h"

#include <string.h>

#include "base/error.h"

redist_err gaps_find(const struct memory_side *side, int64_t element, struct gaps *gaps)
{
    const struct layout *layout = &side->layout;
    const int *order = side->view->order;
    int ndims = side->view->dist->ndims, inside = -1;
    *gaps = (struct gaps){.rows = 1, .row = element, .ndims = ndims};
    if (layout->span == 0) gaps->rows = 0;
    if (layout->span == 0) return REDIST_OK;
    for (int k = ndims - 1; k >= 0; k--) {
        int i = order[k];
        if (layout->count[i] > 1) {
            if (inside >= 0 && layout->stride[i] < layout->stride[inside])
                return error_arg("in_place: lead of dim %d is %" PRId64
                                 ", of dim %d %" PRId64
                                 ", must descend in the order of memory",
                                 i, layout->stride[i], inside, layout->stride[inside]);
            inside = i;
        }
        gaps->count[k] = layout->count[i];
        gaps->stride[k] = layout->stride[i] * element;
    }
    gaps->offset = layout->offset * element;
    while (gaps->ndims > 0 && (gaps->count[gaps->ndims - 1] == 1 ||
                               gaps->stride[gaps->ndims - 1] == gaps->row))
        gaps->row *= gaps->count[--gaps->ndims];
    for (int k = 0; k < gaps->ndims; k++) gaps->rows *= gaps->count[k];
    return REDIST_OK;
}

/* Return the place of a row, in bytes. */
static int64_t place_of(const struct gaps *gaps, int64_t row)
{
    int64_t place = gaps->offset;
    for (int k = gaps->ndims - 1; k >= 0; k--) {
        place += row % gaps->count[k] * gaps->stride[k];
        row /= gaps->count[k];
    }
    return place;
}

static bool are_none(const struct gaps *gaps)
{
    return gaps->rows == 0 || (gaps->rows == 1 && gaps->offset == 0);
}

void gaps_close(const struct gaps *gaps, char *array)
{
    if (are_none(gaps)) return;
    for (int64_t row = 0; row < gaps->rows; row++)
        memmove(array + row * gaps->row, array + place_of(gaps, row), (size_t)gaps->row);
}

void gaps_open(const struct gaps *gaps, char *array)
{
    if (are_none(gaps)) return;
    for (int64_t row = gaps->rows; row-- > 0;)
        memmove(array + place_of(gaps, row), array + row * gaps->row, (size_t)gaps->row);
}
