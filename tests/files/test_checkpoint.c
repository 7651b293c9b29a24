/* SPDX-License-Identifier: MIT
 *
 * Checkpoints written by all processes and read by fewer, in other distributions; texts,
 * steps that are kept, replaced, left unfinished, and damaged.
 *
 *     test_checkpoint checkpoint|array write|read FOLDER     for killed.sh
 */
#include <fcntl.h>
#include <sys/file.h>

#include <redist/checkpoint.h>

#include "files/checkpoint/steps.h"
#include "files/folder.h"

enum { ROWS = 37, COLUMNS = 11 };

static double value_of(int64_t step, int64_t index)
{
    return (double)(index * 7 + step % 1000003);
}

/* The buffer of this process for a view, full of what it must hold, or of -1. */
static double *make_buffer(const redist_view *view, MPI_Comm comm, int64_t step,
                           int64_t *span)
{
    int rank, ndims = redist_dist_ndims(view->dist);
    int64_t n[REDIST_MAX_DIMS], index[REDIST_MAX_DIMS], local[REDIST_MAX_DIMS] = {0};
    int64_t elements = 1;
    MPI_Comm_rank(comm, &rank);
    CHECK_OK(redist_view_span(view, rank, span));
    CHECK_OK(redist_dist_local_extents(view->dist, rank, n));
    double *buffer = calloc((size_t)*span + 1, sizeof *buffer);
    for (int i = 0; i < ndims; i++) elements *= n[i];
    for (int64_t k = 0; k < elements; k++) {
        int64_t rest = k, place = 0;
        for (int i = ndims - 1; i >= 0; i--) {
            local[i] = rest % n[i];
            rest /= n[i];
        }
        CHECK_OK(redist_dist_index(view->dist, rank, local, index));
        for (int i = 0; i < ndims; i++)
            place = place * redist_dist_extent(view->dist, i) + index[i];
        buffer[k] = step < 0 ? -1 : value_of(step, place);
    }
    return buffer;
}

static void parse(const char *text, MPI_Comm comm, redist_dist **dist, redist_view *view)
{
    char spec[128];
    int size;
    MPI_Comm_size(comm, &size);
    snprintf(spec, sizeof spec, text, size);
    CHECK_OK(redist_view_parse(spec, dist, view));
}

static void put_array(redist_checkpoint *checkpoint, const char *name, const char *spec,
                      int64_t step)
{
    redist_dist *dist = NULL;
    redist_view view;
    int64_t span;
    parse(spec, MPI_COMM_WORLD, &dist, &view);
    double *buffer = make_buffer(&view, MPI_COMM_WORLD, step, &span);
    CHECK_OK(redist_checkpoint_write(checkpoint, name, &view, MPI_DOUBLE, buffer));
    free(buffer);
    redist_dist_destroy(&dist);
}

/* Read an array with another distribution; returns the error. */
static redist_err get(redist_checkpoint *checkpoint, const char *name, const char *spec,
                      MPI_Comm comm, int64_t step)
{
    redist_dist *dist = NULL;
    redist_view view;
    int64_t span;
    parse(spec, comm, &dist, &view);
    double *buffer = make_buffer(&view, comm, -1, &span);
    double *expected = make_buffer(&view, comm, step, &span);
    redist_err err = redist_checkpoint_read(checkpoint, name, &view, MPI_DOUBLE, buffer);
    if (!err)
        CHECK(memcmp(buffer, expected, (size_t)span * sizeof *buffer) == 0,
              "%s of step %" PRId64, name, step);
    free(buffer);
    free(expected);
    redist_dist_destroy(&dist);
    return err;
}

static const char words[] = "a \"quoted\" \\ text\nwith \x01 and \xc3\xa9";

static void write_step(int64_t step, int keep)
{
    redist_checkpoint *checkpoint = NULL;
    CHECK_OK(redist_checkpoint_create(MPI_COMM_WORLD, folder, step, &checkpoint));
    CHECK(redist_checkpoint_step(checkpoint) == step, "the step");
    put_array(checkpoint, "table", "[37,11] (cyclic(3),*) onto %d", step);
    put_array(checkpoint, "line", "[1000] (cyclic(7)) onto %d", step + 1);
    put_array(checkpoint, ".hidden", "[1000] (block) onto %d", step);
    CHECK_OK(redist_checkpoint_set(checkpoint, "words", "earlier"));
    CHECK_OK(redist_checkpoint_set(checkpoint, "words", words));
    CHECK_OK(redist_checkpoint_set(checkpoint, "empty", ""));
    CHECK_OK(redist_checkpoint_commit(&checkpoint, keep));
    CHECK(!checkpoint, "committed");
}

static void read_step(MPI_Comm comm, int64_t asked, int64_t step)
{
    redist_checkpoint *checkpoint = NULL;
    redist_file *file = NULL;
    redist_file_layout layout;
    const char *text;
    CHECK_OK(redist_checkpoint_open(comm, folder, asked, &checkpoint));
    CHECK(redist_checkpoint_step(checkpoint) == step, "the step");
    CHECK_OK(get(checkpoint, "table", "[37,11] (*,block) onto %d", comm, step));
    CHECK_OK(get(checkpoint, "line", "[1000] (block) onto %d", comm, step + 1));
    CHECK_OK(redist_checkpoint_get(checkpoint, "words", &text));
    CHECK(text && strcmp(text, words) == 0, "%s", text ? text : "none");
    CHECK_OK(redist_checkpoint_get(checkpoint, "empty", &text));
    CHECK(text && !*text, "%s", text ? text : "none");
    CHECK_OK(redist_checkpoint_get(checkpoint, "none", &text));
    CHECK(!text, "there is no such text");
    CHECK_OK(redist_checkpoint_array(checkpoint, "table", &file));
    CHECK_OK(redist_file_describe(file, &layout));
    CHECK(layout.ndims == 2 && layout.shape[0] == ROWS && layout.shape[1] == COLUMNS,
          "the shape");
    CHECK_OK(redist_file_close(&file));
    CHECK_OK(redist_checkpoint_verify(checkpoint));
    CHECK_OK(redist_checkpoint_close(&checkpoint));
}

/* What killed programs leave is removed; what another one writes is not touched. */
static void unfinished_steps(void)
{
    redist_checkpoint *checkpoint = NULL;
    char part[128], lock[160];
    int held = -1;
    snprintf(part, sizeof part, "%s/step-000000000009.zarr.0123456789abcdef.part",
             folder);
    snprintf(lock, sizeof lock, "%s/.zlock", part);
    if (world_rank() == 0) CHECK(mkdir(part, 0700) == 0, "mkdir");
    CHECK_OK(redist_checkpoint_create(MPI_COMM_WORLD, folder, 8, &checkpoint));
    CHECK(!exists("step-000000000009.zarr.0123456789abcdef.part"), "a part is left");
    CHECK_OK(redist_checkpoint_close(&checkpoint));
    if (world_rank() == 0) {
        CHECK(mkdir(part, 0700) == 0, "mkdir");
        held = open(lock, O_RDWR | O_CREAT, 0600);
        CHECK(held >= 0 && flock(held, LOCK_EX) == 0, "flock");
    }
    check_error(redist_checkpoint_create(MPI_COMM_WORLD, folder, 9, &checkpoint),
                REDIST_ERR_IO, "another program is writing it");
    CHECK_OK(redist_checkpoint_create(MPI_COMM_WORLD, folder, 8, &checkpoint));
    CHECK_OK(redist_checkpoint_close(&checkpoint));
    CHECK(exists("step-000000000009.zarr.0123456789abcdef.part/.zlock"),
          "another's part");
    if (world_rank() == 0) {
        close(held);
        unlink(lock);
        rmdir(part);
    }
}

/* Steps of 19 digits are steps; what only looks like one is none, and stays. */
static void names_of_steps(void)
{
    put("step-13.zarr", NULL);
    put("step-+00000000013.zarr", NULL);
    put("step-9999999999999999999.zarr", NULL);
    write_step(12, 2);
    read_step(MPI_COMM_WORLD, -1, 12);
    write_step(INT64_MAX - 1, 2);
    read_step(MPI_COMM_WORLD, -1, INT64_MAX - 1);
    CHECK(exists("step-000000000012.zarr"), "two are kept");
    remove_all("step-9223372036854775806.zarr");
    remove_all("step-9999999999999999999.zarr");
    remove_all("step-+00000000013.zarr");
    remove_all("step-13.zarr");
}

/* The step that is committed is kept, also if later ones are there. */
static void earlier_step(void)
{
    write_step(1, 1);
    CHECK(exists("step-000000000001.zarr"), "the step that was committed");
    CHECK(exists("step-000000000012.zarr"), "the last step");
    CHECK(!exists("step-000000000007.zarr"), "only one other is kept");
    write_step(7, 2);
    write_step(12, 2);
}

/* A colon at the end of a folder's name is no end of a path. */
static void folder_with_colon(void)
{
    char before[sizeof folder];
    put("run:", NULL);
    memcpy(before, folder, sizeof folder);
    CHECK((size_t)snprintf(folder, sizeof folder, "%s/run:", before) < sizeof folder,
          "the name is too long");
    write_step(5, 0);
    read_step(MPI_COMM_WORLD, -1, 5);
    memcpy(folder, before, sizeof folder);
    remove_all("run:");
    CHECK(!exists("run"), "another folder was made");
}

/* Texts that could not be read again are not committed. */
static void long_texts(void)
{
    enum { MOST = 64 << 20 };
    redist_checkpoint *checkpoint = NULL;
    char *text = calloc(MOST + 1, 1);
    memset(text, 'x', MOST);
    CHECK_OK(redist_checkpoint_create(MPI_COMM_WORLD, folder, 13, &checkpoint));
    CHECK_OK(redist_checkpoint_set(checkpoint, "long", text));
    check_error(redist_checkpoint_commit(&checkpoint, 1), REDIST_ERR_ARG,
                "must take at most 67108864");
    CHECK(!exists("step-000000000013.zarr") && exists("step-000000000007.zarr"),
          "a failed commit changed the folder");
    text[MOST - 200] = 0;
    CHECK_OK(redist_checkpoint_create(MPI_COMM_WORLD, folder, 13, &checkpoint));
    CHECK_OK(redist_checkpoint_set(checkpoint, "long", text));
    CHECK_OK(redist_checkpoint_commit(&checkpoint, 0));
    CHECK_OK(redist_checkpoint_open(MPI_COMM_WORLD, folder, 13, &checkpoint));
    CHECK_OK(redist_checkpoint_close(&checkpoint));
    remove_all("step-000000000013.zarr");
    free(text);
}

/* Nothing appears of what is closed, or could not be written. */
static void abandoned_steps(void)
{
    redist_checkpoint *checkpoint = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    parse("[37,11] (block,*) onto %d", MPI_COMM_WORLD, &dist, &view);
    CHECK_OK(redist_checkpoint_create(MPI_COMM_WORLD, folder, 50, &checkpoint));
    put_array(checkpoint, "table", "[37,11] (block,*) onto %d", 50);
    CHECK_OK(redist_checkpoint_close(&checkpoint));
    CHECK(!exists("step-000000000050.zarr"), "it was closed");
    CHECK_OK(redist_checkpoint_create(MPI_COMM_WORLD, folder, 50, &checkpoint));
    check_error(redist_checkpoint_write(checkpoint, "a", &view, MPI_DOUBLE, NULL),
                REDIST_ERR_ARG, "source is NULL");
    check_error(redist_checkpoint_commit(&checkpoint, 0), REDIST_ERR_STATE,
                "an array could not be written");
    CHECK(!checkpoint && !exists("step-000000000050.zarr"), "it was not committed");
    redist_dist_destroy(&dist);
}

static void bad_arguments(void)
{
    redist_checkpoint *checkpoint = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    double buffer[ROWS * COLUMNS] = {0};
    MPI_Comm comm = MPI_COMM_WORLD;
    parse("[37,11] (*,*) onto 1", comm, &dist, &view);
    check_error(redist_checkpoint_create(comm, folder, -1, &checkpoint), REDIST_ERR_ARG,
                "step is -1");
    check_error(redist_checkpoint_create(comm, NULL, 1, &checkpoint), REDIST_ERR_ARG,
                "folder is NULL");
    check_error(redist_checkpoint_open(comm, "no-such-folder", -1, &checkpoint),
                REDIST_ERR_IO, "No such file");
    check_error(redist_checkpoint_open(comm, folder, 77, &checkpoint), REDIST_ERR_IO,
                "is no checkpoint");
    CHECK_OK(redist_checkpoint_create(comm, folder, 60, &checkpoint));
    put_array(checkpoint, "lock", "[1000] (block) onto %d",
              60); /* no name of a file of ours */
    check_error(redist_checkpoint_write(checkpoint, "a/b", &view, MPI_DOUBLE, buffer),
                REDIST_ERR_ARG, "must be a word without /");
    check_error(redist_checkpoint_read(checkpoint, "a", &view, MPI_DOUBLE, buffer),
                REDIST_ERR_STATE, "open for writing");
    check_error(redist_checkpoint_set(checkpoint, NULL, "x"), REDIST_ERR_ARG,
                "key is NULL");
    CHECK_OK(redist_checkpoint_close(&checkpoint));
    CHECK_OK(redist_checkpoint_open(comm, folder, -1, &checkpoint));
    check_error(redist_checkpoint_write(checkpoint, "a", &view, MPI_DOUBLE, buffer),
                REDIST_ERR_STATE, "open for reading");
    check_error(redist_checkpoint_read(checkpoint, "none", &view, MPI_DOUBLE, buffer),
                REDIST_ERR_IO, "none");
    check_error(redist_checkpoint_commit(&checkpoint, 1), REDIST_ERR_STATE,
                "open for reading");
    redist_dist_destroy(&dist);
}

/* A chunk with another byte is an error for all that read it, and is named. */
static void damaged_chunk(int64_t step, const char *name)
{
    redist_checkpoint *checkpoint = NULL;
    char path[128], byte = 0, chunk_name[32];
    snprintf(chunk_name, sizeof chunk_name, "%s/c/0", name);
    snprintf(path, sizeof path, "%s/step-%012" PRId64 ".zarr/%s", folder, step,
             chunk_name);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
        int chunk = open(path, O_RDWR);
        CHECK(chunk >= 0 && pread(chunk, &byte, 1, 100) == 1, "%s", path);
        byte ^= 4;
        CHECK(pwrite(chunk, &byte, 1, 100) == 1 && close(chunk) == 0, "pwrite");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(redist_checkpoint_open(MPI_COMM_WORLD, folder, step, &checkpoint));
    CHECK_OK(get(checkpoint, "table", "[37,11] (*,block) onto %d", MPI_COMM_WORLD, step));
    check_error(get(checkpoint, name, "[1000] (block) onto %d", MPI_COMM_WORLD, step),
                REDIST_ERR_IO, chunk_name);
    check_error(redist_checkpoint_verify(checkpoint), REDIST_ERR_IO, chunk_name);
    CHECK_OK(redist_checkpoint_close(&checkpoint));
}

/* A chunk that is gone is an error, too, and no zeros. */
static void missing_chunk(int64_t step)
{
    redist_checkpoint *checkpoint = NULL;
    char path[128];
    snprintf(path, sizeof path, "step-%012" PRId64 ".zarr/table/c/0/0", step);
    remove_all(path);
    CHECK_OK(redist_checkpoint_open(MPI_COMM_WORLD, folder, step, &checkpoint));
    CHECK_OK(get(checkpoint, ".hidden", "[1000] (block) onto %d", MPI_COMM_WORLD, step));
    check_error(
        get(checkpoint, "table", "[37,11] (*,block) onto %d", MPI_COMM_WORLD, step),
        REDIST_ERR_IO, "table/c/0/0: is missing");
    check_error(redist_checkpoint_verify(checkpoint), REDIST_ERR_IO, "is missing");
    snprintf(path, sizeof path, "step-%012" PRId64 ".zarr/table/c", step);
    remove_all(path);
    snprintf(path, sizeof path, "step-%012" PRId64 ".zarr/table/zarr.json", step);
    remove_all(path);
    check_error(redist_checkpoint_verify(checkpoint), REDIST_ERR_IO, "no array of Zarr");
    CHECK_OK(redist_checkpoint_close(&checkpoint));
}

/* ---- killed programs --------------------------------------------------------------- */

/* Write a single array of Zarr as a step, or read it: of rows, then of columns. */
static void move_array(int64_t step, bool write)
{
    char name[PATH_MAX];
    redist_dist *dist = NULL;
    redist_view view;
    redist_file *file = NULL;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    redist_file_layout layout = {sizeof layout, .ndims = 2, .shape = {ROWS, COLUMNS},
                                 .type = "<f8", .chunk = {4, 3}};
    int64_t span;
    CHECK_OK(steps_name(folder, step, name));
    parse(write ? "[37,11] (cyclic(3),*) onto %d" : "[37,11] (*,block) onto %d",
          MPI_COMM_WORLD, &dist, &view);
    double *expected = make_buffer(&view, MPI_COMM_WORLD, step, &span);
    double *buffer = make_buffer(&view, MPI_COMM_WORLD, write ? step : -1, &span);
    if (write) options.layout = &layout;
    CHECK_OK(redist_file_open(MPI_COMM_WORLD, name,
                              write ? REDIST_FILE_CREATE : REDIST_FILE_READ, &options,
                              &file));
    CHECK_OK(write ? redist_file_write(file, &view, MPI_DOUBLE, buffer)
                   : redist_file_read(file, &view, MPI_DOUBLE, buffer));
    CHECK_OK(redist_file_close(&file));
    CHECK(memcmp(buffer, expected, (size_t)span * sizeof *buffer) == 0, "step %" PRId64,
          step);
    free(buffer);
    free(expected);
    redist_dist_destroy(&dist);
}

/* Write the array of a step where there is none, and then where there is one. */
static void write_array(int64_t step)
{
    move_array(step, true);
    move_array(step, true);
    if (world_rank() == 0) CHECK_OK(steps_trim(folder, step, 2));
}

/* For killed.sh: write steps until a kill, or read the last one that is there. Single
 * arrays begin with the last one: what is left has its name, or the next. */
static int repeat(const char *what, const char *how, const char *where)
{
    bool single = strcmp(what, "array") == 0;
    int64_t step = -1;
    snprintf(folder, sizeof folder, "%s", where);
    if (world_rank() == 0) {
        (void)mkdir(folder, 0777);
        CHECK_OK(steps_last(folder, &step));
    }
    MPI_Bcast(&step, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (strcmp(how, "read") == 0) {
        if (step >= 0 && single) move_array(step, false);
        if (step >= 0 && !single) read_step(MPI_COMM_WORLD, -1, step);
        return passed("step %" PRId64, step);
    }
    if (single && step >= 0) write_array(step);
    for (int64_t end = step + 1000; step < end; step++) {
        if (single)
            write_array(step + 1);
        else
            write_step(step + 1, 2);
    }
    return passed("1000 steps");
}

int main(int argc, char **argv)
{
    MPI_Comm fewer;
    MPI_Init(&argc, &argv);
    if (argc == 4) return repeat(argv[1], argv[2], argv[3]);
    folder_begin("checkpoint");
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() <= world_size() / 2, 0, &fewer);
    write_step(3, 2);
    read_step(MPI_COMM_WORLD, -1, 3);
    write_step(12, 2);
    write_step(7, 2);
    CHECK(!exists("step-000000000003.zarr"), "only two are kept");
    read_step(fewer, -1, 12); /* twice at the same time */
    read_step(MPI_COMM_WORLD, 7, 7);
    write_step(12, 0); /* again */
    read_step(fewer, 12, 12);
    CHECK(!exists("step-000000000012.zarr/.zlock"), "a lock is left");
    unfinished_steps();
    abandoned_steps();
    bad_arguments();
    names_of_steps();
    earlier_step();
    folder_with_colon();
    long_texts();
    missing_chunk(7);
    write_step(7, 2);
    damaged_chunk(7, ".hidden");
    damaged_chunk(12, "line");
    remove_all("");
    MPI_Comm_free(&fewer);
    return passed("checkpoints");
}
