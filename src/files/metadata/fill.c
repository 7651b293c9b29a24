/* SPDX-License-Identifier: MIT */
#include "files/metadata/fill.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

static const char what[] = "fill_value";

/* Copy a number of this machine, in the order of the file. */
static void put_number(char order, const void *number, int64_t bytes, char *fill)
{
    const char *from = number;
    const uint16_t one = 1;
    bool little = *(const char *)&one == 1;
    for (int64_t k = 0; k < bytes; k++)
        fill[k] = from[little == (order == '>') ? bytes - 1 - k : k];
}

/* ---- numbers ----------------------------------------------------------------------- */

/* Read the number between begin and end, behind which something else stands, whatever the
 * locale. */
static bool read_float(const char *begin, const char *end, double *number, float *single)
{
    char *after = NULL;
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!locale) return false;
    *number = strtod_l(begin, &after, locale);
    *single = strtof_l(begin, &after, locale);
    freelocale(locale);
    return after == end && end > begin;
}

static redist_err read_integer(struct json value, struct element element, char *fill)
{
    int bits = (int)element.bytes * 8;
    bool is_signed = element.letter != 'u';
    uint64_t most = UINT64_MAX >> (64 - bits + is_signed), found = 0;
    bool negative = *value.begin == '-', good = json_kind(value) == '0';
    const char *digits = value.begin + negative;
    if (good && strspn(digits, "0123456789") == (size_t)(value.end - digits)) {
        errno = 0;
        found = strtoull(digits, NULL, 10);
        good = !errno;
    } else if (good) { /* 0.0, 1e3 */
        double number;
        float single;
        good = read_float(digits, value.end, &number, &single) && number < 0x1p53 &&
               floor(number) == number;
        if (good) found = (uint64_t)number;
    }
    if (negative && is_signed) most++;
    if (!good || found > most || (negative && !is_signed && found))
        return json_refuse(value, what, "an integer of the array's type");
    if (negative) found = -found;
    uint8_t byte = (uint8_t)found;
    uint16_t two = (uint16_t)found;
    uint32_t four = (uint32_t)found;
    const void *number = bits == 8    ? (void *)&byte
                         : bits == 16 ? (void *)&two
                         : bits == 32 ? (void *)&four
                                      : (void *)&found;
    put_number(element.order, number, element.bytes, fill);
    return REDIST_OK;
}

/* The nearest number of 16 bits; of two the even one. */
static uint16_t half_of(double number)
{
    int exponent;
    unsigned sign = signbit(number) ? 0x8000 : 0, bits;
    double size = fabs(number);
    if (isnan(number))
        bits = 0x7e00;
    else if (size >= 65520)
        bits = 0x7c00;
    else if (size < 0x1p-14)
        bits = (unsigned)nearbyint(size * 0x1p24);
    else {
        double fraction = frexp(size, &exponent);
        bits = ((unsigned)(exponent + 13) << 10) + (unsigned)nearbyint(fraction * 0x1p11);
    }
    return (uint16_t)(sign | bits);
}

/* The bits as hexadecimal digits, the highest first. */
static bool read_hex(struct json value, char order, int64_t bytes, char *fill)
{
    const char *digits = value.begin + 3;
    if (value.end - value.begin != 4 + 2 * bytes) return false;
    for (int64_t k = 0; k < 2 * bytes; k++) {
        int c = tolower((unsigned char)digits[k]);
        if (!isxdigit(c)) return false;
        int digit = isdigit(c) ? c - '0' : c - 'a' + 10;
        char *to = &fill[order == '<' ? bytes - 1 - k / 2 : k / 2];
        *to = (char)((unsigned char)*to << 4 | digit);
    }
    return true;
}

static redist_err read_real(struct json value, char order, int64_t bytes, char *fill)
{
    static const char must[] = "a number, \"NaN\", \"Infinity\" or \"-Infinity\"";
    double number = 0;
    float single = 0;
    bool text = json_kind(value) == '"';
    if (text && value.end - value.begin > 4 && memcmp(value.begin + 1, "0x", 2) == 0)
        return read_hex(value, order, bytes, fill) ? REDIST_OK
                                                   : json_refuse(value, what, must);
    bool good = text ? json_is(value, "NaN") || json_is(value, "Infinity") ||
                           json_is(value, "-Infinity")
                     : json_kind(value) == '0';
    if (!good || !read_float(value.begin + text, value.end - text, &number, &single))
        return json_refuse(value, what, must);
    uint16_t half = half_of(number);
    if (bytes == 2) put_number(order, &half, bytes, fill);
    if (bytes == 4) put_number(order, &single, bytes, fill);
    if (bytes == 8) put_number(order, &number, bytes, fill);
    if (bytes > 8 && number != 0)
        return json_refuse(value, what, "0 for numbers of more than 64 bits");
    return REDIST_OK;
}

static redist_err read_complex(struct json value, struct element element, char *fill)
{
    struct json key, part, more;
    struct json_items items = json_items(value);
    int64_t bytes = element.bytes / 2;
    if (json_kind(value) == '0' || json_kind(value) == '"') /* a real number */
        return read_real(value, element.order, bytes, fill);
    for (int k = 0; k < 2; k++) {
        if (!json_next(&items, &key, &part))
            return json_refuse(value, what, "an array of two numbers");
        TRY(read_real(part, element.order, bytes, fill + k * bytes));
    }
    return json_next(&items, &key, &more)
               ? json_refuse(value, what, "an array of two numbers")
               : REDIST_OK;
}

/* ---- texts and bytes --------------------------------------------------------------- */

static int base64_digit(char c)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static redist_err read_base64(struct json value, int64_t bytes, char *fill)
{
    char *text;
    int64_t length, done = 0;
    unsigned bits = 0;
    TRY(json_string_of(value, what, &text, &length));
    while (length > 0 && text[length - 1] == '=') length--;
    bool good = true;
    for (int64_t k = 0; good && k < length; k++) {
        int digit = base64_digit(text[k]);
        bits = bits << 6 | ((unsigned)digit & 63);
        good = digit >= 0;
        if (k % 4 == 0) continue;
        good = good && done < bytes;
        if (good) fill[done++] = (char)(bits >> (6 - 2 * (k % 4)) & 255);
    }
    mem_free(text);
    return good ? REDIST_OK : json_refuse(value, what, "an element's bytes in base64");
}

/* UTF-8 to 4 bytes a character. */
static redist_err read_unicode(struct json value, struct element element, char *fill)
{
    char *text;
    int64_t length, done = 0;
    TRY(json_string_of(value, what, &text, &length));
    bool good = true;
    for (int64_t k = 0; good && k < length;) {
        unsigned char c = (unsigned char)text[k++];
        int more = c < 0x80 ? 0 : c < 0xc0 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        uint32_t code = more > 0 ? c & (0x3fU >> more) : c;
        good = more >= 0 && k + more <= length && done < element.bytes;
        for (; good && more > 0; more--) code = code << 6 | (text[k++] & 0x3f);
        if (good) put_number(element.order, &code, 4, fill + done);
        done += 4;
    }
    mem_free(text);
    return good ? REDIST_OK : json_refuse(value, what, "a text of the array's type");
}

/* The bytes as integers. */
static redist_err read_raw(struct json value, int64_t bytes, char *fill)
{
    struct json key, item;
    struct json_items items = json_items(value);
    int64_t done = 0, byte = 0;
    for (; json_next(&items, &key, &item) && done < bytes; done++) {
        TRY(json_integer_of(item, what, &byte));
        if (byte > 255) return json_refuse(item, what, "a byte");
        fill[done] = (char)byte;
    }
    return done == bytes && json_kind(value) == '['
               ? REDIST_OK
               : json_refuse(value, what, "an array of an element's bytes");
}

static redist_err read_bool(struct json value, char *fill)
{
    char kind = json_kind(value);
    if (kind == '0') return read_integer(value, (struct element){'|', 'u', 1}, fill);
    if (kind != 't' && kind != 'f') return json_refuse(value, what, "true or false");
    *fill = kind == 't';
    return REDIST_OK;
}

redist_err fill_read(struct json value, int version, struct element element, char *fill)
{
    char kind = json_kind(value);
    if (version == 2 && (kind == 'n' || kind == 0)) return REDIST_OK;
    switch (element.letter) {
        case 'b': return read_bool(value, fill);
        case 'f': return read_real(value, element.order, element.bytes, fill);
        case 'c': return read_complex(value, element, fill);
        case 'U':
            if (kind == '0') return REDIST_OK; /* written so of old */
            return read_unicode(value, element, fill);
        case 'S':
        case 'V':
            if (version == 3) return read_raw(value, element.bytes, fill);
            if (kind == '0') return REDIST_OK;
            return read_base64(value, element.bytes, fill);
        default:
            return kind ? read_integer(value, element, fill)
                        : json_refuse(value, what, "an integer");
    }
}

void fill_print_zeros(int version, struct element element, struct text *out)
{
    enum { MOST_BASE64 = 3072 };
    int64_t bytes = element.bytes;
    switch (element.letter) {
        case 'b': text_add(out, "false"); return;
        case 'f': text_add(out, "0.0"); return;
        case 'c': text_add(out, "[0.0, 0.0]"); return;
        case 'S':
        case 'U': text_add(out, "\"\""); return;
        case 'V': break;
        default: text_add(out, "0"); return;
    }
    if (version == 3) {
        text_add(out, "[");
        for (int64_t k = 0; k < bytes; k++) text_add(out, k ? ", 0" : "0");
        text_add(out, "]");
    } else if (bytes > MOST_BASE64) {
        text_add(out, "null");
    } else {
        text_add(out, "\"");
        for (int64_t k = 0; k < int_ceil_div(8 * bytes, 6); k++) text_add(out, "A");
        text_add(out, "%s\"", bytes % 3 == 0 ? "" : bytes % 3 == 1 ? "==" : "=");
    }
}
