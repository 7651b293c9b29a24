/* SPDX-License-Identifier: MIT
 *
 * tool/store/chunk_grid.h - grids of processes that give each of them whole chunks of an
 * array in a file:
 *
 *   shape 60 x 100, chunks of 7 x 30
 *
 *   3 processes     [60,100] (block(21),*) onto 3
 *   10 processes    [60,100] (block(14),block(60)) onto 5x2
 */
#ifndef REDIST_TOOL_STORE_CHUNK_GRID_H
#define REDIST_TOOL_STORE_CHUNK_GRID_H

#include <stdio.h>

#include <redist/files.h>

struct chunk_grid {
    int64_t processes[REDIST_MAX_DIMS]; /* along each dimension */
    int64_t most;                       /* elements of one process */
};

enum { CHUNK_GRIDS = REDIST_MAX_DIMS + 1 };

/* Find such grids: those along one dimension, and one along several if it is better. The
 * first one is the best: its fullest process has the fewest elements, and of equal ones
 * it cuts the slowest dimension. Returns how many. O(ndims^2 + sqrt(processes)). */
int chunk_grid_find(const redist_file_layout *layout, int64_t processes,
                    struct chunk_grid grids[CHUNK_GRIDS]);

/* Print the text of the distribution. */
void chunk_grid_print(FILE *out, const redist_file_layout *layout,
                      const struct chunk_grid *grid);

#endif
