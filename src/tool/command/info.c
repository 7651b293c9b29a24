/* SPDX-License-Identifier: MIT
 *
 * tool/command/info.c - `redist info`: what an array in a file is, and distributions that
 * fit its chunks.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "tool/common/arguments.h"
#include "tool/common/tool.h"
#include "tool/store/input.h"

static const char help[] =
    "redist info FILE [OPTION..] - say what an array in a file is\n"
    "\n"
    "  --processes N   of the distributions that are proposed (4)\n"
    "  --json          one JSON object, for programs\n"
    "\n"
    "FILE is a.npy, a.h5:/group/t, a.zarr or a.zarr:/group/t.\n";

struct arguments {
    const char *file;
    int64_t processes;
    bool json;
};

static void print_list(const char *name, int n, const int64_t numbers[])
{
    (void)printf("  %-9s [", name);
    for (int i = 0; i < n; i++) (void)printf("%s%" PRId64, i ? "," : "", numbers[i]);
    (void)printf("]\n");
}

static void json_list(const char *name, int n, const int64_t numbers[])
{
    (void)printf(", \"%s\": [", name);
    for (int i = 0; i < n; i++) (void)printf("%s%" PRId64, i ? ", " : "", numbers[i]);
    (void)printf("]");
}

static int64_t elements_of(const redist_file_layout *layout)
{
    int64_t elements = 1;
    for (int i = 0; i < layout->ndims; i++) elements *= layout->shape[i];
    return elements;
}

/* Print the distribution that gives each process whole chunks along dimension `dim`, one
 * behind the other. */
static void print_proposal(const redist_file_layout *layout, int dim, int64_t processes)
{
    int64_t chunk = layout->chunk[dim];
    int64_t chunks = int_ceil_div(layout->shape[dim], chunk);
    int64_t block = int_ceil_div(chunks, processes) * chunk;
    (void)printf("[");
    for (int i = 0; i < layout->ndims; i++)
        (void)printf("%s%" PRId64, i ? "," : "", layout->shape[i]);
    (void)printf("] (");
    for (int i = 0; i < layout->ndims; i++) {
        (void)printf("%s", i ? "," : "");
        if (i == dim)
            (void)printf("block(%" PRId64 ")", int_max(block, 1));
        else
            (void)printf("*");
    }
    (void)printf(") onto %" PRId64, processes);
}

/* Find the dimensions along which there is a chunk for each process, the slowest in the
 * file first. Returns how many. */
static int find_dims(const redist_file_layout *layout, int64_t processes,
                     int dims[REDIST_MAX_DIMS])
{
    int found = 0, n = layout->ndims;
    for (int k = 0; k < n; k++) {
        int i = layout->order == REDIST_COLUMN_MAJOR ? n - 1 - k : k;
        if (int_ceil_div(layout->shape[i], layout->chunk[i]) >= processes)
            dims[found++] = i;
    }
    return found;
}

static void print_text(const struct arguments *arguments,
                       const redist_file_layout *layout, int64_t bytes)
{
    char size[TOOL_BYTES_SIZE];
    int dims[REDIST_MAX_DIMS], found = find_dims(layout, arguments->processes, dims);
    (void)printf("%s\n  format    %s\n", arguments->file, layout->format);
    print_list("shape", layout->ndims, layout->shape);
    (void)printf("  type      %s\n  order     %s\n", layout->type,
                 layout->order == REDIST_COLUMN_MAJOR ? "column-major" : "row-major");
    print_list("chunk", layout->ndims, layout->chunk);
    (void)printf("  codec     %s\n", layout->codec ? layout->codec : "none");
    (void)printf("  elements  %" PRId64 ", %s\n", elements_of(layout),
                 tool_format_bytes((double)bytes, size));
    for (int k = 0; k < found; k++) {
        (void)printf("  %-9s ", k ? "" : "spread as");
        print_proposal(layout, dims[k], arguments->processes);
        (void)printf("\n");
    }
}

static void print_json(const struct arguments *arguments,
                       const redist_file_layout *layout, int64_t bytes)
{
    int dims[REDIST_MAX_DIMS], found = find_dims(layout, arguments->processes, dims);
    (void)printf("{\"file\": ");
    tool_print_json_string(stdout, arguments->file);
    (void)printf(", \"format\": \"%s\"", layout->format);
    json_list("shape", layout->ndims, layout->shape);
    (void)printf(", \"type\": ");
    tool_print_json_string(stdout, layout->type);
    (void)printf(", \"order\": \"%s\"",
                 layout->order == REDIST_COLUMN_MAJOR ? "column-major" : "row-major");
    json_list("chunk", layout->ndims, layout->chunk);
    (void)printf(", \"codec\": ");
    tool_print_json_string(stdout, layout->codec ? layout->codec : "none");
    (void)printf(", \"elements\": %" PRId64 ", \"bytes\": %" PRId64, elements_of(layout),
                 bytes);
    (void)printf(", \"distributions\": [");
    for (int k = 0; k < found; k++) {
        (void)printf("%s\"", k ? ", " : "");
        print_proposal(layout, dims[k], arguments->processes);
        (void)printf("\"");
    }
    (void)printf("]}\n");
}

static redist_err inform(const struct arguments *arguments)
{
    redist_file *file = NULL;
    redist_file_layout layout;
    int64_t element = 0;
    redist_file_options options = input_file_options(arguments->file);
    TRY(redist_file_open(MPI_COMM_SELF, arguments->file, REDIST_FILE_READ, &options,
                         &file));
    redist_err err = redist_file_describe(file, &layout);
    if (!err) err = tool_parse_type(layout.type, &element);
    if (!err) {
        int64_t bytes = elements_of(&layout) * element;
        (arguments->json ? print_json : print_text)(arguments, &layout, bytes);
    }
    redist_err closed = redist_file_close(&file);
    if (!err) err = closed;
    return err ? err : tool_flush();
}

int tool_info(int argc, char **argv)
{
    struct arguments arguments = {.processes = 4};
    const struct argument options[] = {
        {"processes", .number = &arguments.processes, .least = 1, .most = INT32_MAX},
        {"json", .flag = &arguments.json},
        {.name = NULL}};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = arguments_take(argc, argv, rank == 0, help, options, 1, &arguments.file);
    if (!status && rank == 0 && inform(&arguments)) status = tool_fail_last();
    MPI_Finalize();
    return status;
}
