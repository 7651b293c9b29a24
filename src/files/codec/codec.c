/* SPDX-License-Identifier: MIT */
#include "files/codec/codec.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

const struct codec_kind *const codec_kinds[] = {&codec_gzip,  &codec_zlib,   &codec_zstd,
                                                &codec_blosc, &codec_crc32c, NULL};

enum { CRC_BYTES = 4 };
enum { SPARE = MOST_CODECS * CRC_BYTES }; /* room for sums, which are added in place */

/* ---- chains ------------------------------------------------------------------------ */

static bool does_compress(const struct codecs *codecs)
{
    for (int k = 0; k < codecs->count; k++)
        if (codecs->list[k].kind->compresses) return true;
    return false;
}

static const struct codec_kind *find_kind(const char *name)
{
    int k = 0;
    while (codec_kinds[k] && strcmp(codec_kinds[k]->name, name) != 0) k++;
    return codec_kinds[k];
}

redist_err codecs_add(struct codecs *codecs, const char *name, struct codec **added)
{
    const struct codec_kind *kind = find_kind(name);
    if (!kind) return error_set(REDIST_ERR_IO, "codec %.40s is not supported", name);
    if (!kind->encode)
        return error_set(REDIST_ERR_IO, "codec %s: the library was built without it",
                         name);
    if (codecs->count == MOST_CODECS)
        return error_set(REDIST_ERR_IO, "more than %d codecs", MOST_CODECS);
    if (kind->compresses && does_compress(codecs))
        return error_set(REDIST_ERR_IO, "codec %s: one that compresses is there already",
                         name);
    struct codec *codec = &codecs->list[codecs->count++];
    *codec = (struct codec){kind, kind->level, .shuffle = 1, .compressor = "lz4"};
    if (added) *added = codec;
    return REDIST_OK;
}

redist_err codec_set_level(struct codec *codec, int64_t level)
{
    const struct codec_kind *kind = codec->kind;
    if (level < kind->level_low || level > kind->level_high)
        return error_set(REDIST_ERR_IO,
                         "codec %s: level is %" PRId64 ", must be %d .. %d", kind->name,
                         level, kind->level_low, kind->level_high);
    codec->level = (int)level;
    return REDIST_OK;
}

static redist_err bad_text(const char *text)
{
    return error_set(
        REDIST_ERR_IO,
        "codec is \"%.40s\", must be none, or gzip, zlib, zstd or blosc, with "
        "a level as in gzip:5, or crc32c, or both as in gzip+crc32c",
        text);
}

/* One codec, of `length` characters. */
static redist_err parse_one(const char *text, const char *one, size_t length,
                            struct codecs *codecs)
{
    struct codec *codec;
    char word[CODEC_TEXT] = "";
    int level = 0, end = 0;
    if (length >= sizeof word) return bad_text(text);
    memcpy(word, one, length);
    char *colon = strchr(word, ':');
    if (colon && (sscanf(colon, ":%9d%n", &level, &end) != 1 || colon[end]))
        return bad_text(text);
    if (colon) *colon = 0;
    if (!find_kind(word)) return bad_text(text);
    TRY(codecs_add(codecs, word, &codec));
    if (colon && !codec->kind->compresses) return bad_text(text);
    return colon ? codec_set_level(codec, level) : REDIST_OK;
}

redist_err codecs_parse(const char *text, struct codecs *codecs)
{
    codecs->count = 0;
    if (!text || strcmp(text, "none") == 0) return REDIST_OK;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, "+");
        TRY(parse_one(text, at, length, codecs));
        at += length;
        if (!*at) return REDIST_OK;
    }
}

const char *codecs_print(const struct codecs *codecs, char text[CODEC_TEXT])
{
    size_t at = 0;
    for (int k = 0; k < codecs->count && at < CODEC_TEXT; k++) {
        const struct codec *codec = &codecs->list[k];
        const char *plus = at > 0 ? "+" : "";
        int n = codec->kind->compresses ? snprintf(text + at, CODEC_TEXT - at, "%s%s:%d",
                                                   plus, codec->kind->name, codec->level)
                                        : snprintf(text + at, CODEC_TEXT - at, "%s%s",
                                                   plus, codec->kind->name);
        at += (size_t)n;
    }
    return codecs->count > 0 ? text : NULL;
}

/* ---- bytes ------------------------------------------------------------------------- */

redist_err codec_corrupt(const struct codec *codec, const char *why)
{
    return error_set(REDIST_ERR_IO, "%s: corrupt: %s", codec->kind->name, why);
}

redist_err codec_reserve(struct codec_block *block, int64_t size)
{
    if (!block->bytes || size > block->room) {
        int64_t all;
        mem_free(block->bytes);
        block->room = size;
        block->bytes = int_add(size, SPARE, &all) ? mem_alloc_elements(NULL, all) : NULL;
        if (!block->bytes) return REDIST_ERR_MEMORY;
    }
    block->size = size;
    return REDIST_OK;
}

void codec_work_free(struct codec_work *work)
{
    for (int k = 0; k < 2; k++) mem_free(work->block[k].bytes);
    codec_zstd_free(work);
    *work = (struct codec_work){0};
}

void codec_swap(struct codec_block *a, struct codec_block *b)
{
    struct codec_block block = *a;
    *a = *b;
    *b = block;
}

redist_err codecs_encode(const struct codecs *codecs, struct codec_work *work)
{
    struct codec_block *from = &work->block[0], *to = &work->block[1];
    for (int k = 0; k < codecs->count; k++) {
        const struct codec *codec = &codecs->list[k];
        if (!codec->kind->compresses) {
            TRY(codec->kind->encode(codec, work, from, from));
            continue;
        }
        TRY(codec_reserve(to, codec->kind->bound(from->size)));
        TRY(codec->kind->encode(codec, work, from, to));
        codec_swap(from, to);
    }
    return REDIST_OK;
}

redist_err codecs_decode(const struct codecs *codecs, int64_t bytes,
                         struct codec_work *work)
{
    struct codec_block *from = &work->block[0], *to = &work->block[1];
    for (int k = codecs->count - 1; k >= 0; k--) {
        const struct codec *codec = &codecs->list[k];
        if (!codec->kind->compresses) {
            TRY(codec->kind->decode(codec, work, from, from));
            continue;
        }
        int64_t sums = (int64_t)k * CRC_BYTES, expected; /* only sums come before */
        if (!int_add(bytes, sums, &expected)) return codec_corrupt(codec, "too long");
        TRY(codec_reserve(to, expected));
        TRY(codec->kind->decode(codec, work, from, to));
        codec_swap(from, to);
    }
    if (work->block[0].size == bytes) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "has %" PRId64 " bytes, must have %" PRId64,
                     work->block[0].size, bytes);
}

int64_t codecs_sums(const struct codecs *codecs)
{
    return (int64_t)codecs->count * CRC_BYTES;
}

int64_t codecs_bound(int64_t bytes)
{
    enum { MORE = 1 << 20 };
    int64_t bound;
    return int_add(bytes, bytes / 2, &bound) && int_add(bound, MORE, &bound) ? bound
                                                                             : INT64_MAX;
}
