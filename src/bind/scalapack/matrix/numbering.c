/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/matrix/numbering.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"

enum { SOME = 64 }; /* ranks looked up at a time */

/* Add the next process, the k-th, at (row, column), to the numbering. Returns whether it
 * is still regular. */
static bool take_rank(int64_t row, int64_t column, int rank, struct numbering *numbering)
{
    numbering->hash = (int64_t)hash_int((uint64_t)numbering->hash, rank);
    if (row == 0 && column == 0) numbering->first = rank;
    if (row == 0 && column == 1) numbering->step[COLUMNS] = rank - numbering->first;
    if (row == 1 && column == 0) numbering->step[ROWS] = rank - numbering->first;
    return numbering_rank(numbering, row, column) == rank;
}

/* As take_rank, for all ranks [size] of a grid. */
static redist_err take_all(MPI_Group there, MPI_Group here, int size, int columns,
                           int ranks[], struct numbering *numbering)
{
    int own[SOME], found[SOME];
    bool regular = true;
    *numbering = (struct numbering){.hash = (int64_t)HASH_START};
    for (int at = 0; at < size; at += SOME) {
        int n = (int)int_min(SOME, size - at);
        for (int k = 0; k < n; k++) own[k] = at + k;
        TRY(mpi_call(MPI_Group_translate_ranks(there, n, own, here, found)));
        for (int k = 0; k < n; k++) {
            int all = at + k;
            if (found[k] == MPI_UNDEFINED)
                return error_arg("process %d of a grid is not in the context of the call",
                                 all);
            if (ranks) ranks[all] = found[k];
            if (!take_rank(all / columns, all % columns, found[k], numbering))
                regular = false;
        }
    }
    /* it is sent together with numbers that may be negative, and must not be 0 */
    int64_t hash = regular ? 0 : (numbering->hash & INT64_MAX) | 1;
    if (!regular) *numbering = (struct numbering){0};
    numbering->hash = hash;
    return REDIST_OK;
}

redist_err numbering_find(MPI_Comm grid, const int shape[], MPI_Comm comm, int ranks[],
                          struct numbering *numbering)
{
    MPI_Group here = MPI_GROUP_NULL, there = MPI_GROUP_NULL;
    (void)MPI_Comm_group(grid, &there);
    (void)MPI_Comm_group(comm, &here);
    redist_err err = take_all(there, here, shape[ROWS] * shape[COLUMNS], shape[COLUMNS],
                              ranks, numbering);
    (void)MPI_Group_free(&there);
    (void)MPI_Group_free(&here);
    return err;
}

redist_err numbering_grid(const struct numbering *numbering, const int64_t shape[],
                          redist_grid **grid)
{
    const int extent[] = {(int)shape[ROWS], (int)shape[COLUMNS]};
    bool by_columns = numbering->step[ROWS] == 1; /* ranks 0, 1, .. then need no list */
    int64_t inner = by_columns ? ROWS : COLUMNS, size = shape[ROWS] * shape[COLUMNS];
    int *ranks = mem_alloc(NULL, size, sizeof *ranks);
    *grid = NULL;
    if (!ranks) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < size; k++)
        ranks[k] = (int)(numbering->first + k % shape[inner] * numbering->step[inner] +
                         k / shape[inner] * numbering->step[!inner]);
    redist_err err = redist_grid_create(
        MATRIX_DIMS, extent, by_columns ? REDIST_COLUMN_MAJOR : REDIST_ROW_MAJOR, ranks,
        grid);
    mem_free(ranks);
    return err;
}
