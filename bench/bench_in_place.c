/* SPDX-License-Identifier: MIT
 *
 * bench_in_place - what it costs to have one buffer instead of two: plans in place beside
 * the default plan between two buffers, in turns, on the same arrays of doubles, each
 * result compared. Runs with several processes, a core for each if times are to mean
 * anything.
 *
 *   script/bench in_place [-n PROCESSES] [--preset mpich] [--elements N] [--reps N]
 *                         [--cap BYTES] [--item K]
 *
 * Arrays are of 4 Mi elements by default, caps of 1 MiB: far less than the array. GB/s
 * are those of the array's bytes. "peak" is the staging memory that a process had in
 * place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <redist/redist.h>

#include "program.h"
#include "tool/bench/race.h"

/* See program_views. */
static const char *const items[][3] = {
    {"1-D 64 -> 100", "[%2$lld] (cyclic(64)) onto %1$d",
     "[%2$lld] (cyclic(100)) onto %1$d"},
    {"1-D 8 -> block", "[%2$lld] (cyclic(8)) onto %1$d", "[%2$lld] (block) onto %1$d"},
    {"1-D block -> 8", "[%2$lld] (block) onto %1$d", "[%2$lld] (cyclic(8)) onto %1$d"},
    {"1-D 3 -> 5", "[%2$lld] (cyclic(3)) onto %1$d", "[%2$lld] (cyclic(5)) onto %1$d"},
    {"1-D 1 -> block", "[%2$lld] (cyclic) onto %1$d", "[%2$lld] (block) onto %1$d"},
    {"2-D rows -> columns", "[%3$lld,%3$lld] (block,*) onto %1$d",
     "[%3$lld,%3$lld] (*,block) onto %1$d"},
    {"2-D 64, 1xP -> Px1", "[%3$lld,%3$lld] (cyclic(64),cyclic(64)) onto 1x%1$d",
     "[%3$lld,%3$lld] (cyclic(64),cyclic(64)) onto %1$dx1"},
    {"2-D 32 -> 100", "[%3$lld,%3$lld] (cyclic(32),cyclic(32)) onto 1x%1$d",
     "[%3$lld,%3$lld] (cyclic(100),cyclic(100)) onto 1x%1$d"},
    {"row- to column-major", "[%3$lld,%3$lld] (block,*) onto %1$d",
     "[%3$lld,%3$lld] (block,*) onto %1$d order column-major"},
    {"rows -> columns, both", "[%3$lld,%3$lld] (block,*) onto %1$d",
     "[%3$lld,%3$lld] (*,block) onto %1$d order column-major"},
    {"planes of 8", "[%3$lld,8,%4$lld] (block,*,*) onto %1$d",
     "[%3$lld,8,%4$lld] (block,*,*) onto %1$d order (1,0,2)"},
};
enum { NITEMS = sizeof items / sizeof *items };

enum contender { TWO_BUFFERS, ONE_BUFFER, CONTENDERS };

/* One buffer must hold after the run what the target of two does. */
static void verify(const struct program_run runs[CONTENDERS], const int64_t span[2],
                   int rank)
{
    double *source = runs[TWO_BUFFERS].source, *other = runs[ONE_BUFFER].source;
    for (int64_t e = 0; e < span[0]; e++) other[e] = source[e] = (double)(e * 64 + rank);
    for (int k = 0; k < CONTENDERS; k++) program_must(program_execute((void *)&runs[k]));
    if (memcmp(runs[0].target, runs[1].target, (size_t)span[1] * sizeof(double)) != 0) {
        fputs("in place differs\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void measure(const char *const item[3], int64_t elements, int64_t repetitions,
                    size_t cap)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    redist_dist *dist[2];
    redist_view view[2];
    int64_t span[2];
    program_views(item + 1, elements, dist, view, span);
    int64_t all = 0; /* a square may have fewer than `elements` */
    MPI_Allreduce(&span[0], &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const int64_t size = sizeof(double), longer = span[0] > span[1] ? span[0] : span[1];
    void *buffer[3] = {program_allocate(span[0] * size), program_allocate(span[1] * size),
                       program_allocate(longer * size)};
    struct program_run runs[CONTENDERS] = {{NULL, buffer[0], buffer[1]},
                                           {NULL, buffer[2], buffer[2]}};
    struct racer racers[CONTENDERS];
    for (int k = 0; k < CONTENDERS; k++) {
        redist_options options = REDIST_OPTIONS_INIT;
        options.staging_bytes = cap;
        options.in_place = k == ONE_BUFFER;
        program_must(redist_plan_create(MPI_COMM_WORLD, MPI_DOUBLE, &view[0], &view[1],
                                        &options, &runs[k].plan));
        racers[k] = (struct racer){.run = program_execute, .context = &runs[k]};
    }
    verify(runs, span, rank);
    program_must(race_run(MPI_COMM_WORLD, repetitions, CONTENDERS, racers));
    redist_report report;
    program_must(redist_plan_report(runs[ONE_BUFFER].plan, &report));
    double two = racers[TWO_BUFFERS].seconds.min, one = racers[ONE_BUFFER].seconds.min,
           bytes = (double)all * (double)sizeof(double);
    if (rank == 0)
        printf("%-22s  %6.2f    %6.2f  %5.2fx  %9lld\n", item[0], bytes / two / 1e9,
               bytes / one / 1e9, one / two, (long long)report.staging_peak_bytes);
    for (int k = 0; k < CONTENDERS; k++) program_must(redist_plan_destroy(&runs[k].plan));
    for (int k = 0; k < 3; k++) free(buffer[k]);
    for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
}

struct arguments {
    int64_t elements, repetitions, cap, only; /* item; -1: all */
};

static redist_err bench(MPI_Comm comm, void *context)
{
    const struct arguments *arguments = context;
    int rank = 0, nranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    if (rank == 0)
        printf("%d processes, %lld doubles, a cap of %lld bytes; least times of %d\n\n"
               "%-22s  %6s    %6s  %6s  %9s\n",
               nranks, (long long)arguments->elements, (long long)arguments->cap,
               (int)arguments->repetitions, "GB/s", "two", "one", "time", "peak");
    for (int k = 0; k < NITEMS; k++)
        if (arguments->only < 0 || arguments->only == k)
            measure(items[k], arguments->elements, (int)arguments->repetitions,
                    (size_t)arguments->cap);
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {4 << 20, 9, 1 << 20, -1};
    const struct argument options[] = {
        {"elements", .number = &arguments.elements, .least = 64,
         .most = INT64_C(1) << 40},
        {"reps", .number = &arguments.repetitions, .least = 1, .most = 10000},
        {"cap", .number = &arguments.cap, .least = 0, .most = INT64_C(1) << 40},
        {"item", .number = &arguments.only, .least = 0, .most = NITEMS - 1},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &arguments);
}
