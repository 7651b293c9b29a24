/* SPDX-License-Identifier: MIT
 *
 * bench_sums - the drop-in's pdtran and pdgeadd against ScaLAPACK's own, called again and
 * again, in turns on the same ordinary memory, every result compared. Runs with several
 * processes, a core for each if times are to mean anything.
 *
 *   script/bench sums [-n PROCESSES] [--preset mpich] [--reps N]
 *
 * Squares in blocks of 64 over a grid of one row; sub(C) := beta C + alpha op(A). Times
 * are of the slowest process, medians. `factor` is ScaLAPACK's time over ours, and `over
 * plain` ours over that of our plain transposition, pdtran with alpha 1 and beta 0.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/dropin.h"
#include "program.h"

int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridexit(int context);

#define OPERANDS                                                                         \
    const int *m, const int *n, const double *alpha, const double *a, const int *ia,     \
        const int *ja, const int *desc_a, const double *beta, double *c, const int *ic,  \
        const int *jc, const int *desc_c
typedef void tran(OPERANDS);
typedef void geadd(const char *trans, OPERANDS);
void pdtran_(OPERANDS);
void pdgeadd_(const char *trans, OPERANDS);

struct routines {
    tran *tran;
    geadd *geadd;
};
enum { THEIRS, OURS, SIDES_OF_RACE };

static struct routines routines[SIDES_OF_RACE];
static int rank, nranks;

enum { BLOCK = 64, SMALL = 512, MORE = 20, MOST_ROUNDS = 1001 };

struct sum {
    const char *name;
    const char *trans; /* NULL: pdtran */
    double alpha, beta;
};

/* The first is what the others are compared with. */
static const struct sum sums[] = {
    {"C = A'", NULL, 1, 0},
    {"C = C + A'", NULL, 1, 1},
    {"C = 2 A'", NULL, 2, 0},
    {"C = 0.5 C + 2 A'", NULL, 2, 0.5},
    {"C = C + A' (geadd)", "T", 1, 1},
    {"C = A (geadd)", "N", 1, 0},
    {"C = C + A (geadd)", "N", 1, 1},
};
enum { SUMS = sizeof sums / sizeof *sums };

struct work {
    int n, context, desc[9];
    size_t elements;
    double *a, *c;
};

static void refill(const struct work *work)
{
    for (size_t k = 0; k < work->elements; k++) work->c[k] = (double)(k % 1000) / 8;
}

static void make_work(int n, struct work *work)
{
    int mine = 0;
    for (int j = 0; j < n; j++) mine += j / BLOCK % nranks == rank;
    *work = (struct work){.n = n, .context = Csys2blacs_handle(MPI_COMM_WORLD)};
    Cblacs_gridinit(&work->context, "Row", 1, nranks);
    const int desc[9] = {1, work->context, n, n, BLOCK, BLOCK, 0, 0, n};
    memcpy(work->desc, desc, sizeof desc);
    work->elements = (size_t)n * (size_t)mine;
    work->a = malloc((work->elements + 1) * sizeof *work->a);
    work->c = malloc((work->elements + 1) * sizeof *work->c);
    if (!work->a || !work->c) dropin_fail("out of memory");
    for (size_t k = 0; k < work->elements; k++) work->a[k] = rank + (double)k / 8;
    refill(work);
}

static void free_work(struct work *work)
{
    free(work->a);
    free(work->c);
    Cblacs_gridexit(work->context);
}

static void call(int side, const struct sum *sum, const struct work *work)
{
    const int one = 1, *n = &work->n, *desc = work->desc;
    if (sum->trans)
        routines[side].geadd(sum->trans, n, n, &sum->alpha, work->a, &one, &one, desc,
                             &sum->beta, work->c, &one, &one, desc);
    else
        routines[side].tran(n, n, &sum->alpha, work->a, &one, &one, desc, &sum->beta,
                            work->c, &one, &one, desc);
}

static double time_call(int side, const struct sum *sum, const struct work *work)
{
    double begin = dropin_begin();
    call(side, sum, work);
    return dropin_end(begin);
}

/* Whether both bring the same. */
static void verify(const struct sum *sum, const struct work *work)
{
    size_t bytes = work->elements * sizeof *work->c;
    double *theirs = malloc(bytes + 1);
    if (!theirs) dropin_fail("out of memory");
    refill(work);
    call(THEIRS, sum, work);
    memcpy(theirs, work->c, bytes);
    refill(work);
    call(OURS, sum, work);
    if (memcmp(theirs, work->c, bytes) != 0) dropin_fail("the results differ");
    free(theirs);
}

/* Medians of calls in turns: of all sums and of both sides, so that what they are
 * compared with is of the same minutes. */
static void race(const struct work *work, int rounds, double medians[][SIDES_OF_RACE])
{
    static double seconds[SUMS][SIDES_OF_RACE][MOST_ROUNDS];
    double bytes = (double)work->n * work->n * sizeof(double) / nranks;
    for (int s = 0; s < SUMS; s++) {
        verify(&sums[s], work);
        for (int k = dropin_calls_to_settle(bytes); k > 0; k--)
            call(OURS, &sums[s], work);
        verify(&sums[s], work);
    }
    for (int k = 0; k < rounds; k++)
        for (int s = 0; s < SUMS; s++)
            for (int side = 0; side < SIDES_OF_RACE; side++) {
                refill(work); /* sums of many calls would grow */
                seconds[s][side][k] = time_call(side, &sums[s], work);
            }
    for (int s = 0; s < SUMS; s++)
        for (int side = 0; side < SIDES_OF_RACE; side++)
            medians[s][side] = program_median(seconds[s][side], rounds);
}

static redist_err bench(MPI_Comm comm, void *context)
{
    const int64_t *rounds = context;
    double log_factor = 0, least = INFINITY;
    int items = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    routines[THEIRS] = (struct routines){pdtran_, pdgeadd_};
    dropin_find("pdtran_", &routines[OURS].tran);
    dropin_find("pdgeadd_", &routines[OURS].geadd);
    if (rank == 0)
        printf("%d processes\n%-28s   ScaLAPACK           ours  factor  over plain\n",
               nranks, "");
    for (int n = 64; n <= 4096; n *= 4) {
        struct work work;
        double medians[SUMS][SIDES_OF_RACE];
        make_work(n, &work);
        race(&work, (int)*rounds * (n <= SMALL ? MORE : 1), medians);
        free_work(&work);
        for (int s = 0; s < SUMS; s++) {
            double theirs = medians[s][THEIRS], ours = medians[s][OURS];
            log_factor += log(theirs / ours);
            least = fmin(least, theirs / ours);
            items++;
            if (rank == 0)
                printf("%4d x %-4d %-18s %9.1f us  %9.1f us %6.2fx %6.2f\n", n, n,
                       sums[s].name, 1e6 * theirs, 1e6 * ours, theirs / ours,
                       ours / medians[0][OURS]);
        }
        (void)fflush(stdout);
    }
    if (rank == 0)
        printf("%.1fx in the geometric mean, %.2fx at least\n", exp(log_factor / items),
               least);
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    int64_t rounds = 7;
    const struct argument options[] = {
        {"reps", .number = &rounds, .least = 1, .most = MOST_ROUNDS / MORE},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &rounds);
}
