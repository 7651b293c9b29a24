/* SPDX-License-Identifier: MIT
 *
 * A copy from long rows to long columns, with memory for an eighth of the array. Chunks
 * with a checksum can only be read whole: it goes by a file between, so that none is read
 * again and again, and nothing of that file is left. Of others pieces are read. The
 * elements are converted on the way.
 */
#include <dirent.h>

#include "files/folder.h"

enum { SIDE = 1024, LONG = 8, MEMORY = 1 << 20 };

static redist_file *open_array(const char *name, const char *type, int64_t rows,
                               int64_t columns)
{
    redist_file *file = NULL;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    redist_file_layout layout = {.size = sizeof layout,
                                 .ndims = 2,
                                 .shape = {SIDE, SIDE},
                                 .chunk = {rows, columns},
                                 .type = type};
    if (strcmp(name, "whole.zarr") == 0) layout.codec = "crc32c";
    if (type) options.layout = &layout;
    options.staging_bytes = (size_t)(MEMORY / world_size());
    options.checked = 1;
    CHECK_OK(redist_file_open(MPI_COMM_WORLD, in_folder(name),
                              type ? REDIST_FILE_CREATE : REDIST_FILE_READ, &options,
                              &file));
    return file;
}

/* Write the array, or read it and look. */
static void access_rows(redist_file *file, int write)
{
    char text[64];
    redist_dist *dist = NULL;
    redist_view view;
    int64_t span, index[2], local[2];
    snprintf(text, sizeof text, "[%d,%d] (block,*) onto %d", SIDE, SIDE, world_size());
    CHECK_OK(redist_view_parse(text, &dist, &view));
    CHECK_OK(redist_view_span(&view, world_rank(), &span));
    double *buffer = calloc((size_t)span + 1, sizeof *buffer);
    if (!write) CHECK_OK(redist_file_read(file, &view, MPI_DOUBLE, buffer));
    for (int64_t k = 0; k < span; k++) {
        local[0] = k / SIDE;
        local[1] = k % SIDE;
        CHECK_OK(redist_dist_index(dist, world_rank(), local, index));
        double value = (double)(index[0] * SIDE + index[1]);
        if (write) buffer[k] = value;
        CHECK(buffer[k] == value, "element %" PRId64 ", %" PRId64 " is %g", index[0],
              index[1], buffer[k]);
    }
    if (write) CHECK_OK(redist_file_write(file, &view, MPI_DOUBLE, buffer));
    free(buffer);
    redist_dist_destroy(&dist);
}

/* The bytes that this process has read from files. */
static long long bytes_read(void)
{
    long long bytes = -1;
    FILE *file = fopen("/proc/self/io", "r");
    CHECK(file && fscanf(file, "rchar: %lld", &bytes) == 1, "no counters");
    fclose(file);
    return bytes;
}

struct count {
    int64_t calls, last, total;
};

static void progress(void *context, int64_t done, int64_t total)
{
    struct count *count = context;
    CHECK(done == count->last + 1, "%" PRId64 " after %" PRId64, done, count->last);
    count->calls++;
    count->last = done;
    count->total = total;
}

/* What is in the folder, on rank 0: as many names. */
static void check_left(int expected)
{
    int left = -2; /* . and .. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() > 0) return;
    DIR *names = opendir(folder);
    while (readdir(names)) left++;
    closedir(names);
    CHECK(left == expected, "%d names in %s", left, folder);
}

/* Copy; each byte may be read so often. */
static void test_copy(const char *name, int times)
{
    struct count count = {0};
    redist_file *to = open_array("to.zarr", "<i8", SIDE, LONG), *from;
    from = open_array(name, NULL, 0, 0);
    CHECK_OK(redist_file_set_progress(to, progress, &count));
    long long before = bytes_read();
    CHECK_OK(redist_file_copy(from, to));
    long long bytes = bytes_read() - before, array = 8LL * SIDE * SIDE;
    if (world_size() == 1)
        CHECK(bytes < times * array + array / 8, "%lld bytes of %lld", bytes, array);
    CHECK(count.calls == count.total, "%" PRId64 " calls of %" PRId64, count.calls,
          count.total);
    CHECK_OK(redist_file_close(&to));
    CHECK_OK(redist_file_close(&from));
    check_left(3);
    to = open_array("to.zarr", NULL, 0, 0);
    access_rows(to, 0);
    CHECK_OK(redist_file_close(&to));
}

/* A number that the target cannot hold. */
static void test_number(void)
{
    redist_file *to = open_array("small.zarr", "<i2", SIDE, LONG), *from;
    from = open_array("whole.zarr", NULL, 0, 0);
    redist_err err = redist_file_copy(from, to);
    CHECK(err == REDIST_ERR_ARG, "got %d", (int)err);
    CHECK(strstr(redist_error_message(), "element ("), "without its place");
    CHECK_OK(redist_file_close(&to));
    CHECK_OK(redist_file_close(&from));
    check_left(3);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"pieces.zarr", "whole.zarr"};
    MPI_Init(&argc, &argv);
    folder_begin("rechunk");
    for (int k = 0; k < 2; k++) {
        redist_file *from = open_array(names[k], "<f8", LONG, SIDE);
        access_rows(from, 1);
        CHECK_OK(redist_file_close(&from));
    }
    test_copy("pieces.zarr", 1);
    test_copy("whole.zarr", 2);
    test_number();
    remove_all("");
    return passed("%d x %d", SIDE, SIDE);
}
