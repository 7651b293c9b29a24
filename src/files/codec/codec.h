/* SPDX-License-Identifier: MIT
 *
 * files/codec/codec.h - what is done to the bytes of a chunk: a chain of codecs, of which
 * at most one compresses.
 *
 *   chunk -> codec 0 -> codec 1 -> .. -> file
 */
#ifndef REDIST_FILES_CODEC_CODEC_H
#define REDIST_FILES_CODEC_CODEC_H

#include <stdbool.h>

#include <redist/describe.h>

/* Bytes that are replaced whole. Starts as {0}. */
struct codec_block {
    char *bytes; /* owned */
    int64_t size, room;
};

/* The memory of a process for chains: the bytes are in block[0] before and after. Starts
 * as {0}; free with codec_work_free. */
struct codec_work {
    struct codec_block block[2];
    void *compressor, *decompressor; /* of zstd, to be used again */
};

struct codec {
    const struct codec_kind *kind;
    int level;
    bool checksum; /* zstd: write one */
    int shuffle;   /* blosc: 0, 1 of bytes, 2 of bits, -1 by the type */
    int64_t element_bytes, block_bytes;
    char compressor[16];
};

struct codec_kind {
    const char *name;
    bool compresses;
    int level_low, level_high, level; /* the usual one */

    /* Without its library a codec has no functions. Each reads `from` and writes `to`,
     * which has room: `bound` says how much. In decode to->size is what is expected. A
     * codec that does not compress works in place, and may add a few bytes.
     * MEMORY, IO: corrupt. */
    int64_t (*bound)(int64_t bytes);
    redist_err (*encode)(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to);
    redist_err (*decode)(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to);
};

extern const struct codec_kind codec_gzip, codec_zlib, codec_zstd, codec_blosc,
    codec_crc32c;
extern const struct codec_kind *const codec_kinds[]; /* all; NULL is behind the last */

enum { MOST_CODECS = 8 };
struct codecs {
    int count;
    struct codec list[MOST_CODECS];
};

/* Append a codec by its name, with the usual level. IO: an unknown one, whose name the
 * sentence has, one without its library, a second one that compresses, too many. */
redist_err codecs_add(struct codecs *codecs, const char *name, struct codec **added);

/* Check a level. IO. */
redist_err codec_set_level(struct codec *codec, int64_t level);

/* Read a text as in redist_file_layout: NULL, none, gzip, gzip:5, zstd+crc32c. IO. */
redist_err codecs_parse(const char *text, struct codecs *codecs);

/* Print them as such a text; NULL if there is none. */
enum { CODEC_TEXT = 64 };
const char *codecs_print(const struct codecs *codecs, char text[CODEC_TEXT]);

/* Replace block[0] by its encoded or decoded bytes; those must be `bytes`. MEMORY, IO:
 * corrupt. */
redist_err codecs_encode(const struct codecs *codecs, struct codec_work *work);
redist_err codecs_decode(const struct codecs *codecs, int64_t bytes,
                         struct codec_work *work);

/* The bytes of the checksums in a chain that does not compress. */
int64_t codecs_sums(const struct codecs *codecs);

/* The most bytes that encoded bytes can reasonably take. */
int64_t codecs_bound(int64_t bytes);

/* Make room for `size` bytes, the block's new size, and a few more; what it holds is
 * lost. MEMORY. */
redist_err codec_reserve(struct codec_block *block, int64_t size);
void codec_swap(struct codec_block *a, struct codec_block *b);
void codec_work_free(struct codec_work *work);

/* Release what zstd keeps. NULL-safe. */
void codec_zstd_free(struct codec_work *work);

/* Fail with "<name>: corrupt: <why>". IO. */
redist_err codec_corrupt(const struct codec *codec, const char *why);

#endif
