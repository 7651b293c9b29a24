/* SPDX-License-Identifier: MIT */
#include "files/metadata/metadata.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/dtype.h"
#include "files/metadata/fill.h"

/* ---- members ----------------------------------------------------------------------- */

redist_err metadata_set_fill(struct metadata *m, struct json fill)
{
    const char *rest;
    TRY(dtype_bytes(m->type, &m->element_bytes));
    m->fill = mem_alloc(NULL, m->element_bytes, 1);
    if (!m->fill) return REDIST_ERR_MEMORY;
    for (int k = 0; k < m->codecs.count; k++)
        if (m->codecs.list[k].element_bytes == 0)
            m->codecs.list[k].element_bytes = m->element_bytes;
    return fill_read(fill, m->version, type_element(m->type, m->element_bytes, &rest),
                     m->fill);
}

redist_err metadata_set_shape(struct metadata *m, struct json shape, struct json chunks,
                              const char *names[2])
{
    int count;
    TRY(json_integers_of(shape, names[0], REDIST_MAX_DIMS, &m->ndims, m->shape));
    TRY(json_integers_of(chunks, names[1], REDIST_MAX_DIMS, &count, m->chunk));
    if (count == m->ndims) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%s has %d numbers, %s has %d", names[0], m->ndims,
                     names[1], count);
}

redist_err metadata_set_separator(struct metadata *m, struct json separator)
{
    if (!json_kind(separator)) return REDIST_OK;
    if (!json_is(separator, ".") && !json_is(separator, "/"))
        return json_refuse(separator, "the separator", "\".\" or \"/\"");
    m->separator = separator.begin[1];
    return REDIST_OK;
}

static redist_err set_level(struct codec *codec, struct json level)
{
    int64_t number = 0;
    if (!json_kind(level)) return REDIST_OK;
    bool negative = *level.begin == '-';
    level.begin += negative;
    TRY(json_integer_of(level, "level", &number));
    return codec_set_level(codec, negative ? -number : number);
}

static redist_err set_blosc(struct codec *codec, struct json parameters)
{
    static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
    static const char *const names[] = {"blosclz", "lz4",  "lz4hc",
                                        "snappy",  "zlib", "zstd"};
    struct json name = json_member(parameters, "cname");
    struct json shuffle = json_member(parameters, "shuffle");
    struct json block = json_member(parameters, "blocksize");
    struct json element = json_member(parameters, "typesize");
    int64_t number = 0;
    bool known = !json_kind(name);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (!json_is(name, names[k])) continue;
        strncpy(codec->compressor, names[k], sizeof codec->compressor - 1);
        known = true;
    }
    if (!known) return json_refuse(name, "blosc: cname", "a compressor of Blosc");
    if (json_kind(block)) TRY(json_integer_of(block, "blocksize", &codec->block_bytes));
    if (json_kind(element))
        TRY(json_integer_of(element, "typesize", &codec->element_bytes));
    for (int k = 0; k < 3; k++)
        if (json_is(shuffle, shuffles[k])) codec->shuffle = k;
    if (json_kind(shuffle) == '0' && *shuffle.begin == '-')
        codec->shuffle = -1;
    else if (json_kind(shuffle) == '0') {
        TRY(json_integer_of(shuffle, "shuffle", &number));
        codec->shuffle = (int)int_min(number, 2);
    }
    return set_level(codec, json_member(parameters, "clevel"));
}

redist_err metadata_set_codec(struct codec *codec, struct json parameters)
{
    if (codec->kind == &codec_blosc) return set_blosc(codec, parameters);
    codec->checksum = json_kind(json_member(parameters, "checksum")) == 't';
    return set_level(codec, json_member(parameters, "level"));
}

void metadata_print_blosc(const struct codec *codec, struct text *out)
{
    text_add(out, "\"cname\": \"%s\", \"clevel\": %d, \"blocksize\": %" PRId64,
             codec->compressor, codec->level, codec->block_bytes);
}

/* ---- parse ------------------------------------------------------------------------- */

static redist_err check_inner(struct metadata *m)
{
    enum { ENTRY_BYTES = 16 };
    struct sharding *s = &m->sharding;
    s->inner_bytes = m->element_bytes;
    s->inner_count = 1;
    for (int i = 0; i < m->ndims; i++) {
        if (s->inner[i] < 1 || m->chunk[i] % s->inner[i])
            return error_set(REDIST_ERR_IO,
                             "dim %d: an inner chunk has %" PRId64
                             " elements, must have a divisor of the shard's %" PRId64,
                             i, s->inner[i], m->chunk[i]);
        s->inner_bytes *= s->inner[i];
        s->inner_count *= m->chunk[i] / s->inner[i];
    }
    if (int_mul(s->inner_count, ENTRY_BYTES, &s->index_bytes)) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "a shard has more than 2^59 inner chunks");
}

/* Check the chunks, and set their bytes; the layout checks the rest. */
static redist_err check_chunks(struct metadata *m)
{
    m->chunk_bytes = m->element_bytes;
    bool fits = true;
    for (int i = 0; i < m->ndims; i++) {
        if (m->chunk[i] < 1)
            return error_set(REDIST_ERR_IO,
                             "dim %d: a chunk has %" PRId64
                             " elements, must have at least 1",
                             i, m->chunk[i]);
        fits = fits && int_mul(m->chunk_bytes, m->chunk[i], &m->chunk_bytes);
    }
    if (!fits) return error_set(REDIST_ERR_IO, "a chunk has more than 2^63 bytes");
    return m->sharding.is ? check_inner(m) : REDIST_OK;
}

static redist_err find_version(struct json root, int *version)
{
    int64_t number = 0;
    struct json value = json_member(root, "zarr_format");
    if (json_kind(root) != '{') return json_refuse(root, "the text", "an object of JSON");
    TRY(json_integer_of(value, "zarr_format", &number));
    if (number != 2 && number != 3) return json_refuse(value, "zarr_format", "2 or 3");
    *version = (int)number;
    return REDIST_OK;
}

redist_err metadata_parse(const char *text, int64_t size, struct metadata *m)
{
    struct json root;
    *m = (struct metadata){0};
    redist_err err = json_check(text, size, &root);
    if (!err) err = find_version(root, &m->version);
    if (!err) err = m->version == 2 ? version2_parse(root, m) : version3_parse(root, m);
    if (!err) err = check_chunks(m);
    if (err) metadata_free(m);
    return err;
}

void metadata_free(struct metadata *m)
{
    mem_free(m->type);
    mem_free(m->fill);
    m->type = m->fill = NULL;
}

void metadata_fill(const struct metadata *m, char *bytes, int64_t size)
{
    memcpy(bytes, m->fill, (size_t)m->element_bytes);
    for (int64_t done = m->element_bytes; done < size;) { /* twice as many */
        int64_t more = int_min(done, size - done);
        memcpy(bytes + done, bytes, (size_t)more);
        done += more;
    }
}

redist_err metadata_is_array(const char *text, int64_t size, bool *is_array)
{
    struct json root;
    int version;
    TRY(json_check(text, size, &root));
    TRY(find_version(root, &version));
    struct json node = json_member(root, "node_type");
    *is_array = json_kind(json_member(root, "shape")) || json_is(node, "array");
    return REDIST_OK;
}

/* ---- make -------------------------------------------------------------------------- */

/* Halve the longest dimension until a chunk is short enough. */
static void choose_chunks(struct metadata *m)
{
    enum { MOST = 4 << 20 };
    for (int i = 0; i < m->ndims; i++) m->chunk[i] = int_max(m->shape[i], 1);
    for (;;) {
        int longest = 0;
        int64_t bytes = m->element_bytes;
        for (int i = 0; i < m->ndims; i++) {
            if (m->chunk[i] > m->chunk[longest]) longest = i;
            bytes = bytes > MOST / m->chunk[i] ? MOST + 1 : bytes * m->chunk[i];
        }
        if (bytes <= MOST || m->ndims == 0 || m->chunk[longest] == 1) break;
        m->chunk[longest] = int_ceil_div(m->chunk[longest], 2);
    }
    for (int i = 0; m->sharding.is && i < m->ndims; i++)
        m->chunk[i] =
            int_ceil_div(m->chunk[i], m->sharding.inner[i]) * m->sharding.inner[i];
}

/* Read the codecs of a new array: sharding:8,8+zstd, or without shards. */
static redist_err take_codecs(struct metadata *m, const char *text)
{
    static const char word[] = "sharding:";
    struct sharding *s = &m->sharding;
    if (!text || strncmp(text, word, sizeof word - 1) != 0)
        return codecs_parse(text, &m->codecs);
    const char *at = text + sizeof word - 1;
    int count = 0, length = 0;
    long long number;
    while (count < m->ndims && sscanf(at, "%18lld%n", &number, &length) == 1 &&
           number > 0) {
        s->inner[count++] = number;
        at += length;
        if (*at != ',') break;
        at += count < m->ndims;
    }
    if (m->ndims == 0 || count < m->ndims || (*at && *at != '+'))
        return error_set(
            REDIST_ERR_IO,
            "codec is \"%.40s\", must have the %d extents of an inner chunk, "
            "as in sharding:8,8+zstd",
            text, m->ndims);
    s->is = true;
    TRY(codecs_add(&s->index, "crc32c", NULL));
    return codecs_parse(*at ? at + 1 : NULL, &m->codecs);
}

redist_err metadata_make(int version, const redist_file_layout *layout,
                         int64_t element_bytes, struct metadata *m)
{
    *m = (struct metadata){.version = version, .ndims = layout->ndims};
    m->element_bytes = element_bytes;
    m->order = layout->order;
    m->prefix = version == 3;
    m->separator = version == 3 ? '/' : '.';
    TRY(take_codecs(m, layout->codec));
    for (int k = 0; k < m->codecs.count; k++)
        m->codecs.list[k].element_bytes = element_bytes;
    for (int i = 0; i < m->ndims; i++) {
        m->shape[i] = layout->shape[i];
        m->chunk[i] = layout->chunk[i];
    }
    if (m->ndims > 0 && m->chunk[0] == 0) choose_chunks(m);
    TRY(check_chunks(m));
    m->type = mem_copy(NULL, layout->type, (int64_t)strlen(layout->type) + 1, 1);
    m->fill = mem_alloc(NULL, element_bytes, 1);
    char *text = NULL;
    int64_t size;
    redist_err err = m->type && m->fill ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) err = metadata_print(m, &text, &size); /* can it be said? */
    mem_free(text);
    if (err) metadata_free(m);
    return err;
}

const char *metadata_codec(const struct metadata *m, char text[METADATA_CODEC_TEXT])
{
    if (!m->sharding.is) return codecs_print(&m->codecs, text);
    char codecs[CODEC_TEXT];
    const char *rest = codecs_print(&m->codecs, codecs);
    int at = snprintf(text, METADATA_CODEC_TEXT, "sharding");
    for (int i = 0; i < m->ndims; i++)
        at += snprintf(text + at, (size_t)(METADATA_CODEC_TEXT - at), "%c%" PRId64,
                       i ? ',' : ':', m->sharding.inner[i]);
    if (rest) (void)snprintf(text + at, (size_t)(METADATA_CODEC_TEXT - at), "+%s", rest);
    return text;
}

redist_err metadata_print(const struct metadata *m, char **text, int64_t *size)
{
    struct text out = {0};
    redist_err err = m->version == 2 ? version2_print(m, &out) : version3_print(m, &out);
    if (!err) err = out.err;
    if (err) mem_free(out.bytes);
    *text = err ? NULL : out.bytes;
    *size = out.size;
    return err;
}
