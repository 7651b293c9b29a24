/* SPDX-License-Identifier: MIT */
#include "tool/store/chunk_grid.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/intmath.h"

static int64_t chunks_of(const redist_file_layout *layout, int i)
{
    return int_ceil_div(layout->shape[i], layout->chunk[i]);
}

/* Return the elements of a block along dimension i: whole chunks. */
static int64_t block_of(const redist_file_layout *layout, const struct chunk_grid *grid,
                        int i)
{
    return int_ceil_div(chunks_of(layout, i), grid->processes[i]) * layout->chunk[i];
}

static int64_t most_of(const redist_file_layout *layout, const struct chunk_grid *grid)
{
    int64_t most = 1;
    for (int i = 0; i < layout->ndims; i++)
        most *= int_min(block_of(layout, grid, i), layout->shape[i]);
    return most;
}

/* Add a grid behind those that are not worse. Returns how many there are then. */
static int add(const redist_file_layout *layout, struct chunk_grid grid, int n,
               struct chunk_grid grids[])
{
    int at = n;
    grid.most = most_of(layout, &grid);
    for (; at > 0 && grids[at - 1].most > grid.most; at--) grids[at] = grids[at - 1];
    grids[at] = grid;
    return n + 1;
}

static struct chunk_grid one_process(void)
{
    struct chunk_grid grid = {.most = 0};
    for (int i = 0; i < REDIST_MAX_DIMS; i++) grid.processes[i] = 1;
    return grid;
}

/* Return the dimension along which `factor` times as many processes leave the fullest of
 * them the least; -1: none has a chunk for each of them. */
static int best_dim(const redist_file_layout *layout, const struct chunk_grid *grid,
                    int64_t factor)
{
    int best = -1;
    int64_t least = 0;
    for (int i = 0; i < layout->ndims; i++) {
        struct chunk_grid finer = *grid;
        if (chunks_of(layout, i) / finer.processes[i] < factor) continue;
        finer.processes[i] *= factor;
        int64_t most = most_of(layout, &finer);
        if (best >= 0 && most >= least) continue;
        best = i;
        least = most;
    }
    return best;
}

static int64_t largest_prime(int64_t n)
{
    for (int64_t p = 2; p * p <= n; p++)
        while (n % p == 0 && n > p) n /= p;
    return n;
}

/* Make a grid along several dimensions; false if one along a dimension is all. */
static bool find_several(const redist_file_layout *layout, int64_t processes,
                         struct chunk_grid *grid)
{
    int dims = 0;
    *grid = one_process();
    while (processes > 1) {
        int64_t factor = largest_prime(processes);
        int i = best_dim(layout, grid, factor);
        if (i < 0) return false;
        dims += grid->processes[i] == 1;
        grid->processes[i] *= factor;
        processes /= factor;
    }
    return dims > 1;
}

int chunk_grid_find(const redist_file_layout *layout, int64_t processes,
                    struct chunk_grid grids[CHUNK_GRIDS])
{
    struct chunk_grid grid;
    int found = 0, n = layout->ndims;
    for (int k = 0; k < n; k++) {
        int i = layout->order == REDIST_COLUMN_MAJOR ? n - 1 - k : k;
        if (chunks_of(layout, i) < processes || (processes == 1 && found)) continue;
        grid = one_process();
        grid.processes[i] = processes;
        found = add(layout, grid, found, grids);
    }
    if (find_several(layout, processes, &grid) &&
        (found == 0 || most_of(layout, &grid) < grids[0].most))
        found = add(layout, grid, found, grids);
    return found;
}

void chunk_grid_print(FILE *out, const redist_file_layout *layout,
                      const struct chunk_grid *grid)
{
    int axes = 0;
    for (int i = 0; i < layout->ndims; i++)
        (void)fprintf(out, "%s%" PRId64, i ? "," : "[", layout->shape[i]);
    (void)fputs("] (", out);
    for (int i = 0; i < layout->ndims; i++) {
        if (i) (void)fputc(',', out);
        if (grid->processes[i] == 1)
            (void)fputc('*', out);
        else
            (void)fprintf(out, "block(%" PRId64 ")", block_of(layout, grid, i));
    }
    (void)fputs(") onto", out);
    for (int i = 0; i < layout->ndims; i++)
        if (grid->processes[i] > 1)
            (void)fprintf(out, "%c%" PRId64, axes++ ? 'x' : ' ', grid->processes[i]);
    if (axes == 0) (void)fputs(" 1", out);
}
