/* SPDX-License-Identifier: MIT
 *
 * bench_convert - what it costs to convert numbers on their way: plans from one type to
 * another beside the plan that moves as many elements of the larger type, in turns. Runs
 * with several processes, a core for each if times are to mean anything.
 *
 *   script/bench convert [-n PROCESSES] [--preset mpich] [--elements N] [--reps N]
 *                        [--item K] [--all] [--checked]
 *
 * Arrays are of 4 Mi elements by default. Times are of the slowest process, the least of
 * all turns; `ratio` is that of a conversion over that of its plain move. --all: from
 * every type of either byte order to every one of this machine's, of which those are
 * printed that take more than 1.3 times as long; it takes some minutes. --checked: each
 * number, all 0, is checked.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <redist/redist.h>

#include "program.h"
#include "tool/bench/race.h"

/* See program_views. */
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

/* Those of --all: from each, and each with its bytes reversed, to each. */
static const char *const names[] = {"=i1", "=i2", "=i4", "=i8", "=u1",   "=u2", "=u4",
                                    "=u8", "=f2", "=f4", "=f8", "=bf16", "=c8", "=c16"};
enum { NAMES = sizeof names / sizeof *names };

static const double much = 1.3;

enum contender { PLAIN, CONVERTING, CONTENDERS };

struct arguments {
    int64_t elements, repetitions, only; /* item; -1: all */
    bool all, checked;
};

/* The ratios of an item. */
struct ratios {
    const struct arguments *arguments;
    redist_view view[2];
    void *buffer[2];
    int n, above;
    double logs, worst;
};

/* Race the conversion of a pair against its plain move. */
static void race_pair(struct ratios *ratios, const char *from, const char *to)
{
    struct program_run runs[CONTENDERS];
    struct racer racers[CONTENDERS];
    const char *const pair[2] = {from, to};
    MPI_Datatype type[2];
    int size[2];
    for (int s = 0; s < 2; s++) {
        program_must(redist_type_create(pair[s], &type[s]));
        MPI_Type_size(type[s], &size[s]);
    }
    for (int k = 0; k < CONTENDERS; k++) {
        redist_options options = REDIST_OPTIONS_INIT;
        MPI_Datatype target = k == PLAIN ? type[size[0] < size[1]] : type[1];
        if (k == CONVERTING) options.source_type = type[0];
        options.checked = k == CONVERTING && ratios->arguments->checked;
        runs[k] = (struct program_run){NULL, ratios->buffer[0], ratios->buffer[1]};
        program_must(redist_plan_create(MPI_COMM_WORLD, target, &ratios->view[0],
                                        &ratios->view[1], &options, &runs[k].plan));
        racers[k] = (struct racer){.run = program_execute, .context = &runs[k]};
    }
    program_must(
        race_run(MPI_COMM_WORLD, ratios->arguments->repetitions, CONTENDERS, racers));
    for (int k = 0; k < CONTENDERS; k++) program_must(redist_plan_destroy(&runs[k].plan));
    for (int s = 0; s < 2; s++) MPI_Type_free(&type[s]);
    const double plain = racers[PLAIN].seconds.min, own = racers[CONVERTING].seconds.min;
    const double ratio = own / plain;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && (ratio > much || !ratios->arguments->all))
        printf("    %5s -> %-5s  %8.2f ms  %8.2f ms  %5.2fx\n", from, to, 1e3 * plain,
               1e3 * own, ratio);
    (void)fflush(stdout);
    ratios->n++;
    ratios->above += ratio > much;
    ratios->logs += log(ratio);
    ratios->worst = fmax(ratios->worst, ratio);
}

/* Race all pairs; the byte order of `=` is this machine's. */
static void race_all(struct ratios *ratios)
{
    const uint16_t one = 1;
    const bool little = *(const unsigned char *)&one == 1;
    for (int s = 0; s < 2 * NAMES; s++)
        for (int t = 0; t < NAMES; t++) {
            const bool swapped = s >= NAMES, same = s % NAMES == t;
            if (same && (!swapped || names[t][2] == '1')) continue;
            char from[8];
            (void)snprintf(from, sizeof from, "%s", names[s % NAMES]);
            if (swapped) from[0] = little ? '>' : '<';
            race_pair(ratios, from, names[t]);
        }
}

static void measure(const char *const item[3], const struct arguments *arguments)
{
    struct ratios ratios = {.arguments = arguments};
    redist_dist *dist[2];
    int64_t span[2];
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    program_views(item + 1, arguments->elements, dist, ratios.view, span);
    for (int s = 0; s < 2;
         s++) { /* numbers of any type, of which every other holds them */
        const int64_t bytes = span[s] * LARGEST;
        ratios.buffer[s] =
            memset(program_allocate(bytes), arguments->checked ? 0 : 0x3f, (size_t)bytes);
    }
    if (rank == 0) printf("%s\n", item[0]);
    for (int k = 0; k < NPAIRS && !arguments->all; k++)
        race_pair(&ratios, pairs[k][0], pairs[k][1]);
    if (arguments->all) race_all(&ratios);
    if (rank == 0)
        printf("    %d pairs: %.2fx in the geometric mean, %.2fx the worst, %d above "
               "%.2fx\n",
               ratios.n, exp(ratios.logs / ratios.n), ratios.worst, ratios.above, much);
    for (int s = 0; s < 2; s++) {
        free(ratios.buffer[s]);
        redist_dist_destroy(&dist[s]);
    }
}

static redist_err bench(MPI_Comm comm, void *context)
{
    const struct arguments *arguments = context;
    int rank = 0, nranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    if (rank == 0)
        printf("%d processes, %lld elements, least times of %d\n\n%-18s  %11s  %11s  "
               "%6s\n",
               nranks, (long long)arguments->elements, (int)arguments->repetitions, "",
               "plain", "converting", "ratio");
    for (int k = 0; k < NITEMS; k++)
        if (arguments->only < 0 || arguments->only == k) measure(items[k], arguments);
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {4 << 20, 15, -1, false, false};
    const struct argument options[] = {
        {"elements", .number = &arguments.elements, .least = 1, .most = INT64_C(1) << 30},
        {"reps", .number = &arguments.repetitions, .least = 1, .most = 10000},
        {"item", .number = &arguments.only, .least = 0, .most = NITEMS - 1},
        {"all", .flag = &arguments.all},
        {"checked", .flag = &arguments.checked},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &arguments);
}
