/* SPDX-License-Identifier: MIT
 *
 * Every format to every format: an array is copied from each kind of file to each, a part
 * of it is copied into a part of that, and all that the file then has is compared. Where
 * many processes make this slow, to every second kind.
 */
#include "files/access/copy.h"
#include "files/folder.h"

enum { ROWS = 11, COLUMNS = 14, ALL = ROWS * COLUMNS };

/* Kinds of files. Where the library was built without one it is left out. */
static const struct kind {
    const char *name, *type, *codec;
    redist_order order;
    int64_t chunk[2], offset;
    int version;
} kinds[] = {
    {"a.npy", "<i4", NULL, REDIST_ROW_MAJOR, {0, 0}, 0, 0},
    {"b.npy", ">i4", NULL, REDIST_COLUMN_MAJOR, {0, 0}, 0, 0},
    {"c.raw", "<f8", NULL, REDIST_ROW_MAJOR, {0, 0}, 7, 0},
    {"d.bin", "<i4", NULL, REDIST_COLUMN_MAJOR, {0, 0}, 0, 0},
    {"e.h5:/t", "<i4", NULL, REDIST_ROW_MAJOR, {0, 0}, 0, 0},
    {"f.h5:/g/t", "<i4", NULL, REDIST_ROW_MAJOR, {4, 5}, 0, 0},
    {"g.h5:/t", ">f4", "gzip", REDIST_ROW_MAJOR, {3, 14}, 0, 0},
    {"h.zarr", "<i4", NULL, REDIST_COLUMN_MAJOR, {5, 4}, 0, 2},
    {"i.zarr:/g/t", "<i4", NULL, REDIST_ROW_MAJOR, {2, 9}, 0, 3},
    {"j.zarr", ">i8", "gzip:1+crc32c", REDIST_ROW_MAJOR, {7, 7}, 0, 3},
    {"k.zarr", "<i4", "zstd", REDIST_ROW_MAJOR, {11, 1}, 0, 2},
    {"l.zarr", "<i4", "blosc", REDIST_ROW_MAJOR, {11, 14}, 0, 2},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The sections of both files that correspond. */
static const struct section of = {{1, 1}, {3, 2}, {4, 5}};
static const struct section into = {{2, 4}, {2, 1}, {4, 5}};

static redist_dist *dist;
static redist_view view; /* all elements on rank 0 */

static void name_file(const struct kind *kind, const char *copied, char name[64])
{
    snprintf(name, 64, "%s%s", copied, kind->name);
}

static redist_err open_kind(const struct kind *kind, const char *copied,
                            redist_file_mode mode, redist_file **file)
{
    char name[64];
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    redist_file_layout layout = {.size = sizeof layout,
                                 .ndims = 2,
                                 .shape = {ROWS, COLUMNS},
                                 .type = kind->type,
                                 .order = kind->order,
                                 .chunk = {kind->chunk[0], kind->chunk[1]},
                                 .codec = kind->codec,
                                 .offset = kind->offset,
                                 .version = kind->version};
    bool bare = strstr(kind->name, ".raw") || strstr(kind->name, ".bin");
    if (mode == REDIST_FILE_CREATE || bare) options.layout = &layout;
    /* so little that there are several slabs */
    options.staging_bytes = (size_t)(kind->chunk[0] * kind->chunk[1] * 32 + 120);
    name_file(kind, copied, name);
    return redist_file_open(MPI_COMM_WORLD, in_folder(name), mode, &options, file);
}

static bool make(const struct kind *kind)
{
    redist_file *file = NULL;
    int numbers[ALL];
    for (int k = 0; k < ALL; k++) numbers[k] = 3 * k - 100;
    redist_err err = open_kind(kind, "", REDIST_FILE_CREATE, &file);
    const char *said = redist_error_message();
    if (err && (strstr(said, "without it") || strstr(said, "no module"))) return false;
    CHECK(!err, "%s", kind->name);
    CHECK_OK(redist_file_write(file, &view, MPI_INT, numbers));
    CHECK_OK(redist_file_close(&file));
    return true;
}

/* Check the copy of all elements, over which a section of them was copied. */
static void check(const struct kind *from, const struct kind *to)
{
    redist_file *file = NULL;
    int expected[ALL], found[ALL];
    for (int k = 0; k < ALL; k++) expected[k] = 3 * k - 100;
    for (int i = 0; i < of.extent[0]; i++)
        for (int j = 0; j < of.extent[1]; j++) {
            int64_t a = (of.start[0] + i * of.stride[0]) * COLUMNS + of.start[1] +
                        j * of.stride[1];
            int64_t b = (into.start[0] + i * into.stride[0]) * COLUMNS + into.start[1] +
                        j * into.stride[1];
            expected[b] = 3 * (int)a - 100;
        }
    CHECK_OK(open_kind(to, "copy-", REDIST_FILE_READ, &file));
    CHECK_OK(redist_file_read(file, &view, MPI_INT, found));
    CHECK_OK(redist_file_close(&file));
    for (int k = 0; k < ALL && world_rank() == 0; k++)
        CHECK(found[k] == expected[k], "%s to %s: element (%d, %d) is %d, must be %d",
              from->name, to->name, k / COLUMNS, k % COLUMNS, found[k], expected[k]);
}

static void copy(const struct kind *from, const struct kind *to)
{
    redist_file *source = NULL, *target = NULL;
    char name[64];
    CHECK_OK(open_kind(from, "", REDIST_FILE_READ, &source));
    CHECK_OK(open_kind(to, "copy-", REDIST_FILE_CREATE, &target));
    CHECK_OK(redist_file_copy(source, target));
    CHECK_OK(redist_file_close(&target));
    CHECK_OK(open_kind(to, "copy-", REDIST_FILE_UPDATE, &target));
    CHECK_OK(copy_section(source, &of, target, &into));
    CHECK_OK(redist_file_close(&target));
    CHECK_OK(redist_file_close(&source));
    check(from, to);
    name_file(to, "copy-", name);
    name[strcspn(name, ":")] = 0;
    remove_all(name);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int there[KINDS], n = 0;
    folder_begin("formats");
    CHECK_OK(redist_view_parse("[11,14] (*,*) onto 1", &dist, &view));
    for (int k = 0; k < KINDS; k++)
        if (make(&kinds[k])) there[n++] = k;
    int step = world_size() > 1 && !long_run() ? 2 : 1; /* of the targets */
    for (int a = 0; a < n; a++)
        for (int b = a % step; b < n; b += step) copy(&kinds[there[a]], &kinds[there[b]]);
    redist_dist_destroy(&dist);
    remove_all("");
    return passed("%d kinds of files, each to each", n);
}
