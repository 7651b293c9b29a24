/* SPDX-License-Identifier: MIT
 *
 * files/metadata/version3.c - the metadata of version 3: zarr.json.
 * https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/metadata/fill.h"
#include "files/metadata/metadata.h"

/* ---- types ------------------------------------------------------------------------- */

static const struct type_name {
    const char *name, *numpy;
} types[] = {
    {"bool", "b1"},      {"int8", "i1"},        {"int16", "i2"},   {"int32", "i4"},
    {"int64", "i8"},     {"uint8", "u1"},       {"uint16", "u2"},  {"uint32", "u4"},
    {"uint64", "u8"},    {"float16", "f2"},     {"float32", "f4"}, {"float64", "f8"},
    {"complex64", "c8"}, {"complex128", "c16"},
};
enum { NTYPES = sizeof types / sizeof *types, TYPE_TEXT = 24 };

/* r16 is of 16 bits, whatever they mean. */
static redist_err parse_raw(struct json value, char type[TYPE_TEXT])
{
    struct json digits = {value.begin + 2, value.end - 1};
    int64_t bits = 0;
    if (json_kind(value) == '"' && value.begin[1] == 'r' &&
        !json_integer_of(digits, "data_type", &bits) && bits > 0 && bits % 8 == 0) {
        (void)snprintf(type, TYPE_TEXT, "|V%" PRId64, bits / 8);
        return REDIST_OK;
    }
    return json_refuse(value, "data_type", "one of the core of version 3");
}

/* `endian` is < or >, or 0 if none is given. */
static redist_err parse_type(struct json value, char endian, char **copy)
{
    char type[TYPE_TEXT] = "";
    for (int k = 0; k < NTYPES; k++) {
        if (!json_is(value, types[k].name)) continue;
        bool one = strcmp(types[k].numpy + 1, "1") == 0;
        if (!one && !endian)
            return error_set(REDIST_ERR_IO, "codec bytes: endian is missing");
        (void)snprintf(type, sizeof type, "%c%s", one ? '|' : endian, types[k].numpy);
    }
    if (!*type) TRY(parse_raw(value, type));
    *copy = mem_copy(NULL, type, (int64_t)strlen(type) + 1, 1);
    return *copy ? REDIST_OK : REDIST_ERR_MEMORY;
}

static redist_err print_type(const struct metadata *m, struct element element,
                             const char *rest, struct text *out)
{
    for (int k = 0; rest && k < NTYPES; k++) {
        if (strcmp(types[k].numpy, rest) != 0) continue;
        text_add(out, "\"%s\"", types[k].name);
        return REDIST_OK;
    }
    if (!rest || element.letter != 'V')
        return error_set(REDIST_ERR_IO,
                         "type %.40s: Zarr version 3 has no such type, version 2 has",
                         m->type);
    text_add(out, "\"r%" PRId64 "\"", 8 * element.bytes);
    return REDIST_OK;
}

/* ---- named things ------------------------------------------------------------------ */

/* Read {"name": .., "configuration": ..}, or the name alone. */
static void parse_named(struct json value, struct json *name, struct json *configuration)
{
    bool alone = json_kind(value) == '"';
    *name = alone ? value : json_member(value, "name");
    *configuration = json_member(value, "configuration");
}

static redist_err parse_keys(struct metadata *m, struct json value)
{
    struct json name, configuration;
    parse_named(value, &name, &configuration);
    m->prefix = json_is(name, "default");
    m->separator = m->prefix ? '/' : '.';
    if (!m->prefix && !json_is(name, "v2"))
        return json_refuse(name, "chunk_key_encoding", "\"default\" or \"v2\"");
    return metadata_set_separator(m, json_member(configuration, "separator"));
}

/* Column-major order is transposed to row-major: all dimensions reversed. */
static redist_err parse_transpose(struct metadata *m, struct json order)
{
    int count = 0;
    int64_t axes[REDIST_MAX_DIMS];
    bool same = json_is(order, "C"), reversed = json_is(order, "F");
    if (!same && !reversed) {
        TRY(json_integers_of(order, "codec transpose: order", REDIST_MAX_DIMS, &count,
                             axes));
        same = reversed = count == m->ndims;
        for (int k = 0; k < count; k++) {
            same = same && axes[k] == k;
            reversed = reversed && axes[k] == count - 1 - k;
        }
    }
    if (!same && !reversed)
        return json_refuse(order, "codec transpose: order",
                           "that of all dimensions, as they are or reversed");
    if (!same)
        m->order = m->order == REDIST_ROW_MAJOR ? REDIST_COLUMN_MAJOR : REDIST_ROW_MAJOR;
    return REDIST_OK;
}

static redist_err parse_bytes(struct json endian, char *order)
{
    if (!json_kind(endian)) return REDIST_OK;
    if (!json_is(endian, "little") && !json_is(endian, "big"))
        return json_refuse(endian, "codec bytes: endian", "\"little\" or \"big\"");
    *order = json_is(endian, "big") ? '>' : '<';
    return REDIST_OK;
}

static redist_err parse_codec(struct metadata *m, struct json value, bool *bytes,
                              char *order)
{
    struct json name, configuration;
    struct codec *codec = NULL;
    char *text = NULL;
    parse_named(value, &name, &configuration);
    if (json_is(name, "transpose") && !*bytes)
        return parse_transpose(m, json_member(configuration, "order"));
    if (json_is(name, "bytes") && !*bytes) {
        *bytes = true;
        return parse_bytes(json_member(configuration, "endian"), order);
    }
    TRY(json_name_of(name, "the name of a codec", &text));
    redist_err err = codecs_add(&m->codecs, text, &codec);
    if (!err && (!*bytes || codec->kind == &codec_zlib))
        err = error_set(REDIST_ERR_IO, "codec %s is not supported%s", text,
                        *bytes ? " in version 3" : " before the codec bytes");
    mem_free(text);
    return err ? err : metadata_set_codec(codec, configuration);
}

static redist_err parse_chain(struct metadata *m, struct json codecs, char *order)
{
    struct json key, codec;
    struct json_items items = json_items(codecs);
    bool bytes = false;
    if (json_kind(codecs) != '[') return json_refuse(codecs, "codecs", "an array");
    while (json_next(&items, &key, &codec)) TRY(parse_codec(m, codec, &bytes, order));
    return bytes ? REDIST_OK : error_set(REDIST_ERR_IO, "codec bytes is missing");
}

/* The index has plain numbers, with or without a checksum. */
static redist_err parse_index(struct sharding *s, struct json codecs)
{
    struct metadata index = {0};
    char order = 0;
    TRY(parse_chain(&index, codecs, &order));
    const struct codecs *sums = &index.codecs;
    if (!order || index.order != REDIST_ROW_MAJOR || sums->count > 1 ||
        (sums->count == 1 && sums->list[0].kind != &codec_crc32c))
        return json_refuse(codecs, "index_codecs",
                           "bytes with endian, and crc32c or nothing");
    s->index = *sums;
    s->index_big = order == '>';
    return REDIST_OK;
}

/* https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html */
static redist_err parse_sharding(struct metadata *m, struct json given, char *order)
{
    struct sharding *s = &m->sharding;
    struct json where = json_member(given, "index_location");
    int count;
    TRY(json_integers_of(json_member(given, "chunk_shape"),
                         "codec sharding_indexed: chunk_shape", REDIST_MAX_DIMS, &count,
                         s->inner));
    if (count != m->ndims)
        return error_set(REDIST_ERR_IO,
                         "codec sharding_indexed: chunk_shape has %d numbers, must have "
                         "%d",
                         count, m->ndims);
    if (json_kind(where) && !json_is(where, "start") && !json_is(where, "end"))
        return json_refuse(where, "index_location", "\"start\" or \"end\"");
    s->is = true;
    s->index_first = json_is(where, "start");
    TRY(parse_index(s, json_member(given, "index_codecs")));
    return parse_chain(m, json_member(given, "codecs"), order);
}

static redist_err parse_codecs(struct metadata *m, struct json codecs, char *order)
{
    struct json key, codec, name, configuration;
    struct json_items items = json_items(codecs);
    int count = 0;
    bool shards = false;
    for (; json_next(&items, &key, &codec); count++) {
        parse_named(codec, &name, &configuration);
        shards = shards || json_is(name, "sharding_indexed");
    }
    if (!shards) return parse_chain(m, codecs, order);
    if (count == 1) return parse_sharding(m, configuration, order);
    return error_set(REDIST_ERR_IO,
                     "codec sharding_indexed: others beside it are not supported");
}

/* Refuse what may change the meaning of the rest. */
static redist_err check_members(struct json root)
{
    static const char *const known[] = {
        "zarr_format",        "node_type", "shape",      "data_type",       "chunk_grid",
        "chunk_key_encoding", "codecs",    "fill_value", "dimension_names", "attributes"};
    struct json key, value, transformer;
    struct json_items items = json_items(root);
    while (json_next(&items, &key, &value)) {
        bool good = json_kind(json_member(value, "must_understand")) == 'f';
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            good = good || json_is(key, known[k]);
        struct json_items list = json_items(value);
        if (json_is(key, "storage_transformers"))
            good = !json_next(&list, &key, &transformer);
        if (!good) return json_refuse(key, "a member", "one of version 3");
    }
    return REDIST_OK;
}

redist_err version3_parse(struct json root, struct metadata *m)
{
    static const char *names[2] = {"shape", "chunk_shape"};
    struct json name, grid, fill = json_member(root, "fill_value");
    struct json node = json_member(root, "node_type");
    char order = 0;
    if (!json_is(node, "array")) return json_refuse(node, "node_type", "\"array\"");
    TRY(check_members(root));
    parse_named(json_member(root, "chunk_grid"), &name, &grid);
    if (!json_is(name, "regular")) return json_refuse(name, "chunk_grid", "\"regular\"");
    TRY(metadata_set_shape(m, json_member(root, "shape"),
                           json_member(grid, "chunk_shape"), names));
    TRY(parse_keys(m, json_member(root, "chunk_key_encoding")));
    TRY(parse_codecs(m, json_member(root, "codecs"), &order));
    TRY(parse_type(json_member(root, "data_type"), order, &m->type));
    return metadata_set_fill(m, fill);
}

/* ---- print ------------------------------------------------------------------------- */

static void print_transpose(int ndims, struct text *out)
{
    int64_t axes[REDIST_MAX_DIMS];
    for (int i = 0; i < ndims; i++) axes[i] = ndims - 1 - i;
    text_add(out, "{\"name\": \"transpose\", \"configuration\": {\"order\": ");
    text_add_integers(out, ndims, axes);
    text_add(out, "}},\n        ");
}

static void print_codec(const struct codec *codec, struct text *out)
{
    static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
    text_add(out, ",\n        {\"name\": \"%s\"", codec->kind->name);
    if (codec->kind->compresses) text_add(out, ", \"configuration\": {");
    if (codec->kind == &codec_blosc) {
        metadata_print_blosc(codec, out);
        text_add(out, ", \"shuffle\": \"%s\", \"typesize\": %" PRId64,
                 shuffles[codec->shuffle < 0 ? 1 : codec->shuffle], codec->element_bytes);
    } else if (codec->kind->compresses) {
        text_add(out, "\"level\": %d", codec->level);
    }
    if (codec->kind == &codec_zstd)
        text_add(out, ", \"checksum\": %s", codec->checksum ? "true" : "false");
    text_add(out, codec->kind->compresses ? "}}" : "}");
}

/* What is around the codecs of inner chunks. */
static void print_sharding(const struct metadata *m, bool end, struct text *out)
{
    const struct sharding *s = &m->sharding;
    if (!s->is) return;
    if (!end) {
        text_add(out, "{\"name\": \"sharding_indexed\", \"configuration\": "
                      "{\"chunk_shape\": ");
        text_add_integers(out, m->ndims, s->inner);
        text_add(out, ", \"codecs\": [\n        ");
    } else {
        text_add(out,
                 "],\n        \"index_codecs\": [{\"name\": \"bytes\", "
                 "\"configuration\": {\"endian\": \"%s\"}}%s], \"index_location\": "
                 "\"%s\"}}",
                 s->index_big ? "big" : "little",
                 s->index.count > 0 ? ", {\"name\": \"crc32c\"}" : "",
                 s->index_first ? "start" : "end");
    }
}

redist_err version3_print(const struct metadata *m, struct text *out)
{
    const char *rest;
    struct element element = type_element(m->type, m->element_bytes, &rest);
    const struct codecs *codecs = &m->codecs;
    text_add(out, "{\n    \"zarr_format\": 3,\n    \"node_type\": \"array\","
                  "\n    \"shape\": ");
    text_add_integers(out, m->ndims, m->shape);
    text_add(out, ",\n    \"data_type\": ");
    TRY(print_type(m, element, rest, out));
    text_add(out, ",\n    \"chunk_grid\": {\"name\": \"regular\", \"configuration\": "
                  "{\"chunk_shape\": ");
    text_add_integers(out, m->ndims, m->chunk);
    text_add(out,
             "}},\n    \"chunk_key_encoding\": {\"name\": \"%s\", \"configuration\": "
             "{\"separator\": \"%c\"}},\n    \"fill_value\": ",
             m->prefix ? "default" : "v2", m->separator);
    fill_print_zeros(3, element, out);
    text_add(out, ",\n    \"codecs\": [\n        ");
    print_sharding(m, false, out);
    if (m->order == REDIST_COLUMN_MAJOR && m->ndims > 1) print_transpose(m->ndims, out);
    text_add(out, "{\"name\": \"bytes\"");
    if (element.order != '|')
        text_add(out, ", \"configuration\": {\"endian\": \"%s\"}",
                 element.order == '>' ? "big" : "little");
    text_add(out, "}");
    for (int k = 0; k < codecs->count; k++) {
        if (codecs->list[k].kind == &codec_zlib)
            return error_set(REDIST_ERR_IO,
                             "codec zlib: Zarr version 3 has none, version 2 has");
        print_codec(&codecs->list[k], out);
    }
    print_sharding(m, true, out);
    text_add(out, "\n    ]\n}\n");
    return REDIST_OK;
}
