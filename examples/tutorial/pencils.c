/* SPDX-License-Identifier: MIT
 *
 * docs/tutorial/pencils.md: a Fourier transform in three dimensions on a grid of
 * processes. It checks itself: f is one wave, so that its transform has one element.
 *
 *   mpirun -n 4 pencils [N]
 */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <fftw3.h>
#include <redist/redist.h>

static int rank;

static void check(redist_err err)
{
    if (!err) return;
    if (rank == 0) fprintf(stderr, "%s\n", redist_error_message());
    MPI_Finalize(); /* the error is one of all processes */
    exit(EXIT_FAILURE);
}

/* Whole lines along one dimension. `order` makes each line dense in memory: that
 * dimension comes last. */
static const char *const texts[3] = {
    "[%d,%d,%d] (*,block,block) onto %dx%d order (1,2,0)",
    "[%d,%d,%d] (block,*,block) onto %dx%d order (0,2,1)",
    "[%d,%d,%d] (block,block,*) onto %dx%d order (0,1,2)",
};

struct pencil {
    redist_dist *dist;
    redist_view view;
    int64_t elements; /* on this process */
    double complex *f;
    fftw_plan transform; /* of all its lines */
};

static struct pencil make_pencil(int d, int n, const int grid[2])
{
    struct pencil p = {0};
    char text[128];
    (void)snprintf(text, sizeof text, texts[d], n, n, n, grid[0], grid[1]);
    check(redist_view_parse(text, &p.dist, &p.view));
    check(redist_view_span(&p.view, rank, &p.elements));
    if (p.elements == 0) return p;
    p.f = fftw_alloc_complex((size_t)p.elements);
    if (!p.f) MPI_Abort(MPI_COMM_WORLD, 1);
    p.transform = fftw_plan_many_dft(1, &n, (int)(p.elements / n), p.f, NULL, 1, n, p.f,
                                     NULL, 1, n, FFTW_FORWARD, FFTW_ESTIMATE);
    return p;
}

static void free_pencil(struct pencil *p)
{
    if (p->transform) fftw_destroy_plan(p->transform);
    fftw_free(p->f);
    redist_dist_destroy(&p->dist);
}

/* Where element k of this process's memory is in the whole array. */
static void find_index(const struct pencil *p, int64_t k, int64_t index[3])
{
    int64_t extents[3], local[3];
    check(redist_dist_local_extents(p->dist, rank, extents));
    for (int j = 2; j >= 0; j--) { /* the fastest dimension first */
        int i = p->view.order[j];
        local[i] = k % extents[i];
        k /= extents[i];
    }
    check(redist_dist_index(p->dist, rank, local, index));
}

/* f(i) = e^(2 pi I (i . wave) / n), whose transform is n^3 at `wave` and 0 elsewhere. */
static const int64_t wave[3] = {2, 5, 3};

static void fill(struct pencil *p, int n)
{
    for (int64_t k = 0; k < p->elements; k++) {
        int64_t i[3];
        find_index(p, k, i);
        int64_t turns = i[0] * wave[0] + i[1] * wave[1] + i[2] * wave[2];
        p->f[k] = cexp(2 * 3.14159265358979323846 * I * (double)(turns % n) / n);
    }
}

static int is_right(const struct pencil *p, int n)
{
    double largest = 0, volume = (double)n * n * n;
    for (int64_t k = 0; k < p->elements; k++) {
        int64_t i[3];
        find_index(p, k, i);
        int there = i[0] == wave[0] % n && i[1] == wave[1] % n && i[2] == wave[2] % n;
        double error = cabs(p->f[k] - (there ? volume : 0)) / volume;
        if (error > largest) largest = error;
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("largest error %.1e\n", largest);
    return largest < 1e-12;
}

int main(int argc, char **argv)
{
    int nranks, grid[2] = {0, 0}, n = argc > 1 ? atoi(argv[1]) : 64;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    MPI_Dims_create(nranks, 2, grid);

    struct pencil pencils[3];
    redist_plan *plans[2];
    for (int d = 0; d < 3; d++) pencils[d] = make_pencil(d, n, grid);
    for (int d = 0; d < 2; d++)
        check(redist_plan_create(MPI_COMM_WORLD, MPI_C_DOUBLE_COMPLEX, &pencils[d].view,
                                 &pencils[d + 1].view, NULL, &plans[d]));

    fill(&pencils[0], n);
    for (int d = 0; d < 3; d++) {
        if (d > 0) check(redist_execute(plans[d - 1], pencils[d - 1].f, pencils[d].f));
        if (pencils[d].transform) fftw_execute(pencils[d].transform);
    }
    int right = is_right(&pencils[2], n);

    for (int d = 0; d < 2; d++) check(redist_plan_destroy(&plans[d]));
    for (int d = 0; d < 3; d++) free_pencil(&pencils[d]);
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
