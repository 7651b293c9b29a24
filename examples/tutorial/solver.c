/* SPDX-License-Identifier: MIT
 *
 * docs/tutorial/solver.md: a matrix in rows is solved by ScaLAPACK, which wants blocks
 * dealt out over a grid. It checks itself: the solution is known.
 *
 *   mpirun -n 4 solver [N]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <redist/redist.h>

/* ScaLAPACK and its BLACS have no header for C. */
void blacs_get_(const int *context, const int *what, int *value);
void blacs_gridinit_(int *context, const char *order, const int *rows, const int *columns,
                     size_t length);
void blacs_gridexit_(const int *context);
void pdgesv_(const int *n, const int *nrhs, double *a, const int *ia, const int *ja,
             const int *desc_a, int *pivots, double *b, const int *ib, const int *jb,
             const int *desc_b, int *info);

static int rank;

static void check(redist_err err)
{
    if (!err) return;
    if (rank == 0) fprintf(stderr, "%s\n", redist_error_message());
    MPI_Finalize(); /* the error is one of all processes */
    exit(EXIT_FAILURE);
}

struct matrix {
    redist_dist *dist;
    redist_view view;
    double *elements;
};

static void allocate(struct matrix *m)
{
    int64_t span;
    check(redist_view_span(&m->view, rank, &span));
    m->elements = malloc((size_t)(span > 0 ? span : 1) * sizeof(double));
    if (!m->elements) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A matrix as this program has it: rows. */
static struct matrix in_rows(int n, int columns, int nranks)
{
    struct matrix m;
    char text[64];
    (void)snprintf(text, sizeof text, "[%d,%d] (block,*) onto %d", n, columns, nranks);
    check(redist_view_parse(text, &m.dist, &m.view));
    allocate(&m);
    return m;
}

/* The same as ScaLAPACK wants it. `desc` is its descriptor, `grid` that of `context`. */
static struct matrix in_blocks(int n, int columns, int context, const redist_grid *grid,
                               int desc[9])
{
    struct matrix m;
    enum { BLOCK = 32 };
    int64_t local[2];
    const int descriptor[9] = {1, context, n, columns, BLOCK, BLOCK, 0, 0, n};
    for (int k = 0; k < 9; k++) desc[k] = descriptor[k];
    check(redist_view_from_descriptor(desc, grid, &m.dist, &m.view));
    check(redist_dist_local_extents(m.dist, rank, local));
    redist_dist_destroy(&m.dist);
    desc[8] = local[0] > 0 ? (int)local[0] : 1; /* LLD: rows on this process, dense */
    check(redist_view_from_descriptor(desc, grid, &m.dist, &m.view));
    allocate(&m);
    return m;
}

static void move(const struct matrix *from, const struct matrix *to)
{
    redist_plan *plan;
    check(redist_plan_create(MPI_COMM_WORLD, MPI_DOUBLE, &from->view, &to->view, NULL,
                             &plan));
    check(redist_execute(plan, from->elements, to->elements));
    check(redist_plan_destroy(&plan));
}

static void free_matrix(struct matrix *m)
{
    redist_dist_destroy(&m->dist);
    free(m->elements);
}

int main(int argc, char **argv)
{
    int nranks, shape[2] = {0, 0}, n = argc > 1 ? atoi(argv[1]) : 500;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    MPI_Dims_create(nranks, 2, shape);

    /* The equations: 2 on the diagonal, 1 / (1 + |i - j|) elsewhere; x = 0, 1, 2, .. */
    struct matrix a = in_rows(n, n, nranks), b = in_rows(n, 1, nranks);
    int64_t rows[2], first[2] = {0, 0};
    check(redist_dist_local_extents(a.dist, rank, rows));
    if (rows[0] > 0) check(redist_dist_index(a.dist, rank, (int64_t[2]){0, 0}, first));
    for (int64_t i = 0; i < rows[0]; i++) {
        b.elements[i] = 0;
        for (int64_t j = 0; j < n; j++) {
            double distance = fabs((double)(first[0] + i - j));
            double value = distance > 0 ? 1 / (1 + distance) : 2;
            a.elements[i * n + j] = value;
            b.elements[i] += value * (double)j;
        }
    }

    /* ScaLAPACK's grid, and the same as this library says it: row-major. */
    int context, info, one = 1, desc_a[9], desc_b[9];
    redist_grid *grid;
    blacs_get_(&(int){-1}, &(int){0}, &context);
    blacs_gridinit_(&context, "Row", &shape[0], &shape[1], 3);
    check(redist_grid_create(2, shape, REDIST_ROW_MAJOR, NULL, &grid));
    struct matrix a_blocks = in_blocks(n, n, context, grid, desc_a);
    struct matrix b_blocks = in_blocks(n, 1, context, grid, desc_b);

    move(&a, &a_blocks);
    move(&b, &b_blocks);
    int *pivots = malloc((size_t)(desc_a[8] + desc_a[4]) * sizeof *pivots);
    if (!pivots) MPI_Abort(MPI_COMM_WORLD, 1);
    pdgesv_(&n, &one, a_blocks.elements, &one, &one, desc_a, pivots, b_blocks.elements,
            &one, &one, desc_b, &info);
    move(&b_blocks, &b); /* b is the solution now */

    double largest = info == 0 ? 0 : 1;
    for (int64_t i = 0; i < rows[0]; i++)
        largest = fmax(largest, fabs(b.elements[i] - (double)(first[0] + i)) / n);
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("largest error %.1e\n", largest);

    free(pivots);
    free_matrix(&a), free_matrix(&b), free_matrix(&a_blocks), free_matrix(&b_blocks);
    redist_grid_destroy(&grid);
    blacs_gridexit_(&context);
    MPI_Finalize();
    return largest < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
