/* SPDX-License-Identifier: MIT
 *
 * Heat and salt diffuse through a square, by the method of alternating directions.
 *
 *   u_t = kappa (u_xx + u_yy)  on the unit square,  u = 0 at its edge,  0 <= t <= END
 *
 * on N x N interior points, h = 1 / (N + 1) apart. With A_x and A_y the second
 * differences and a = kappa tau / (2 h^2), a step of tau is (Peaceman and Rachford 1955)
 *
 *   (1 - a A_y) v = (1 + a A_x) u
 *   (1 - a A_x) w = (1 + a A_y) v
 *
 * A_x needs whole rows, A_y whole columns. So a field is redistributed twice in a step,
 * and in between each process works by itself:
 *
 *     (block,*): rows                                  (*,block): columns
 *
 *      0 0 0 0 0 0     apply 1 + a A_x                  0 0 1 1 2 2
 *      0 0 0 0 0 0           --------------------->     0 0 1 1 2 2
 *      1 1 1 1 1 1                solve 1 - a A_y       0 0 1 1 2 2
 *      1 1 1 1 1 1                apply 1 + a A_y       0 0 1 1 2 2
 *      2 2 2 2 2 2           <---------------------     0 0 1 1 2 2
 *      2 2 2 2 2 2     solve 1 - a A_x                  0 0 1 1 2 2
 *
 * In memory the points of a line, be it a row or a column, lie far apart and those of
 * neighbouring lines side by side: the recurrence along a line then runs over many lines
 * at once. The two fields take turns: one is on its way while the other is computed.
 *
 *   mpirun -n 4 adi [-n N] [--steps S]
 *
 * The run checks itself, and its exit status is 1 if it is wrong. Heat starts as an
 * eigenfunction of A_x + A_y, whose decay is known. Salt starts as a lump and must end
 * bit for bit as one process computes it alone (N up to 2048).
 */
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <redist/redist.h>

#define PI 3.14159265358979323846
#define END 0.02

enum { ROWS, COLUMNS };
enum { HEAT, SALT, FIELDS };
enum { MODE_X = 2, MODE_Y = 3 }; /* half waves of the eigenfunction */
enum { BUNDLE = 32 };            /* lines that are computed at once */
enum { ALONE = 2048 };           /* the largest N that one process computes alone */

static const double kappa[FIELDS] = {1, 0.1};

/* The whole lines of one direction that this process holds: point i of line j is
 * u[i * lines + j], and line j is line first + j of all. */
struct slab {
    redist_dist *dist;
    redist_view view;
    int64_t first, lines;
    double *u;
};

struct field {
    double a;
    double *pivot; /* [N], of the elimination of 1 - a A */
    struct slab slab[2];
    redist_plan *to[2];     /* to rows from columns, to columns from rows */
    redist_plan *under_way; /* one of them, or NULL */
};

static int rank, nranks, n = 512, steps = 40;
static double seconds_moving;

/* End the run if the library has failed, which it has on all processes. */
static void check(redist_err err)
{
    if (!err) return;
    if (rank == 0) fprintf(stderr, "%s\n", redist_error_message());
    MPI_Finalize();
    exit(EXIT_FAILURE);
}

static double *allocate(int64_t count)
{
    double *u = calloc(count > 0 ? (size_t)count : 1, sizeof *u);
    if (u) return u;
    fprintf(stderr, "rank %d: no memory for %lld numbers\n", rank, (long long)count);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
}

/* ---- along lines ------------------------------------------------------------------- */

/* Apply 1 + a A to `width` lines whose points are `stride` apart. */
static void apply(double a, double *u, int64_t stride, int64_t width)
{
    static const double edge[BUNDLE];
    double before[BUNDLE] = {0};
    for (int i = 0; i < n; i++) {
        double *here = u + i * stride;
        const double *after = i + 1 < n ? here + stride : edge;
        for (int64_t j = 0; j < width; j++) {
            double old = here[j];
            here[j] = old + a * (before[j] - 2 * old + after[j]);
            before[j] = old;
        }
    }
}

/* Solve 1 - a A, which is tridiagonal, by elimination and back substitution. */
static void solve(double a, const double *pivot, double *u, int64_t stride, int64_t width)
{
    for (int64_t j = 0; j < width; j++) u[j] *= pivot[0];
    for (int i = 1; i < n; i++) {
        double *here = u + i * stride, *before = here - stride;
        for (int64_t j = 0; j < width; j++)
            here[j] = (here[j] + a * before[j]) * pivot[i];
    }
    for (int i = n - 2; i >= 0; i--) {
        double *here = u + i * stride, *after = here + stride;
        for (int64_t j = 0; j < width; j++) here[j] += a * pivot[i] * after[j];
    }
}

/* ---- fields ------------------------------------------------------------------------ */

static struct slab make_slab(const char *format)
{
    struct slab slab;
    char text[96];
    int64_t local[2], index[2] = {0};
    (void)snprintf(text, sizeof text, format, n, n, nranks);
    check(redist_view_parse(text, &slab.dist, &slab.view));
    check(redist_dist_local_extents(slab.dist, rank, local));
    slab.lines = local[0] * local[1] / n;
    if (slab.lines > 0)
        check(redist_dist_index(slab.dist, rank, (int64_t[2]){0, 0}, index));
    slab.first = index[0] + index[1]; /* one of them is 0 */
    slab.u = allocate(slab.lines * n);
    return slab;
}

static struct field make_field(double diffusivity)
{
    double h = 1.0 / (n + 1), tau = END / steps;
    double a = diffusivity * tau / (2 * h * h);
    struct field field = {.a = a, .pivot = allocate(n)};
    for (int i = 0; i < n; i++)
        field.pivot[i] = 1 / (1 + 2 * a - (i > 0 ? a * a * field.pivot[i - 1] : 0));
    field.slab[ROWS] = make_slab("[%d,%d] (block,*) onto %d order column-major");
    field.slab[COLUMNS] = make_slab("[%d,%d] (*,block) onto %d order row-major");
    for (int to = 0; to < 2; to++)
        check(redist_plan_create(MPI_COMM_WORLD, MPI_DOUBLE, &field.slab[!to].view,
                                 &field.slab[to].view, NULL, &field.to[to]));
    return field;
}

static void free_field(struct field *field)
{
    for (int d = 0; d < 2; d++) {
        check(redist_plan_destroy(&field->to[d]));
        redist_dist_destroy(&field->slab[d].dist);
        free(field->slab[d].u);
    }
    free(field->pivot);
}

/* Send a field on its way from the one kind of lines to the other. */
static void leave(struct field *field, int to)
{
    double start = MPI_Wtime();
    field->under_way = field->to[to];
    check(redist_start(field->under_way, field->slab[!to].u, field->slab[to].u));
    seconds_moving += MPI_Wtime() - start;
}

/* Let a field that is under way get on: many an MPI works only while it is called. */
static void drive(struct field *field)
{
    int done = 0;
    double start = MPI_Wtime();
    if (!field->under_way) return;
    check(redist_test(field->under_way, &done));
    if (done) field->under_way = NULL;
    seconds_moving += MPI_Wtime() - start;
}

static void arrive(struct field *field)
{
    double start = MPI_Wtime();
    if (!field->under_way) return;
    check(redist_wait(field->under_way));
    field->under_way = NULL;
    seconds_moving += MPI_Wtime() - start;
}

/* ---- the method -------------------------------------------------------------------- */

/* Compute half step k of 0 .. 2 * steps, the even ones along rows, for the bundle that
 * begins with line j of `lines`: solve for what the half step before has left, and apply
 * for the one behind. */
static void compute(const struct field *field, int k, double *u, int64_t lines, int64_t j)
{
    int64_t width = lines - j < BUNDLE ? lines - j : BUNDLE;
    if (k > 0) solve(field->a, field->pivot, u + j, lines, width);
    if (k < 2 * steps) apply(field->a, u + j, lines, width);
}

static void half_step(struct field field[FIELDS], int k)
{
    int here = k % 2 ? COLUMNS : ROWS;
    for (int f = 0; f < FIELDS; f++) {
        struct slab *slab = &field[f].slab[here];
        arrive(&field[f]);
        for (int64_t j = 0; j < slab->lines; j += BUNDLE) {
            compute(&field[f], k, slab->u, slab->lines, j);
            for (int other = 0; other < FIELDS; other++) drive(&field[other]);
        }
        if (k < 2 * steps) leave(&field[f], !here);
    }
}

/* ---- initial states, and what becomes of them -------------------------------------- */

static double mode(int64_t row, int64_t column)
{
    return sin(MODE_X * PI * (double)(column + 1) / (n + 1)) *
           sin(MODE_Y * PI * (double)(row + 1) / (n + 1));
}

/* The factor by which a step multiplies the mode: A_x has the eigenvalue
 * -4 sin^2(MODE_X pi h / 2), and A_y alike. */
static double decay_per_step(double a)
{
    double x = sin(MODE_X * PI / 2 / (n + 1)), y = sin(MODE_Y * PI / 2 / (n + 1));
    double ax = 4 * a * x * x, ay = 4 * a * y * y;
    return (1 - ax) / (1 + ay) * ((1 - ay) / (1 + ax));
}

/* A lump in the third of the square about its middle, higher towards one corner. */
static double lump(int64_t row, int64_t column)
{
    int within = row >= n / 3 && row <= n - 1 - n / 3 && column >= n / 3 &&
                 column <= n - 1 - n / 3;
    return within ? 1 + (double)(row + 2 * column) / n : 0;
}

static void fill_rows(const struct slab *rows, double value(int64_t row, int64_t column))
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < rows->lines; j++)
            rows->u[i * rows->lines + j] = value(rows->first + j, i);
}

static double largest_of_all(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

/* Compare heat with its closed form, as a part of what is left of it. Each half step may
 * round off an epsilon of the largest number in it, 1 + 4 a. */
static int heat_is_right(const struct field *heat)
{
    const struct slab *rows = &heat->slab[ROWS];
    double left = pow(decay_per_step(heat->a), steps), largest = 0;
    double truth =
        exp(-(MODE_X * MODE_X + MODE_Y * MODE_Y) * PI * PI * kappa[HEAT] * END);
    double limit = DBL_EPSILON * (1 + 4 * heat->a) * (2 * steps + 1) / left;
    int right = 1;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < rows->lines; j++) {
            double exact = left * mode(rows->first + j, i);
            double error = fabs(rows->u[i * rows->lines + j] - exact) / left;
            if (error > largest) largest = error;
            if (!(error <= limit)) right = 0;
        }
    }
    largest = largest_of_all(largest);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0)
        printf("  heat  %.1e off its closed form (limit %.1e): %s; %.1e off the "
               "differential equation\n",
               largest, limit, right ? "right" : "WRONG", fabs(left / truth - 1));
    return right;
}

static void transpose(double *u)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            double swapped = u[i * n + j];
            u[i * n + j] = u[j * n + i];
            u[j * n + i] = swapped;
        }
    }
}

/* Compute all half steps without any other process. */
static void compute_alone(const struct field *field, double *u)
{
    for (int k = 0; k <= 2 * steps; k++) {
        for (int64_t j = 0; j < n; j += BUNDLE) compute(field, k, u, n, j);
        if (k < 2 * steps) transpose(u);
    }
}

/* Bring all the rows to process 0. */
static void collect(const struct slab *rows, double *all)
{
    redist_dist *dist;
    redist_view view;
    redist_plan *plan;
    char text[96];
    (void)snprintf(text, sizeof text, "[%d,%d] (*,*) onto 1 order column-major", n, n);
    check(redist_view_parse(text, &dist, &view));
    check(
        redist_plan_create(MPI_COMM_WORLD, MPI_DOUBLE, &rows->view, &view, NULL, &plan));
    check(redist_execute(plan, rows->u, all));
    check(redist_plan_destroy(&plan));
    redist_dist_destroy(&dist);
}

static int salt_is_right(const struct field *salt)
{
    int64_t count = rank == 0 ? (int64_t)n * n : 0;
    double *all = allocate(count), *alone = allocate(count);
    int right = 1;
    collect(&salt->slab[ROWS], all);
    if (rank == 0) {
        struct slab whole = {.lines = n, .u = alone};
        fill_rows(&whole, lump);
        compute_alone(salt, alone);
        right = memcmp(all, alone, (size_t)count * sizeof *all) == 0;
        printf("  salt  bit for bit that of one process alone: %s\n",
               right ? "right" : "WRONG");
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(all);
    free(alone);
    return right;
}

/* ---- the program ------------------------------------------------------------------- */

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {{"steps", required_argument, NULL, 's'}, {0}};
    int c = 0;
    opterr = rank == 0;
    while (c != -1 && c != '?' && n >= 1 && steps >= 1) {
        c = getopt_long(argc, argv, "n:s:", known, NULL);
        if (c == 'n') n = atoi(optarg);
        if (c == 's') steps = atoi(optarg);
    }
    if (c == -1 && optind == argc) return;
    if (rank == 0) fprintf(stderr, "usage: adi [-n N] [--steps S], both at least 1\n");
    MPI_Finalize();
    exit(2);
}

static void report_times(double seconds)
{
    double moving = largest_of_all(seconds_moving);
    double computing = largest_of_all(seconds - seconds_moving);
    double gigabytes = 2e-9 * steps * FIELDS * sizeof(double) * n * n;
    if (rank == 0)
        printf("  time  %.3f s computing, %.3f s redistributing %.3f GB: %.2f GB/s\n",
               computing, moving, gigabytes, gigabytes / moving);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    read_options(argc, argv);
    struct field field[FIELDS];
    for (int f = 0; f < FIELDS; f++) field[f] = make_field(kappa[f]);
    fill_rows(&field[HEAT].slab[ROWS], mode);
    fill_rows(&field[SALT].slab[ROWS], lump);
    if (rank == 0)
        printf("adi: %d x %d points, %d steps, %d processes\n", n, n, steps, nranks);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int k = 0; k <= 2 * steps; k++) half_step(field, k);
    double seconds = MPI_Wtime() - start;

    int right = heat_is_right(&field[HEAT]);
    if (n <= ALONE) right &= salt_is_right(&field[SALT]);
    report_times(seconds);
    for (int f = 0; f < FIELDS; f++) free_field(&field[f]);
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
