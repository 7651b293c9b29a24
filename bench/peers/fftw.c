/* SPDX-License-Identifier: MIT
 *
 * peers/fftw.c - FFTW's distributed transpose, which goes from whole rows to whole
 * columns of the same array, or back, if its result or its input may stay transposed.
 *
 *   rows -> columns   an n0 x n1 array, transposed out: local n0 x (n1 / P)
 *   columns -> rows   of the transposed array, transposed in
 */
#include <fftw3-mpi.h>

#include "base/error.h"
#include "peer.h"

/* Whether a side has a block of equal size of dimension j on each of `nranks` ranks. */
static bool is_cut(const struct item *item, int side, int j, int nranks)
{
    const struct layout2d *layout = &item->side[side];
    return layout->grid[j] == nranks && layout->grid[!j] == 1 &&
           layout->block[j] * nranks == item->extent[j];
}

static redist_err make(MPI_Comm comm, const struct item *item, const char *strategy,
                       void **state)
{
    (void)strategy;
    int nranks;
    MPI_Comm_size(comm, &nranks);
    bool out = is_cut(item, 0, 0, nranks) && is_cut(item, 1, 1, nranks);
    bool in = is_cut(item, 0, 1, nranks) && is_cut(item, 1, 0, nranks);
    if (!out && !in)
        return error_set(REDIST_ERR_ARG, "only from rows to columns in equal blocks, or "
                                         "back, on all processes");
    fftw_mpi_init();
    int from = out ? 0 : 1; /* the dimension that is cut before */
    ptrdiff_t n[2] = {item->extent[from], item->extent[!from]}, local[4];
    ptrdiff_t room = fftw_mpi_local_size_2d_transposed(n[0], n[1], comm, &local[0],
                                                       &local[1], &local[2], &local[3]);
    /* Planning measures, and so overwrites: on buffers of its own. */
    double *a = fftw_alloc_real((size_t)room), *b = fftw_alloc_real((size_t)room);
    fftw_plan plan = NULL;
    if (a && b)
        plan = fftw_mpi_plan_transpose(n[0], n[1], a, b, comm,
                                       FFTW_MEASURE | (item->transposed ? 0U
                                                       : out ? FFTW_MPI_TRANSPOSED_OUT
                                                             : FFTW_MPI_TRANSPOSED_IN));
    fftw_free(a);
    fftw_free(b);
    *state = plan;
    return plan ? REDIST_OK : error_set(REDIST_ERR_ARG, "FFTW has no plan");
}

static redist_err run(void *state, const double *source, double *target)
{
    /* out of place it preserves its input */
    fftw_mpi_execute_r2r(state, (double *)(uintptr_t)source, target);
    return REDIST_OK;
}

static void destroy(void *state)
{
    if (state) fftw_destroy_plan(state);
}

const struct peer peer_fftw = {"FFTW transpose", false, make, run, destroy};
