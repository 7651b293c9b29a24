/* SPDX-License-Identifier: MIT
 *
 * Arrays of Zarr in folders: groups round them, what takes their place and what does not,
 * broken metadata and chunks, and where the path within a file may lead.
 */
#include "files/folder.h"

/* ---- arrays ------------------------------------------------------------------------ */

static redist_err open_file(const char *name, redist_file_mode mode, redist_file **file)
{
    return redist_file_open(MPI_COMM_WORLD, in_folder(name), mode, NULL, file);
}

static redist_file_layout layout_of(int version, const char *codec)
{
    redist_file_layout layout = {sizeof layout,     .ndims = 2,      .shape = {5, 7},
                                 .type = "<f8",     .chunk = {2, 3}, .codec = codec,
                                 .version = version};
    return layout;
}

static redist_err create(const char *name, redist_file_layout layout, redist_file **file)
{
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    options.layout = &layout;
    return redist_file_open(MPI_COMM_WORLD, in_folder(name), REDIST_FILE_CREATE, &options,
                            file);
}

/* Every process has the whole array, whose elements are first, first + 1, .. */
static redist_err transfer(redist_file *file, bool write, double first)
{
    redist_dist *dist = NULL;
    redist_view view;
    double buffer[35];
    CHECK_OK(redist_view_parse("[5,7] (*,*) onto 1", &dist, &view));
    for (int k = 0; k < 35; k++) buffer[k] = write ? first + k : -1;
    redist_err err = write ? redist_file_write(file, &view, MPI_DOUBLE, buffer)
                           : redist_file_read(file, &view, MPI_DOUBLE, buffer);
    for (int k = 0; !err && !write && world_rank() == 0 && k < 35; k++)
        CHECK(buffer[k] == first + k, "element %d is %g", k, buffer[k]);
    redist_dist_destroy(&dist);
    return err;
}

static void make(const char *name, int version, const char *codec, double first)
{
    redist_file *file = NULL;
    CHECK_OK(create(name, layout_of(version, codec), &file));
    CHECK_OK(transfer(file, true, first));
    CHECK_OK(redist_file_close(&file));
}

static void check_array(const char *name, int version, double first)
{
    redist_file *file = NULL;
    redist_file_layout layout;
    CHECK_OK(open_file(name, REDIST_FILE_READ, &file));
    CHECK_OK(redist_file_describe(file, &layout));
    CHECK(layout.version == version, "version %d", layout.version);
    CHECK_OK(transfer(file, false, first));
    CHECK_OK(redist_file_close(&file));
}

/* ---- groups and what is replaced --------------------------------------------------- */

static void groups(void)
{
    redist_file *file = NULL;
    make("a.zarr:/g/h/t", 2, NULL, 0);
    CHECK(exists("a.zarr/.zgroup") && exists("a.zarr/g/.zgroup") &&
              exists("a.zarr/g/h/.zgroup") && exists("a.zarr/g/h/t/.zarray"),
          "groups of version 2");
    make("a.zarr:g/u", 0, NULL, 50); /* of the version of its group */
    check_array("a.zarr:/g/h/t", 2, 0);
    check_array("a.zarr:/g/u", 2, 50);
    check_error(create("a.zarr:/v", layout_of(3, NULL), &file), REDIST_ERR_IO,
                "a group of version 2, the array is of version 3");
    check_error(create("a.zarr:/g", layout_of(2, NULL), &file), REDIST_ERR_IO,
                "a group, must be an array");
    check_error(create("a.zarr:/g/u/x", layout_of(2, NULL), &file), REDIST_ERR_IO,
                "an array, must be a group");
    check_error(open_file("a.zarr", REDIST_FILE_READ, &file), REDIST_ERR_IO,
                "a group, must be an array: name one as in");
    check_error(open_file("a.zarr:/x", REDIST_FILE_READ, &file), REDIST_ERR_IO,
                "no array of Zarr is there");
    make("b.zarr:/g/t", 0, NULL, 0);
    CHECK(exists("b.zarr/zarr.json") && exists("b.zarr/g/zarr.json"),
          "groups of version 3");
    check_array("b.zarr:/g/t", 3, 0);
    put("b.zarr/plain", NULL); /* becomes a group */
    make("b.zarr:/plain/t", 0, NULL, 9);
    CHECK(exists("b.zarr/plain/zarr.json"), "a group");
    check_array("b.zarr:/plain/t", 3, 9);
    make("c.zarr:/lock", 3, NULL, 4); /* no name of a file of ours */
    check_array("c.zarr:/lock", 3, 4);
    remove_all("c.zarr");
    remove_all("a.zarr");
    remove_all("b.zarr");
}

static void replacing(void)
{
    redist_file *file = NULL;
    make("a.zarr", 2, NULL, 0);
    make("a.zarr", 3, "gzip", 100);
    CHECK(!exists("a.zarr/.zarray"), "the old array is gone");
    check_array("a.zarr", 3, 100);
    /* until it is closed the old one stays; after an error, too */
    CHECK_OK(create("a.zarr", layout_of(2, NULL), &file));
    CHECK_OK(transfer(file, true, 7));
    check_array("a.zarr", 3, 100);
    check_error(redist_file_write(file, NULL, MPI_DOUBLE, NULL), REDIST_ERR_ARG, "view");
    CHECK_OK(redist_file_close(&file));
    check_array("a.zarr", 3, 100);
    /* a link stands for what it leads to */
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) CHECK(symlink("a.zarr", in_folder("l.zarr")) == 0, "symlink");
    make("l.zarr", 2, NULL, 3);
    check_array("a.zarr", 2, 3);
    remove_all("l.zarr");
    remove_all("a.zarr");
    put("a.zarr", NULL);
    make("a.zarr", 0, NULL, 8); /* an empty folder */
    check_array("a.zarr", 3, 8);
    remove_all("a.zarr");
    put("a.zarr", NULL);
    put("a.zarr/precious", "data");
    check_error(create("a.zarr", layout_of(3, NULL), &file), REDIST_ERR_IO,
                "a folder without an array of Zarr");
    CHECK(exists("a.zarr/precious"), "what is no array stays");
    remove_all("a.zarr");
    put("a.zarr", "a file");
    check_error(create("a.zarr", layout_of(3, NULL), &file), REDIST_ERR_IO, "no folder");
    remove_all("a.zarr");
}

static void paths(void)
{
    static const char *const names[] = {
        "a.zarr:/..",        "a.zarr:/../b",     "a.zarr:/t/../../b", "a.zarr:/t//u",
        "a.zarr://t",        "a.zarr:/t/",       "a.zarr:/.",         "a.zarr:/.zarray",
        "a.zarr:/zarr.json", "a.zarr:/t/.zgroup"};
    redist_file *file = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        check_error(create(names[k], layout_of(3, NULL), &file), REDIST_ERR_IO,
                    "is no name of a group or an array");
        check_error(open_file(names[k], REDIST_FILE_READ, &file), REDIST_ERR_IO,
                    "is no name of a group or an array");
    }
    CHECK(!exists("a.zarr") && !exists("b"), "nothing is made");
}

static void bad_layouts(void)
{
    redist_file *file = NULL;
    redist_file_layout layout = layout_of(4, NULL);
    check_error(create("a.zarr", layout, &file), REDIST_ERR_ARG, "version is 4");
    layout = layout_of(-1, NULL);
    check_error(create("a.zarr", layout, &file), REDIST_ERR_ARG, "version is -1");
    check_error(create("a.zarr", layout_of(3, "lzma"), &file), REDIST_ERR_ARG,
                "layout: codec is \"lzma\"");
    check_error(create("a.zarr", layout_of(3, "gzip:10"), &file), REDIST_ERR_ARG,
                "codec gzip: level is 10, must be 0 .. 9");
    check_error(create("a.zarr", layout_of(3, "gzip:5x"), &file), REDIST_ERR_ARG,
                "codec");
    check_error(create("a.zarr", layout_of(3, "zlib"), &file), REDIST_ERR_ARG,
                "version 3 has none");
    layout = layout_of(3, NULL);
    layout.type = "|S3";
    check_error(create("a.zarr", layout, &file), REDIST_ERR_ARG, "version 3 has no such");
    layout = layout_of(3, NULL);
    layout.chunk[0] = INT64_C(1) << 40;
    layout.chunk[1] = INT64_C(1) << 40;
    check_error(create("a.zarr", layout, &file), REDIST_ERR_ARG, "a chunk has more than");
    check_error(create("no/a.zarr", layout_of(3, NULL), &file), REDIST_ERR_IO,
                "No such file");
    CHECK(!exists("a.zarr"), "nothing is made");
}

/* ---- broken files ------------------------------------------------------------------ */

static void bad_metadata(void)
{
    static const char v2[] =
        "{\"zarr_format\": 2, \"shape\": [5, 7], \"chunks\": [2, 3], \"order\": \"C\", "
        "\"dtype\": \"<f8\", \"fill_value\": 0, \"compressor\": null, \"filters\": null}";
    static const char v3[] =
        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [5, 7], "
        "\"data_type\": \"float64\", \"fill_value\": 0, \"chunk_grid\": {\"name\": "
        "\"regular\", \"configuration\": {\"chunk_shape\": [2, 3]}}, "
        "\"chunk_key_encoding\": {\"name\": \"default\"}, \"codecs\": [{\"name\": "
        "\"bytes\", \"configuration\": {\"endian\": \"little\"}}]}";
    static const struct change {
        const char *from, *to, *words;
    } changes[] = {
        {"5, 7]", "5, 7", "expected "},
        {"[5, 7]", "[5, -7]", "shape is -7"},
        {"[5, 7]", "[5, 7, 9]", "shape has 3 numbers"},
        {"[5, 7]", "[99999999999999999999, 7]", "shape is 99999999999999999999"},
        {"[5, 7]", "[9223372036854775807, 9]", "more than 2^63 bytes"},
        {"[5, 7]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "more than 15 numbers"},
        {"[2, 3]", "[0, 3]", "a chunk has 0 elements"},
        {"[2, 3]", "[9223372036854775807, 3]", "a chunk has more than 2^63 bytes"},
        {"\"fill_value\": 0", "\"fill_value\": \"x\"", "fill_value is \"x\", must be"},
        {"\"<f8\"", "\"<f9\"", "dtype \"<f9\" is not supported"},
        {"\"<f8\"", "\"|O\"", "Python objects"},
        {"\"C\"", "\"K\"", "order is \"K\""},
        {"\"C\"", "\"C\", \"order\": \"K\"", "order is \"K\""},
        {"null", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
         "values within values, 64 deep"},
        {"null", "{\"id\": \"lzma\"}", "codec lzma is not supported"},
        {"null", "{\"id\": \"gzip\", \"level\": 77}", "level is 77"},
        {"\"filters\": null", "\"filters\": [{\"id\": \"delta\"}]",
         "filters: id is \"delta"},
        {"\"float64\"", "\"string\"", "data_type is \"string\""},
        {"\"float64\"", "\"r7\"", "data_type is \"r7\""},
        {"\"bytes\"", "\"sharding_indexed\"", "chunk_shape is "},
        {"\"little\"", "\"middle\"", "endian is \"middle\""},
        {"\"default\"", "\"other\"", "chunk_key_encoding is \"other\""},
        {"\"regular\"", "\"rectangular\"", "chunk_grid is \"rectangular\""},
        {"\"codecs\"", "\"new\": 1, \"codecs\"", "a member is \"new\""},
        {"zarr_format\": 3", "zarr_format\": 4", "zarr_format is 4"},
    };
    redist_file *file = NULL;
    for (size_t k = 0; k < 2 * sizeof changes / sizeof *changes; k++) {
        const char *text = k % 2 ? v3 : v2, *at = strstr(text, changes[k / 2].from);
        char changed[1024];
        if (!at) continue;
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text,
                 changes[k / 2].to, at + strlen(changes[k / 2].from));
        put("a.zarr", NULL);
        put(k % 2 ? "a.zarr/zarr.json" : "a.zarr/.zarray", changed);
        check_error(open_file("a.zarr", REDIST_FILE_READ, &file), REDIST_ERR_IO,
                    changes[k / 2].words);
        CHECK(strstr(redist_error_message(), "a.zarr"), "without the name");
        remove_all("a.zarr");
    }
    put("a.zarr", NULL);
    put("a.zarr/.zarray", "{}");
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0)
        CHECK(truncate(in_folder("a.zarr/.zarray"), 65 << 20) == 0, "truncate");
    check_error(open_file("a.zarr", REDIST_FILE_READ, &file), REDIST_ERR_IO,
                "has 68157440 bytes, must have at most");
    remove_all("a.zarr");
}

/* Change a chunk of an array that is open. */
static void break_chunk(redist_file *file, const char *chunk, const char *how)
{
    const char *path = in_folder(chunk);
    struct stat status;
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0 && strcmp(how, "is no regular file") == 0) {
        CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0, "%s", path);
    } else if (world_rank() == 0) {
        FILE *out = fopen(path, "r+b");
        CHECK(out && stat(path, &status) == 0, "%s", path);
        bool cut = strcmp(how, "truncated") == 0;
        fseek(out, status.st_size / 2, SEEK_SET);
        for (int k = 0; !cut && k < 20; k++) fputc(0xa5, out);
        fclose(out);
        if (cut) CHECK(truncate(path, status.st_size - 3) == 0, "%s", path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_error(transfer(file, false, 0), REDIST_ERR_IO, chunk);
}

/* Put a sound chunk of another length there. */
static void exchange_chunk(redist_file *file, const char *chunk, const char *codec,
                           int version, int rows)
{
    redist_file *other = NULL;
    redist_file_layout layout = layout_of(version, codec);
    layout.chunk[0] = rows;
    CHECK_OK(create("b.zarr", layout, &other));
    CHECK_OK(transfer(other, true, 0));
    CHECK_OK(redist_file_close(&other));
    if (world_rank() == 0)
        CHECK(rename(in_folder(version == 2 ? "b.zarr/0.0" : "b.zarr/c/0/0"),
                     in_folder(chunk)) == 0,
              "%s", chunk);
    remove_all("b.zarr");
    check_error(transfer(file, false, 0), REDIST_ERR_IO, chunk);
}

static void broken_chunks(void)
{
    static const char *const codecs[] = {"none", "gzip", "zstd", "blosc"};
    static const char *const ways[] = {"truncated", "corrupt", "is no regular file",
                                       "short", "long"};
    for (int k = 0; k < 20; k++) {
        redist_file *file = NULL;
        int version = 2 + k % 2;
        const char *codec = codecs[k / 5], *way = ways[k % 5];
        const char *chunk = version == 2 ? "a.zarr/1.2" : "a.zarr/c/1/2";
        redist_err err = create("a.zarr", layout_of(version, codec), &file);
        if (err && strstr(redist_error_message(), "built without it")) continue;
        CHECK_OK(err);
        CHECK_OK(transfer(file, true, 0));
        CHECK_OK(redist_file_close(&file));
        CHECK_OK(open_file("a.zarr", REDIST_FILE_READ, &file));
        CHECK_OK(transfer(file, false, 0));
        /* plain elements may be anything; blosc and zstd have no sum */
        if (k % 5 >= 3)
            exchange_chunk(file, chunk, codec, version, k % 5 == 3 ? 1 : 5);
        else if (strcmp(way, "corrupt") != 0 || strcmp(codec, "gzip") == 0)
            break_chunk(file, chunk, way);
        CHECK_OK(redist_file_close(&file));
        remove_all("a.zarr");
    }
}

/* A sum is written, and compared; of all chunks there is one. */
static void sums(void)
{
    redist_file *file = NULL;
    put("a.zarr", NULL);
    put("a.zarr/zarr.json",
        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [5, 7], "
        "\"data_type\": \"float64\", \"fill_value\": 0, \"chunk_grid\": {\"name\": "
        "\"regular\", \"configuration\": {\"chunk_shape\": [5, 7]}}, "
        "\"chunk_key_encoding\": {\"name\": \"default\"}, \"codecs\": [{\"name\": "
        "\"bytes\", \"configuration\": {\"endian\": \"little\"}}, "
        "{\"name\": \"crc32c\"}]}");
    CHECK_OK(open_file("a.zarr", REDIST_FILE_UPDATE, &file));
    CHECK_OK(transfer(file, true, 0));
    CHECK_OK(transfer(file, false, 0));
    break_chunk(file, "a.zarr/c/0/0", "corrupt");
    CHECK(strstr(redist_error_message(), "crc32c: corrupt"), "the sum");
    CHECK_OK(redist_file_close(&file));
    remove_all("a.zarr");
}

/* A missing chunk is full of the fill; a new one replaces it whole. */
static void missing_chunks(void)
{
    redist_file *file = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    double one = 5, found[35];
    int64_t start[] = {4, 6};
    put("a.zarr", NULL);
    put("a.zarr/.zarray",
        "{\"zarr_format\": 2, \"shape\": [5, 7], \"chunks\": [2, 3], \"order\": \"F\", "
        "\"dtype\": \"<f8\", \"fill_value\": -2.5, \"compressor\": null}");
    CHECK_OK(open_file("a.zarr", REDIST_FILE_UPDATE, &file));
    CHECK_OK(redist_view_parse("[1,1] (*,*) onto 1", &dist, &view));
    CHECK_OK(redist_file_write_section(file, start, NULL, &view, MPI_DOUBLE, &one));
    redist_dist_destroy(&dist);
    CHECK(exists("a.zarr/2.2") && !exists("a.zarr/0.0") && !exists("a.zarr/2.2.part"),
          "one chunk");
    CHECK_OK(redist_view_parse("[5,7] (*,*) onto 1", &dist, &view));
    CHECK_OK(redist_file_read(file, &view, MPI_DOUBLE, found));
    for (int k = 0; world_rank() == 0 && k < 35; k++)
        CHECK(found[k] == (k == 34 ? 5 : -2.5), "element %d is %g", k, found[k]);
    redist_dist_destroy(&dist);
    CHECK_OK(redist_file_close(&file));
    remove_all("a.zarr");
}

/* Fills as others may write them, in an array of no dimensions. */
static void fills(void)
{
    static const struct fill {
        const char *type, *text;
        unsigned char bytes[8];
    } known[] = {
        {"<f2", "0.1", {0x66, 0x2e}},           /* rounded up */
        {">f2", "0.3", {0x34, 0xcd}},           /* rounded up */
        {"<f2", "1.00048828125", {0x00, 0x3c}}, /* half way: to the even one */
        {"<f2", "65519.9", {0xff, 0x7b}},
        {"<f2", "65520", {0x00, 0x7c}},
        {"<f2", "-1e-7", {0x02, 0x80}},
        {"<f4", "0.1", {0xcd, 0xcc, 0xcc, 0x3d}},
        {"<i8", "9007199254740993", {1, 0, 0, 0, 0, 0, 0x20}},
        {">i4", "-2.0", {0xff, 0xff, 0xff, 0xfe}},
        {"|u1", "1e2", {100}},
        {"|b1", "1", {1}},
        {"|S3", "\"YWI=\"", {'a', 'b', 0}},
        {"<U1", "\"\\ud83d\\ude00\"", {0x00, 0xf6, 0x01}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        redist_file *file = NULL;
        redist_dist *dist = NULL;
        redist_view view;
        MPI_Datatype type;
        char text[256];
        unsigned char found[8] = {0};
        int bytes = atoi(known[k].type + 2) * (known[k].type[1] == 'U' ? 4 : 1);
        snprintf(text, sizeof text,
                 "{\"zarr_format\": 2, \"shape\": [], \"chunks\": [], \"order\": \"C\", "
                 "\"dtype\": \"%s\", \"fill_value\": %s, \"compressor\": null}",
                 known[k].type, known[k].text);
        put("a.zarr", NULL);
        put("a.zarr/.zarray", text);
        MPI_Type_contiguous(bytes, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        CHECK_OK(redist_view_parse("[1] (*) onto 1", &dist, &view));
        CHECK_OK(open_file("a.zarr", REDIST_FILE_READ, &file));
        CHECK_OK(redist_file_read(file, &view, type, found));
        CHECK(world_rank() || memcmp(found, known[k].bytes, sizeof found) == 0,
              "%s of %s: %02x %02x", known[k].text, known[k].type, found[0], found[1]);
        CHECK_OK(redist_file_close(&file));
        redist_dist_destroy(&dist);
        MPI_Type_free(&type);
        remove_all("a.zarr");
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    folder_begin("zarr");
    groups();
    replacing();
    paths();
    bad_layouts();
    bad_metadata();
    broken_chunks();
    sums();
    missing_chunks();
    fills();
    folder_end();
    return passed("arrays of Zarr");
}
