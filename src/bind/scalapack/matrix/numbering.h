/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/numbering.h - where the processes of a grid are in the group that
 * calls.
 *
 * Most grids are regular: a step from row to row and one from column to column. Of these
 * a few numbers say all, so that one reduction tells them to who is outside of the grid,
 * and no list is needed where there is no memory for one.
 *
 *   0 2 4      first 0, steps 1 and 2          5 3 1      irregular
 *   1 3 5                                      0 2 4
 */
#ifndef REDIST_BIND_SCALAPACK_MATRIX_NUMBERING_H
#define REDIST_BIND_SCALAPACK_MATRIX_NUMBERING_H

#include <mpi.h>
#include <redist/describe.h>
#include <stdbool.h>

#include "bind/scalapack/matrix/matrix.h"

/* Numbers of one size, see struct cut. */
struct numbering {
    int64_t hash; /* of the list if it is irregular, > 0; then no more is known. Else 0 */
    int64_t first, step[MATRIX_DIMS]; /* a step is 0 where it is never made */
};

static inline bool numbering_is_regular(const struct numbering *numbering)
{
    return numbering->hash == 0;
}

/* The rank at coordinates of a regular grid. */
static inline int numbering_rank(const struct numbering *numbering, int64_t row,
                                 int64_t column)
{
    return (int)(numbering->first + row * numbering->step[ROWS] +
                 column * numbering->step[COLUMNS]);
}

/* Find the numbering of a grid of `shape`[MATRIX_DIMS] whose communicator numbers its
 * processes row by row, in the group of `comm`. `ranks`[all] takes the list, unless it is
 * NULL. Allocates nothing. Local. ARG: one of them is not in the group; MPI. */
redist_err numbering_find(MPI_Comm grid, const int shape[], MPI_Comm comm, int ranks[],
                          struct numbering *numbering);

/* Make the grid of a regular numbering. Local. MEMORY. */
redist_err numbering_grid(const struct numbering *numbering, const int64_t shape[],
                          redist_grid **grid);

#endif
