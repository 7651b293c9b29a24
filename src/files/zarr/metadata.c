/* SPDX-License-Identifier: MIT */
#include "files/zarr/metadata.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/dtype.h"
#include "files/zarr/fill.h"

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
    return fits ? REDIST_OK
                : error_set(REDIST_ERR_IO, "a chunk has more than 2^63 bytes");
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
        if (bytes <= MOST || m->ndims == 0 || m->chunk[longest] == 1) return;
        m->chunk[longest] = int_ceil_div(m->chunk[longest], 2);
    }
}

redist_err metadata_make(int version, const redist_file_layout *layout,
                         int64_t element_bytes, struct metadata *m)
{
    *m = (struct metadata){.version = version, .ndims = layout->ndims};
    m->element_bytes = element_bytes;
    m->order = layout->order;
    m->prefix = version == 3;
    m->separator = version == 3 ? '/' : '.';
    TRY(codecs_parse(layout->codec, &m->codecs));
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
