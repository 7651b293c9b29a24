/* SPDX-License-Identifier: MIT
 *
 * tool/command/info.c - `redist info`: what an array in a file is, and distributions that
 * fit its chunks; or which arrays there are in a file.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "files/access/formats.h"
#include "tool/common/arguments.h"
#include "tool/common/tool.h"
#include "tool/store/chunk_grid.h"
#include "tool/store/file_arguments.h"

/* What is said of an array. */
struct array {
    const char *name;
    redist_file_layout layout;
    int64_t elements, bytes;
    int64_t stored; /* in the file; negative: unknown */
};

struct arguments {
    const char *file;
    int64_t processes;
    bool json;
};

static struct arguments given;

static const struct argument option_table[] = {
    {"processes", "N", "of the distributions that are proposed (4)",
     .number = &given.processes, .least = 1, .most = INT32_MAX},
    {"json", NULL, "one JSON object, for programs", .flag = &given.json},
    {.name = NULL}};

/* ---- several arrays ---------------------------------------------------------------- */

struct list {
    const struct arguments *arguments;
    char path[PATH_MAX];     /* of the file */
    char name[2 * PATH_MAX]; /* of the last array */
    int count;
    int64_t stored;
};

static void print_numbers(int n, const int64_t numbers[], const char *between)
{
    (void)printf("[");
    for (int i = 0; i < n; i++) (void)printf("%s%" PRId64, i ? between : "", numbers[i]);
    (void)printf("]");
}

static redist_err count_array(void *context, const struct file_content *content)
{
    struct list *list = context;
    bool inner = *content->inner;
    list->count++;
    list->stored = content->stored;
    (void)snprintf(list->name, sizeof list->name, "%s%s%s", list->path, inner ? ":/" : "",
                   content->inner);
    return REDIST_OK;
}

static void print_stored(int64_t stored)
{
    if (stored < 0)
        (void)printf(", \"stored_bytes\": null");
    else
        (void)printf(", \"stored_bytes\": %" PRId64, stored);
}

static void print_array_json(struct list *list, const struct file_content *content)
{
    (void)printf("%s{\"name\": ", list->count > 1 ? ", " : "");
    tool_print_json_string(stdout, list->name);
    (void)printf(", \"shape\": ");
    print_numbers(content->ndims, content->shape, ", ");
    (void)printf(", \"type\": ");
    tool_print_json_string(stdout, content->type);
    print_stored(content->stored);
    (void)printf("}");
}

static redist_err print_array(void *context, const struct file_content *content)
{
    struct list *list = context;
    (void)count_array(list, content);
    if (list->arguments->json) {
        print_array_json(list, content);
    } else {
        (void)printf("  %s  ", list->name);
        print_numbers(content->ndims, content->shape, ",");
        (void)printf(" %s\n", content->type);
    }
    return REDIST_OK;
}

static redist_err print_arrays(struct list *list)
{
    const char *file = list->arguments->file;
    list->count = 0;
    if (list->arguments->json) {
        (void)printf("{\"file\": ");
        tool_print_json_string(stdout, file);
        (void)printf(", \"arrays\": [");
    } else {
        (void)printf("%s\n", file);
    }
    TRY(formats_visit(file, print_array, list));
    if (list->arguments->json) (void)printf("]}\n");
    return REDIST_OK;
}

/* ---- one array --------------------------------------------------------------------- */

static const char *order_of(const redist_file_layout *layout)
{
    return layout->order == REDIST_COLUMN_MAJOR ? "column-major" : "row-major";
}

static void print_list(const char *name, int n, const int64_t numbers[])
{
    (void)printf("  %-9s ", name);
    print_numbers(n, numbers, ",");
    (void)printf("\n");
}

static void print_text(const struct arguments *arguments, const struct array *array)
{
    char size[TOOL_BYTES_SIZE];
    const redist_file_layout *layout = &array->layout;
    struct chunk_grid grids[CHUNK_GRIDS];
    int found = chunk_grid_find(layout, arguments->processes, grids);
    (void)printf("%s\n  format    %s\n", array->name, layout->format);
    print_list("shape", layout->ndims, layout->shape);
    (void)printf("  type      %s\n  order     %s\n", layout->type, order_of(layout));
    print_list("chunk", layout->ndims, layout->chunk);
    (void)printf("  codec     %s\n", layout->codec ? layout->codec : "none");
    (void)printf("  elements  %" PRId64 ", %s\n", array->elements,
                 tool_format_bytes((double)array->bytes, size));
    if (array->stored >= 0)
        (void)printf("  stored    %s", tool_format_bytes((double)array->stored, size));
    if (array->stored > 0 && array->bytes > 0)
        (void)printf(", ratio %.3g", (double)array->bytes / (double)array->stored);
    if (array->stored >= 0) (void)printf("\n");
    for (int k = 0; k < found; k++) {
        (void)printf("  %-9s ", k ? "" : "spread as");
        chunk_grid_print(stdout, layout, &grids[k]);
        (void)printf("\n");
    }
    if (found == 0 && layout->ndims > 0)
        (void)printf("  spread as no grid of %" PRId64
                     " processes gives each of them whole chunks\n",
                     arguments->processes);
}

static void print_json(const struct arguments *arguments, const struct array *array)
{
    const redist_file_layout *layout = &array->layout;
    struct chunk_grid grids[CHUNK_GRIDS];
    int found = chunk_grid_find(layout, arguments->processes, grids);
    (void)printf("{\"file\": ");
    tool_print_json_string(stdout, array->name);
    (void)printf(", \"format\": \"%s\", \"shape\": ", layout->format);
    print_numbers(layout->ndims, layout->shape, ", ");
    (void)printf(", \"type\": ");
    tool_print_json_string(stdout, layout->type);
    (void)printf(", \"order\": \"%s\", \"chunk\": ", order_of(layout));
    print_numbers(layout->ndims, layout->chunk, ", ");
    (void)printf(", \"codec\": ");
    tool_print_json_string(stdout, layout->codec ? layout->codec : "none");
    (void)printf(", \"elements\": %" PRId64 ", \"bytes\": %" PRId64, array->elements,
                 array->bytes);
    print_stored(array->stored);
    (void)printf(", \"distributions\": [");
    for (int k = 0; k < found; k++) {
        (void)printf("%s\"", k ? ", " : "");
        chunk_grid_print(stdout, layout, &grids[k]);
        (void)printf("\"");
    }
    (void)printf("]}\n");
}

/* Describe an array. A format that has but one in a file stores its elements as they
 * are. */
static redist_err describe(const struct arguments *arguments, const struct list *list)
{
    redist_file *file = NULL;
    bool plain = list->count == 0;
    struct array array = {.name = plain ? arguments->file : list->name, .elements = 1};
    int64_t element = 0;
    TRY(file_argument_open(MPI_COMM_SELF, array.name, REDIST_FILE_READ,
                           (redist_file_options)REDIST_FILE_OPTIONS_INIT, &file));
    redist_err err = redist_file_describe(file, &array.layout);
    if (!err) err = tool_parse_type(array.layout.type, &element);
    if (!err) {
        for (int i = 0; i < array.layout.ndims; i++)
            array.elements *= array.layout.shape[i];
        array.bytes = array.elements * element;
        array.stored = plain ? array.bytes : list->stored;
        (arguments->json ? print_json : print_text)(arguments, &array);
    }
    redist_err closed = redist_file_close(&file);
    return err ? err : closed;
}

static redist_err inform(const struct arguments *arguments)
{
    struct list list = {.arguments = arguments};
    struct file_name found;
    const char *name = arguments->file;
    if (formats_find(name, NULL, &found) == REDIST_OK) {
        (void)snprintf(list.path, sizeof list.path, "%.*s", found.length, name);
        TRY(formats_visit(name, count_array, &list));
    }
    TRY(list.count > 1 ? print_arrays(&list) : describe(arguments, &list));
    return tool_flush();
}

static int tool_info(int argc, char **argv)
{
    given = (struct arguments){.processes = 4};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = arguments_take(argc, argv, rank == 0, &command_info, &given.file);
    if (!status && rank == 0 && inform(&given)) status = tool_fail_last();
    MPI_Finalize();
    return status;
}

const struct command command_info = {
    .name = "info",
    .arguments = "FILE",
    .nwords = 1,
    .summary = "say what an array in a file is",
    .options = option_table,
    .notes = "FILE is a.npy, a.h5:/group/t, a.zarr, a.zarr:/group/t or 'a.raw:[300,300] "
             "<f8'. Of\n"
             "a file or group of several arrays their names, shapes and types are "
             "printed. Each\n"
             "distribution is a SPEC that redist run takes, the best one first.\n",
    .run = tool_info};
