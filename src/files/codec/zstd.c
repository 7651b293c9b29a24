/* SPDX-License-Identifier: MIT
 *
 * files/codec/zstd.c - Zstandard.
 */
#include "files/codec/codec.h"

#ifdef REDIST_ZSTD
#include <zstd.h>

#include "base/error.h"

static int64_t bound(int64_t bytes) { return (int64_t)ZSTD_compressBound((size_t)bytes); }

static redist_err no_memory(void)
{
    return error_set(REDIST_ERR_MEMORY, "zstd: out of memory");
}

static redist_err encode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    if (!work->compressor) work->compressor = ZSTD_createCCtx();
    if (!work->compressor) return no_memory();
    ZSTD_CCtx *context = work->compressor;
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, codec->level);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, codec->checksum);
    size_t size = ZSTD_compress2(context, to->bytes, (size_t)to->size, from->bytes,
                                 (size_t)from->size);
    if (ZSTD_isError(size))
        return error_set(REDIST_ERR_IO, "zstd: cannot compress: %s",
                         ZSTD_getErrorName(size));
    to->size = (int64_t)size;
    return REDIST_OK;
}

static redist_err decode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    if (!work->decompressor) work->decompressor = ZSTD_createDCtx();
    if (!work->decompressor) return no_memory();
    size_t size = ZSTD_decompressDCtx(work->decompressor, to->bytes, (size_t)to->size,
                                      from->bytes, (size_t)from->size);
    if (ZSTD_isError(size)) return codec_corrupt(codec, ZSTD_getErrorName(size));
    return (int64_t)size < to->size ? codec_corrupt(codec, "too short") : REDIST_OK;
}

void codec_zstd_free(struct codec_work *work)
{
    (void)ZSTD_freeCCtx(work->compressor);
    (void)ZSTD_freeDCtx(work->decompressor);
}

const struct codec_kind codec_zstd = {"zstd", true,  -131072, 22,
                                      3,      bound, encode,  decode};

#else
void codec_zstd_free(struct codec_work *work) { (void)work; }
const struct codec_kind codec_zstd = {.name = "zstd", .compresses = true};
#endif
