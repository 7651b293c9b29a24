/* SPDX-License-Identifier: MIT
 *
 * tool/command/run.c - `redist run`: read an array, each process its part; redistribute
 * it; write it.
 *
 * All processes run the same steps and fail together; only rank 0 prints.
 */
#include <mpi.h>
#include <string.h>
#include <sys/stat.h>

#include <redist/redist.h>

#include "base/error.h"
#include "base/mem.h"
#include "describe/view.h"
#include "move/arith/number_format.h"
#include "plan/comm/options.h"
#include "files/format/collective.h"
#include "files/format/temporary.h"
#include "tool/common/arguments.h"
#include "tool/common/specs.h"
#include "tool/common/summary.h"
#include "tool/common/tool.h"
#include "tool/store/elements.h"
#include "tool/store/file_arguments.h"
#include "tool/store/input.h"
#include "tool/store/partial.h"
#include "tool/store/shards.h"

struct arguments {
    const char *spec[2];         /* as given: text or @FILE */
    const char *input, *section; /* and the part of it */
    const char *output, *into, *type, *shards;
    const char *strategy, *operation;
    int64_t staging_bytes; /* 0: the library's default */
    redist_reduction reduction;
    bool checked, verify, progress, json;
};

static struct arguments given;

static const struct argument option_table[] = {
    {"input", "FILE",
     "read this file, each process its part: a.npy, a.h5:/group/t,\n"
     "a.zarr, a.zarr:/group/t or 'a.raw:[300,300] <f8'; or the\n"
     "shards in this folder, of an earlier run, of any number of processes",
     .text = &given.input},
    {"section", "RANGES", "read this part of the file, such as '[0:99:2,5:9]'",
     .text = &given.section},
    {"output", "FILE", "write one such file", .text = &given.output},
    {"into", "RANGES", "write into this part of the output, which exists",
     .text = &given.into},
    {"type", "TYPE", "of the output's numbers, such as f4 or >i2", .text = &given.type,
     .words = TOOL_TYPES},
    {"checked", NULL, "a number that the output cannot hold is an error",
     .flag = &given.checked},
    {"shards", "DIR", "write one .npy file for each process of the target",
     .text = &given.shards},
    {"verify", NULL, "compare every element with the input, before anything is written",
     .flag = &given.verify},
    {"reduction", "OP",
     "the replicas of the source are partial results: put them together,\n"
     "by SUM, PROD, MIN, MAX, LAND, LOR, LXOR, BAND, BOR or BXOR",
     .text = &given.operation, .words = "SUM PROD MIN MAX LAND LOR LXOR BAND BOR BXOR"},
    {"strategy", "NAME", "how, instead of the library's choice", .text = &given.strategy,
     .candidate = tool_strategy},
    {"staging", "BYTES", "cap on the staging memory of a process, such as 8MiB",
     .bytes = &given.staging_bytes},
    {"progress", NULL, "draw a bar on stderr even if that is no terminal",
     .flag = &given.progress},
    {"json", NULL, "print the summary as one JSON object", .flag = &given.json},
    {.name = NULL}};

struct run {
    MPI_Comm comm;
    int rank;
    struct arguments arguments;
    uint64_t id; /* of this run, the same on all processes */
    struct specs specs;
    const redist_view *source, *target; /* of the specs */
    struct input input;
    redist_file *output; /* that of --into */
    struct section into;
    MPI_Datatype element;
    redist_plan *plan;
    void *source_buffer, *target_buffer;
    struct stage_seconds seconds;
};

/* ---- the steps --------------------------------------------------------------------- */

static redist_err draw_id(struct run *run)
{
    redist_err err = run->rank == 0 ? temporary_draw(&run->id) : REDIST_OK;
    TRY(collective_agree(run->comm, err));
    MPI_Bcast(&run->id, 1, MPI_UINT64_T, 0, run->comm);
    return REDIST_OK;
}

/* Shards must not replace what they are made from. */
static redist_err check_directories(const struct run *run)
{
    const char *input = run->arguments.input, *shards = run->arguments.shards;
    struct stat in, out;
    int nprocs;
    bool replaced = false;
    redist_err err = REDIST_OK;
    MPI_Comm_size(run->comm, &nprocs);
    if (run->rank == 0 && input && shards && !stat(input, &in) && !stat(shards, &out)) {
        if (in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            err = error_arg("%s: is both the input and where shards go", shards);
        if (!err) err = shards_replace(shards, nprocs, &in, &replaced);
        if (!err && replaced)
            err = error_arg("%s: is the input, and would be replaced by a shard", input);
    }
    return collective_agree(run->comm, err);
}

/* Elements are bytes, unless there is arithmetic. */
static redist_err find_type(struct run *run, MPI_Datatype *type)
{
    const struct npy *npy = &run->input.npy;
    MPI_Type_contiguous((int)npy->element_bytes, MPI_BYTE, &run->element);
    MPI_Type_commit(&run->element);
    if (run->arguments.reduction) return partial_type(npy->descr, type);
    *type = run->element;
    return REDIST_OK;
}

static redist_err make_plan(struct run *run)
{
    double began = MPI_Wtime();
    redist_options plan_options = REDIST_OPTIONS_INIT;
    plan_options.strategy = run->arguments.strategy;
    plan_options.staging_bytes = (size_t)run->arguments.staging_bytes;
    plan_options.reduction = run->arguments.reduction;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    TRY(find_type(run, &type));
    redist_err err = redist_plan_create(run->comm, type, run->source, run->target,
                                        &plan_options, &run->plan);
    run->seconds.plan = MPI_Wtime() - began;
    return err;
}

static redist_err make_buffer(const struct run *run, const redist_view *view,
                              void **buffer)
{
    int64_t elements = 0;
    redist_err err = redist_view_span(view, run->rank, &elements);
    if (!err) {
        *buffer = mem_alloc(NULL, elements, (size_t)run->input.npy.element_bytes);
        if (!*buffer) err = REDIST_ERR_MEMORY;
    }
    return collective_agree(run->comm, err);
}

static struct progress begin_bar(const struct run *run, const char *what, int64_t bytes)
{
    enum progress_when when = run->arguments.progress ? PROGRESS_ALWAYS : PROGRESS_AUTO;
    return progress_begin(what, bytes, run->rank == 0 ? when : PROGRESS_NEVER);
}

static redist_err read_source(struct run *run)
{
    TRY(make_buffer(run, run->source, &run->source_buffer));
    double began = MPI_Wtime();
    struct progress progress = begin_bar(run, "reading", run->input.npy.data_bytes);
    redist_err err = run->arguments.reduction
                         ? partial_read(run->comm, &run->input, run->source,
                                        run->source_buffer, &progress)
                         : elements_read(run->comm, &run->input, run->source,
                                         run->source_buffer, &progress);
    progress_end(&progress);
    run->seconds.read = MPI_Wtime() - began;
    return err;
}

static redist_err move(struct run *run)
{
    TRY(make_buffer(run, run->target, &run->target_buffer));
    MPI_Barrier(run->comm);
    double began = MPI_Wtime();
    redist_err err = redist_execute(run->plan, run->source_buffer, run->target_buffer);
    run->seconds.move = MPI_Wtime() - began;
    mem_free(run->source_buffer);
    run->source_buffer = NULL;
    return err;
}

static bool verifies(const struct run *run)
{
    return run->arguments.verify || run->input.kind == INPUT_SYNTHETIC;
}

static redist_err verify(struct run *run)
{
    if (!verifies(run)) return REDIST_OK;
    double began = MPI_Wtime();
    struct progress progress = begin_bar(run, "verifying", run->input.npy.data_bytes);
    redist_reduction reduction = run->arguments.reduction;
    redist_err err = reduction
                         ? partial_check(run->comm, &run->input, reduction, run->source,
                                         run->target, run->target_buffer, &progress)
                         : elements_check(run->comm, &run->input, run->source,
                                          run->target, run->target_buffer, &progress);
    progress_end(&progress);
    run->seconds.verify = MPI_Wtime() - began;
    return err;
}

/* Create the output, in the input's order if the format has it. */
static redist_err create_output(struct run *run, const struct npy *npy)
{
    redist_file_layout layout = {.size = sizeof layout,
                                 .ndims = npy->ndims,
                                 .type = npy->descr,
                                 .order = npy->fortran_order ? REDIST_COLUMN_MAJOR
                                                             : REDIST_ROW_MAJOR};
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    if (run->arguments.type) layout.type = run->arguments.type;
    layout.order = file_order(run->arguments.output, layout.order);
    for (int i = 0; i < npy->ndims; i++) layout.shape[i] = npy->shape[i];
    options.layout = &layout;
    options.checked = run->arguments.checked;
    TRY(file_argument_create(run->comm, run->arguments.output, options, &run->output));
    run->into = section_whole(run->output);
    return REDIST_OK;
}

/* Open the output that exists, and find the part of it that is written. */
static redist_err open_output(struct run *run)
{
    const char *into = run->arguments.into, *output = run->arguments.output;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    redist_file_layout layout;
    if (!into) return REDIST_OK;
    options.checked = run->arguments.checked;
    TRY(file_argument_open(run->comm, output, REDIST_FILE_UPDATE, options, &run->output));
    TRY(redist_file_describe(run->output, &layout));
    redist_err err = file_section("--into", into, run->output, &run->into);
    const redist_dist *dist = run->target->dist;
    if (!err && layout.ndims != dist->ndims)
        err = error_arg("%s: has %d dimensions, the target %d", output, layout.ndims,
                        dist->ndims);
    for (int i = 0; !err && i < layout.ndims; i++)
        if (run->into.extent[i] != dist->dim[i].extent)
            err = error_arg("--into %s: dim %d: %" PRId64
                            " elements, the target has %" PRId64,
                            into, i, run->into.extent[i], dist->dim[i].extent);
    return collective_agree(run->comm, err);
}

/* Make the type of the elements in memory: of numbers it says which. */
static redist_err make_number_type(const struct run *run, MPI_Datatype *type)
{
    struct format format;
    const struct npy *npy = &run->input.npy;
    if (format_parse(npy->descr, &format)) return redist_type_create(npy->descr, type);
    MPI_Type_dup(run->element, type);
    return REDIST_OK;
}

static redist_err write_file(struct run *run, const struct npy *npy,
                             struct progress *progress)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    redist_view whole = elements_whole(run->target);
    if (!run->output) TRY(create_output(run, npy));
    elements_show_progress(run->output, progress);
    redist_err err = collective_agree(run->comm, make_number_type(run, &type));
    if (!err)
        err = redist_file_write_section(run->output, run->into.start, run->into.stride,
                                        &whole, type, run->target_buffer);
    if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
    redist_err closed = redist_file_close(&run->output);
    return err ? err : closed;
}

/* Write the requested output. The file keeps the input's order, and so do the shards
 * unless the target's memory is column-major. */
static redist_err write_target(struct run *run)
{
    const struct arguments *arguments = &run->arguments;
    if (!arguments->output && !arguments->shards) return REDIST_OK;
    const redist_dist *dist = run->target->dist;
    const struct npy *in = &run->input.npy;
    int64_t extents[REDIST_MAX_DIMS];
    bool column_major = dist->ndims > 1;
    for (int i = 0; i < dist->ndims; i++) {
        extents[i] = dist->dim[i].extent;
        column_major = column_major && run->target->order[i] == dist->ndims - 1 - i;
    }
    struct npy npy = {0};
    double began = MPI_Wtime();
    TRY(collective_agree(
        run->comm, npy_make(in->descr, in->fortran_order, dist->ndims, extents, &npy)));
    struct progress progress = begin_bar(run, "writing", npy.data_bytes);
    redist_err err = arguments->output
                         ? write_file(run, &npy, &progress)
                         : shards_write(run->comm, arguments->shards, run->target,
                                        npy.descr, npy.fortran_order || column_major,
                                        run->target_buffer, run->id, &progress);
    progress_end(&progress);
    npy_free(&npy);
    run->seconds.write = MPI_Wtime() - began;
    return err;
}

static redist_err summarize(struct run *run)
{
    const struct arguments *arguments = &run->arguments;
    struct summary summary = {
        .dtype = run->input.npy.descr,
        .input = arguments->input,
        .output = arguments->output ? arguments->output : arguments->shards,
        .elements = view_elements(run->source),
        .staging_cap =
            arguments->staging_bytes ? arguments->staging_bytes : OPTIONS_STAGING_BYTES,
        .verified = verifies(run),
        .reduction = arguments->reduction ? partial_name(arguments->reduction) : NULL,
        .replicas = run->source->dist->nreplicas,
    };
    redist_report report;
    TRY(collective_agree(run->comm, redist_plan_report(run->plan, &report)));
    summary_collect(run->comm, &report, &run->seconds, &summary);
    if (run->rank != 0) return REDIST_OK;
    TRY(specs_print(&run->specs));
    summary.source = run->specs.text[REDIST_SOURCE];
    summary.target = run->specs.text[REDIST_TARGET];
    (arguments->json ? summary_print_json : summary_print)(&summary);
    return tool_flush();
}

static redist_err run_all(struct run *run)
{
    const struct arguments *arguments = &run->arguments;
    TRY(specs_share(run->comm, arguments->spec, &run->specs));
    run->source = &run->specs.view[REDIST_SOURCE];
    run->target = &run->specs.view[REDIST_TARGET];
    TRY(draw_id(run));
    TRY(check_directories(run));
    TRY(files_check_apart(run->comm, arguments->input, arguments->output));
    TRY(input_open(run->comm, arguments->input, arguments->section, run->source->dist,
                   arguments->reduction != REDIST_REDUCTION_NONE, &run->input));
    TRY(open_output(run));
    TRY(make_plan(run));
    TRY(read_source(run));
    TRY(move(run));
    TRY(verify(run));
    TRY(write_target(run));
    return collective_agree(run->comm, summarize(run));
}

static void release(struct run *run)
{
    (void)redist_plan_destroy(&run->plan);
    if (run->element != MPI_DATATYPE_NULL) MPI_Type_free(&run->element);
    mem_free(run->source_buffer);
    mem_free(run->target_buffer);
    (void)redist_file_close(&run->output);
    input_free(&run->input);
    specs_free(&run->specs);
}

/* Return what is wrong with options that do not go together; NULL: nothing. */
static const char *find_conflict(const struct arguments *arguments)
{
    if (arguments->output && arguments->shards)
        return "--output and --shards exclude each other";
    if (arguments->section && !arguments->input) return "--section needs --input";
    if (arguments->section && arguments->reduction)
        return "--section and --reduction exclude each other";
    if (arguments->into && arguments->type)
        return "--into and --type exclude each other: the file has its type";
    if (arguments->output) return NULL;
    return arguments->into      ? "--into needs --output"
           : arguments->type    ? "--type needs --output"
           : arguments->checked ? "--checked needs --output"
                                : NULL;
}

/* Read the arguments. Returns TOOL_OK, or the value of arguments_take. */
static int take_arguments(int argc, char **argv, bool speak, struct arguments *arguments)
{
    given = (struct arguments){0};
    int status = arguments_take(argc, argv, speak, &command_run, given.spec);
    if (status) return status;
    *arguments = given;
    const char *wrong = partial_parse(arguments->operation, &arguments->reduction)
                            ? redist_error_message()
                            : find_conflict(arguments);
    if (wrong && speak) (void)tool_misused(argv[0], "%s", wrong);
    return wrong ? TOOL_USAGE : TOOL_OK;
}

static int tool_run(int argc, char **argv)
{
    struct run run = {.comm = MPI_COMM_WORLD, .element = MPI_DATATYPE_NULL};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(run.comm, &run.rank);
    bool speak = run.rank == 0;
    int status = take_arguments(argc, argv, speak, &run.arguments);
    if (!status) {
        status = run_all(&run) ? TOOL_FAILED : TOOL_OK;
        if (status && speak) (void)tool_fail_last();
        release(&run);
    }
    MPI_Finalize();
    return status;
}

const struct command command_run = {
    .name = "run",
    .arguments = "SOURCE TARGET",
    .nwords = 2,
    .summary = "redistribute an array",
    .parallel = true,
    .options = option_table,
    .notes =
        "Without --input each element is its own global index, as int64, and is "
        "verified.\n"
        "Elements of the target outside its section are written as zeros.\n"
        "SOURCE and TARGET are texts of distributions, such as\n"
        "'[300,300] (block,*) onto 4 section [0:99,5:9] order column-major', or @FILE.\n",
    .run = tool_run};
