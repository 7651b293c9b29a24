/* SPDX-License-Identifier: MIT
 *
 * files/codec/crc32c.c - the bytes, and behind them their CRC-32C in 4 bytes, the lowest
 * first. Eight bytes are looked up at a time: M. E. Kounavis, F. L. Berry, "A systematic
 * approach to building high performance, software-based, CRC generators", ISCC 2005.
 */
#include <string.h>

#include "base/error.h"
#include "files/codec/codec.h"

enum { SUM_BYTES = 4, SLICES = 8 };
static const uint32_t polynomial = 0x82f63b78; /* reflected */

/* table[s][b]: the sum of byte b with s zeros behind it. */
static void make_table(uint32_t table[SLICES][256])
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t sum = b;
        for (int k = 0; k < 8; k++) sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
        table[0][b] = sum;
    }
    for (int s = 1; s < SLICES; s++)
        for (int b = 0; b < 256; b++)
            table[s][b] = table[s - 1][b] >> 8 ^ table[0][table[s - 1][b] & 255];
}

static uint32_t sum_of(const char *bytes, int64_t size)
{
    uint32_t table[SLICES][256], sum = UINT32_MAX;
    make_table(table);
    const unsigned char *at = (const unsigned char *)bytes;
    for (; size >= SLICES; size -= SLICES, at += SLICES) {
        uint32_t next = 0;
        for (int k = 0; k < SLICES; k++) {
            uint32_t b = k < SUM_BYTES ? at[k] ^ (sum >> 8 * k & 255) : at[k];
            next ^= table[SLICES - 1 - k][b];
        }
        sum = next;
    }
    for (; size > 0; size--, at++) sum = sum >> 8 ^ table[0][(sum ^ *at) & 255];
    return ~sum;
}

static int64_t bound(int64_t bytes) { return bytes + SUM_BYTES; }

static redist_err encode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    (void)codec;
    (void)work;
    uint32_t sum = sum_of(from->bytes, from->size);
    memcpy(to->bytes, from->bytes, (size_t)from->size);
    for (int k = 0; k < SUM_BYTES; k++)
        to->bytes[from->size + k] = (char)(sum >> 8 * k & 255);
    return REDIST_OK;
}

static redist_err decode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    (void)work;
    uint32_t stored = 0;
    for (int k = 0; k < SUM_BYTES; k++)
        stored |= (uint32_t)(unsigned char)from->bytes[to->size + k] << 8 * k;
    if (sum_of(from->bytes, to->size) != stored) return codec_corrupt(codec, "the sum");
    memcpy(to->bytes, from->bytes, (size_t)to->size);
    return REDIST_OK;
}

const struct codec_kind codec_crc32c = {
    .name = "crc32c", .bound = bound, .encode = encode, .decode = decode};
