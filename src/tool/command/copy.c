/* SPDX-License-Identifier: MIT
 *
 * tool/command/copy.c - `redist copy`: copy an array from file to file, in another format
 * and in other chunks.
 *
 * All processes run the same steps and fail together; only rank 0 prints.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tool/common/arguments.h"
#include "tool/common/progress.h"
#include "tool/common/tool.h"
#include "tool/store/elements.h"

static const char help[] =
    "mpirun -n N redist copy FROM TO [OPTION..] - copy an array from file to file\n"
    "\n"
    "  --chunk I,J,..   elements of a chunk of TO along each dimension\n"
    "  --codec CODEC    compress the chunks: gzip, zstd, or with a level, gzip:5\n"
    "  --type TYPE      of TO's numbers, such as f4 or >i2, instead of FROM's\n"
    "  --checked        a number that TYPE cannot hold is an error\n"
    "  --order ORDER    row-major or column-major, instead of FROM's\n"
    "  --memory BYTES   what a process may take, such as 256MiB (128MiB)\n"
    "  --progress       draw a bar on stderr even if that is no terminal\n"
    "\n"
    "FROM and TO are a.npy, a.h5:/group/t, a.zarr or a.zarr:/group/t. The array may be\n"
    "larger than the memory of all processes.\n";

struct arguments {
    const char *file[2]; /* from, to */
    const char *chunk, *codec, *order, *type;
    int64_t bytes;
    bool checked, progress;
};

static redist_err change_layout(const struct arguments *arguments,
                                redist_file_layout *layout)
{
    const char *order = arguments->order;
    for (int i = 0; i < layout->ndims; i++) layout->chunk[i] = 0;
    layout->codec = arguments->codec;
    if (arguments->type) layout->type = arguments->type;
    if (arguments->chunk)
        TRY(tool_parse_numbers("--chunk", arguments->chunk, layout->ndims, 1, INT64_MAX,
                               layout->chunk));
    if (!order) return REDIST_OK;
    layout->order = order[0] == 'r' ? REDIST_ROW_MAJOR : REDIST_COLUMN_MAJOR;
    if (strcmp(order, "row-major") == 0 || strcmp(order, "column-major") == 0)
        return REDIST_OK;
    return error_set(REDIST_ERR_ARG, "--order: '%s', must be row-major or column-major",
                     order);
}

static redist_err open_target(const struct arguments *arguments, redist_file *from,
                              redist_file **to)
{
    redist_file_layout layout;
    redist_file_options options = input_file_options(arguments->file[1]);
    TRY(redist_file_describe(from, &layout));
    TRY(change_layout(arguments, &layout));
    options.layout = &layout;
    options.staging_bytes = (size_t)arguments->bytes / 2;
    return redist_file_open(MPI_COMM_WORLD, arguments->file[1], REDIST_FILE_CREATE,
                            &options, to);
}

static redist_err copy(const struct arguments *arguments, enum progress_when when)
{
    redist_file *from = NULL, *to = NULL;
    redist_file_options options = input_file_options(arguments->file[0]);
    options.staging_bytes = (size_t)arguments->bytes / 2;
    options.checked = arguments->checked; /* what is read is converted */
    TRY(redist_file_open(MPI_COMM_WORLD, arguments->file[0], REDIST_FILE_READ, &options,
                         &from));
    redist_err err = open_target(arguments, from, &to);
    if (!err) {
        struct progress progress = progress_begin("copying", 0, when);
        elements_show_progress(to, &progress);
        err = redist_file_copy(from, to);
        progress_end(&progress);
    }
    redist_err closed = redist_file_close(&to);
    if (!err) err = closed;
    closed = redist_file_close(&from);
    return err ? err : closed;
}

int tool_copy(int argc, char **argv)
{
    struct arguments arguments = {.bytes = 128 << 20};
    const struct argument options[] = {
        {"chunk", .text = &arguments.chunk},       {"codec", .text = &arguments.codec},
        {"order", .text = &arguments.order},       {"type", .text = &arguments.type},
        {"checked", .flag = &arguments.checked},   {"memory", .bytes = &arguments.bytes},
        {"progress", .flag = &arguments.progress}, {.name = NULL}};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = arguments_take(argc, argv, rank == 0, help, options, 2, arguments.file);
    enum progress_when when = rank != 0            ? PROGRESS_NEVER
                              : arguments.progress ? PROGRESS_ALWAYS
                                                   : PROGRESS_AUTO;
    if (!status && copy(&arguments, when)) {
        status = TOOL_FAILED;
        if (rank == 0) (void)tool_fail_last();
    }
    MPI_Finalize();
    return status;
}
