/* SPDX-License-Identifier: MIT
 *
 * bench_convert - what it costs to convert numbers on their way: plans from one type to
 * another beside the plan that moves as many elements of the larger type, in turns. Runs
 * with several processes, a core for each if times are to mean anything.
 *
 *   script/bench convert [-n PROCESSES] [--preset mpich] [--elements N] [--reps N]
 *                        [--item K]
 *
 * Arrays are of 4 Mi elements by default. Times are of the slowest process, medians;
 * `ratio` is that of a conversion over that of its plain move.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <redist/redist.h>

#include "program.h"
#include "tool/bench/race.h"

/* %1$d: processes; %2$lld: elements; %3$lld: the side of a square of as many. */
static const char *const items[][3] = {
    {"kept, contiguous", "[%2$lld] (block) onto %1$d", "[%2$lld] (block) onto %1$d"},
    {"kept, transposed", "[%3$lld,%3$lld] (block,*) onto %1$d",
     "[%3$lld,%3$lld] (block,*) onto %1$d order column-major"},
    {"sent, 64 -> block", "[%2$lld] (cyclic(64)) onto %1$d",
     "[%2$lld] (block) onto %1$d"},
    {"sent, rows -> columns", "[%3$lld,%3$lld] (block,*) onto %1$d",
     "[%3$lld,%3$lld] (*,block) onto %1$d"},
};
enum { NITEMS = sizeof items / sizeof *items };

static const char *const pairs[][2] = {
    {"<f8", "<f4"},   {"<f4", "<f8"}, {"<f4", "<f2"}, {"<f2", "<f4"}, {"<f4", "<bf16"},
    {"<bf16", "<f4"}, {"<i4", "<f8"}, {"<f8", "<i4"}, {"<i8", "<i4"}, {"<i4", "<i8"},
    {">i2", "<i2"},   {">f4", "<f4"}, {">f8", "<f8"}, {"<f8", "<f2"}, {"<f8", "<c16"},
};
enum { NPAIRS = sizeof pairs / sizeof *pairs, LARGEST = 16 };

enum contender { PLAIN, CONVERTING, CONTENDERS };

struct run {
    redist_plan *plan;
    void *source, *target;
};

static void must(redist_err err)
{
    if (!err) return;
    fprintf(stderr, "%s\n", redist_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static redist_err execute(void *context)
{
    const struct run *run = context;
    return redist_execute(run->plan, run->source, run->target);
}

/* Such bytes are numbers of any type, of which every other one holds them. */
static void *allocate(int64_t bytes)
{
    void *block = malloc((size_t)bytes + 1);
    if (!block) MPI_Abort(MPI_COMM_WORLD, 1);
    return memset(block, 0x3f, (size_t)bytes + 1);
}

/* Race the conversion of a pair against its plain move. Returns the ratio. */
static double race_pair(const char *const pair[2], const redist_view view[2],
                        void *const buffer[2], int repetitions)
{
    struct run runs[CONTENDERS];
    struct racer racers[CONTENDERS];
    MPI_Datatype type[2];
    int size[2];
    for (int s = 0; s < 2; s++) {
        must(redist_type_create(pair[s], &type[s]));
        MPI_Type_size(type[s], &size[s]);
    }
    for (int k = 0; k < CONTENDERS; k++) {
        redist_options options = REDIST_OPTIONS_INIT;
        MPI_Datatype target = k == PLAIN ? type[size[0] < size[1]] : type[1];
        if (k == CONVERTING) options.source_type = type[0];
        must(redist_plan_create(MPI_COMM_WORLD, target, &view[0], &view[1], &options,
                                &runs[k].plan));
        runs[k].source = buffer[0];
        runs[k].target = buffer[1];
        racers[k] = (struct racer){.run = execute, .context = &runs[k]};
    }
    must(race_run(MPI_COMM_WORLD, repetitions, CONTENDERS, racers));
    for (int k = 0; k < CONTENDERS; k++) must(redist_plan_destroy(&runs[k].plan));
    for (int s = 0; s < 2; s++) MPI_Type_free(&type[s]);
    double plain = racers[PLAIN].seconds.median, own = racers[CONVERTING].seconds.median;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("    %5s -> %-5s  %8.2f ms  %8.2f ms  %5.2fx\n", pair[0], pair[1],
               1e3 * plain, 1e3 * own, own / plain);
    (void)fflush(stdout);
    return own / plain;
}

static double measure(const char *const item[3], int64_t elements, int repetitions)
{
    int rank = 0, nranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    redist_dist *dist[2];
    redist_view view[2];
    void *buffer[2];
    double logs = 0;
    for (int s = 0; s < 2; s++) {
        char text[128];
        int64_t span = 0;
        (void)snprintf(text, sizeof text, item[1 + s], nranks, (long long)elements,
                       (long long)sqrt((double)elements));
        must(redist_view_parse(text, &dist[s], &view[s]));
        must(redist_view_span(&view[s], rank, &span));
        buffer[s] = allocate(span * LARGEST);
    }
    if (rank == 0) printf("%s\n", item[0]);
    for (int k = 0; k < NPAIRS; k++)
        logs += log(race_pair(pairs[k], view, buffer, repetitions));
    for (int s = 0; s < 2; s++) {
        free(buffer[s]);
        redist_dist_destroy(&dist[s]);
    }
    return logs;
}

struct arguments {
    int64_t elements, repetitions, only; /* item; -1: all */
};

static redist_err bench(MPI_Comm comm, void *context)
{
    const struct arguments *arguments = context;
    int rank = 0, nranks = 0, done = 0;
    double logs = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    if (rank == 0)
        printf("%d processes, %lld elements, medians of %d\n\n%-18s  %11s  %11s  %6s\n",
               nranks, (long long)arguments->elements, (int)arguments->repetitions, "",
               "plain", "converting", "ratio");
    for (int k = 0; k < NITEMS; k++) {
        if (arguments->only >= 0 && arguments->only != k) continue;
        logs += measure(items[k], arguments->elements, (int)arguments->repetitions);
        done += NPAIRS;
    }
    if (rank == 0) printf("\n%.2fx in the geometric mean\n", exp(logs / done));
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {4 << 20, 15, -1};
    const struct argument options[] = {
        {"elements", .number = &arguments.elements, .least = 1, .most = INT64_C(1) << 30},
        {"reps", .number = &arguments.repetitions, .least = 1, .most = 10000},
        {"item", .number = &arguments.only, .least = 0, .most = NITEMS - 1},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &arguments);
}
