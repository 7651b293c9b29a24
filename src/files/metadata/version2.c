/* SPDX-License-Identifier: MIT
 *
 * files/metadata/version2.c - the metadata of version 2: .zarray.
 * https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/metadata/fill.h"
#include "files/metadata/metadata.h"

/* The compressor is null, or an object with its id and parameters. */
static redist_err parse_compressor(struct json value, struct codecs *codecs)
{
    char *name;
    struct codec *codec = NULL;
    char kind = json_kind(value);
    if (kind == 'n') return REDIST_OK;
    if (kind != '{') return json_refuse(value, "compressor", "null or an object");
    TRY(json_name_of(json_member(value, "id"), "compressor: id", &name));
    redist_err err = codecs_add(codecs, name, &codec);
    if (!err && !codec->kind->compresses)
        err = error_set(REDIST_ERR_IO, "codec %s is not supported in version 2", name);
    mem_free(name);
    return err ? err : metadata_set_codec(codec, value);
}

static redist_err parse_filters(struct json filters)
{
    struct json key, filter;
    struct json_items items = json_items(filters);
    char kind = json_kind(filters);
    if (kind != 0 && kind != 'n' && kind != '[')
        return json_refuse(filters, "filters", "null");
    if (!json_next(&items, &key, &filter)) return REDIST_OK;
    return json_refuse(json_member(filter, "id"), "filters: id",
                       "none: filters are not supported");
}

redist_err version2_parse(struct json root, struct metadata *m)
{
    static const char *names[2] = {"shape", "chunks"};
    struct json order = json_member(root, "order");
    m->separator = '.';
    TRY(metadata_set_shape(m, json_member(root, "shape"), json_member(root, "chunks"),
                           names));
    TRY(metadata_set_separator(m, json_member(root, "dimension_separator")));
    if (!json_is(order, "C") && !json_is(order, "F"))
        return json_refuse(order, "order", "\"C\" or \"F\"");
    m->order = json_is(order, "F") ? REDIST_COLUMN_MAJOR : REDIST_ROW_MAJOR;
    TRY(parse_filters(json_member(root, "filters")));
    TRY(parse_compressor(json_member(root, "compressor"), &m->codecs));
    TRY(type_read(json_member(root, "dtype"), &m->type));
    return metadata_set_fill(m, json_member(root, "fill_value"));
}

static void print_compressor(const struct codecs *codecs, struct text *out)
{
    if (codecs->count == 0) {
        text_add(out, "null");
        return;
    }
    const struct codec *codec = &codecs->list[0];
    text_add(out, "{\"id\": \"%s\", ", codec->kind->name);
    if (codec->kind == &codec_blosc) {
        metadata_print_blosc(codec, out);
        text_add(out, ", \"shuffle\": %d}", codec->shuffle);
    } else {
        text_add(out, "\"level\": %d}", codec->level);
    }
}

redist_err version2_print(const struct metadata *m, struct text *out)
{
    const char *rest;
    if (m->sharding.is)
        return error_set(REDIST_ERR_IO,
                         "codec sharding: Zarr version 2 has none, version 3 has");
    text_add(out, "{\n    \"zarr_format\": 2,\n    \"shape\": ");
    text_add_integers(out, m->ndims, m->shape);
    text_add(out, ",\n    \"chunks\": ");
    text_add_integers(out, m->ndims, m->chunk);
    text_add(out, ",\n    \"dtype\": ");
    TRY(type_print(m->type, m->element_bytes, out));
    text_add(out, ",\n    \"fill_value\": ");
    fill_print_zeros(2, type_element(m->type, m->element_bytes, &rest), out);
    text_add(out, ",\n    \"order\": \"%s\",\n    \"compressor\": ",
             m->order == REDIST_COLUMN_MAJOR ? "F" : "C");
    print_compressor(&m->codecs, out);
    text_add(out, ",\n    \"filters\": null,\n    \"dimension_separator\": \"%c\"\n}\n",
             m->separator);
    return REDIST_OK;
}
