/* SPDX-License-Identifier: MIT
 *
 * redist_view_from_darray against MPI_Type_create_darray: packing MPI's type picks the
 * elements of a rank out of the global array in the order in which the rank stores them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <redist/redist.h>

#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (condition) break;                                                            \
        fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition,               \
                redist_error_message());                                                 \
        MPI_Abort(MPI_COMM_WORLD, 1);                                                    \
    } while (0)

enum { DIMS = 3, MOST_ELEMENTS = 7 * 6 * 5 };

struct darray {
    int gsizes[DIMS], distribs[DIMS], dargs[DIMS], psizes[DIMS], order;
};

/* The global positions of the rank's elements, in local order, as MPI has them. */
static int positions_by_mpi(const struct darray *a, int size, int rank, int positions[])
{
    int global[MOST_ELEMENTS], bytes = 0, packed = 0;
    MPI_Datatype type;
    for (int k = 0; k < MOST_ELEMENTS; k++) global[k] = k;
    MPI_Type_create_darray(size, rank, DIMS, a->gsizes, a->distribs, a->dargs, a->psizes,
                           a->order, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    if (bytes > 0)
        MPI_Pack(global, 1, type, positions, MOST_ELEMENTS * (int)sizeof(int), &packed,
                 MPI_COMM_SELF);
    MPI_Type_free(&type);
    return bytes / (int)sizeof(int);
}

/* The same by the view. Its order names the slowest dimension first. */
static int positions_by_view(const redist_view *view, int rank, int positions[])
{
    int64_t local[DIMS], index[DIMS];
    CHECK(redist_dist_local_extents(view->dist, rank, local) == REDIST_OK);
    int n = (int)(local[0] * local[1] * local[2]);
    for (int k = 0; k < n; k++) {
        int64_t place[DIMS], position = 0;
        for (int d = DIMS - 1, rest = k; d >= 0; d--) {
            int i = view->order[d];
            place[i] = rest % local[i];
            rest /= (int)local[i];
        }
        CHECK(redist_dist_index(view->dist, rank, place, index) == REDIST_OK);
        for (int d = 0; d < DIMS; d++) {
            int i = view->order[d];
            position = position * redist_dist_extent(view->dist, i) + index[i];
        }
        positions[k] = (int)position;
    }
    return n;
}

static redist_err make_view(const struct darray *a, redist_dist **dist, redist_view *view)
{
    return redist_view_from_darray(DIMS, a->gsizes, a->distribs, a->dargs, a->psizes,
                                   a->order, dist, view);
}

static void view_and_darray_hold_the_same_elements(const struct darray *a)
{
    redist_dist *dist = NULL;
    redist_view view;
    CHECK(make_view(a, &dist, &view) == REDIST_OK);
    int size = a->psizes[0] * a->psizes[1] * a->psizes[2];
    CHECK(redist_grid_size(redist_dist_grid(dist)) == size);
    for (int rank = 0; rank < size; rank++) {
        int ours[MOST_ELEMENTS], theirs[MOST_ELEMENTS];
        int n = positions_by_view(&view, rank, ours);
        int64_t span = -1;
        CHECK(positions_by_mpi(a, size, rank, theirs) == n);
        CHECK(memcmp(ours, theirs, (size_t)n * sizeof *ours) == 0);
        CHECK(redist_view_span(&view, rank, &span) == REDIST_OK);
        CHECK(span == n);
    }
    redist_dist_destroy(&dist);
}

/* All ways to distribute a 7 x 6 x 5 array onto 3 x 2 x 1 processes. */
static void every_distribution_agrees_with_mpi(void)
{
    static const int psizes[DIMS] = {3, 2, 1}, gsizes[DIMS] = {7, 6, 5};
    const int ways[][2] = {
        {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG},  {MPI_DISTRIBUTE_BLOCK, 5},
        {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG}, {MPI_DISTRIBUTE_CYCLIC, 2},
        {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG},
    };
    enum { WAYS = sizeof ways / sizeof *ways };
    for (int code = 0; code < 2 * WAYS * WAYS * WAYS; code++) {
        struct darray a = {.order = code % 2 ? MPI_ORDER_C : MPI_ORDER_FORTRAN};
        for (int i = 0, rest = code / 2; i < DIMS; i++, rest /= WAYS) {
            a.gsizes[i] = gsizes[i];
            a.distribs[i] = ways[rest % WAYS][0];
            a.dargs[i] = ways[rest % WAYS][1];
            a.psizes[i] = a.distribs[i] == MPI_DISTRIBUTE_NONE ? 1 : psizes[i];
        }
        view_and_darray_hold_the_same_elements(&a);
    }
}

static void expect(redist_err err, const char *sentence)
{
    CHECK(err == REDIST_ERR_ARG);
    CHECK(strcmp(redist_error_message(), sentence) == 0);
}

static void wrong_arguments_are_named(void)
{
    const struct darray good = {
        {7, 6, 5},
        {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
        {3, 2, 0},
        {3, 2, 1},
        MPI_ORDER_C};
    redist_dist *dist = NULL;
    redist_view view;
    struct darray bad = good;
    bad.psizes[2] = 2;
    expect(make_view(&bad, &dist, &view),
           "dim 2: psizes is 2, must be 1 with MPI_DISTRIBUTE_NONE");
    bad = good;
    bad.dargs[0] = 2;
    expect(make_view(&bad, &dist, &view),
           "dim 0: block(2) onto 3 processes does not cover 7 elements");
    bad = good;
    bad.dargs[1] = 0;
    expect(make_view(&bad, &dist, &view), "dim 1: cyclic block is 0, must be >= 1");
    bad = good;
    bad.gsizes[1] = -6;
    expect(make_view(&bad, &dist, &view), "dim 1: extent is -6, must be >= 0");
    bad = good;
    bad.distribs[0] = -12345;
    expect(make_view(&bad, &dist, &view),
           "dim 0: distribs is -12345, must be MPI_DISTRIBUTE_BLOCK, "
           "MPI_DISTRIBUTE_CYCLIC or MPI_DISTRIBUTE_NONE");
    bad = good;
    bad.order = -12345;
    expect(make_view(&bad, &dist, &view),
           "order is -12345, must be MPI_ORDER_C or MPI_ORDER_FORTRAN");
    expect(redist_view_from_darray(16, good.gsizes, good.distribs, good.dargs,
                                   good.psizes, good.order, &dist, &view),
           "ndims is 16, must be 1 to 15");
    expect(redist_view_from_darray(3, good.gsizes, NULL, good.dargs, good.psizes,
                                   good.order, &dist, &view),
           "distribs is NULL");
    expect(make_view(&good, NULL, &view), "dist is NULL");
    expect(make_view(&good, &dist, NULL), "view is NULL");
    CHECK(!dist);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    every_distribution_agrees_with_mpi();
    wrong_arguments_are_named();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
