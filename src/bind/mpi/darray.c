/* SPDX-License-Identifier: MIT
 *
 * The distributions of MPI_Type_create_darray (MPI-4.1, 5.1.4): BLOCK and CYCLIC as in
 * HPF, over a row-major grid with one axis for each dimension.
 */
#include <stdbool.h>

#include <redist/redist.h>

#include "base/error.h"

static redist_err make_format(int i, int distrib, int darg, int procs,
                              redist_format *format)
{
    bool by_default = darg == MPI_DISTRIBUTE_DFLT_DARG;
    if (distrib == MPI_DISTRIBUTE_BLOCK) {
        *format = by_default ? redist_block() : redist_block_of(darg);
    } else if (distrib == MPI_DISTRIBUTE_CYCLIC) {
        *format = redist_cyclic(by_default ? 1 : darg);
    } else if (distrib == MPI_DISTRIBUTE_NONE) {
        if (procs != 1)
            return error_arg("dim %d: psizes is %d, must be 1 with MPI_DISTRIBUTE_NONE",
                             i, procs);
        *format = redist_collapsed();
    } else {
        return error_arg("dim %d: distribs is %d, must be MPI_DISTRIBUTE_BLOCK, "
                         "MPI_DISTRIBUTE_CYCLIC or MPI_DISTRIBUTE_NONE",
                         i, distrib);
    }
    format->axis = i;
    return REDIST_OK;
}

static redist_err make_dist(int ndims, const int gsizes[], const int distribs[],
                            const int dargs[], const int psizes[], redist_dist **dist)
{
    int64_t extents[REDIST_MAX_DIMS];
    redist_format formats[REDIST_MAX_DIMS];
    for (int i = 0; i < ndims; i++) {
        extents[i] = gsizes[i];
        TRY(make_format(i, distribs[i], dargs[i], psizes[i], &formats[i]));
    }
    redist_grid *grid = NULL;
    TRY(redist_grid_create(ndims, psizes, REDIST_ROW_MAJOR, NULL, &grid));
    redist_err err = redist_dist_create(ndims, extents, formats, grid, dist);
    redist_grid_destroy(&grid);
    return err;
}

redist_err redist_view_from_darray(int ndims, const int gsizes[], const int distribs[],
                                   const int dargs[], const int psizes[], int order,
                                   redist_dist **dist, redist_view *view)
{
    if (!dist) return error_arg("dist is NULL");
    *dist = NULL;
    if (!view) return error_arg("view is NULL");
    if (ndims < 1 || ndims > REDIST_MAX_DIMS)
        return error_arg("ndims is %d, must be 1 to %d", ndims, REDIST_MAX_DIMS);
    const char *absent = !gsizes     ? "gsizes"
                         : !distribs ? "distribs"
                         : !dargs    ? "dargs"
                         : !psizes   ? "psizes"
                                     : NULL;
    if (absent) return error_arg("%s is NULL", absent);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        return error_arg("order is %d, must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
    TRY(make_dist(ndims, gsizes, distribs, dargs, psizes, dist));
    TRY(redist_view_init(*dist, view));
    return redist_view_set_order(view, order == MPI_ORDER_C ? REDIST_ROW_MAJOR
                                                            : REDIST_COLUMN_MAJOR);
}
