/* SPDX-License-Identifier: MIT
 *
 * Shards of Zarr: files that this test puts together byte by byte, from the specification
 * of sharding_indexed; what is wrong with them; and those that the library writes.
 */
#include "files/folder.h"

/* 5 x 6 elements of 2 bytes in shards of 4 x 4, of inner chunks of 2 x 2: four shards, of
 * four inner chunks each. The fill is -7. */
enum { ROWS = 5, COLUMNS = 6, SHARD = 4, INNER = 2, FILL = -7, INNER_BYTES = 8 };

static uint32_t crc32c(const unsigned char *bytes, size_t size)
{
    uint32_t sum = UINT32_MAX;
    for (size_t k = 0; k < size; k++) {
        sum ^= bytes[k];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0x82f63b78 : 0);
    }
    return ~sum;
}

/* ---- shards by hand ---------------------------------------------------------------- */

/* How they are made. */
struct how {
    bool first, sum, big, inner_sum, missing;
};

static int value_of(int row, int column) { return 100 * row + column + 1; }

static void put_number(unsigned char *at, uint64_t number, int bytes, bool big)
{
    for (int k = 0; k < bytes; k++)
        at[big ? bytes - 1 - k : k] = (unsigned char)(number >> 8 * k & 255);
}

static bool is_missing(const struct how *how, int chunk)
{
    return how->missing && chunk % 2 == 1;
}

/* Put a shard together, whose inner chunks follow in reverse order with a byte between
 * them. Returns its bytes. */
static size_t make_shard(const struct how *how, int row, int column, unsigned char *shard)
{
    unsigned char index[4 * 16 + 4];
    size_t index_bytes = how->sum ? sizeof index : sizeof index - 4;
    size_t at = how->first ? index_bytes : 0;
    for (int chunk = 3; chunk >= 0; chunk--) {
        size_t begin = at;
        for (int k = 0; k < 4 && !is_missing(how, chunk); k++, at += 2)
            put_number(shard + at,
                       (uint64_t)value_of(row + chunk / 2 * INNER + k / 2,
                                          column + chunk % 2 * INNER + k % 2),
                       2, false);
        if (how->inner_sum && at > begin) {
            put_number(shard + at, crc32c(shard + begin, INNER_BYTES), 4, false);
            at += 4;
        }
        bool none = at == begin;
        put_number(index + 16 * chunk, none ? UINT64_MAX : begin, 8, how->big);
        put_number(index + 16 * chunk + 8, none ? UINT64_MAX : at - begin, 8, how->big);
        shard[at++] = 0xee;
    }
    if (how->sum) put_number(index + 64, crc32c(index, 64), 4, false);
    memcpy(shard + (how->first ? 0 : at), index, index_bytes);
    return how->first ? at : at + index_bytes;
}

static void print_metadata(const struct how *how, char text[2048])
{
    snprintf(text, 2048,
             "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [5, 6], "
             "\"data_type\": \"int16\", \"fill_value\": -7, \"chunk_grid\": {\"name\": "
             "\"regular\", \"configuration\": {\"chunk_shape\": [4, 4]}}, "
             "\"chunk_key_encoding\": {\"name\": \"v2\"}, \"codecs\": [{\"name\": "
             "\"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2, 2], "
             "\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": "
             "\"little\"}}%s], \"index_codecs\": [{\"name\": \"bytes\", "
             "\"configuration\": {\"endian\": \"%s\"}}%s]%s}}]}",
             how->inner_sum ? ", {\"name\": \"crc32c\"}" : "",
             how->big ? "big" : "little", how->sum ? ", {\"name\": \"crc32c\"}" : "",
             how->first ? ", \"index_location\": \"start\"" : "");
}

/* Rank 0 makes the array; the last shard is missing if inner chunks are. */
static void make_array(const struct how *how)
{
    char text[2048], name[32];
    unsigned char shard[512];
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
        CHECK(mkdir(in_folder("a.zarr"), 0700) == 0, "mkdir");
        print_metadata(how, text);
        write_file("a.zarr/zarr.json", text, strlen(text));
        for (int k = 0; k < (how->missing ? 3 : 4); k++) {
            size_t size = make_shard(how, k / 2 * SHARD, k % 2 * SHARD, shard);
            snprintf(name, sizeof name, "a.zarr/%d.%d", k / 2, k % 2);
            write_file(name, shard, size);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- read and write ---------------------------------------------------------------- */

static redist_err open_array(redist_file_mode mode, redist_file **file)
{
    return redist_file_open(MPI_COMM_WORLD, in_folder("a.zarr"), mode, NULL, file);
}

/* Every process reads all elements. */
static redist_err read_all(redist_file *file, int16_t found[ROWS * COLUMNS])
{
    redist_dist *dist = NULL;
    redist_view view;
    CHECK_OK(redist_view_parse("[5,6] (*,*) onto 1", &dist, &view));
    redist_err err = redist_file_read(file, &view, MPI_INT16_T, found);
    redist_dist_destroy(&dist);
    return err;
}

static void check_all(redist_file *file, const struct how *how)
{
    int16_t found[ROWS * COLUMNS] = {0};
    CHECK_OK(read_all(file, found));
    for (int k = 0; world_rank() == 0 && k < ROWS * COLUMNS; k++) {
        int row = k / COLUMNS, column = k % COLUMNS;
        int chunk = row % SHARD / INNER * 2 + column % SHARD / INNER;
        bool none =
            is_missing(how, chunk) || (how->missing && row >= SHARD && column >= SHARD);
        int expected = none ? FILL : value_of(row, column);
        CHECK(found[k] == expected, "(%d, %d) is %d, not %d", row, column, found[k],
              expected);
    }
}

/* All kinds, read; then one element is written, which makes the shard anew. */
static void all_kinds(void)
{
    for (int k = 0; k < 32; k++) {
        struct how how = {k & 1, k & 2, k & 4, k & 8, k & 16};
        redist_file *file = NULL;
        redist_file_layout layout;
        redist_dist *dist = NULL;
        redist_view view;
        int64_t start[] = {1, 1};
        int16_t element = (int16_t)value_of(1, 1);
        make_array(&how);
        CHECK_OK(open_array(REDIST_FILE_UPDATE, &file));
        CHECK_OK(redist_file_describe(file, &layout));
        CHECK(layout.chunk[0] == SHARD && layout.chunk[1] == SHARD, "the shard");
        CHECK(strcmp(layout.codec,
                     how.inner_sum ? "sharding:2,2+crc32c" : "sharding:2,2") == 0,
              "codec %s", layout.codec);
        check_all(file, &how);
        CHECK_OK(redist_view_parse("[1,1] (*,*) onto 1", &dist, &view));
        CHECK_OK(
            redist_file_write_section(file, start, NULL, &view, MPI_INT16_T, &element));
        redist_dist_destroy(&dist);
        check_all(file, &how);
        CHECK_OK(redist_file_close(&file));
        remove_all("a.zarr");
    }
}

/* ---- what is wrong ----------------------------------------------------------------- */

/* Write some bytes of the first shard at `at`, from its end if that is negative, or cut
 * it off there. */
static void damage(long at, const void *bytes, size_t size)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
        struct stat status;
        const char *path = in_folder("a.zarr/0.0");
        FILE *file = fopen(path, "r+b");
        CHECK(file && stat(path, &status) == 0, "%s", path);
        if (at < 0) at += (long)status.st_size;
        CHECK(fseek(file, at, SEEK_SET) == 0, "fseek");
        CHECK(fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "fwrite");
        if (size == 0) CHECK(truncate(path, at) == 0, "truncate");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void damaged(void)
{
    static const unsigned char far[] = {0, 0, 0, 0, 0, 0, 0, 0x80}, byte[] = {0x55},
                               all[] = {255, 255, 255, 255, 255, 255, 255, 255},
                               long_[] = {8, 1, 0, 0, 0, 0, 0, 0};
    /* the index, of 64 bytes without a sum, is at the end; that of chunk 2 is at -32 */
    static const struct {
        struct how how;
        long at;
        const void *bytes;
        size_t size;
        const char *words;
    } cases[] = {
        {{.sum = true}, -10, byte, 1, "0.0: index: crc32c: corrupt: the sum"},
        {{.sum = true}, -1, byte, 1, "0.0: index: crc32c: corrupt: the sum"},
        {{.sum = true}, -1, "", 0, "0.0: index: crc32c: corrupt: the sum"},
        {{.sum = true, .first = true}, 3, byte, 1, "0.0: index: crc32c: corrupt"},
        {{.sum = true}, 67, "", 0, "0.0: corrupt: has 67 bytes, the index alone 68"},
        {{.first = true}, 63, "", 0, "0.0: corrupt: has 63 bytes, the index alone 64"},
        {{0}, 0, "", 0, "0.0: corrupt: has 0 bytes"},
        {{0}, -32, far, 8, "0.0: inner chunk 2: corrupt: ends beyond the shard"},
        {{0}, -24, far, 8, "0.0: inner chunk 2: corrupt: ends beyond the shard"},
        {{0}, -32, all, 8, "0.0: inner chunk 2: corrupt: ends beyond the shard"},
        {{0}, -24, all, 8, "0.0: inner chunk 2: corrupt: ends beyond the shard"},
        {{0}, -24, long_, 8, "0.0: inner chunk 2: corrupt: ends beyond the shard"},
        {{0}, -24, "\7", 1, "0.0: inner chunk 2: has 7 bytes, must have 8"},
        {{0}, -24, "\11", 1, "0.0: inner chunk 2: has 9 bytes, must have 8"},
        {{0}, -24, "\0", 1, "0.0: inner chunk 2: has 0 bytes, must have 8"},
        {{.inner_sum = true}, 1, byte, 1, "0.0: inner chunk 3: crc32c: corrupt"},
        {{.inner_sum = true}, -24, "\3", 1, "inner chunk 2: crc32c: corrupt: truncated"},
        {{.first = true}, -2, "", 0, "0.0: inner chunk 0: corrupt: ends beyond"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        redist_file *file = NULL;
        int16_t found[ROWS * COLUMNS];
        make_array(&cases[k].how);
        damage(cases[k].at, cases[k].bytes, cases[k].size);
        CHECK_OK(open_array(REDIST_FILE_READ, &file));
        check_error(read_all(file, found), REDIST_ERR_IO, cases[k].words);
        CHECK_OK(redist_file_close(&file));
        remove_all("a.zarr");
    }
}

static void bad_metadata(void)
{
    static const struct {
        const char *from, *to, *words;
    } changes[] = {
        {"[2, 2]", "[2, 3]", "dim 1: an inner chunk has 3 elements, must have a divisor"},
        {"[2, 2]", "[2, 0]", "dim 1: an inner chunk has 0 elements"},
        {"[2, 2]", "[8, 2]", "dim 0: an inner chunk has 8 elements"},
        {"[2, 2]", "[2]", "chunk_shape has 1 numbers, must have 2"},
        {"[2, 2]", "4", "chunk_shape is 4"},
        {"[4, 4]", "[1152921504606846976, 2]", "more than 2^59 inner chunks"},
        {"\"start\"", "\"middle\"", "index_location is \"middle\""},
        {"\"big\"", "\"odd\"", "endian is \"odd\""},
        {", \"configuration\": {\"endian\": \"big\"}", "", "index_codecs is [{"},
        {"\"index_codecs\": [", "\"index_codecs\": [{\"name\": \"gzip\"}, ",
         "codec gzip is not supported before the codec bytes"},
        {"\"big\"}}", "\"big\"}}, {\"name\": \"zstd\"}", "index_codecs is [{"},
        {"\"index_codecs\"", "\"other\"", "codecs is missing, must be an array"},
        {"{\"name\": \"sharding", "{\"name\": \"transpose\"}, {\"name\": \"sharding",
         "codec sharding_indexed: others beside it"},
        {"\"codecs\": [{\"name\": \"bytes\"",
         "\"codecs\": [{\"name\": \"sharding_indexed\"",
         "codec sharding_indexed is not supported"},
    };
    const struct how how = {.first = true, .big = true};
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        redist_file *file = NULL;
        char text[2048], changed[4096];
        print_metadata(&how, text);
        const char *at = strstr(text, changes[k].from);
        CHECK(at, "%s", changes[k].from);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text,
                 changes[k].to, at + strlen(changes[k].from));
        make_array(&how);
        if (world_rank() == 0) write_file("a.zarr/zarr.json", changed, strlen(changed));
        check_error(open_array(REDIST_FILE_READ, &file), REDIST_ERR_IO, changes[k].words);
        remove_all("a.zarr");
    }
}

/* ---- created ones ------------------------------------------------------------------ */

static redist_err create(const char *codec, int64_t chunk, int version,
                         redist_file **file)
{
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    redist_file_layout layout = {sizeof layout,     .ndims = 2,
                                 .type = "<i2",     .shape = {ROWS, COLUMNS},
                                 .codec = codec,    .chunk = {chunk, chunk},
                                 .version = version};
    options.layout = &layout;
    return redist_file_open(MPI_COMM_WORLD, in_folder("a.zarr"), REDIST_FILE_CREATE,
                            &options, file);
}

static void created(void)
{
    static const struct {
        const char *codec;
        int chunk, version;
        const char *words;
    } wrong[] = {
        {"sharding:3,2", 4, 3, "dim 0: an inner chunk has 3 elements"},
        {"sharding:2", 4, 3, "must have the 2 extents of an inner chunk"},
        {"sharding:2,2,2", 4, 3, "must have the 2 extents of an inner chunk"},
        {"sharding:2,", 4, 3, "must have the 2 extents of an inner chunk"},
        {"sharding:0,2", 4, 3, "must have the 2 extents of an inner chunk"},
        {"sharding:2,2x", 4, 3, "must have the 2 extents of an inner chunk"},
        {"sharding:2,2+lzma", 4, 3, "codec is \"lzma\""},
        {"sharding:2,2+", 4, 3, "codec is \"\""},
        {"gzip+sharding:2,2", 4, 3, "codec is \"gzip+sharding:2,2\""},
        {"sharding:2,2", 4, 2, "codec sharding: Zarr version 2 has none"},
    };
    const struct how none = {0};
    redist_file *file = NULL;
    redist_file_layout layout;
    redist_dist *dist = NULL;
    redist_view view;
    int16_t elements[ROWS * COLUMNS];
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        check_error(create(wrong[k].codec, wrong[k].chunk, wrong[k].version, &file),
                    REDIST_ERR_ARG, wrong[k].words);
    for (int k = 0; k < ROWS * COLUMNS; k++)
        elements[k] = (int16_t)value_of(k / COLUMNS, k % COLUMNS);
    CHECK_OK(create("sharding:4,3+crc32c", 0, 0, &file)); /* shards are chosen */
    CHECK_OK(redist_view_parse("[5,6] (*,*) onto 1", &dist, &view));
    CHECK_OK(redist_file_write(file, &view, MPI_INT16_T, elements));
    redist_dist_destroy(&dist);
    CHECK_OK(redist_file_close(&file));
    CHECK_OK(open_array(REDIST_FILE_READ, &file));
    CHECK_OK(redist_file_describe(file, &layout));
    CHECK(layout.chunk[0] == 8 && layout.chunk[1] == 6, "whole inner chunks");
    CHECK(strcmp(layout.codec, "sharding:4,3+crc32c") == 0, "%s", layout.codec);
    check_all(file, &none);
    CHECK_OK(redist_file_close(&file));
    struct stat status; /* two rows of two inner chunks, each with a sum; the index */
    CHECK(stat(in_folder("a.zarr/c/0/0"), &status) == 0 &&
              status.st_size == 4 * (4 * 3 * 2 + 4) + 4 * 16 + 4,
          "%lld bytes", (long long)status.st_size);
    remove_all("a.zarr");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    folder_begin("shards");
    all_kinds();
    damaged();
    bad_metadata();
    created();
    folder_end();
    return passed("shards of Zarr");
}
