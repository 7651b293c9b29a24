/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "files/format/collective.h"

static void list_options(const struct argument options[])
{
    for (int k = 0; options[k].name; k++)
        (void)printf("--%s%s\n", options[k].name,
                     options[k].number ? " N"
                     : options[k].text ? " TEXT"
                                       : "");
}

int program_run(int argc, char **argv, const struct argument options[],
                redist_err (*bench)(MPI_Comm comm, void *context), void *context)
{
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool help = false;
    redist_err err = arguments_read(argc, argv, options, 0, NULL, &help);
    err = collective_agree(MPI_COMM_WORLD, err);
    if (!err && help && rank == 0) list_options(options);
    if (!err && !help) err = bench(MPI_COMM_WORLD, context);
    const char *name = strrchr(argv[0], '/');
    if (err && rank == 0)
        (void)fprintf(stderr, "%s: %s\n", name ? name + 1 : argv[0],
                      redist_error_message());
    MPI_Finalize();
    return err ? 1 : 0;
}

void program_must(redist_err err)
{
    if (!err) return;
    (void)fprintf(stderr, "%s\n", redist_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void *program_allocate(int64_t bytes)
{
    void *block = calloc((size_t)bytes + 1, 1);
    if (!block) MPI_Abort(MPI_COMM_WORLD, 1);
    return block;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double program_median(double numbers[], int64_t n)
{
    qsort(numbers, (size_t)n, sizeof *numbers, by_value);
    return numbers[n / 2];
}

void program_views(const char *const text[2], int64_t elements, redist_dist *dist[2],
                   redist_view view[2], int64_t span[2])
{
    const long long side = (long long)sqrt((double)elements);
    int rank = 0, nranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    for (int s = 0; s < 2; s++) {
        char printed[128];
        (void)snprintf(printed, sizeof printed, text[s], nranks, (long long)elements,
                       side, side / 8);
        program_must(redist_view_parse(printed, &dist[s], &view[s]));
        program_must(redist_view_span(&view[s], rank, &span[s]));
    }
}

redist_err program_execute(void *run)
{
    const struct program_run *own = run;
    return redist_execute(own->plan, own->source, own->target);
}

void program_print_turns(MPI_Comm comm, int64_t rounds)
{
    int rank = 0, nranks = 0, length = 0;
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    MPI_Get_library_version(library, &length);
    if (rank == 0)
        (void)printf("%d processes, in turns, %" PRId64 " times each, %.*s\n\n", nranks,
                     rounds, (int)strcspn(library, ",\n"), library);
}
