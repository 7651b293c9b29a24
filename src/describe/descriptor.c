/* SPDX-License-Identifier: MIT
 *
 * ScaLAPACK's array descriptor: a block-cyclic matrix over a process grid of two axes.
 */
#include "base/error.h"
#include "describe/dist.h"

enum { M_ = 2, N_, MB_, NB_, RSRC_, CSRC_, LLD_ }; /* DTYPE_ and CTXT_ come before */

static redist_err check_field(const char *name, const int desc[], int field, int low)
{
    if (desc[field] >= low) return REDIST_OK;
    return error_arg("desc[%d]: %s is %d, must be >= %d", field, name, desc[field], low);
}

static redist_err check_source(const char *name, const int desc[], int field, int procs)
{
    if (desc[field] >= 0 && desc[field] < procs) return REDIST_OK;
    return error_arg("desc[%d]: %s is %d, must be 0 to %d", field, name, desc[field],
                     procs - 1);
}

static redist_err check(const int desc[], const redist_grid *grid)
{
    if (!desc) return error_arg("desc is NULL");
    if (!grid) return error_arg("grid is NULL");
    if (grid->naxes != 2)
        return error_arg("a descriptor's grid has 2 axes, this one has %d", grid->naxes);
    TRY(check_field("M", desc, M_, 0));
    TRY(check_field("N", desc, N_, 0));
    TRY(check_field("MB", desc, MB_, 1));
    TRY(check_field("NB", desc, NB_, 1));
    TRY(check_source("RSRC", desc, RSRC_, grid->shape[0]));
    TRY(check_source("CSRC", desc, CSRC_, grid->shape[1]));
    return check_field("LLD", desc, LLD_, 1);
}

redist_err redist_view_from_descriptor(const int desc[9], const redist_grid *grid,
                                       redist_dist **dist, redist_view *view)
{
    if (!dist) return error_arg("dist is NULL");
    *dist = NULL;
    if (!view) return error_arg("view is NULL");
    TRY(check(desc, grid));
    redist_format formats[2] = {redist_cyclic(desc[MB_]), redist_cyclic(desc[NB_])};
    formats[0].first = desc[RSRC_];
    formats[1].first = desc[CSRC_];
    TRY(redist_dist_create(2, (int64_t[]){desc[M_], desc[N_]}, formats, grid, dist));
    TRY(redist_view_init(*dist, view));
    TRY(redist_view_set_order(view, REDIST_COLUMN_MAJOR));
    /* Whether LLD covers the local rows shows when a rank is known. */
    view->lead[0] = 1;
    view->lead[1] = desc[LLD_];
    return REDIST_OK;
}
