/* SPDX-License-Identifier: MIT
 *
 * The Fourier transform of a complex M x N array, by FFTW's of one dimension:
 *
 *   F(k,l) = sum over i of e^(-2 pi I i k / M)  sum over j of e^(-2 pi I j l / N)  f(i,j)
 *
 * The inner sums need whole rows, the outer ones whole columns. So each process
 * transforms rows, all change from one distribution to the other, and each transforms
 * columns:
 *
 *   [M,N] (block,*)                         [M,N] (*,block) order column-major
 *
 *    0 0 0 0 0 0                             0 0 1 1 2 2
 *    0 0 0 0 0 0      redist_execute         0 0 1 1 2 2     rows here and columns there
 *    1 1 1 1 1 1     --------------->        0 0 1 1 2 2     lie one behind the other in
 *    1 1 1 1 1 1                             0 0 1 1 2 2     memory
 *    2 2 2 2 2 2
 *
 * and the same way back. M and N need not be multiples of the number of processes.
 *
 *   mpirun -n 4 fft2d [-n MxN] [--repeat R]
 *
 * The run checks itself, and its exit status is 1 if it is wrong: f is a sum of plane
 * waves, so that F is known, and the way there and back must give f again.
 */
#include <complex.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <fftw3.h>
#include <redist/redist.h>

#define PI 3.14159265358979323846

/* What this process holds in one of the two distributions: `lines` whole rows or columns
 * of `length` elements, one behind the other; line j is line first + j of all. */
struct pencil {
    redist_dist *dist;
    redist_view view;
    int lines, length;
    int64_t first;
    double complex *f;
    fftw_plan forward, backward; /* of all its lines; NULL where there are none */
};

static int rank, nranks, rows = 1024, columns = 1024, repeat = 10;
static struct pencil in_rows, in_columns;
static redist_plan *to_columns, *to_rows;
static double seconds_transforming, seconds_moving;

/* End the run if the library has failed, which it has on all processes. */
static void check(redist_err err)
{
    if (!err) return;
    if (rank == 0) fprintf(stderr, "%s\n", redist_error_message());
    MPI_Finalize();
    exit(EXIT_FAILURE);
}

/* ---- making ready ------------------------------------------------------------------ */

static fftw_plan plan_lines(const struct pencil *p, int sign)
{
    return fftw_plan_many_dft(1, &p->length, p->lines, p->f, NULL, 1, p->length, p->f,
                              NULL, 1, p->length, sign, FFTW_MEASURE);
}

static struct pencil make_pencil(const char *format, int length)
{
    struct pencil p = {.length = length};
    char text[96];
    int64_t local[2], index[2] = {0};
    (void)snprintf(text, sizeof text, format, rows, columns, nranks);
    check(redist_view_parse(text, &p.dist, &p.view));
    check(redist_dist_local_extents(p.dist, rank, local));
    p.lines = (int)(local[0] * local[1] / length);
    if (p.lines == 0) return p;
    check(redist_dist_index(p.dist, rank, (int64_t[2]){0, 0}, index));
    p.first = index[0] + index[1]; /* one of them is 0 */
    p.f = fftw_alloc_complex((size_t)p.lines * (size_t)length);
    if (p.f) p.forward = plan_lines(&p, FFTW_FORWARD);
    if (p.f) p.backward = plan_lines(&p, FFTW_BACKWARD);
    if (!p.forward || !p.backward) {
        fprintf(stderr, "rank %d: no memory for %d lines\n", rank, p.lines);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

static void free_pencil(struct pencil *p)
{
    if (p->forward) fftw_destroy_plan(p->forward);
    if (p->backward) fftw_destroy_plan(p->backward);
    fftw_free(p->f);
    redist_dist_destroy(&p->dist);
}

static redist_plan *make_plan(const struct pencil *from, const struct pencil *to)
{
    redist_plan *plan;
    check(redist_plan_create(MPI_COMM_WORLD, MPI_C_DOUBLE_COMPLEX, &from->view, &to->view,
                             NULL, &plan));
    return plan;
}

static void make_all(void)
{
    in_rows = make_pencil("[%d,%d] (block,*) onto %d", columns);
    in_columns = make_pencil("[%d,%d] (*,block) onto %d order column-major", rows);
    to_columns = make_plan(&in_rows, &in_columns);
    to_rows = make_plan(&in_columns, &in_rows);
}

static void free_all(void)
{
    check(redist_plan_destroy(&to_columns));
    check(redist_plan_destroy(&to_rows));
    free_pencil(&in_rows);
    free_pencil(&in_columns);
    fftw_cleanup();
}

/* ---- the transform ----------------------------------------------------------------- */

static void transform(fftw_plan plan)
{
    double start = MPI_Wtime();
    if (plan) fftw_execute(plan);
    seconds_transforming += MPI_Wtime() - start;
}

static void move(redist_plan *plan, const struct pencil *from, const struct pencil *to)
{
    double start = MPI_Wtime();
    check(redist_execute(plan, from->f, to->f));
    seconds_moving += MPI_Wtime() - start;
}

/* From f in rows to F in columns. */
static void forward(void)
{
    transform(in_rows.forward);
    move(to_columns, &in_rows, &in_columns);
    transform(in_columns.forward);
}

/* From F in columns to f in rows. */
static void backward(void)
{
    transform(in_columns.backward);
    move(to_rows, &in_columns, &in_rows);
    transform(in_rows.backward);
    for (int64_t e = 0; e < (int64_t)in_rows.lines * columns; e++)
        in_rows.f[e] /= (double)rows * columns;
}

/* ---- what must come out ------------------------------------------------------------ */

static const struct wave {
    int k, l;
    double amplitude;
} waves[] = {{0, 0, 1}, {1, 0, 0.5}, {-2, 3, 0.25}, {5, -7, 2}};
enum { WAVES = sizeof waves / sizeof *waves };

/* Element j of row i of f: the sum of the waves a e^(2 pi I (i k / M + j l / N)). */
static double complex exact_f(int64_t i, int64_t j)
{
    double complex f = 0;
    for (int w = 0; w < WAVES; w++) {
        double turns = (double)(i * waves[w].k % rows) / rows +
                       (double)(j * waves[w].l % columns) / columns;
        f += waves[w].amplitude * cexp(2 * PI * I * turns);
    }
    return f;
}

/* Element k of column l of F: M N times the amplitudes of the waves (k,l), where k counts
 * modulo M and l modulo N. */
static double complex exact_transform(int64_t l, int64_t k)
{
    double sum = 0;
    for (int w = 0; w < WAVES; w++)
        if ((k - waves[w].k) % rows == 0 && (l - waves[w].l) % columns == 0)
            sum += waves[w].amplitude;
    return sum * rows * columns;
}

static void fill(const struct pencil *p,
                 double complex exact(int64_t line, int64_t place))
{
    for (int64_t j = 0; j < p->lines; j++)
        for (int64_t i = 0; i < p->length; i++)
            p->f[j * p->length + i] = exact(p->first + j, i);
}

static double largest_of_all(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

/* Compare all elements of all processes with what they must be after some `trips` there
 * and back, as parts of `scale`. */
static int is_right(const char *what, const struct pencil *p, int trips, double scale,
                    double complex exact(int64_t line, int64_t place))
{
    const double limit = 1e-12 * trips;
    double largest = 0;
    int right = 1;
    for (int64_t j = 0; j < p->lines; j++) {
        for (int64_t i = 0; i < p->length; i++) {
            double complex difference = p->f[j * p->length + i] - exact(p->first + j, i);
            double error = cabs(difference) / scale;
            if (error > largest) largest = error;
            if (!(error <= limit)) right = 0;
        }
    }
    largest = largest_of_all(largest);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0)
        printf("  %-8s  %.1e off (limit %.1e): %s\n", what, largest, limit,
               right ? "right" : "WRONG");
    return right;
}

/* ---- the program ------------------------------------------------------------------- */

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {{"repeat", required_argument, NULL, 'r'}, {0}};
    int c = 0, given = 2;
    opterr = rank == 0;
    while (c != -1 && c != '?') {
        c = getopt_long(argc, argv, "n:r:", known, NULL);
        if (c == 'n') given = sscanf(optarg, "%dx%d", &rows, &columns);
        if (c == 'r') repeat = atoi(optarg);
    }
    if (given == 1) columns = rows;
    int well = c == -1 && optind == argc && given >= 1;
    if (well && rows >= 1 && columns >= 1 && repeat >= 1) return;
    if (rank == 0)
        fprintf(stderr, "usage: fft2d [-n M[xN]] [--repeat R], all at least 1\n");
    MPI_Finalize();
    exit(2);
}

static void report_times(void)
{
    double moving = largest_of_all(seconds_moving);
    double transforming = largest_of_all(seconds_transforming);
    double gigabytes = 2e-9 * repeat * sizeof(double complex) * rows * columns;
    if (rank == 0)
        printf(
            "  time      %.3f s transforming, %.3f s redistributing %.3f GB: %.2f GB/s\n",
            transforming, moving, gigabytes, gigabytes / moving);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    read_options(argc, argv);
    make_all();
    fill(&in_rows, exact_f); /* only now: to plan, FFTW overwrites */
    if (rank == 0)
        printf("fft2d: %d x %d elements, %d times there and back, %d processes\n", rows,
               columns, repeat, nranks);
    forward();
    int right =
        is_right("spectrum", &in_columns, 1, 1.0 * rows * columns, exact_transform);
    backward();
    for (int run = 1; run < repeat; run++) {
        forward();
        backward();
    }
    right &= is_right("and back", &in_rows, repeat, 1, exact_f);
    report_times();
    free_all();
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
