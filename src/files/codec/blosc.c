/* SPDX-License-Identifier: MIT
 *
 * files/codec/blosc.c - Blosc: blocks whose bytes or bits are sorted by their place in
 * the element, and then compressed by one of several.
 */
#include "files/codec/codec.h"

#ifdef REDIST_BLOSC
#include <blosc.h>

#include "base/error.h"

static int64_t bound(int64_t bytes) { return bytes + BLOSC_MAX_OVERHEAD; }

/* By the type: bits of single bytes, bytes of others. */
static int shuffle_of(const struct codec *codec)
{
    if (codec->shuffle >= 0) return codec->shuffle;
    return codec->element_bytes == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
}

static redist_err encode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    (void)work;
    if (from->size > BLOSC_MAX_BUFFERSIZE)
        return error_set(REDIST_ERR_IO,
                         "blosc: a chunk has %" PRId64 " bytes, must have at most %d",
                         from->size, BLOSC_MAX_BUFFERSIZE);
    int size =
        blosc_compress_ctx(codec->level, shuffle_of(codec), (size_t)codec->element_bytes,
                           (size_t)from->size, from->bytes, to->bytes, (size_t)to->size,
                           codec->compressor, (size_t)codec->block_bytes, 1);
    if (size <= 0)
        return error_set(REDIST_ERR_IO, "blosc: cannot compress by %s, code %d",
                         codec->compressor, size);
    to->size = size;
    return REDIST_OK;
}

static redist_err decode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    (void)work;
    size_t size;
    if (blosc_cbuffer_validate(from->bytes, (size_t)from->size, &size))
        return codec_corrupt(codec, "truncated, or no data of this kind");
    if ((int64_t)size != to->size) return codec_corrupt(codec, "of another size");
    int done = blosc_decompress_ctx(from->bytes, to->bytes, (size_t)to->size, 1);
    return done == (int64_t)size ? REDIST_OK
                                 : codec_corrupt(codec, "cannot be decompressed");
}

const struct codec_kind codec_blosc = {"blosc", true, 0, 9, 5, bound, encode, decode};

#else
const struct codec_kind codec_blosc = {.name = "blosc", .compresses = true};
#endif
