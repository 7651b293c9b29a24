/* SPDX-License-Identifier: MIT
 *
 * files/codec/crc32c.c - the bytes, and behind them their CRC-32C in 4 bytes, the lowest
 * first. By tables: M. E. Kounavis, F. L. Berry, "A systematic approach to building high
 * performance, software-based, CRC generators", ISCC 2005. By instructions: V. Gopal et
 * al., "Fast CRC computation for iSCSI polynomial using CRC32 instruction", Intel, 2011.
 *
 * Sums are polynomials over GF(2) modulo P, reflected: bit 31 is the one of x^0.
 */
#include "files/codec/crc32c.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "files/codec/codec.h"
#include "move/kernel/machine.h"

enum { SUM_BYTES = 4, SLICES = 8 };
static const uint32_t polynomial = 0x82f63b78; /* P */

static uint32_t times_x(uint32_t sum) { return sum >> 1 ^ (sum & 1 ? polynomial : 0); }

/* ---- by tables --------------------------------------------------------------------- */

/* table[s][b]: the sum of byte b with s zeros behind it. */
static void make_table(uint32_t table[SLICES][256])
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t sum = b;
        for (int k = 0; k < 8; k++) sum = times_x(sum);
        table[0][b] = sum;
    }
    for (int s = 1; s < SLICES; s++)
        for (int b = 0; b < 256; b++)
            table[s][b] = table[s - 1][b] >> 8 ^ table[0][table[s - 1][b] & 255];
}

uint32_t crc32c_portable(const char *bytes, int64_t size)
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

/* ---- by instructions --------------------------------------------------------------- */

#if defined __x86_64__
#include <immintrin.h>

/* An instruction takes three cycles and one can start in each: three streams of so many
 * bytes are summed at a time, and then joined. */
enum { STREAM = 1024, WORD = 8 };

static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1, b = times_x(b))
        if (a & bit) product ^= b;
    return product;
}

/* Return x^n. */
static uint32_t power(int64_t n)
{
    uint32_t result = UINT32_C(1) << 31, x = UINT32_C(1) << 30;
    for (; n > 0; n /= 2, x = multiply(x, x))
        if (n % 2) result = multiply(result, x);
    return result;
}

static uint64_t word_at(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* The product of two reflected sums is short of a factor x, and the instruction adds a
 * factor x^32: so a sum moves by `bytes` if it is multiplied by this first. */
static uint64_t shift_by(int64_t bytes) { return power(8 * bytes - 33); }

#define INSTRUCTIONS __attribute__((target("sse4.2,pclmul")))

INSTRUCTIONS static uint64_t product(uint64_t a, uint64_t b)
{
    __m128i x = _mm_cvtsi64_si128((long long)a), y = _mm_cvtsi64_si128((long long)b);
    return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(x, y, 0));
}

INSTRUCTIONS static uint32_t by_instructions(const char *at, int64_t size)
{
    uint64_t sum = UINT32_MAX;
    if (size >= (int64_t)3 * STREAM) {
        const uint64_t by_one = shift_by(STREAM), by_two = shift_by(2 * (int64_t)STREAM);
        for (; size >= (int64_t)3 * STREAM; size -= 3 * STREAM, at += 3 * STREAM) {
            uint64_t second = 0, third = 0;
            for (int k = 0; k < STREAM; k += WORD) {
                sum = _mm_crc32_u64(sum, word_at(at + k));
                second = _mm_crc32_u64(second, word_at(at + k + STREAM));
                third = _mm_crc32_u64(third, word_at(at + k + 2 * STREAM));
            }
            sum =
                third ^ _mm_crc32_u64(0, product(sum, by_two) ^ product(second, by_one));
        }
    }
    for (; size >= WORD; size -= WORD, at += WORD) sum = _mm_crc32_u64(sum, word_at(at));
    uint32_t rest = (uint32_t)sum;
    for (; size > 0; size--, at++) rest = _mm_crc32_u8(rest, (unsigned char)*at);
    return ~rest;
}

uint32_t crc32c_of(const char *bytes, int64_t size)
{
    bool has = machine_here() > PORTABLE && __builtin_cpu_supports("sse4.2") &&
               __builtin_cpu_supports("pclmul");
    return has ? by_instructions(bytes, size) : crc32c_portable(bytes, size);
}
#else
uint32_t crc32c_of(const char *bytes, int64_t size)
{
    return crc32c_portable(bytes, size);
}
#endif

/* ---- the codec, in place ----------------------------------------------------------- */

static redist_err encode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    (void)codec;
    (void)work;
    uint32_t sum = crc32c_of(from->bytes, from->size);
    for (int k = 0; k < SUM_BYTES; k++)
        to->bytes[to->size++] = (char)(sum >> 8 * k & 255);
    return REDIST_OK;
}

static redist_err decode(const struct codec *codec, struct codec_work *work,
                         const struct codec_block *from, struct codec_block *to)
{
    (void)work;
    uint32_t stored = 0;
    if (from->size < SUM_BYTES) return codec_corrupt(codec, "truncated");
    to->size = from->size - SUM_BYTES;
    for (int k = 0; k < SUM_BYTES; k++)
        stored |= (uint32_t)(unsigned char)from->bytes[to->size + k] << 8 * k;
    return crc32c_of(to->bytes, to->size) == stored ? REDIST_OK
                                                    : codec_corrupt(codec, "the sum");
}

const struct codec_kind codec_crc32c = {
    .name = "crc32c", .encode = encode, .decode = decode};
