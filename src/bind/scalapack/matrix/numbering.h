/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/numbering.h - the ranks, in the calling group, of the processes
 * of a grid.
 *
 * Most grids are regular: one step from row to row and one from column to column. A few
 * numbers describe such a grid. One reduction tells them to processes outside the grid,
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

/* All members have one size (struct cut). */
struct numbering {
    int64_t hash; /* of the list if irregular, > 0; then no more is known. Else 0 */
    int64_t first, step[MATRIX_DIMS]; /* a step is 0 in an extent of 1 */
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

/* Find the numbering of a grid of `shape`[MATRIX_DIMS], whose communicator numbers its
 * processes row by row, in the group of `comm`. `ranks`[all] receives the list, unless
 * NULL. Allocates nothing. Local. ARG: one of them is not in the group; MPI. */
redist_err numbering_find(MPI_Comm grid, const int shape[], MPI_Comm comm, int ranks[],
                          struct numbering *numbering);

/* Make the grid of a regular numbering. Local. MEMORY. */
redist_err numbering_grid(const struct numbering *numbering, const int64_t shape[],
                          redist_grid **grid);

#endif
