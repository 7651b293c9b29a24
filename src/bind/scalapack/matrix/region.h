/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/region.h - a trapezoid, cut into rectangles. Most of it lies in
 * full rectangles; of those that the diagonal crosses only a part counts.
 *
 *   upper     1 1 1 1 3 3 3 3       1, 3, 4: full
 *             . 2 1 1 3 3 3 3       2, 5: crossed
 *             . . 2 1 4 4 4 4
 *             . . . 2 4 4 4 4  ..
 *                     5
 */
#ifndef REDIST_BIND_SCALAPACK_MATRIX_REGION_H
#define REDIST_BIND_SCALAPACK_MATRIX_REGION_H

#include "bind/scalapack/matrix/problem.h"

struct piece {
    int64_t at[MATRIX_DIMS], n[MATRIX_DIMS]; /* of the target's section */
    bool crossed;
};

/* Cut the region of a problem. Returns the number of pieces, 0 if no element takes part.
 * O(pieces). */
enum { REGION_PIECES = 96 };
int region_cut(const struct problem *problem, struct piece pieces[REGION_PIECES]);

/* Return the section of a side, along its dimension d, that belongs to a piece. */
struct cut piece_cut(const struct problem *problem, int side, int d,
                     const struct piece *piece);

/* Return the elements of column j, from the section's first, that take part: rows [begin,
 * end) of n. */
struct span {
    int64_t begin, end;
};
struct span region_column(const struct problem *problem, int64_t j);

#endif
