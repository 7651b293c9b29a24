/* SPDX-License-Identifier: MIT
 *
 * Zarr: the metadata of an array, of either version, or, behind a first byte of 1 to 6, a
 * chunk that was encoded, or, behind a 7, a shard. Metadata that are accepted are
 * printed, and read again; a chunk that is decoded has the length that was expected, and
 * comes back when it is encoded and decoded, as do the elements of a shard.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#include "base/intmath.h"
#include "base/mem.h"
#include "files/metadata/metadata.h"
#include "files/zarr/shard.h"

/* ---- metadata ---------------------------------------------------------------------- */

static void check_same(const struct metadata *a, const struct metadata *b)
{
    size_t bytes = (size_t)a->ndims * sizeof *a->shape;
    CHECK(a->version == b->version && a->ndims == b->ndims);
    CHECK(memcmp(a->shape, b->shape, bytes) == 0 &&
          memcmp(a->chunk, b->chunk, bytes) == 0);
    CHECK(a->element_bytes == b->element_bytes && a->chunk_bytes == b->chunk_bytes);
    CHECK(a->order == b->order || a->ndims < 2);
    CHECK(a->separator == b->separator && a->codecs.count == b->codecs.count);
    CHECK(a->prefix == b->prefix && a->sharding.is == b->sharding.is);
    CHECK(memcmp(a->sharding.inner, b->sharding.inner, bytes) == 0);
    CHECK(a->sharding.index_bytes == b->sharding.index_bytes);
    CHECK(a->sharding.index_first == b->sharding.index_first);
    CHECK(a->sharding.index_big == b->sharding.index_big);
    CHECK(a->sharding.index.count == b->sharding.index.count);
    for (int k = 0; k < a->codecs.count; k++) {
        CHECK(a->codecs.list[k].kind == b->codecs.list[k].kind);
        CHECK(a->codecs.list[k].level == b->codecs.list[k].level);
    }
}

static void check_printed(const struct metadata *metadata)
{
    struct metadata read;
    char *text = NULL, *again = NULL;
    int64_t size, size_again;
    fuzz_clear();
    redist_err err = metadata_print(metadata, &text, &size);
    if (err) { /* a name of a field with an escape that JSON lacks */
        fuzz_refused(err, NULL);
        return;
    }
    CHECK((int64_t)strlen(text) == size);
    err = metadata_parse(text, size, &read);
    if (err) { /* a text that is much longer than it was */
        CHECK(err == REDIST_ERR_MEMORY);
    } else {
        bool is_array = false;
        check_same(metadata, &read);
        GOOD(metadata_is_array(text, size, &is_array));
        CHECK(is_array);
        GOOD(metadata_print(&read, &again, &size_again));
        CHECK(strcmp(text, again) == 0);
        mem_free(again);
        metadata_free(&read);
    }
    mem_free(text);
}

static void read_metadata(const char *text, int64_t size)
{
    struct metadata metadata;
    fuzz_clear();
    redist_err err = metadata_parse(text, size, &metadata);
    if (err) {
        fuzz_refused(err, NULL);
        CHECK(!metadata.type && !metadata.fill);
        return;
    }
    int128 bytes = metadata.element_bytes;
    CHECK(metadata.element_bytes >= 1 && metadata.element_bytes <= INT32_MAX);
    CHECK(metadata.ndims >= 0 && metadata.ndims <= REDIST_MAX_DIMS);
    for (int i = 0; i < metadata.ndims; i++) {
        CHECK(metadata.shape[i] >= 0 && metadata.chunk[i] >= 1);
        bytes *= metadata.chunk[i];
    }
    CHECK(metadata.chunk_bytes == (int64_t)bytes && bytes <= INT64_MAX);
    check_printed(&metadata);
    metadata_free(&metadata);
}

/* ---- chunks ------------------------------------------------------------------------ */

static void fill_work(struct codec_work *work, const void *bytes, size_t size)
{
    GOOD(codec_reserve(&work->block[0], (int64_t)size));
    if (size > 0) memcpy(work->block[0].bytes, bytes, size);
}

static void read_chunk(const char *codec, bool sum, int64_t expected, const uint8_t *data,
                       size_t size)
{
    struct codecs codecs = {0};
    struct codec_work work = {0};
    fuzz_clear();
    redist_err err = codec ? codecs_add(&codecs, codec, NULL) : REDIST_OK;
    if (err) { /* the library was built without it */
        fuzz_refused(err, NULL);
        return;
    }
    if (codec) codecs.list[0].element_bytes = 4;
    if (sum) GOOD(codecs_add(&codecs, "crc32c", NULL));
    fill_work(&work, data, size);
    err = codecs_decode(&codecs, expected, &work);
    if (err) fuzz_refused(err, NULL);
    CHECK(err || work.block[0].size == expected);
    fill_work(&work, data, size);
    GOOD(codecs_encode(&codecs, &work));
    if (size > 0) {
        GOOD(codecs_decode(&codecs, (int64_t)size, &work));
        CHECK(work.block[0].size == (int64_t)size);
        CHECK(memcmp(work.block[0].bytes, data, size) == 0);
    }
    codec_work_free(&work);
}

/* ---- shards ------------------------------------------------------------------------ */

static void make_shards(unsigned how, struct metadata *metadata)
{
    static const char *const codecs[] = {"", ", {\"name\": \"crc32c\"}",
                                         ", {\"name\": \"gzip\"}",
                                         ", {\"name\": \"zstd\"}"};
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4, 6], "
        "\"data_type\": "
        "\"int16\", \"fill_value\": 5, \"chunk_grid\": {\"name\": \"regular\", "
        "\"configuration\": {\"chunk_shape\": [4, 6]}}, \"chunk_key_encoding\": "
        "\"default\", \"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": "
        "{\"chunk_shape\": [2, 3], \"codecs\": [{\"name\": \"bytes\", "
        "\"configuration\": {\"endian\": \"little\"}}%s], \"index_codecs\": "
        "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"%s\"}}%s], "
        "\"index_location\": \"%s\"}}]}",
        codecs[how & 3], how & 4 ? "big" : "little", codecs[how >> 3 & 1],
        how & 16 ? "start" : "end");
    redist_err err = metadata_parse(text, (int64_t)strlen(text), metadata);
    if (err) fuzz_refused(err, NULL); /* the library was built without the codec */
}

static int make_file(const uint8_t *data, size_t size)
{
    int file = memfd_create("shard", MFD_CLOEXEC);
    CHECK(file >= 0 && write(file, data, size) == (ssize_t)size);
    return file;
}

static void read_shard(unsigned how, const uint8_t *data, size_t size)
{
    struct metadata metadata;
    char elements[4 * 6 * 2];
    fuzz_clear();
    make_shards(how, &metadata);
    if (!metadata.fill) return;
    struct chunks chunks = {.metadata = &metadata};
    int file = make_file(data, size), again = make_file(NULL, 0);
    redist_err err = shard_read(&chunks, file, "shard", (int64_t)size);
    if (err) fuzz_refused(err, NULL);
    if (!err) {
        CHECK(chunks.work.block[0].size == sizeof elements);
        memcpy(elements, chunks.work.block[0].bytes, sizeof elements);
        GOOD(shard_write(&chunks, again, "shard"));
        int64_t bytes = lseek(again, 0, SEEK_END);
        GOOD(shard_read(&chunks, again, "shard", bytes));
        CHECK(chunks.work.block[0].size == sizeof elements);
        CHECK(memcmp(elements, chunks.work.block[0].bytes, sizeof elements) == 0);
    }
    (void)close(file);
    (void)close(again);
    chunks_free(&chunks);
    metadata_free(&metadata);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    static const char *const codecs[] = {"gzip", "zlib", "zstd", "blosc", "crc32c", NULL};
    enum { MOST = 1 << 16 };
    if (size >= 2 && data[0] == 7) {
        read_shard(data[1], data + 2, size - 2);
        return;
    }
    if (size < 4 || data[0] < 1 || data[0] > 6) {
        read_metadata((const char *)data, (int64_t)size);
        return;
    }
    int64_t expected = 1 + ((data[1] | data[2] << 8) % MOST);
    read_chunk(codecs[data[0] - 1], data[3] & 1, expected, data + 4, size - 4);
}
