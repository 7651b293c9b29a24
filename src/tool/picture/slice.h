/* SPDX-License-Identifier: MIT
 *
 * tool/picture/slice.h - the part of a view that a picture shows: one dimension, or two
 * at a fixed index of the others.
 *
 * Ownership is a product over the dimensions. So a picture consists of two lists of
 * bands, one an axis; the owner at a crossing of two bands follows from both, and nothing
 * is as large as the array. If the array is too long for the picture, its beginning is
 * shown.
 *
 *   [6,6] (block,cyclic(2)) onto 2x2      columns   0-1  2-3  4-5
 *                                 rows 0-2           0    1    0
 *                                      3-5           2    3    2
 */
#ifndef REDIST_TOOL_PICTURE_SLICE_H
#define REDIST_TOOL_PICTURE_SLICE_H

#include <stdbool.h>

#include "describe/dist.h"

/* Elements [begin, end) of a dimension, drawn as one. */
struct band {
    int64_t begin, end;
    int owner;   /* the coordinate that owns its first element inside the section */
    bool inside; /* it has an element in the section */
};

struct axis {
    int dim;
    int64_t cell;  /* elements of a band; 0: bands differ */
    bool exact;    /* each band has only one owner */
    int64_t shown; /* elements of the dimension covered by bands, from 0 on */
    int64_t nbands;
    struct band *bands; /* [nbands] ascending */
};

/* Rows are axis[0] and columns axis[1]. A picture of one dimension has one row and no
 * bands of rows: axis[0].dim is -1. */
struct slice {
    const redist_view *view;
    struct axis axis[2];
    int64_t at[REDIST_MAX_DIMS]; /* index in the dimensions not shown */
    bool only_rank;              /* show only the elements of this rank: */
    int rank;
    int rank_coord[REDIST_MAX_DIMS]; /* its coordinate along each dimension */
};

/* Shown at a crossing without a rank. */
enum { SLICE_BLANK = -1 };

/* Choose the picture of a view: rows and columns along the dimensions `dims`[2], NULL:
 * the last two distributed ones. No bands yet. The view is borrowed. */
void slice_init(const redist_view *view, const int dims[2], struct slice *slice);

/* Show the elements of `rank` only. ARG if it is not in the grid. */
redist_err slice_restrict(struct slice *slice, int rank);

/* Set the bands of axis 0 or 1: at most `room` cells of equally many elements, 1 if that
 * fits; or at most `room` runs, each of all consecutive elements of one owner. If a
 * cyclic pattern is too long its beginning is shown. O(room). MEMORY. */
redist_err slice_set_cells(struct slice *slice, int axis, int64_t room);
redist_err slice_set_runs(struct slice *slice, int axis, int64_t room);

/* Free the bands. */
void slice_free(struct slice *slice);

/* Return the (first) rank that owns the crossing of a row's and a column's band; or
 * SLICE_BLANK: outside the section, or of another rank than the one shown. */
int slice_rank(const struct slice *slice, int64_t row, int64_t column);

/* Count the bands of axis 0 or 1; 1 without an axis of rows. */
int64_t slice_bands(const struct slice *slice, int axis);

/* Facts that the picture does not show, in sentences. */
struct caption {
    int nlines;
    char line[6][192];
};
void slice_caption(const struct slice *slice, struct caption *caption);

#endif
