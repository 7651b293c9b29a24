/* SPDX-License-Identifier: MIT
 *
 * Copy arrays from file to file through arrays in memory, for scripts that write the
 * files and look at them by other means.
 *
 *     file_jobs JOBS RESULTS
 *
 * A line of JOBS has fields with tabs between them; one of RESULTS says `ok`, or the
 * error.
 *
 *     copy SOURCE TARGET CODEC CHUNK ORDER VERSION
 *                                         make the target; CHUNK is 4,5 or empty, ORDER
 *                                         is F or empty
 *     update SOURCE TARGET START STRIDE   write the source into a section of the target
 *     try SOURCE                          read it
 */
#include <redist/files.h>

#include "files/format/dtype.h"
#include "mpi/check.h"
#include "random.h"

enum { FIELDS = 7, LINE = 4096 };

static uint64_t seed;

/* An array in memory. */
struct array {
    redist_dist *dist;
    redist_view view;
    MPI_Datatype type;
    void *elements;
};

/* Make one for a layout: two dimensions are spread, in blocks or cyclically. */
static redist_err make_array(const redist_file_layout *layout, int64_t element,
                             struct array *array)
{
    int n = layout->ndims ? layout->ndims : 1, shape[2] = {1, 1};
    int64_t extents[REDIST_MAX_DIMS] = {1}, span = 0;
    redist_format formats[REDIST_MAX_DIMS];
    redist_grid *grid = NULL;
    shape[0] = (int)random_in(&seed, 1, world_size());
    if (n > 1) shape[1] = world_size() / shape[0];
    int first = (int)random_in(&seed, 0, n - 1), second = (first + 1) % n;
    for (int i = 0; i < n; i++) {
        int64_t block = random_in(&seed, 1, 4);
        if (layout->ndims) extents[i] = layout->shape[i];
        formats[i] = redist_collapsed();
        if (i == first || i == second)
            formats[i] = random_in(&seed, 0, 1) ? redist_block() : redist_cyclic(block);
    }
    CHECK_OK(redist_grid_create(n > 1 ? 2 : 1, shape, REDIST_ROW_MAJOR, NULL, &grid));
    CHECK_OK(redist_dist_create(n, extents, formats, grid, &array->dist));
    redist_grid_destroy(&grid);
    CHECK_OK(redist_view_init(array->dist, &array->view));
    CHECK_OK(redist_view_span(&array->view, world_rank(), &span));
    MPI_Type_contiguous((int)element, MPI_BYTE, &array->type);
    MPI_Type_commit(&array->type);
    array->elements = calloc((size_t)(span * element) + 1, 1);
    return array->elements ? REDIST_OK : REDIST_ERR_MEMORY;
}

static void free_array(struct array *array)
{
    free(array->elements);
    MPI_Type_free(&array->type);
    redist_dist_destroy(&array->dist);
}

static void split(char *line, char *field[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        field[i] = line;
        line += strcspn(line, "\t\n");
        if (*line) *line++ = 0;
    }
}

static int numbers(const char *text, int64_t values[])
{
    int n = 0;
    for (char *end; *text && n < REDIST_MAX_DIMS; text = end + (*end == ','))
        values[n++] = strtoll(text, &end, 10);
    return n;
}

static redist_err copy(char *field[FIELDS], redist_file_layout *layout,
                       const struct array *array)
{
    redist_file *target = NULL;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    memset(layout->chunk, 0, sizeof layout->chunk);
    (void)numbers(field[4], layout->chunk);
    layout->order = *field[5] ? REDIST_COLUMN_MAJOR : REDIST_ROW_MAJOR;
    layout->version = atoi(field[6]);
    layout->codec = *field[3] ? field[3] : NULL;
    options.layout = layout;
    redist_err err =
        redist_file_open(MPI_COMM_WORLD, field[2], REDIST_FILE_CREATE, &options, &target);
    if (!err) err = redist_file_write(target, &array->view, array->type, array->elements);
    redist_err closed = redist_file_close(&target);
    return err ? err : closed;
}

static redist_err update(char *field[FIELDS], const struct array *array)
{
    redist_file *target = NULL;
    int64_t start[REDIST_MAX_DIMS] = {0}, stride[REDIST_MAX_DIMS] = {0};
    (void)numbers(field[3], start);
    (void)numbers(field[4], stride);
    redist_err err =
        redist_file_open(MPI_COMM_WORLD, field[2], REDIST_FILE_UPDATE, NULL, &target);
    if (!err)
        err = redist_file_write_section(target, start, stride, &array->view, array->type,
                                        array->elements);
    redist_err closed = redist_file_close(&target);
    return err ? err : closed;
}

static redist_err do_job(char *field[FIELDS])
{
    redist_file *source = NULL;
    redist_file_layout layout;
    struct array array;
    int64_t element = 0;
    redist_err err =
        redist_file_open(MPI_COMM_WORLD, field[1], REDIST_FILE_READ, NULL, &source);
    if (err) return err;
    CHECK_OK(redist_file_describe(source, &layout));
    CHECK_OK(dtype_bytes(layout.type, &element));
    CHECK_OK(make_array(&layout, element, &array));
    err = redist_file_read(source, &array.view, array.type, array.elements);
    if (!err && strcmp(field[0], "copy") == 0) err = copy(field, &layout, &array);
    if (!err && strcmp(field[0], "update") == 0) err = update(field, &array);
    redist_err closed = redist_file_close(&source);
    free_array(&array);
    return err ? err : closed;
}

/* All processes must have the same sentence. */
static void report(FILE *results, redist_err err)
{
    char first[LINE] = "";
    if (err) snprintf(first, sizeof first, "%s", redist_error_message());
    MPI_Bcast(first, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(!err || strcmp(first, redist_error_message()) == 0, "rank 0 has: %s", first);
    if (results && err)
        fprintf(results, "%s: %s\n", redist_error_name(err), first);
    else if (results)
        fprintf(results, "ok\n");
    if (results) fflush(results);
}

int main(int argc, char **argv)
{
    char line[LINE], *field[FIELDS];
    int count = 0;
    MPI_Init(&argc, &argv);
    CHECK(argc == 3, "two arguments are expected");
    seed = test_seed();
    FILE *jobs = fopen(argv[1], "r");
    FILE *results = world_rank() == 0 ? fopen(argv[2], "w") : NULL;
    CHECK(jobs && (results || world_rank() != 0), "%s, %s", argv[1], argv[2]);
    for (; fgets(line, sizeof line, jobs); count++) {
        split(line, field);
        report(results, do_job(field));
    }
    if (results) fclose(results);
    fclose(jobs);
    return passed("%d jobs", count);
}
