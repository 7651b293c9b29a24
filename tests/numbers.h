/* SPDX-License-Identifier: MIT
 *
 * tests/numbers.h - the conversion of numbers by its definition, one after the other: one
 * is read from its bits into a long double, which holds all of them exactly, and written
 * from that. Nothing of the library is used for it.
 */
#ifndef REDIST_TESTS_NUMBERS_H
#define REDIST_TESTS_NUMBERS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds a number of 64 bits");

/* A kind of numbers: integers, or floats with so many digits below 2^exponent. */
struct kind {
    const char *name;
    int bytes;   /* of a part */
    char letter; /* i, u or f */
    int parts;   /* 2: complex */
    int digits, exponent;
};

static const struct kind kinds[] = {
    {"i1", 1, 'i', 1, 0, 0},    {"i2", 2, 'i', 1, 0, 0},      {"i4", 4, 'i', 1, 0, 0},
    {"i8", 8, 'i', 1, 0, 0},    {"u1", 1, 'u', 1, 0, 0},      {"u2", 2, 'u', 1, 0, 0},
    {"u4", 4, 'u', 1, 0, 0},    {"u8", 8, 'u', 1, 0, 0},      {"f2", 2, 'f', 1, 11, 16},
    {"f4", 4, 'f', 1, 24, 128}, {"f8", 8, 'f', 1, 53, 1024},  {"bf16", 2, 'f', 1, 8, 128},
    {"c8", 4, 'f', 2, 24, 128}, {"c16", 8, 'f', 2, 53, 1024},
};
enum { KINDS = sizeof kinds / sizeof *kinds, NUMBER_BYTES = 16 };

/* Where the byte of weight 256^k of a number of n bytes lies. */
static inline int byte_at(int k, int n, bool big) { return big ? n - 1 - k : k; }

static inline uint64_t read_bits(const unsigned char *at, int n, bool big)
{
    uint64_t bits = 0;
    for (int k = 0; k < n; k++) bits |= (uint64_t)at[byte_at(k, n, big)] << 8 * k;
    return bits;
}

static inline void write_bits(unsigned char *at, int n, bool big, uint64_t bits)
{
    for (int k = 0; k < n; k++) at[byte_at(k, n, big)] = (unsigned char)(bits >> 8 * k);
}

static inline long double value_of(const struct kind *kind, uint64_t bits)
{
    const int width = 8 * kind->bytes, fraction = kind->digits - 1;
    if (kind->letter == 'u') return (long double)bits;
    if (kind->letter == 'i')
        return (long double)bits - (bits >> (width - 1) ? ldexpl(1, width) : 0);
    const uint64_t one = 1, low = bits & ((one << fraction) - 1);
    const int power = (int)(bits >> fraction & ((one << (width - 1 - fraction)) - 1));
    const long double sign = bits >> (width - 1) ? -1 : 1;
    if (power == 2 * kind->exponent - 1) return low ? (long double)NAN : sign * INFINITY;
    if (power == 0)
        return sign * ldexpl((long double)low, 3 - kind->exponent - kind->digits);
    return sign * ldexpl((long double)(low | one << fraction),
                         power + 2 - kind->exponent - kind->digits);
}

/* The bits of an integer: wrapped around if it comes from one, else the nearest end. */
static inline uint64_t integer_bits(const struct kind *kind, bool from_float,
                                    long double value)
{
    const int width = 8 * kind->bytes;
    const bool has_sign = kind->letter == 'i';
    const long double least = has_sign ? -ldexpl(1, width - 1) : 0;
    const long double most = ldexpl(1, width - has_sign) - 1;
    if (from_float && isnan(value)) return 0;
    value = truncl(value);
    if (from_float) value = value < least ? least : value > most ? most : value;
    const uint64_t magnitude = (uint64_t)fabsl(value);
    const uint64_t bits = value < 0 ? 0 - magnitude : magnitude;
    return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

/* The bits of the nearest float, of two the even one. */
static inline uint64_t float_bits(const struct kind *kind, long double value)
{
    const int width = 8 * kind->bytes, fraction = kind->digits - 1;
    const uint64_t sign = (uint64_t)(signbit(value) != 0) << (width - 1);
    const uint64_t infinite = (uint64_t)(2 * kind->exponent - 1) << fraction;
    if (isnan(value)) return infinite | UINT64_C(1) << (fraction - 1);
    if (isinf(value)) return sign | infinite;
    if (value == 0) return sign;
    int power = 0;
    (void)frexpl(value, &power);
    const int least = 3 - kind->exponent; /* below 2^least numbers are subnormal */
    int shift = power - kind->digits;     /* of the last digit */
    if (power < least) shift = least - kind->digits;
    const long double scaled = ldexpl(fabsl(value), -shift), whole = floorl(scaled);
    uint64_t digits = (uint64_t)whole;
    if (scaled - whole > 0.5L || (scaled - whole == 0.5L && digits % 2 == 1)) digits++;
    uint64_t bits = digits;
    if (power >= least) /* a carry goes on to the exponent */
        bits += (uint64_t)(power - least) << fraction;
    return sign | (bits < infinite ? bits : infinite);
}

/* Convert one number, into `to`. Returns whether the target can hold it. */
static inline bool convert_one(const struct kind *source, bool big_source,
                               const unsigned char *from, const struct kind *target,
                               bool big_target, unsigned char *to)
{
    const bool from_float = source->letter == 'f', to_float = target->letter == 'f';
    bool holds = true;
    for (int part = 0; part < 2; part++) {
        const uint64_t bits =
            part < source->parts
                ? read_bits(from + part * source->bytes, source->bytes, big_source)
                : 0;
        const long double value = part < source->parts ? value_of(source, bits) : 0;
        if (part >= target->parts) {
            holds = holds && value == 0;
            continue;
        }
        const uint64_t made = to_float ? float_bits(target, value)
                                       : integer_bits(target, from_float, value);
        const long double kept = value_of(target, made);
        holds = holds && (from_float && to_float ? isfinite(value) == isfinite(kept)
                                                 : value == kept);
        write_bits(to + part * target->bytes, target->bytes, big_target, made);
    }
    return holds;
}

/* Whether two numbers are the same; any NaN is as another. */
static inline bool same_number(const struct kind *kind, bool big, const unsigned char *a,
                               const unsigned char *b)
{
    for (int part = 0; part < kind->parts; part++) {
        const uint64_t x = read_bits(a + part * kind->bytes, kind->bytes, big);
        const uint64_t y = read_bits(b + part * kind->bytes, kind->bytes, big);
        const bool nans =
            kind->letter == 'f' && isnan(value_of(kind, x)) && isnan(value_of(kind, y));
        if (x != y && !nans) return false;
    }
    return true;
}

#endif
