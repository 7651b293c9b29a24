/* SPDX-License-Identifier: MIT */
#include "describe/grid.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

static int by_rank(const void *a, const void *b)
{
    int x = ((const struct rank_position *)a)->rank,
        y = ((const struct rank_position *)b)->rank;
    return (x > y) - (x < y);
}

static redist_err allocate_ranks(struct mem_account *account, redist_grid *grid)
{
    const struct mem_part parts[] = {
        MEM_PART(grid->sorted, grid->size), MEM_PART(grid->ranks, grid->size), {0}};
    return mem_alloc_parts(account, parts);
}

/* Keep the list and its inverse; a list equal to the default is dropped. */
static redist_err keep_ranks(redist_grid *grid, const int ranks[])
{
    bool identity = true;
    for (int64_t k = 0; k < grid->size; k++) {
        if (ranks[k] < 0)
            return error_arg("ranks[%" PRId64 "] is %d, must be >= 0", k, ranks[k]);
        identity = identity && ranks[k] == k;
    }
    if (identity) return REDIST_OK;
    TRY(allocate_ranks(NULL, grid));
    for (int64_t k = 0; k < grid->size; k++) {
        grid->ranks[k] = ranks[k];
        grid->sorted[k] = (struct rank_position){ranks[k], k};
    }
    mem_sort(grid->sorted, grid->size, sizeof *grid->sorted, by_rank);
    for (int64_t k = 1; k < grid->size; k++)
        if (grid->sorted[k].rank == grid->sorted[k - 1].rank)
            return error_arg("rank %d stands twice in the grid", grid->sorted[k].rank);
    return REDIST_OK;
}

redist_err redist_grid_create(int naxes, const int shape[], redist_order order,
                              const int ranks[], redist_grid **grid)
{
    if (!grid) return error_arg("grid is NULL");
    *grid = NULL;
    if (naxes < 1 || naxes > REDIST_MAX_DIMS)
        return error_arg("naxes is %d, must be 1 to %d", naxes, REDIST_MAX_DIMS);
    if (!shape) return error_arg("shape is NULL");
    if (order != REDIST_ROW_MAJOR && order != REDIST_COLUMN_MAJOR)
        return error_arg("order is %d, must be row- or column-major", (int)order);
    int64_t size = 1;
    for (int axis = 0; axis < naxes; axis++) {
        if (shape[axis] < 1)
            return error_arg("axis %d of the grid has %d processes, must be >= 1", axis,
                             shape[axis]);
        size *= shape[axis];
        if (size > INT_MAX)
            return error_arg("the grid has more than %d processes", INT_MAX);
    }
    redist_grid *made = mem_alloc(NULL, 1, sizeof *made);
    if (!made) return REDIST_ERR_MEMORY;
    made->naxes = naxes;
    made->order = order;
    made->size = size;
    memcpy(made->shape, shape, (size_t)naxes * sizeof *shape);
    redist_err err = ranks ? keep_ranks(made, ranks) : REDIST_OK;
    if (err) {
        redist_grid_destroy(&made);
        return err;
    }
    *grid = made;
    return REDIST_OK;
}

void redist_grid_destroy(redist_grid **grid)
{
    if (!grid || !*grid) return;
    mem_free((*grid)->sorted); /* and the ranks */
    mem_free(*grid);
    *grid = NULL;
}

int redist_grid_naxes(const redist_grid *grid) { return grid ? grid->naxes : 0; }

int redist_grid_shape(const redist_grid *grid, int axis)
{
    return grid && axis >= 0 && axis < grid->naxes ? grid->shape[axis] : 0;
}

int64_t redist_grid_size(const redist_grid *grid) { return grid ? grid->size : 0; }

int64_t grid_position(const redist_grid *grid, const int coords[])
{
    int64_t position = 0;
    for (int k = 0; k < grid->naxes; k++) {
        int axis = grid->order == REDIST_ROW_MAJOR ? k : grid->naxes - 1 - k;
        position = position * grid->shape[axis] + coords[axis];
    }
    return position;
}

void grid_coords_at(const redist_grid *grid, int64_t position, int coords[])
{
    for (int k = grid->naxes - 1; k >= 0; k--) {
        int axis = grid->order == REDIST_ROW_MAJOR ? k : grid->naxes - 1 - k;
        coords[axis] = (int)(position % grid->shape[axis]);
        position /= grid->shape[axis];
    }
}

int grid_rank_at(const redist_grid *grid, int64_t position)
{
    return grid->base + (grid->ranks ? grid->ranks[position] : (int)position);
}

int64_t grid_find(const redist_grid *grid, int rank)
{
    rank -= grid->base;
    if (!grid->sorted) return rank >= 0 && rank < grid->size ? rank : -1;
    struct rank_position key = {rank, 0};
    const struct rank_position *found =
        bsearch(&key, grid->sorted, (size_t)grid->size, sizeof key, by_rank);
    return found ? found->position : -1;
}

int grid_max_rank(const redist_grid *grid)
{
    return grid->base +
           (grid->sorted ? grid->sorted[grid->size - 1].rank : (int)(grid->size - 1));
}

int redist_grid_rank(const redist_grid *grid, const int coords[])
{
    if (!grid || !coords) return -1;
    for (int axis = 0; axis < grid->naxes; axis++)
        if (coords[axis] < 0 || coords[axis] >= grid->shape[axis]) return -1;
    return grid_rank_at(grid, grid_position(grid, coords));
}

int redist_grid_coords(const redist_grid *grid, int rank, int coords[])
{
    int64_t position = grid && coords ? grid_find(grid, rank) : -1;
    if (position < 0) return 0;
    grid_coords_at(grid, position, coords);
    return 1;
}

redist_err grid_copy(struct mem_account *account, const redist_grid *grid,
                     redist_grid **copy)
{
    redist_grid *made = *copy = mem_copy(account, grid, 1, sizeof *grid);
    if (!made || !grid->ranks) return made ? REDIST_OK : REDIST_ERR_MEMORY;
    made->ranks = NULL;
    made->sorted = NULL;
    redist_err err = allocate_ranks(account, made);
    if (err) {
        redist_grid_destroy(copy);
        return err;
    }
    memcpy(made->ranks, grid->ranks, (size_t)grid->size * sizeof *grid->ranks);
    memcpy(made->sorted, grid->sorted, (size_t)grid->size * sizeof *grid->sorted);
    return REDIST_OK;
}

/* Tell whether both orders number the coordinates alike. */
static bool is_line(const redist_grid *grid)
{
    int longer = 0;
    for (int axis = 0; axis < grid->naxes; axis++) longer += grid->shape[axis] > 1;
    return longer <= 1;
}

/* Only ranks count, not the order that leads to them. */
bool grid_equal(const redist_grid *a, const redist_grid *b)
{
    if (a->naxes != b->naxes ||
        memcmp(a->shape, b->shape, (size_t)a->naxes * sizeof *a->shape))
        return false;
    if (!a->ranks && !b->ranks)
        return a->base == b->base && (a->order == b->order || is_line(a));
    for (int64_t k = 0; k < a->size; k++) {
        int coords[REDIST_MAX_DIMS];
        grid_coords_at(a, k, coords);
        if (grid_rank_at(a, k) != grid_rank_at(b, grid_position(b, coords))) return false;
    }
    return true;
}
