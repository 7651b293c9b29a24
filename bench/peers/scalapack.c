/* SPDX-License-Identifier: MIT
 *
 * peers/scalapack.c - ScaLAPACK's pdgemr2d.
 *
 * ScaLAPACK is column-major: our row-major array is to it the transposed one, on the
 * transposed grid, whose processes then come column by column.
 */
#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "peer.h"

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridmap(int *context, int *map, int ld, int rows, int columns);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *desc_a, double *b, int ib,
               int jb, int *desc_b, int context);

struct scalapack {
    int handle, all; /* the context of all processes */
    int context[2];  /* -1: not of this grid */
    int descriptor[2][9];
    int m, n;
};

/* A grid of the first rows x columns ranks, column by column. */
static int make_grid(int handle, int rows, int columns)
{
    int context = handle;
    int *map = malloc((size_t)rows * (size_t)columns * sizeof *map);
    if (!map) return -1;
    for (int k = 0; k < rows * columns; k++) map[k] = k;
    Cblacs_gridmap(&context, map, rows, rows, columns);
    free(map);
    return context;
}

static void describe(const struct item *item, int side, int rank, int context,
                     int descriptor[9])
{
    const struct layout2d *layout = &item->side[side];
    int mine[2];
    bool in = item_coordinates(item, side, rank, mine);
    int64_t ld = in ? item_local(item, side, 1, mine[1]) : 1;
    int made[9] = {1,
                   context,
                   (int)item->extent[1],
                   (int)item->extent[0],
                   (int)layout->block[1],
                   (int)layout->block[0],
                   0,
                   0,
                   ld > 1 ? (int)ld : 1};
    for (int k = 0; k < 9; k++) descriptor[k] = made[k];
}

/* pdgemr2d counts a process's bytes in int, and ends the program where there are more.
 */
static redist_err check(const struct item *item)
{
    for (int s = 0; s < 2; s++) {
        int64_t local = item_local(item, s, 0, 0) * item_local(item, s, 1, 0);
        if (local > INT_MAX / (int64_t)sizeof(double))
            return error_set(REDIST_ERR_ARG, "a process holds more than 2^31 - 1 bytes");
    }
    return REDIST_OK;
}

static redist_err make(MPI_Comm comm, const struct item *item, const char *strategy,
                       void **state)
{
    (void)strategy;
    TRY(check(item));
    TRY(item_check_order(item));
    int rank, nranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    struct scalapack *plan = calloc(1, sizeof *plan);
    if (!plan) return error_set(REDIST_ERR_MEMORY, "out of memory");
    plan->handle = Csys2blacs_handle(comm);
    plan->all = make_grid(plan->handle, 1, nranks);
    plan->m = (int)item->extent[1];
    plan->n = (int)item->extent[0];
    for (int s = 0; s < 2; s++) {
        const int *grid = item->side[s].grid;
        plan->context[s] = make_grid(plan->handle, grid[1], grid[0]);
        describe(item, s, rank, plan->context[s], plan->descriptor[s]);
    }
    *state = plan;
    return REDIST_OK;
}

static redist_err run(void *state, const double *source, double *target)
{
    struct scalapack *plan = state;
    double *from = (double *)(uintptr_t)source; /* read only */
    Cpdgemr2d(plan->m, plan->n, from, 1, 1, plan->descriptor[0], target, 1, 1,
              plan->descriptor[1], plan->all);
    return REDIST_OK;
}

static void destroy(void *state)
{
    struct scalapack *plan = state;
    if (!plan) return;
    for (int s = 0; s < 2; s++)
        if (plan->context[s] >= 0) Cblacs_gridexit(plan->context[s]);
    Cblacs_gridexit(plan->all);
    Cfree_blacs_system_handle(plan->handle);
    free(plan);
}

const struct peer peer_scalapack = {"ScaLAPACK pdgemr2d", false, make, run, destroy};
