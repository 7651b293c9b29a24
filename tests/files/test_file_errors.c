/* SPDX-License-Identifier: MIT
 *
 * Bad input to the calls for arrays in files: all processes get the same error, with a
 * sentence that says what is wrong, nothing hangs, and nothing is left.
 */
#include "files/folder.h"

static redist_file_layout layout_of(const char *type, int64_t rows, int64_t columns)
{
    redist_file_layout layout = {
        .size = sizeof layout, .ndims = 2, .shape = {rows, columns}, .type = type};
    return layout;
}

static redist_err create(const char *name, const redist_file_layout *layout,
                         redist_file **file)
{
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    options.layout = layout;
    return redist_file_open(MPI_COMM_WORLD, in_folder(name), REDIST_FILE_CREATE, &options,
                            file);
}

static int is_empty(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    int removed = world_rank() == 0 && rmdir(folder) == 0; /* not if anything is in it */
    if (removed) (void)mkdir(folder, 0700);
    MPI_Bcast(&removed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return removed;
}

/* ---- opening ----------------------------------------------------------------------- */

static void bad_arguments(void)
{
    redist_file *file = NULL;
    redist_file_layout good = layout_of("<f8", 4, 5), bad = good;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    MPI_Comm comm = MPI_COMM_WORLD;
    int last = world_rank() == world_size() - 1;
    check_error(create("a.txt", &good, &file), REDIST_ERR_ARG, "must end in one of .npy");
    check_error(create("npy", &good, &file), REDIST_ERR_ARG, "must end in one of");
    check_error(create("a.npy:/t", &good, &file), REDIST_ERR_ARG, "must end in one of");
    check_error(create("a.npy", NULL, &file), REDIST_ERR_ARG, "layout must be given");
    check_error(redist_file_open(comm, NULL, REDIST_FILE_READ, NULL, &file),
                REDIST_ERR_ARG, "name is NULL");
    check_error(redist_file_open(comm, "a.npy", (redist_file_mode)7, NULL, &file),
                REDIST_ERR_ARG, "mode is 7");
    options.layout = &good;
    check_error(redist_file_open(comm, "a.npy", REDIST_FILE_READ, &options, &file),
                REDIST_ERR_ARG, "the file says it");
    options.layout = NULL;
    check_error(redist_file_open(comm, "a.raw", REDIST_FILE_READ, &options, &file),
                REDIST_ERR_ARG, "the file does not say it");
    options.size = 3;
    check_error(redist_file_open(comm, "a.npy", REDIST_FILE_READ, &options, &file),
                REDIST_ERR_ARG, "size is 3");
    bad = layout_of("<q8", 4, 5);
    check_error(create("a.npy", &bad, &file), REDIST_ERR_ARG, "layout");
    bad = layout_of("|O", 4, 5);
    check_error(create("a.npy", &bad, &file), REDIST_ERR_ARG, "layout");
    bad = layout_of("<f8", -4, 5);
    check_error(create("a.npy", &bad, &file), REDIST_ERR_ARG, "extent -4");
    bad = layout_of("<f8", INT64_C(1) << 40, INT64_C(1) << 40);
    check_error(create("a.npy", &bad, &file), REDIST_ERR_ARG, "2^63 bytes");
    bad = good;
    bad.chunk[1] = 2;
    check_error(create("a.npy", &bad, &file), REDIST_ERR_ARG, "chunk of dim 1");
    bad = good;
    bad.ndims = 16;
    check_error(create("a.npy", &bad, &file), REDIST_ERR_ARG, "ndims is 16");
    bad = good;
    bad.offset = -1;
    check_error(create("a.raw", &bad, &file), REDIST_ERR_ARG, "offset is -1");
    bad = good;
    bad.codec = "gzip";
    check_error(create("a.npy", &bad, &file), REDIST_ERR_ARG, "codec is \"gzip\", must");
    check_error(create("a.raw", &bad, &file), REDIST_ERR_ARG, "codec is \"gzip\", must");
    if (world_size() > 1) {
        bad = last ? layout_of("<f8", 4, 6) : good;
        check_error(create("a.npy", &bad, &file), REDIST_ERR_MISMATCH, "layout");
        check_error(create(last ? "b.npy" : "a.npy", &good, &file), REDIST_ERR_MISMATCH,
                    "name");
        check_error(create(last ? "a.nqy" : "a.npy", &good, &file), REDIST_ERR_ARG,
                    "must end in one of");
        options = (redist_file_options)REDIST_FILE_OPTIONS_INIT;
        options.layout = &good;
        options.format = last ? "npy" : "raw";
        check_error(
            redist_file_open(comm, in_folder("a"), REDIST_FILE_CREATE, &options, &file),
            REDIST_ERR_MISMATCH, "the format");
    }
    CHECK(!file, "no file is opened");
    CHECK(is_empty(), "something is left");
}

static void bad_files(void)
{
    redist_file *file = NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    redist_file_layout good = layout_of("<f8", 4, 5);
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    check_error(
        redist_file_open(comm, in_folder("none.npy"), REDIST_FILE_READ, NULL, &file),
        REDIST_ERR_IO, "No such file");
    put("short.npy", "\x93NUMPY");
    check_error(
        redist_file_open(comm, in_folder("short.npy"), REDIST_FILE_READ, NULL, &file),
        REDIST_ERR_IO, "short.npy");
    remove_all("short.npy");
    put("short.raw", "0123456789");
    options.layout = &good;
    check_error(
        redist_file_open(comm, in_folder("short.raw"), REDIST_FILE_READ, &options, &file),
        REDIST_ERR_IO, "truncated: the shape takes 160 bytes of data, 10");
    remove_all("short.raw");
    if (world_rank() == 0) CHECK(mkfifo(in_folder("fifo.raw"), 0600) == 0, "mkfifo");
    MPI_Barrier(comm);
    check_error(redist_file_open(comm, in_folder("fifo.raw"), REDIST_FILE_UPDATE,
                                 &options, &file),
                REDIST_ERR_IO, "fifo.raw: is no regular file");
    remove_all("fifo.raw");
    check_error(create("no/such/folder/a.npy", &good, &file), REDIST_ERR_IO,
                "No such file");
    CHECK(is_empty(), "something is left");
}

/* ---- reading and writing ----------------------------------------------------------- */

static void bad_transfers(void)
{
    redist_file *file = NULL;
    redist_dist *dist = NULL, *line = NULL;
    redist_view view, along;
    redist_file_layout good = layout_of("<f8", 4, 5);
    double buffer[20] = {0};
    int64_t start[] = {0, 0}, beyond[] = {1, 0}, stride[] = {0, 1};
    CHECK_OK(redist_view_parse("[4,5] (block,*) onto 1", &dist, &view));
    CHECK_OK(redist_view_parse("[20] (*) onto 1", &line, &along));
    CHECK_OK(create("a.npy", &good, &file));
    check_error(redist_file_write(file, NULL, MPI_DOUBLE, buffer), REDIST_ERR_ARG,
                "view is NULL");
    check_error(redist_file_write(file, &along, MPI_DOUBLE, buffer), REDIST_ERR_ARG,
                "the view has 1 dimensions, the file 2");
    check_error(redist_file_write(file, &view, MPI_BYTE, buffer), REDIST_ERR_ARG,
                "type has 1 bytes, elements of the file have 8");
    check_error(redist_file_write_section(file, beyond, NULL, &view, MPI_DOUBLE, buffer),
                REDIST_ERR_ARG, "dim 0: 4 elements from 1 on by 1, the file has 4");
    check_error(redist_file_write_section(file, start, stride, &view, MPI_DOUBLE, buffer),
                REDIST_ERR_ARG, "stride is 0");
    check_error(
        redist_file_write(file, &view, MPI_DOUBLE, world_rank() == 0 ? NULL : buffer),
        REDIST_ERR_ARG, "source is NULL");
    view.extent[1] = 4;
    check_error(redist_file_read(file, &view, MPI_DOUBLE, buffer), REDIST_ERR_ARG,
                "dim 1: the section has 4 elements, the file 5");
    CHECK_OK(redist_file_close(&file)); /* a write failed: there is no file */
    CHECK(is_empty(), "something is left");
    view.extent[1] = 5;
    CHECK_OK(create("a.npy", &good, &file));
    CHECK_OK(redist_file_write(file, &view, MPI_DOUBLE, buffer));
    CHECK_OK(redist_file_close(&file));
    CHECK_OK(redist_file_close(&file));
    CHECK_OK(redist_file_open(MPI_COMM_WORLD, in_folder("a.npy"), REDIST_FILE_READ, NULL,
                              &file));
    check_error(redist_file_write(file, &view, MPI_DOUBLE, buffer), REDIST_ERR_ARG,
                "is open for reading alone");
    /* the file is cut off while it is open */
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) CHECK(truncate(in_folder("a.npy"), 140) == 0, "truncate");
    MPI_Barrier(MPI_COMM_WORLD);
    check_error(redist_file_read(file, &view, MPI_DOUBLE, buffer), REDIST_ERR_IO,
                "a.npy: truncated");
    CHECK_OK(redist_file_close(&file));
    remove_all("a.npy");
    redist_dist_destroy(&dist);
    redist_dist_destroy(&line);
}

/* Without a cap a chunk fits, however large it is; with one the error says what is
 * needed. */
static void a_large_chunk(void)
{
    enum { N = 9 << 20 };
    redist_file *file = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    redist_file_layout layout = {
        .size = sizeof layout, .ndims = 1, .shape = {N}, .type = "<f8", .chunk = {N}};
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    double buffer[1] = {0};
    int64_t last[] = {N - 1};
    CHECK_OK(redist_view_parse("[1] (*) onto 1", &dist, &view));
    options.layout = &layout;
    options.staging_bytes = 64 << 20;
    CHECK_OK(redist_file_open(MPI_COMM_WORLD, in_folder("a.zarr"), REDIST_FILE_CREATE,
                              &options, &file));
    check_error(redist_file_write_section(file, last, NULL, &view, MPI_DOUBLE, buffer),
                REDIST_ERR_ARG, "staging_bytes must be at least 150994944");
    CHECK_OK(redist_file_close(&file));
    CHECK_OK(create("a.zarr", &layout, &file));
    CHECK_OK(redist_file_write_section(file, last, NULL, &view, MPI_DOUBLE, buffer));
    CHECK_OK(redist_file_close(&file));
    remove_all("a.zarr");
    redist_dist_destroy(&dist);
}

/* The last process passes another section than the others, or none of the file, or says
 * why it cannot take part. */
static void unlike_calls(void)
{
    int last = world_rank() == world_size() - 1;
    redist_file *file = NULL;
    redist_file_layout good = layout_of("<f8", 4, 5);
    redist_dist *dist = NULL;
    redist_view view;
    double buffer[20] = {0};
    int64_t start[2] = {0, 0};
    char refused[64];
    CHECK_OK(redist_view_parse("[4,5] (*,*) onto 1 section [0:1,0:2]", &dist, &view));
    CHECK_OK(create("a.npy", &good, &file));
    for (int k = 0; k < 2 && world_size() > 1; k++) {
        start[0] = last ? 1 : 0;
        view.extent[1] = last && k ? 0 : 3;
        check_error(
            redist_file_read_section(file, start, NULL, &view, MPI_DOUBLE, buffer),
            REDIST_ERR_MISMATCH, "another section of the file");
    }
    start[0] = 0;
    view.extent[1] = 3;
    snprintf(refused, sizeof refused, "rank %d: it has none", world_size() - 1);
    if (last) redist_refuse("it has none");
    check_error(redist_file_read_section(file, start, NULL, last ? NULL : &view,
                                         MPI_DOUBLE, buffer),
                REDIST_ERR_ARG, refused);
    CHECK_OK(redist_file_write_section(file, start, NULL, &view, MPI_DOUBLE, buffer));
    if (last) redist_refuse("it has none");
    check_error(redist_file_copy(file, file), REDIST_ERR_ARG, refused);
    CHECK_OK(redist_file_close(&file));
    redist_dist_destroy(&dist);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    folder_begin("file_errors");
    bad_arguments();
    bad_files();
    bad_transfers();
    unlike_calls();
    if (world_size() < 4) a_large_chunk();
    folder_end();
    return passed("bad input to arrays in files");
}
