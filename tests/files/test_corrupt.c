/* SPDX-License-Identifier: MIT
 *
 * Files that are damaged: a bit of each byte is flipped, files end at each length, bytes
 * are overwritten. Whoever reads them gets an error with a sentence, on all processes the
 * same, or an array of the shape that the file says; where all bytes have a checksum,
 * always an error. In long runs all bits are flipped. Files of HDF5 are only cut off: of
 * other damage the HDF5 library itself may crash.
 */
#include <redist/checkpoint.h>

#include "files/folder.h"
#include "files/format/dtype.h"
#include "random.h"

static uint64_t seed;
static long cases, errors;

/* An array, and the file of it that is damaged. */
struct victim {
    const char *array, *file;
    const char *codec;
    int version;
    bool summed; /* each byte of the file has a checksum */
    bool only_cut;
    int every; /* of the bytes every n-th is damaged in a short run, more in a long one */
};

enum { ROWS = 5, COLUMNS = 7, MOST = 1 << 16, MOST_READ = 1 << 20 };
static const int64_t step = 3;

/* ---- read -------------------------------------------------------------------------- */

/* Read the whole array, whatever its shape, unless it is long. */
static redist_err read_array(redist_file *file)
{
    redist_file_layout layout;
    redist_format formats[REDIST_MAX_DIMS];
    int64_t extents[REDIST_MAX_DIMS] = {1}, element = 0, span = 0;
    redist_grid *grid = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    MPI_Datatype type;
    const int one = 1;
    CHECK_OK(redist_file_describe(file, &layout));
    CHECK(layout.ndims >= 0 && layout.ndims <= REDIST_MAX_DIMS, "%d", layout.ndims);
    CHECK_OK(dtype_bytes(layout.type, &element));
    int64_t bytes = element;
    for (int i = 0; i < layout.ndims; i++) {
        CHECK(layout.shape[i] >= 0 && layout.chunk[i] >= 1, "dim %d", i);
        if (bytes > 0 && layout.shape[i] > MOST_READ / bytes) return REDIST_OK;
        bytes *= extents[i] = layout.shape[i];
    }
    int n = layout.ndims ? layout.ndims : 1;
    for (int i = 0; i < n; i++) formats[i] = redist_collapsed();
    CHECK_OK(redist_grid_create(1, &one, REDIST_ROW_MAJOR, NULL, &grid));
    CHECK_OK(redist_dist_create(n, extents, formats, grid, &dist));
    CHECK_OK(redist_view_init(dist, &view));
    CHECK_OK(redist_view_span(&view, world_rank(), &span));
    MPI_Type_contiguous((int)element, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    char *buffer = malloc((size_t)(span * element) + 1);
    redist_err err = redist_file_read(file, &view, type, buffer);
    free(buffer);
    MPI_Type_free(&type);
    redist_dist_destroy(&dist);
    redist_grid_destroy(&grid);
    return err;
}

static redist_err read_file(const char *name)
{
    redist_file *file = NULL;
    redist_err err =
        redist_file_open(MPI_COMM_WORLD, name, REDIST_FILE_READ, NULL, &file);
    CHECK(!err == (file != NULL), "a file, or an error");
    if (!err) err = read_array(file);
    redist_err closed = redist_file_close(&file);
    return err ? err : closed;
}

static redist_err read_checkpoint(void)
{
    redist_checkpoint *checkpoint = NULL;
    redist_file *file = NULL;
    redist_err err = redist_checkpoint_open(MPI_COMM_WORLD, folder, step, &checkpoint);
    if (!err) err = redist_checkpoint_verify(checkpoint);
    if (!err) err = redist_checkpoint_array(checkpoint, "t", &file);
    if (!err) err = read_array(file);
    (void)redist_file_close(&file);
    (void)redist_checkpoint_close(&checkpoint);
    return err;
}

/* ---- damage ------------------------------------------------------------------------ */

/* Write the bytes to the file, have them read, and look at the error. */
static void try_bytes(const struct victim *victim, const char *bytes, int64_t size,
                      bool same)
{
    if (world_rank() == 0) {
        FILE *file = fopen(victim->file, "wb");
        CHECK(file && fwrite(bytes, 1, (size_t)size, file) == (size_t)size &&
                  fclose(file) == 0,
              "%s", victim->file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    redist_err err = victim->array ? read_file(victim->array) : read_checkpoint();
    int codes[2] = {(int)err, -(int)err};
    MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(codes[0] == -codes[1], "%s: codes differ", victim->file);
    CHECK(!err || *redist_error_message(), "%s: no sentence", victim->file);
    CHECK(!err || err == REDIST_ERR_IO || err == REDIST_ERR_ARG ||
              err == REDIST_ERR_MEMORY,
          "%s: %d", victim->file, (int)err);
    CHECK(!same || !err, "%s: undamaged", victim->file);
    CHECK(err || same || !victim->summed, "%s: damaged, but read", victim->file);
    cases++;
    errors += err != REDIST_OK;
}

static void damage(const struct victim *victim)
{
    static char bytes[MOST], changed[MOST];
    const bool all = getenv("REDIST_TEST_LONG") != NULL;
    int64_t size = 0, every = all ? (victim->every + 7) / 8 : victim->every;
    if (world_rank() == 0) {
        FILE *file = fopen(victim->file, "rb");
        CHECK(file, "%s", victim->file);
        size = (int64_t)fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        CHECK(size > 0 && size < MOST, "%s: %d bytes", victim->file, (int)size);
    }
    MPI_Bcast(&size, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    try_bytes(victim, bytes, size, true);
    for (int64_t at = 0; !victim->only_cut && at < size; at += every) {
        for (int bit = 0; bit < (all ? 8 : 1); bit++) {
            memcpy(changed, bytes, (size_t)size);
            changed[at] ^= (char)(1 << (all ? bit : random_in(&seed, 0, 7)));
            try_bytes(victim, changed, size, false);
        }
    }
    for (int64_t length = 0; length < size; length += every)
        try_bytes(victim, bytes, length, false);
    for (int k = 0; !victim->only_cut && k < (all ? 1000 : 40); k++) {
        int64_t at = random_in(&seed, 0, size - 1);
        int64_t count = random_in(&seed, 1, 8), different = 0;
        memcpy(changed, bytes, (size_t)size);
        for (int64_t i = at; i < size && i < at + count; i++) {
            changed[i] = (char)random_in(&seed, 0, 255);
            different |= changed[i] ^ bytes[i];
        }
        MPI_Bcast(&different, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
        try_bytes(victim, changed, size, !different);
    }
    try_bytes(victim, bytes, size, true);
}

/* ---- the files --------------------------------------------------------------------- */

/* Returns false if the format or the codec is not there. */
static bool make(const char *name, int version, const char *codec)
{
    redist_file *file = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    double buffer[ROWS * COLUMNS];
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    redist_file_layout layout = {
        sizeof layout,   .ndims = 2,     .shape = {ROWS, COLUMNS}, .type = "<f8",
        .chunk = {4, 4}, .codec = codec, .version = version};
    options.layout = &layout;
    if (redist_file_open(MPI_COMM_WORLD, name, REDIST_FILE_CREATE, &options, &file)) {
        CHECK(strstr(redist_error_message(), "built without") ||
                  strstr(redist_error_message(), "libredist_hdf5"),
              "%s", name);
        return false;
    }
    for (int k = 0; k < ROWS * COLUMNS; k++) buffer[k] = k / 8.0;
    CHECK_OK(redist_view_parse("[5,7] (*,*) onto 1", &dist, &view));
    CHECK_OK(redist_file_write(file, &view, MPI_DOUBLE, buffer));
    CHECK_OK(redist_file_close(&file));
    redist_dist_destroy(&dist);
    return true;
}

static void make_checkpoint(void)
{
    redist_checkpoint *checkpoint = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    double buffer[ROWS * COLUMNS] = {0};
    CHECK_OK(redist_view_parse("[5,7] (*,*) onto 1", &dist, &view));
    CHECK_OK(redist_checkpoint_create(MPI_COMM_WORLD, folder, step, &checkpoint));
    CHECK_OK(redist_checkpoint_write(checkpoint, "t", &view, MPI_DOUBLE, buffer));
    CHECK_OK(redist_checkpoint_set(checkpoint, "words", "a \"text\" \x01"));
    CHECK_OK(redist_checkpoint_commit(&checkpoint, 0));
    redist_dist_destroy(&dist);
}

int main(int argc, char **argv)
{
    static const struct victim victims[] = {
        {"a.npy", "a.npy", .every = 2},
        {"a.h5:/g/t", "a.h5", .only_cut = true, .every = 40},
        {"a.h5:/g/t", "a.h5", "gzip", .only_cut = true, .every = 40},
        {"a.zarr", "a.zarr/.zarray", "zlib", 2, .every = 3},
        {"a.zarr:/g/t", "a.zarr/g/t/0.0", "gzip", 2, .every = 1},
        {"a.zarr", "a.zarr/0.0", "blosc", 2, .every = 1},
        {"a.zarr", "a.zarr/zarr.json", "sharding:2,2+zstd+crc32c", 3, .every = 5},
        {"a.zarr", "a.zarr/c/0/0", "sharding:2,2", 3, .every = 3},
        {"a.zarr", "a.zarr/c/0/0", "sharding:2,2+zstd+crc32c", 3, .summed = true,
         .every = 2},
        {"a.zarr", "a.zarr/c/0/0", "gzip+crc32c", 3, .summed = true, .every = 2},
        {NULL, "step-000000000003.zarr/zarr.json", .every = 4},
        {NULL, "step-000000000003.zarr/t/zarr.json", .every = 5},
        {NULL, "step-000000000003.zarr/t/c/0/0", .summed = true, .every = 2},
    };
    MPI_Init(&argc, &argv);
    seed = test_seed();
    folder_begin("corrupt");
    for (size_t k = 0; k < sizeof victims / sizeof *victims; k++) {
        struct victim victim = victims[k];
        long before = cases, wrong = errors;
        if (victim.array) victim.array = in_folder(victim.array);
        victim.file = in_folder(victim.file);
        if (!victim.array)
            make_checkpoint();
        else if (!make(victim.array, victim.version, victim.codec))
            continue;
        damage(&victim);
        if (world_rank() == 0)
            printf("%s %s: %ld cases, %ld errors\n", victims[k].file,
                   victim.codec ? victim.codec : "", cases - before, errors - wrong);
        remove_all("");
        put("", NULL);
    }
    folder_end();
    return passed("%ld damaged files, %ld errors", cases, errors);
}
