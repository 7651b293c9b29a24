/* SPDX-License-Identifier: MIT
 *
 * files/codec/gzip.c - gzip and zlib: the same data between other headers.
 */
#include "files/codec/codec.h"

#ifdef REDIST_ZLIB
#include <zlib.h>

#include "base/error.h"
#include "base/intmath.h"

enum { PIECE = 1 << 30, ENVELOPE = 64, WINDOW_BITS = 15, GZIP_BITS = 16, MEM_LEVEL = 8 };

static int window_bits(const struct codec *codec)
{
    return codec->kind == &codec_gzip ? WINDOW_BITS + GZIP_BITS : WINDOW_BITS;
}

/* No less than any deflateBound, also of other versions of the library. */
static int64_t bound(int64_t bytes) { return bytes + bytes / 4 + ENVELOPE; }

/* Hand zlib the next bytes of both; its counts have 32 bits. */
static void feed(z_stream *stream, const struct codec_block *from, int64_t taken,
                 const struct codec_block *to, int64_t given)
{
    stream->next_in = (Bytef *)from->bytes + taken;
    stream->avail_in = (uInt)int_min(from->size - taken, PIECE);
    stream->next_out = (Bytef *)to->bytes + given;
    stream->avail_out = (uInt)int_min(to->size - given, PIECE);
}

static redist_err encode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    (void)work;
    z_stream stream = {0};
    int code = deflateInit2(&stream, codec->level, Z_DEFLATED, window_bits(codec),
                            MEM_LEVEL, Z_DEFAULT_STRATEGY);
    if (code != Z_OK) return error_set(REDIST_ERR_MEMORY, "zlib: out of memory");
    int64_t taken = 0, given = 0;
    while (code == Z_OK) {
        feed(&stream, from, taken, to, given);
        uInt in = stream.avail_in, out = stream.avail_out;
        bool last = from->size - taken <= PIECE;
        code = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
        taken += in - stream.avail_in;
        given += out - stream.avail_out;
    }
    (void)deflateEnd(&stream);
    if (code != Z_STREAM_END)
        return error_set(REDIST_ERR_IO, "%s: cannot compress: code %d", codec->kind->name,
                         code);
    to->size = given;
    return REDIST_OK;
}

/* Data of several members are those of one after the other. */
static redist_err decode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    (void)work;
    z_stream stream = {0};
    int code = inflateInit2(&stream, window_bits(codec));
    if (code != Z_OK) return error_set(REDIST_ERR_MEMORY, "zlib: out of memory");
    int64_t taken = 0, given = 0;
    while (code == Z_OK) {
        feed(&stream, from, taken, to, given);
        uInt in = stream.avail_in, out = stream.avail_out;
        code = inflate(&stream, Z_NO_FLUSH);
        taken += in - stream.avail_in;
        given += out - stream.avail_out;
        if (code == Z_STREAM_END && taken < from->size) code = inflateReset(&stream);
    }
    const char *why = code == Z_BUF_ERROR ? given == to->size ? "too long" : "truncated"
                      : code == Z_STREAM_END ? NULL
                      : stream.msg           ? stream.msg
                                             : "no data of this kind";
    redist_err err = why ? codec_corrupt(codec, why) : REDIST_OK;
    if (!why && given < to->size) err = codec_corrupt(codec, "too short");
    (void)inflateEnd(&stream);
    return err;
}

const struct codec_kind codec_gzip = {"gzip", true, 0, 9, 5, bound, encode, decode};
const struct codec_kind codec_zlib = {"zlib", true, -1, 9, 1, bound, encode, decode};

#else
const struct codec_kind codec_gzip = {.name = "gzip", .compresses = true};
const struct codec_kind codec_zlib = {.name = "zlib", .compresses = true};
#endif
