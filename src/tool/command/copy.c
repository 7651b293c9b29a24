/* SPDX-License-Identifier: MIT
 *
 * tool/command/copy.c - `redist copy`: copy an array from file to file, in another format
 * and in other chunks.
 *
 * All processes run the same steps and fail together; only rank 0 prints.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "files/access/copy.h"
#include "files/access/formats.h"
#include "tool/common/arguments.h"
#include "tool/common/progress.h"
#include "tool/common/tool.h"
#include "tool/store/elements.h"
#include "tool/store/file_arguments.h"

struct arguments {
    const char *file[2]; /* from, to */
    const char *section, *into;
    const char *chunk, *codec, *order, *type;
    int64_t bytes;
    bool checked, progress;
};

static struct arguments given;

static const struct argument option_table[] = {
    {"section", "RANGES", "copy this part of FROM, such as '[0:99:2,5:9]'",
     .text = &given.section},
    {"into", "RANGES", "write into this part of TO, which exists and keeps the rest",
     .text = &given.into},
    {"chunk", "I,J,..", "elements of a chunk of TO along each dimension",
     .text = &given.chunk},
    {"codec", "CODEC", "compress the chunks: gzip, zstd, or with a level, gzip:5",
     .text = &given.codec, .words = "none gzip zstd blosc zlib crc32c"},
    {"type", "TYPE", "of TO's numbers, such as f4 or >i2, instead of FROM's",
     .text = &given.type, .words = TOOL_TYPES},
    {"checked", NULL, "a number that TYPE cannot hold is an error",
     .flag = &given.checked},
    {"order", "ORDER", "row-major or column-major, instead of FROM's",
     .text = &given.order, .words = "row-major column-major"},
    {"memory", "BYTES", "what a process may take, such as 256MiB (128MiB, or 4 chunks)",
     .bytes = &given.bytes},
    {"progress", NULL, "draw a bar on stderr even if that is no terminal",
     .flag = &given.progress},
    {.name = NULL}};

/* Tell whether TO is an array in a file or a folder that exists. */
static bool is_in_group(const char *to)
{
    struct file_name found;
    char path[PATH_MAX];
    return formats_find(to, NULL, &found) == REDIST_OK && *found.inner &&
           snprintf(path, sizeof path, "%.*s", found.length, to) < PATH_MAX &&
           access(path, F_OK) == 0;
}

static redist_err change_layout(const struct arguments *arguments,
                                redist_file_layout *layout)
{
    const char *order = arguments->order;
    for (int i = 0; i < layout->ndims; i++) layout->chunk[i] = 0;
    layout->codec = arguments->codec;
    layout->offset = 0;
    if (is_in_group(arguments->file[1])) layout->version = 0; /* that of the group */
    if (arguments->type) layout->type = arguments->type;
    if (arguments->chunk)
        TRY(tool_parse_numbers("--chunk", arguments->chunk, layout->ndims, 1, INT64_MAX,
                               layout->chunk));
    if (!order) {
        layout->order = file_order(arguments->file[1], layout->order);
        return REDIST_OK;
    }
    layout->order = order[0] == 'r' ? REDIST_ROW_MAJOR : REDIST_COLUMN_MAJOR;
    if (strcmp(order, "row-major") == 0 || strcmp(order, "column-major") == 0)
        return REDIST_OK;
    return error_arg("--order: '%s', must be row-major or column-major", order);
}

/* Create the target, of the section's shape, or open it, and find the part of it that is
 * written. */
static redist_err open_target(const struct arguments *arguments, redist_file *from,
                              const struct section *of, redist_file_options options,
                              redist_file **to, struct section *into)
{
    redist_file_layout layout;
    const char *name = arguments->file[1];
    if (arguments->into) {
        TRY(file_argument_open(MPI_COMM_WORLD, name, REDIST_FILE_UPDATE, options, to));
        return file_section("--into", arguments->into, *to, into);
    }
    TRY(redist_file_describe(from, &layout));
    for (int i = 0; i < layout.ndims; i++) layout.shape[i] = of->extent[i];
    TRY(change_layout(arguments, &layout));
    options.layout = &layout;
    TRY(file_argument_create(MPI_COMM_WORLD, name, options, to));
    *into = section_whole(*to);
    return REDIST_OK;
}

/* Return the bytes that are written. */
static int64_t bytes_of(const redist_file *to, const struct section *into)
{
    struct box all = {.extent = {1}};
    for (int i = 0; i < to->layout.ndims; i++) all.extent[i] = into->extent[i];
    return box_elements(to, &all) * to->element_bytes;
}

static redist_err copy_open(const struct arguments *arguments, redist_file *from,
                            redist_file_options options, enum progress_when when)
{
    struct section of, into;
    redist_file *to = NULL;
    TRY(file_section("--section", arguments->section, from, &of));
    redist_err err = open_target(arguments, from, &of, options, &to, &into);
    if (!err) {
        struct progress progress = progress_begin("copying", bytes_of(to, &into), when);
        elements_show_progress(to, &progress);
        bool whole = !arguments->section && !arguments->into;
        err = whole ? redist_file_copy(from, to) : copy_section(from, &of, to, &into);
        progress_end(&progress);
    }
    redist_err closed = redist_file_close(&to);
    return err ? err : closed;
}

static redist_err copy(const struct arguments *arguments, enum progress_when when)
{
    redist_file *from = NULL;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    options.staging_bytes = (size_t)arguments->bytes / 2;
    TRY(files_check_apart(MPI_COMM_WORLD, arguments->file[0], arguments->file[1]));
    options.checked = arguments->checked; /* what is read is converted */
    TRY(file_argument_open(MPI_COMM_WORLD, arguments->file[0], REDIST_FILE_READ, options,
                           &from));
    options.checked = 0;
    redist_err err = copy_open(arguments, from, options, when);
    redist_err closed = redist_file_close(&from);
    return err ? err : closed;
}

/* Return the first option that only a new file has, where the target exists. */
static const char *find_conflict(const struct arguments *arguments)
{
    if (!arguments->into) return NULL;
    return arguments->chunk   ? "--chunk"
           : arguments->codec ? "--codec"
           : arguments->order ? "--order"
           : arguments->type  ? "--type"
                              : NULL;
}

static int tool_copy(int argc, char **argv)
{
    given = (struct arguments){0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = arguments_take(argc, argv, rank == 0, &command_copy, given.file);
    const char *conflict = status ? NULL : find_conflict(&given);
    if (conflict) status = TOOL_USAGE;
    if (conflict && rank == 0)
        (void)tool_misused(
            argv[0], "--into and %s exclude each other: the file says its own", conflict);
    enum progress_when when = rank != 0        ? PROGRESS_NEVER
                              : given.progress ? PROGRESS_ALWAYS
                                               : PROGRESS_AUTO;
    if (!status && copy(&given, when)) {
        status = TOOL_FAILED;
        if (rank == 0) (void)tool_fail_last();
    }
    MPI_Finalize();
    return status;
}

const struct command command_copy = {
    .name = "copy",
    .arguments = "FROM TO",
    .nwords = 2,
    .summary = "copy an array from file to file",
    .parallel = true,
    .options = option_table,
    .notes = "FROM and TO are a.npy, a.h5:/group/t, a.zarr, a.zarr:/group/t or a.raw; a "
             "raw file\n"
             "that exists is 'a.raw:[300,300] <f8'. The array may be larger than the "
             "memory of all\n"
             "processes. Ranges are first:last:stride, both ends included.\n",
    .run = tool_copy};
