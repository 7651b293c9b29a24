/* SPDX-License-Identifier: MIT
 *
 * describe/grid.h - a process grid: from coordinates to ranks and back.
 *
 * Without a rank list both are arithmetic, in O(1) memory, so that a grid of a million
 * processes costs nothing. With a rank list, `ranks` maps positions to ranks and `sorted`
 * maps them back.
 */
#ifndef REDIST_DESCRIBE_GRID_H
#define REDIST_DESCRIBE_GRID_H

#include <stdbool.h>

#include <redist/describe.h>

#include "base/mem.h"

struct rank_position {
    int rank;
    int64_t position;
};

struct redist_grid {
    int naxes;
    int shape[REDIST_MAX_DIMS];
    int64_t size;
    redist_order order;
    int base;   /* added to each rank; see plan/comm/team.h */
    int *ranks; /* [size] by linear position, or NULL: the position itself */
    struct rank_position *sorted; /* [size] ascending by rank, or NULL */
};

/* The linear position at coordinates, and the coordinates at a linear position, in the
 * grid's order. */
int64_t grid_position(const redist_grid *grid, const int coords[]);
void grid_coords_at(const redist_grid *grid, int64_t position, int coords[]);

/* The rank at a linear position, and the linear position of a rank (-1: not in the
 * grid). */
int grid_rank_at(const redist_grid *grid, int64_t position);
int64_t grid_find(const redist_grid *grid, int rank);

/* The highest rank of the grid. O(1). */
int grid_max_rank(const redist_grid *grid);

/* Copy a grid. `account`, which may be NULL, is charged.
 * With a rank list O(P). MEMORY. */
redist_err grid_copy(struct mem_account *account, const redist_grid *grid,
                     redist_grid **copy);

/* Tell whether two grids have the same ranks at the same coordinates.
 * O(1), with a rank list O(P). */
bool grid_equal(const redist_grid *a, const redist_grid *b);

#endif
