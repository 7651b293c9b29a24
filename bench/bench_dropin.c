/* SPDX-License-Identifier: MIT
 *
 * bench_dropin - the drop-in's pdgemr2d against ScaLAPACK's own, whole calls in turns on
 * the same ordinary memory, every result compared. Runs with several processes, a core
 * for each if times are to mean anything.
 *
 *   script/bench dropin [-n PROCESSES] [--preset mpich] [--extent N] [--length N]
 *                       [--reps N]
 *
 * Work items are those of bench_peers, and squares from 64 x 64 on: from columns to rows,
 * to other blocks, and from one process to all. Times are of the slowest process,
 * medians:
 *
 *   first   ours, its plan to be made, in a context that was used before
 *   again   the call after it
 *   often   ours, called again and again
 *   new     ours, in a context that was just made, as is the plan
 *
 * each behind ScaLAPACK's call, which plans each time, in the same turns: those of
 * `often` with nothing between, the others with calls of other problems. A factor is
 * ScaLAPACK's time over ours.
 */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/dropin.h"
#include "peers/peer.h"
#include "program.h"

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridmap(int *context, int *map, int ld, int rows, int columns);
void Cblacs_gridexit(int context);

typedef void gemr2d(int m, int n, const double *a, int ia, int ja, const int *desc_a,
                    double *b, int ib, int jb, const int *desc_b, int context);
void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desc_a,
               double *b, int ib, int jb, const int *desc_b, int context);

static gemr2d *ours;
static int rank, nranks;

enum { PLANS = 40 }; /* more than are kept */
/* Items of at most so many elements take so many times more rounds. */
enum { SMALL = 512 * 512, MORE = 20, MOST_ROUNDS = 1001 };

enum { FIRST, AGAIN, OFTEN, NEW, KINDS };
static const char *const names[KINDS] = {"first", "again", "often", "new"};

/* Seconds of calls, ScaLAPACK's and ours in turns. */
struct times {
    double theirs[KINDS], ours[KINDS];
};

struct work {
    int m, n;
    int context[2], all;
    int desc[2][9];
    double *memory[2];
    size_t elements[2];
};

/* ---- work -------------------------------------------------------------------------- */

/* A grid of the first ranks, column by column. */
static int make_grid(int rows, int columns)
{
    int handle = Csys2blacs_handle(MPI_COMM_WORLD), context = handle;
    int *map = malloc((size_t)rows * (size_t)columns * sizeof *map);
    if (!map) dropin_fail("out of memory");
    for (int k = 0; k < rows * columns; k++) map[k] = k;
    Cblacs_gridmap(&context, map, rows, rows, columns);
    free(map);
    Cfree_blacs_system_handle(handle);
    return context;
}

/* ScaLAPACK is column-major: an item's row-major array is to it the transposed one, on
 * the transposed grid, whose processes then come column by column. */
static void make_contexts(const struct item *item, struct work *work)
{
    work->all = make_grid(1, nranks);
    for (int s = 0; s < 2; s++) {
        const int *grid = item->side[s].grid;
        work->context[s] = work->desc[s][1] = make_grid(grid[1], grid[0]);
    }
}

static void free_contexts(struct work *work)
{
    for (int s = 0; s < 2; s++)
        if (work->context[s] >= 0) Cblacs_gridexit(work->context[s]);
    Cblacs_gridexit(work->all);
}

static void make_work(const struct item *item, struct work *work)
{
    work->m = (int)item->extent[1], work->n = (int)item->extent[0];
    for (int s = 0; s < 2; s++) {
        int mine[2] = {0, 0};
        bool in = item_coordinates(item, s, rank, mine);
        int64_t rows = in ? item_local(item, s, 1, mine[1]) : 0;
        int64_t columns = in ? item_local(item, s, 0, mine[0]) : 0;
        int desc[9] = {1,
                       0,
                       work->m,
                       work->n,
                       (int)item->side[s].block[1],
                       (int)item->side[s].block[0],
                       0,
                       0,
                       rows > 1 ? (int)rows : 1};
        memcpy(work->desc[s], desc, sizeof desc);
        work->elements[s] = (size_t)(rows * columns);
        work->memory[s] = malloc((work->elements[s] + 1) * sizeof(double));
        if (!work->memory[s]) dropin_fail("out of memory");
        for (size_t k = 0; k < work->elements[s]; k++)
            work->memory[s][k] = rank + (double)k / 1e9;
    }
    make_contexts(item, work);
}

static void free_work(struct work *work)
{
    free_contexts(work);
    for (int s = 0; s < 2; s++) free(work->memory[s]);
}

/* ---- times ------------------------------------------------------------------------- */

static void call(gemr2d *routine, const struct work *work, int m, int n)
{
    routine(m, n, work->memory[0], 1, 1, work->desc[0], work->memory[1], 1, 1,
            work->desc[1], work->all);
}

/* Seconds of a call, of the slowest process. */
static double time_call(gemr2d *routine, const struct work *work)
{
    double begin = dropin_begin();
    call(routine, work, work->m, work->n);
    return dropin_end(begin);
}

/* Let other problems take the place of all plans that are kept: small ones, no two alike,
 * none of which does without a plan because it lies as it is to lie. */
static void forget(const struct work *work)
{
    enum { LEAST = 3, MOST = LEAST + PLANS / 8 + 8 };
    static double memory[2][MOST * MOST];
    int desc[2][9];
    for (int s = 0; s < 2; s++) {
        const int small[9] = {1, work->context[s], MOST, MOST, 1 + s, 1 + s, 0, 0, MOST};
        memcpy(desc[s], small, sizeof small);
    }
    for (int k = 0; k < PLANS; k++)
        ours(LEAST + k % 8, LEAST + k / 8, memory[0], 1, 1, desc[0], memory[1], 1, 1,
             desc[1], work->all);
}

/* Whether both bring the same. */
static void verify(const struct work *work)
{
    size_t bytes = work->elements[1] * sizeof(double);
    double *theirs = malloc(bytes + 1);
    if (!theirs) dropin_fail("out of memory");
    memset(work->memory[1], 0xff, bytes);
    call(Cpdgemr2d, work, work->m, work->n);
    memcpy(theirs, work->memory[1], bytes);
    memset(work->memory[1], 0xff, bytes);
    call(ours, work, work->m, work->n);
    if (memcmp(theirs, work->memory[1], bytes) != 0) dropin_fail("the results differ");
    free(theirs);
}

/* So many turns. */
struct turns {
    double theirs[KINDS][MOST_ROUNDS], ours[KINDS][MOST_ROUNDS];
};

/* ScaLAPACK's call is another one after those of other problems, so the one before it is
 * not timed. */
static void race_first(const struct work *work, int k, struct turns *turns)
{
    forget(work);
    call(Cpdgemr2d, work, work->m, work->n);
    turns->theirs[FIRST][k] = turns->theirs[AGAIN][k] = time_call(Cpdgemr2d, work);
    turns->ours[FIRST][k] = time_call(ours, work);
    turns->ours[AGAIN][k] = time_call(ours, work);
}

static void race_often(const struct work *work, int k, struct turns *turns)
{
    turns->theirs[OFTEN][k] = time_call(Cpdgemr2d, work);
    turns->ours[OFTEN][k] = time_call(ours, work);
}

static void race_new(const struct item *item, struct work *work, int k,
                     struct turns *turns)
{
    free_contexts(work);
    make_contexts(item, work);
    turns->theirs[NEW][k] = time_call(Cpdgemr2d, work);
    forget(work); /* contexts find plans of the same processes */
    free_contexts(work);
    make_contexts(item, work);
    turns->ours[NEW][k] = time_call(ours, work);
}

static void race(const struct item *item, int rounds, struct times *times)
{
    static struct turns turns;
    struct work work;
    make_work(item, &work);
    double bytes = (double)work.m * work.n * sizeof(double) / nranks;
    verify(&work);
    for (int k = 0; k < rounds; k++) race_first(&work, k, &turns);
    for (int k = dropin_calls_to_settle(bytes); k > 0; k--)
        call(ours, &work, work.m, work.n);
    verify(&work);
    for (int k = 0; k < rounds; k++) race_often(&work, k, &turns);
    int fewer = rounds < 31 ? rounds : 31; /* making contexts takes long */
    for (int k = 0; k < fewer; k++) race_new(item, &work, k, &turns);
    free_work(&work);
    for (int k = 0; k < KINDS; k++) {
        times->theirs[k] = program_median(turns.theirs[k], k == NEW ? fewer : rounds);
        times->ours[k] = program_median(turns.ours[k], k == NEW ? fewer : rounds);
    }
}

/* ---- the program ------------------------------------------------------------------- */

struct totals {
    double log[KINDS]; /* of the factors */
    double least[KINDS];
    int items;
};

static void run_item(const struct item *item, int rounds, struct totals *totals)
{
    struct times times;
    double factor[KINDS];
    char text[ITEM_BOTH_SIZE];
    int64_t local = item_local(item, 0, 0, 0) * item_local(item, 0, 1, 0);
    if (local > INT_MAX / (int64_t)sizeof(double)) { /* theirs ends the program */
        if (rank == 0)
            printf("%s\n  not compared: a process holds more than 2^31 - 1 bytes\n",
                   item_both(item, text));
        return;
    }
    race(item, rounds, &times);
    for (int k = 0; k < KINDS; k++) {
        factor[k] = times.theirs[k] / times.ours[k];
        totals->log[k] += log(factor[k]);
        if (totals->items == 0 || factor[k] < totals->least[k])
            totals->least[k] = factor[k];
    }
    totals->items++;
    if (rank != 0) return;
    printf("%s\n", item_both(item, text));
    for (int k = 0; k < KINDS; k++)
        printf("  %-6s %10.1f us  %10.1f us %6.2fx\n", names[k], 1e6 * times.theirs[k],
               1e6 * times.ours[k], factor[k]);
    (void)fflush(stdout);
}

static int small_items(struct item items[])
{
    int n = 0, p = nranks;
    for (int64_t extent = 64; extent <= 512; extent *= 2) {
        items[n++] = (struct item){
            {extent, extent}, {{{1, p}, {32, 32}}, {{p, 1}, {32, 32}}}, false};
        items[n++] = (struct item){
            {extent, extent}, {{{1, p}, {16, 16}}, {{1, p}, {64, 64}}}, false};
        items[n++] = (struct item){
            {extent, extent}, {{{1, 1}, {extent, extent}}, {{1, p}, {32, 32}}}, false};
    }
    return n;
}

struct arguments {
    int64_t extent, length, rounds;
};

static redist_err bench(MPI_Comm comm, void *context)
{
    const struct arguments *arguments = context;
    struct item items[ITEM_MOST + 24];
    struct totals totals = {.items = 0};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    dropin_find("Cpdgemr2d", &ours);
    if (rank == 0) printf("%d processes\n            ScaLAPACK           ours\n", nranks);
    int n = small_items(items), rounds = (int)arguments->rounds;
    n += item_list(arguments->extent, arguments->length, nranks, items + n);
    for (int k = 0; k < n; k++) {
        bool small = items[k].extent[0] * items[k].extent[1] <= SMALL;
        run_item(&items[k], small ? MORE * rounds : rounds, &totals);
    }
    for (int k = 0; k < KINDS && rank == 0; k++)
        printf("%-6s %5.1fx in the geometric mean, %4.2fx at least\n", names[k],
               exp(totals.log[k] / totals.items), totals.least[k]);
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {2048, 4 << 20, 5};
    const struct argument options[] = {
        {"extent", .number = &arguments.extent, .least = 1, .most = 1 << 20},
        {"length", .number = &arguments.length, .least = 1, .most = INT64_C(1) << 40},
        {"reps", .number = &arguments.rounds, .least = 1, .most = MOST_ROUNDS / MORE},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &arguments);
}
