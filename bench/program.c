/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tool/collective.h"
#include "tool/tool.h"

enum { MOST = 16, LIST_SIZE = 256 };

/* "--extent N, --svg TEXT, --least" */
static const char *list_options(const struct program_option options[],
                                char list[LIST_SIZE])
{
    size_t length = 0;
    list[0] = '\0';
    for (int k = 0; options[k].name && length < LIST_SIZE; k++) {
        const char *value = options[k].number ? " N" : options[k].text ? " TEXT" : "";
        length += (size_t)snprintf(list + length, LIST_SIZE - length, "%s--%s%s",
                                   k > 0 ? ", " : "", options[k].name, value);
    }
    return list;
}

static redist_err take(const struct program_option *option, const char *given)
{
    char name[LIST_SIZE];
    if (option->flag) *option->flag = true;
    if (option->text) *option->text = given;
    if (!option->number) return REDIST_OK;
    (void)snprintf(name, sizeof name, "--%s", option->name);
    return tool_parse_number(name, given, option->least, option->most, option->number);
}

static redist_err read_options(int argc, char **argv,
                               const struct program_option options[])
{
    struct option known[MOST + 1] = {{0}};
    char list[LIST_SIZE];
    for (int k = 0; k < MOST && options[k].name; k++)
        known[k] = (struct option){
            options[k].name, options[k].flag ? no_argument : required_argument, NULL, k};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
        if (c == '?' || c == ':')
            return error_set(REDIST_ERR_ARG, "%s: there are %s", argv[optind - 1],
                             list_options(options, list));
        TRY(take(&options[c], optarg));
    }
    if (optind == argc) return REDIST_OK;
    return error_set(REDIST_ERR_ARG, "%s: there are only options", argv[optind]);
}

int program_run(int argc, char **argv, const struct program_option options[],
                redist_err (*bench)(MPI_Comm comm, void *context), void *context)
{
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    redist_err err = collective_agree(MPI_COMM_WORLD, read_options(argc, argv, options));
    if (!err) err = bench(MPI_COMM_WORLD, context);
    const char *name = strrchr(argv[0], '/');
    if (err && rank == 0)
        (void)fprintf(stderr, "%s: %s\n", name ? name + 1 : argv[0],
                      redist_error_message());
    MPI_Finalize();
    return err ? 1 : 0;
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
