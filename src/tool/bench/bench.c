/* SPDX-License-Identifier: MIT
 *
 * tool/bench/bench.c - `redist bench`: all strategies on the same work and the same
 * buffers, verified, alternating with a copy of as many bytes.
 *
 * All processes run the same steps and fail together; only rank 0 prints.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/comm/options.h"
#include "files/format/collective.h"
#include "tool/bench/bench_work.h"
#include "tool/bench/simulated.h"
#include "tool/bench/strategies.h"
#include "tool/common/arguments.h"
#include "tool/common/tool.h"
#include "tool/picture/picture.h"

struct arguments {
    const char *spec[SIDES]; /* as given: text or @FILE */
    const char *strategies, *type, *svg, *topology;
    int64_t element_bytes;
    int64_t staging_bytes; /* 0: the library's default */
    struct bench_mode mode;
    bool json;
};

static struct arguments given;

static const struct argument option_table[] = {
    {"strategy", "NAMES", "some, with commas between, or all of them (the default)",
     .text = &given.strategies, .candidate = tool_strategy, .words = "all"},
    {"reps", "N", "times of each, 11 by default", .number = &given.mode.rounds,
     .least = 1, .most = 10000},
    {"type", "TYPE", "of the elements: f8 (the default), i4, c16, .. or bN: N bytes",
     .text = &given.type, .words = TOOL_TYPES},
    {"staging", "BYTES", "cap on the staging memory of a process; 8MiB by default",
     .bytes = &given.staging_bytes},
    {"topology", "TEXT",
     "where the processes sit, such as 'mesh(4,8)' or 'tree(16:4,16)',\n"
     "see redist/topology.h: auto and links go by it",
     .text = &given.topology},
    {"exact", NULL,
     "the clock is exact and common to all, as a simulated one is:\n"
     "each runs once a round, from a common start; no memcpy",
     .flag = &given.mode.exact},
    {"hollow", NULL,
     "only the sizes count: elements have no values, nothing is\n"
     "verified, and a simulated machine's memory is one process's",
     .flag = &given.mode.hollow},
    {"tune", NULL, "auto is tuned on the buffers first (redist_plan_tune)",
     .flag = &given.mode.tune},
    {"bare", NULL,
     "a run moves the elements and no more: there is no vote that\n"
     "tells all processes of an error of one",
     .flag = &given.mode.bare},
    {"json", NULL, "one JSON object, for programs", .flag = &given.json},
    {"svg", "FILE",
     "write a bar chart too; where FILE is -, to stdout instead of\n"
     "the table",
     .text = &given.svg},
    {.name = NULL}};

/* ---- the report -------------------------------------------------------------------- */

/* The fastest first, then those not available. */
static int compare(const void *a, const void *b)
{
    const struct bench_entry *x = a, *y = b;
    if (x->available != y->available) return x->available ? -1 : 1;
    return (x->seconds.median > y->seconds.median) -
           (x->seconds.median < y->seconds.median);
}

static redist_err draw(FILE *out, void *report)
{
    bench_draw(out, report);
    return REDIST_OK;
}

static redist_err print(const struct arguments *arguments, struct bench_report *report)
{
    if (!arguments->svg || strcmp(arguments->svg, "-") != 0)
        (arguments->json ? bench_print_json : bench_print)(report);
    TRY(tool_flush());
    return arguments->svg ? picture_write(arguments->svg, draw, report) : REDIST_OK;
}

static redist_err report(const struct arguments *arguments, struct bench_work *work)
{
    struct bench_report report = {
        .type = arguments->type,
        .processes = work->processes,
        .rounds = arguments->mode.rounds,
        .element_bytes = arguments->element_bytes,
        .elements = view_elements(&work->specs.view[REDIST_SOURCE]),
        .bytes_moved = work->bytes_moved,
        .bytes_kept = work->bytes_kept,
        .staging_cap =
            arguments->staging_bytes ? arguments->staging_bytes : OPTIONS_STAGING_BYTES,
        .choice = work->choice,
        .copied = !work->mode.exact,
        .verified = !work->mode.hollow,
        .copy_seconds = work->copy_seconds,
        .n = work->n,
        .entry = work->entry,
    };
    qsort(work->entry, (size_t)work->n, sizeof *work->entry, compare);
    TRY(specs_print(&work->specs));
    report.source = work->specs.text[REDIST_SOURCE];
    report.target = work->specs.text[REDIST_TARGET];
    return print(arguments, &report);
}

static redist_err race(MPI_Comm comm, const struct arguments *arguments, int n,
                       struct bench_entry entry[])
{
    struct bench_work work;
    if (arguments->mode.hollow) simulated_fold_elements();
    redist_err err = bench_work_make(comm, arguments->spec, arguments->element_bytes,
                                     arguments->staging_bytes, arguments->topology,
                                     arguments->mode, n, entry, &work);
    if (!err) err = bench_work_race(&work);
    if (!err)
        err =
            collective_agree(comm, work.rank == 0 ? report(arguments, &work) : REDIST_OK);
    bench_work_free(&work);
    return err;
}

static redist_err bench(MPI_Comm comm, const struct arguments *arguments)
{
    struct strategies list;
    struct bench_entry *entry = NULL;
    redist_err err = strategies_list(arguments->strategies, &list);
    if (!err) entry = mem_alloc(NULL, list.n, sizeof *entry);
    if (!err && !entry) err = REDIST_ERR_MEMORY;
    err = collective_agree(comm, err);
    for (int k = 0; k < list.n && !err; k++) entry[k].strategy = list.name[k];
    if (!err) err = race(comm, arguments, list.n, entry);
    mem_free(entry);
    strategies_free(&list);
    return err;
}

/* Read the arguments. Returns TOOL_OK, or the value of arguments_take. */
static int take_arguments(int argc, char **argv, bool speak, struct arguments *arguments)
{
    given = (struct arguments){.strategies = "all", .type = "f8", .mode.rounds = 11};
    int status = arguments_take(argc, argv, speak, &command_bench, given.spec);
    if (status) return status;
    *arguments = given;
    const char *wrong = NULL;
    if (arguments->json && arguments->svg && strcmp(arguments->svg, "-") == 0)
        wrong = "--json and --svg - exclude each other";
    else if (tool_parse_type(arguments->type, &arguments->element_bytes))
        wrong = redist_error_message();
    if (wrong && speak) (void)tool_misused(argv[0], "%s", wrong);
    return wrong ? TOOL_USAGE : TOOL_OK;
}

static int tool_bench(int argc, char **argv)
{
    (void)unsetenv("REDIST_STRATEGY"); /* otherwise all contenders would be the same */
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool speak = rank == 0;
    struct arguments arguments;
    int status = take_arguments(argc, argv, speak, &arguments);
    if (!status) {
        status = bench(MPI_COMM_WORLD, &arguments) ? TOOL_FAILED : TOOL_OK;
        if (status && speak) (void)tool_fail_last();
    }
    MPI_Finalize();
    return status;
}

const struct command command_bench = {
    .name = "bench",
    .arguments = "SOURCE TARGET",
    .nwords = 2,
    .summary = "compare the strategies",
    .parallel = true,
    .options = option_table,
    .notes =
        "Each element is its own global index, and each strategy is verified before it "
        "is\n"
        "timed. Then all take turns, and a memcpy of as many bytes with them. Times are "
        "of\n"
        "the slowest process, from barrier to barrier; GB/s are bytes of the section.\n"
        "SOURCE and TARGET are texts of distributions, such as '[9,9] (cyclic(2),block) "
        "onto\n"
        "2x2', or @FILE: the text is in the file.\n",
    .run = tool_bench};
