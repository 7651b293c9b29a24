/* SPDX-License-Identifier: MIT
 *
 * A program that knows ScaLAPACK and nothing else: a matrix goes from whole columns to
 * whole rows and, transposed and doubled, back. Link it with redist_scalapack before
 * ScaLAPACK, or preload that, and these calls are redist's.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void blacs_get_(const int *context, const int *what, int *value);
void blacs_gridinit_(int *context, const char *order, const int *rows, const int *columns,
                     size_t length);
void blacs_gridexit_(const int *context);
void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
               const int *desc_a, double *b, const int *ib, const int *jb,
               const int *desc_b, const int *context);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a,
             const int *ia, const int *ja, const int *desc_a, const double *beta,
             double *c, const int *ic, const int *jc, const int *desc_c);

static int make_grid(int rows, int columns)
{
    int context = 0;
    blacs_get_(&(int){-1}, &(int){0}, &context);
    blacs_gridinit_(&context, "R", &rows, &columns, 1);
    return context;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, size = 1, one = 1, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int wide = make_grid(1, size), high = make_grid(size, 1);
    int block = 100, n = block * size, across[9] = {1, wide, n, n, n, block, 0, 0, n};
    int along[9] = {1, high, n, n, block, n, 0, 0, block};
    int heap = n * block; /* elements of a process, either way */
    double *a = malloc((size_t)heap * sizeof *a), *b = calloc((size_t)heap, sizeof *b);
    double *c = calloc((size_t)heap, sizeof *c), two = 2, zero = 0;
    if (!a || !b || !c) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int k = 0; k < heap; k++) {
        int column = rank * block + k / n, row = k % n;
        a[k] = column + row * 1e3;
    }
    pdgemr2d_(&n, &n, a, &one, &one, across, b, &one, &one, along, &wide);
    pdtran_(&n, &n, &two, b, &one, &one, along, &zero, c, &one, &one, along);
    for (int k = 0; k < heap; k++) { /* element (i, j) is now twice (j, i) */
        int i = rank * block + k % block, j = k / block;
        wrong += b[k] != j + i * 1e3;
        wrong += c[k] != 2 * (i + j * 1e3);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
    blacs_gridexit_(&wide);
    blacs_gridexit_(&high);
    free(a), free(b), free(c);
    MPI_Finalize();
    return wrong != 0;
}
