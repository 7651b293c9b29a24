/* SPDX-License-Identifier: MIT */
#include "files/zarr/shard.h"

#include <string.h>

#include "base/error.h"
#include "files/format/temporary.h"
#include "files/format/window.h"
#include "files/zarr/common.h"

enum { NUMBER_BYTES = 8, ENTRY_BYTES = 16 };

/* ---- the index --------------------------------------------------------------------- */

/* Where a byte of a number lies: byte k has the value 256^k. */
static int place_of(const struct sharding *s, int k)
{
    return s->index_big ? NUMBER_BYTES - 1 - k : k;
}

static uint64_t get_number(const struct sharding *s, const char *at)
{
    uint64_t number = 0;
    for (int k = 0; k < NUMBER_BYTES; k++)
        number |= (uint64_t)(unsigned char)at[place_of(s, k)] << 8 * k;
    return number;
}

static void put_number(const struct sharding *s, uint64_t number, char *at)
{
    for (int k = 0; k < NUMBER_BYTES; k++)
        at[place_of(s, k)] = (char)(number >> 8 * k & 255);
}

static redist_err read_index(struct chunks *chunks, int descriptor, const char *path,
                             int64_t file_bytes)
{
    const struct sharding *s = &chunks->metadata->sharding;
    struct codec_block *block = &chunks->work.block[0];
    int64_t bytes = s->index_bytes + codecs_sums(&s->index);
    if (file_bytes < bytes)
        return error_set(REDIST_ERR_IO,
                         "%s: corrupt: has %" PRId64 " bytes, the index alone %" PRId64,
                         path, file_bytes, bytes);
    TRY(codec_reserve(block, bytes));
    TRY(read_fully(descriptor, path, block->bytes, bytes,
                   s->index_first ? 0 : file_bytes - bytes));
    redist_err err = codecs_decode(&s->index, s->index_bytes, &chunks->work);
    if (err) return error_prefix(err, "%s: index", path);
    codec_swap(&chunks->index, block);
    return REDIST_OK;
}

static redist_err write_index(struct chunks *chunks, int descriptor, const char *path,
                              int64_t end)
{
    const struct sharding *s = &chunks->metadata->sharding;
    struct codec_block *block = &chunks->work.block[0];
    codec_swap(&chunks->index, block);
    TRY(codecs_encode(&s->index, &chunks->work));
    return write_fully(descriptor, path, block->bytes, block->size,
                       s->index_first ? 0 : end);
}

/* ---- inner chunks ------------------------------------------------------------------ */

/* Find the k-th inner chunk in the shard's memory, and its entry of the index. */
static bool find_inner(const struct chunks *chunks, const struct box *shard, int64_t k,
                       struct common *common, char **entry)
{
    const struct metadata *m = chunks->metadata;
    int64_t number = 0;
    if (!common_find(m, m->sharding.inner, shard, k, common)) return false;
    for (int i = 0; i < m->ndims; i++)
        number = number * (m->chunk[i] / m->sharding.inner[i]) + common->index[i];
    *entry = chunks->index.bytes + number * ENTRY_BYTES;
    return true;
}

static struct box box_of(const struct metadata *m)
{
    struct box box = {.extent = {1}};
    for (int i = 0; i < m->ndims; i++) box.extent[i] = m->chunk[i];
    return box;
}

/* Read an inner chunk into work.block[0]. */
static redist_err read_inner(struct chunks *chunks, const char *entry, int descriptor,
                             const char *path, int64_t file_bytes)
{
    const struct metadata *m = chunks->metadata;
    const struct sharding *s = &m->sharding;
    struct codec_block *block = &chunks->work.block[0];
    uint64_t offset = get_number(s, entry), bytes = get_number(s, entry + NUMBER_BYTES);
    if (offset == UINT64_MAX && bytes == UINT64_MAX) {
        TRY(codec_reserve(block, s->inner_bytes));
        metadata_fill(m, block->bytes, block->size);
        return REDIST_OK;
    }
    if (offset > (uint64_t)file_bytes || bytes > (uint64_t)file_bytes - offset)
        return error_set(REDIST_ERR_IO,
                         "corrupt: ends beyond the shard, of %" PRId64 " bytes",
                         file_bytes);
    if (bytes > (uint64_t)codecs_bound(s->inner_bytes))
        return error_set(REDIST_ERR_IO,
                         "corrupt: has %" PRIu64 " bytes, decoded only %" PRId64, bytes,
                         s->inner_bytes);
    TRY(codec_reserve(block, (int64_t)bytes));
    TRY(read_fully(descriptor, path, block->bytes, block->size, (int64_t)offset));
    return codecs_decode(&m->codecs, s->inner_bytes, &chunks->work);
}

redist_err shard_read(struct chunks *chunks, int descriptor, const char *path,
                      int64_t file_bytes)
{
    const struct metadata *m = chunks->metadata;
    const struct box shard = box_of(m);
    struct common common;
    char *entry;
    TRY(read_index(chunks, descriptor, path, file_bytes));
    TRY(codec_reserve(&chunks->shard, m->chunk_bytes));
    for (int64_t k = 0; find_inner(chunks, &shard, k, &common, &entry); k++) {
        redist_err err = read_inner(chunks, entry, descriptor, path, file_bytes);
        if (err == REDIST_ERR_IO)
            return error_prefix(err, "%s: inner chunk %" PRId64, path,
                                (int64_t)(entry - chunks->index.bytes) / ENTRY_BYTES);
        TRY(err);
        common_copy(&common, &shard, m->element_bytes, chunks->work.block[0].bytes,
                    chunks->shard.bytes, true);
    }
    codec_swap(&chunks->shard, &chunks->work.block[0]);
    return REDIST_OK;
}

static bool is_fill(const struct metadata *m, const struct codec_block *block)
{
    size_t element = (size_t)m->element_bytes;
    return memcmp(block->bytes, m->fill, element) == 0 &&
           memcmp(block->bytes, block->bytes + element, (size_t)block->size - element) ==
               0;
}

redist_err shard_write(struct chunks *chunks, int descriptor, const char *path)
{
    const struct metadata *m = chunks->metadata;
    const struct sharding *s = &m->sharding;
    const struct box shard = box_of(m);
    struct codec_block *block = &chunks->work.block[0];
    struct common common;
    char *entry;
    int64_t end = s->index_first ? s->index_bytes + codecs_sums(&s->index) : 0;
    TRY(codec_reserve(&chunks->index, s->index_bytes));
    codec_swap(&chunks->shard, &chunks->work.block[0]);
    for (int64_t k = 0; find_inner(chunks, &shard, k, &common, &entry); k++) {
        TRY(codec_reserve(block, s->inner_bytes));
        common_copy(&common, &shard, m->element_bytes, block->bytes, chunks->shard.bytes,
                    false);
        bool left_out = is_fill(m, block);
        if (!left_out) {
            redist_err err = codecs_encode(&m->codecs, &chunks->work);
            if (err) return err == REDIST_ERR_IO ? error_prefix(err, "%s", path) : err;
            TRY(write_fully(descriptor, path, block->bytes, block->size, end));
        }
        put_number(s, left_out ? UINT64_MAX : (uint64_t)end, entry);
        put_number(s, left_out ? UINT64_MAX : (uint64_t)block->size,
                   entry + NUMBER_BYTES);
        end += left_out ? 0 : block->size;
    }
    return write_index(chunks, descriptor, path, end);
}
