/* SPDX-License-Identifier: MIT
 *
 * page/module/window.c - tables of what a window of the page shows: owners of elements,
 * lengths of messages, and volumes of processes. Every step-th row and column is
 * computed, so that the cost is that of the window, whatever the problem.
 */
#include "explorer.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "intersect/overlap.h"

/* Every step-th of the numbers from `first` on. */
struct sample {
    int64_t first, step;
    int n;
};

/* ---- owners ------------------------------------------------------------------------ */

/* Outside the section, or the array. */
enum { NOBODY = -1 };

/* A request for owners: those of the elements of `own`, or of the elements that these are
 * paired with on the other side. */
struct asked {
    const redist_view *own, *owners;
};

/* Return the dimension of the owners' side that is paired with dimension `d`. */
static int find_dim(const struct asked *asked, int d)
{
    int j = 0;
    while (asked->own->axes[j] != d) j++;
    return asked->owners->axes[j];
}

/* Return the coordinate that owns element i of dimension `d`, or NOBODY. */
static int find_coord(const struct asked *asked, int d, int64_t i)
{
    const redist_view *own = asked->own, *owners = asked->owners;
    int64_t away = i - own->start[d];
    if (i < 0 || i >= own->dist->dim[d].extent) return NOBODY;
    if (away < 0 || away % own->stride[d] || away / own->stride[d] >= own->extent[d])
        return NOBODY;
    int k = find_dim(asked, d);
    int64_t there = owners->start[k] + away / own->stride[d] * owners->stride[k];
    return dim_block_at(&owners->dist->dim[k], there).owner;
}

/* Return the table [rows][columns] of the first ranks that own the elements along the
 * dimensions `dims`[2], at index `at`[ndims] of the others; or, if `paired`, those that
 * they are paired with. dims[0] is -1 if there is one dimension. */
PAGE_EXPORT("page_owners")
const int *page_owners(redist_side side, int paired, const int dims[2],
                       const int64_t at[], int64_t row, int64_t row_step, int rows,
                       int64_t column, int64_t column_step, int columns)
{
    const struct asked asked = {&explorer.view[side],
                                &explorer.view[paired ? !side : side]};
    int *ranks = page_array((int64_t)rows * columns, sizeof *ranks);
    int *across = mem_alloc(NULL, columns, sizeof *across);
    int coords[REDIST_MAX_DIMS];
    bool outside = false;
    for (int d = 0; d < asked.own->dist->ndims; d++) {
        if (d == dims[0] || d == dims[1]) continue;
        int coord = find_coord(&asked, d, at[d]);
        coords[find_dim(&asked, d)] = coord;
        outside = outside || coord == NOBODY;
    }
    for (int c = 0; across && c < columns; c++)
        across[c] = find_coord(&asked, dims[1], column + c * column_step);
    for (int r = 0; ranks && across && r < rows; r++) {
        int down = dims[0] < 0 ? 0 : find_coord(&asked, dims[0], row + r * row_step);
        for (int c = 0; c < columns; c++) {
            int *rank = &ranks[(int64_t)r * columns + c];
            *rank = NOBODY;
            if (outside || down == NOBODY || across[c] == NOBODY) continue;
            if (dims[0] >= 0) coords[find_dim(&asked, dims[0])] = down;
            coords[find_dim(&asked, dims[1])] = across[c];
            *rank = dist_rank(asked.owners->dist, coords, 0);
        }
    }
    mem_free(across);
    return across ? ranks : NULL;
}

/* ---- messages ---------------------------------------------------------------------- */

static int rank_at(redist_side side, int64_t position)
{
    return grid_rank_at(explorer.view[side].dist->grid, position);
}

PAGE_EXPORT("page_position") int64_t page_position(redist_side side, int rank)
{
    return grid_find(explorer.view[side].dist->grid, rank);
}

/* Add the messages of a source to the row of a table. */
static redist_err add_row(int rank, const struct sample *across, double row[])
{
    struct overlap overlap;
    const redist_view *views = explorer.view;
    TRY(overlap_make(NULL, &views[0], &views[1], REDIST_SOURCE, rank, &overlap));
    for (int64_t k = 0; k < overlap.nmessages; k++) {
        const struct message *message = &overlap.message[k];
        int64_t q = grid_find(views[REDIST_TARGET].dist->grid, message->rank);
        int64_t column = (q - across->first) / across->step;
        if (q < across->first || column >= across->n) continue;
        row[column] += (double)message->elements;
    }
    overlap_free(&overlap);
    return REDIST_OK;
}

/* Return the table [rows][columns] of the elements that every step-th source sends to all
 * targets of a column; processes in the order of their grids. */
PAGE_EXPORT("page_grid")
const double *page_grid(int64_t row, int64_t row_step, int rows, int64_t column,
                        int64_t column_step, int columns)
{
    const struct sample across = {column, column_step, columns};
    double *table = page_array((int64_t)rows * columns, sizeof *table);
    for (int r = 0; table && r < rows; r++) {
        int rank = rank_at(REDIST_SOURCE, row + r * row_step);
        if (add_row(rank, &across, &table[(int64_t)r * columns])) return NULL;
    }
    return table;
}

/* Return for every step-th process of a side, in the order of its grid, its rank, the
 * elements and the messages that it sends or receives, and the elements that it keeps. */
PAGE_EXPORT("page_volumes")
const double *page_volumes(redist_side side, int64_t first, int64_t step, int n)
{
    enum { RANK, MOVED, MESSAGES, KEPT, NUMBERS };
    const redist_view *views = explorer.view;
    double *table = page_array((int64_t)n * NUMBERS, sizeof *table);
    for (int k = 0; table && k < n; k++) {
        struct overlap overlap;
        double *numbers = &table[(int64_t)k * NUMBERS];
        int rank = rank_at(side, first + k * step);
        if (overlap_make(NULL, &views[0], &views[1], side, rank, &overlap)) return NULL;
        numbers[RANK] = rank;
        for (int64_t m = 0; m < overlap.nmessages; m++) {
            bool stays = overlap.message[m].rank == rank;
            numbers[stays ? KEPT : MOVED] += (double)overlap.message[m].elements;
            numbers[MESSAGES] += !stays;
        }
        overlap_free(&overlap);
    }
    return table;
}
