/* SPDX-License-Identifier: MIT */
#include "move/arith/number_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CODE_BYTES = 16 }; /* more than any number of bytes */

/* Whether this machine stores the lowest byte first. */
static bool is_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* ---- names ------------------------------------------------------------------------- */

/* The kinds of numbers, and their bytes. */
static const struct {
    const char *name;
    struct format format;
} names[] = {
    {"i1", {FORMAT_SIGNED, 1, false, false}},
    {"i2", {FORMAT_SIGNED, 2, false, false}},
    {"i4", {FORMAT_SIGNED, 4, false, false}},
    {"i8", {FORMAT_SIGNED, 8, false, false}},
    {"u1", {FORMAT_UNSIGNED, 1, false, false}},
    {"u2", {FORMAT_UNSIGNED, 2, false, false}},
    {"u4", {FORMAT_UNSIGNED, 4, false, false}},
    {"u8", {FORMAT_UNSIGNED, 8, false, false}},
    {"f2", {FORMAT_FLOAT, 2, false, false}},
    {"f4", {FORMAT_FLOAT, 4, false, false}},
    {"f8", {FORMAT_FLOAT, 8, false, false}},
    {"bf16", {FORMAT_BRAIN, 2, false, false}},
    {"c8", {FORMAT_FLOAT, 4, true, false}},
    {"c16", {FORMAT_FLOAT, 8, true, false}},
};
enum { NAMES = sizeof names / sizeof *names };

bool format_parse(const char *name, struct format *format)
{
    const char sign = name[0];
    const bool has_sign = sign && strchr("<>|=", sign);
    for (int k = 0; k < NAMES; k++) {
        if (strcmp(name + has_sign, names[k].name) != 0) continue;
        *format = names[k].format;
        if (format->bytes > 1 && (sign == '<' || sign == '>'))
            format->swapped = (sign == '<') != is_little();
        return format->bytes == 1 || sign != '|';
    }
    return false;
}

void format_print(const struct format *format, char name[FORMAT_NAME])
{
    const bool little = is_little() != format->swapped;
    const char sign = format->bytes == 1 ? '|' : little ? '<' : '>';
    for (int k = 0; k < NAMES; k++)
        if (names[k].format.kind == format->kind &&
            names[k].format.bytes == format->bytes &&
            names[k].format.complex == format->complex)
            (void)snprintf(name, FORMAT_NAME, "%c%s", sign, names[k].name);
}

int format_code(const struct format *format)
{
    if (format->kind == FORMAT_NONE) return 0;
    return ((int)format->kind * CODE_BYTES + format->bytes) * 4 + format->complex * 2 +
           format->swapped;
}

struct format format_of_code(int code)
{
    return (struct format){.kind = (enum format_kind)(code / 4 / CODE_BYTES),
                           .bytes = code / 4 % CODE_BYTES,
                           .complex = code / 2 % 2,
                           .swapped = code % 2};
}

/* ---- ranges ------------------------------------------------------------------------ */

static bool is_float(const struct format *format) { return format->kind >= FORMAT_FLOAT; }

/* The binary digits of its integers, of which it holds all. */
static int digits(const struct format *format)
{
    if (format->kind == FORMAT_BRAIN) return 8;
    if (is_float(format)) return format->bytes == 2 ? 11 : format->bytes == 4 ? 24 : 53;
    return 8 * format->bytes - (format->kind == FORMAT_SIGNED);
}

/* Its finite numbers lie below 2 to this power. */
static int exponent(const struct format *format)
{
    if (format->kind == FORMAT_BRAIN) return 128;
    if (is_float(format))
        return format->bytes == 2 ? 16 : format->bytes == 4 ? 128 : 1024;
    return digits(format);
}

bool format_holds_all(const struct format *target, const struct format *source)
{
    if (source->complex && !target->complex) return false;
    if (is_float(source) && !is_float(target)) return false;
    if (source->kind == FORMAT_SIGNED && target->kind == FORMAT_UNSIGNED) return false;
    if (is_float(source) && exponent(source) < exponent(target)) return true;
    return digits(source) <= digits(target) && exponent(source) <= exponent(target);
}

/* ---- single numbers ---------------------------------------------------------------- */

/* A real number: a float, or an integer by its sign and magnitude. */
struct real {
    bool is_float, is_negative;
    uint64_t magnitude;
    double value;
};

static double read_float(const struct format *format, uint64_t bits)
{
    float four;
    double eight;
    const uint32_t low = (uint32_t)(format->bytes == 4 ? bits : bits << 16);
    memcpy(&four, &low, sizeof four);
    memcpy(&eight, &bits, sizeof eight);
    if (format->bytes == 8) return eight;
    if (format->bytes == 4 || format->kind == FORMAT_BRAIN) return four;
    const int power = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    const double sign = bits >> 15 ? -1 : 1;
    if (power == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * (power ? ldexp(1024 + fraction, power - 25) : ldexp(fraction, -24));
}

/* Part 0 or 1 of a number. */
static struct real read_part(const struct format *format, const char *number, int part)
{
    const unsigned char *byte = (const unsigned char *)number + part * format->bytes;
    uint64_t bits = 0;
    for (int k = 0; k < format->bytes; k++) {
        const bool from_first = is_little() == format->swapped;
        bits = bits << 8 | byte[from_first ? k : format->bytes - 1 - k];
    }
    struct real real = {.is_float = is_float(format)};
    if (real.is_float) {
        real.value = read_float(format, bits);
        return real;
    }
    real.is_negative =
        format->kind == FORMAT_SIGNED && bits >> (8 * format->bytes - 1) != 0;
    const uint64_t all = UINT64_MAX >> (64 - 8 * format->bytes);
    real.magnitude = real.is_negative ? (all & (0 - bits)) : bits;
    return real;
}

/* The least number that is rounded to infinity; 0: none is. */
static double overflow(const struct format *format)
{
    if (format->bytes == 8) return 0;
    return ldexp(1 - ldexp(1, -digits(format) - 1), exponent(format));
}

void format_bounds(const struct format *target, const struct format *source,
                   double *below, double *above)
{
    const bool rounds = is_float(source) && is_float(target);
    *above = rounds ? overflow(target) : ldexp(1, digits(target));
    if (*above == 0) *above = (double)INFINITY;
    *below = target->kind == FORMAT_UNSIGNED ? -1 : -*above;
}

static bool integer_holds(const struct format *target, struct real real)
{
    const int bits = digits(target);
    const bool is_signed = target->kind == FORMAT_SIGNED;
    const double end = ldexp(1, bits), least = is_signed ? -end : 0;
    if (real.is_float)
        return real.value >= least && real.value < end && real.value == trunc(real.value);
    if (real.is_negative) return is_signed && real.magnitude - 1 < UINT64_C(1) << bits;
    return bits == 64 || real.magnitude < UINT64_C(1) << bits;
}

static bool float_holds(const struct format *target, struct real real)
{
    const double infinite = overflow(target);
    if (real.is_float)
        return infinite == 0 || !isfinite(real.value) || fabs(real.value) < infinite;
    uint64_t odd = real.magnitude;
    while (odd && odd % 2 == 0) odd /= 2;
    return odd < UINT64_C(1) << digits(target) &&
           (infinite == 0 || (double)real.magnitude < infinite);
}

bool format_holds(const struct format *target, const struct format *source,
                  const char *number)
{
    const int parts = source->complex ? 2 : 1;
    for (int part = 0; part < parts; part++) {
        const struct real real = read_part(source, number, part);
        if (part == 1 && !target->complex) return real.value == 0;
        if (!(is_float(target) ? float_holds : integer_holds)(target, real)) return false;
    }
    return true;
}

void format_print_number(const struct format *format, const char *number,
                         char text[FORMAT_TEXT])
{
    const struct real real = read_part(format, number, 0);
    if (!real.is_float)
        (void)snprintf(text, FORMAT_TEXT, "%s%" PRIu64, real.is_negative ? "-" : "",
                       real.magnitude);
    else if (!format->complex)
        (void)snprintf(text, FORMAT_TEXT, "%.17g", real.value);
    else
        (void)snprintf(text, FORMAT_TEXT, "(%.17g, %.17g)", real.value,
                       read_part(format, number, 1).value);
}
