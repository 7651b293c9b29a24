/* SPDX-License-Identifier: MIT */
#include "files/format/npy.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/dtype.h"

static const char magic[] = "\x93NUMPY";
enum {
    MAGIC_BYTES = 6,
    ALIGNMENT = 64,
    LARGEST_SHORT_HEADER = 65535,
    /* NumPy's limit is 10000 unless the reader insists; a header longer than this is
     * corrupt */
    LARGEST_HEADER = 16 << 20,
    /* NumPy leaves room for the slowest extent to grow in place to so many digits */
    GROWN_DIGITS = 21
};

/* ---- parse ------------------------------------------------------------------------- */

static int64_t little_endian(const unsigned char *bytes, int count)
{
    int64_t value = 0;
    for (int i = count; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

/* The bytes before the dict: magic, version, length. */
static int64_t prefix_bytes(const unsigned char *prefix)
{
    return prefix[MAGIC_BYTES] == 1 ? 10 : 12;
}

redist_err npy_header_bytes(const void *prefix, int64_t size, int64_t *bytes)
{
    const unsigned char *p = prefix;
    if (size < MAGIC_BYTES || memcmp(p, magic, MAGIC_BYTES) != 0)
        return error_set(REDIST_ERR_IO, "not an .npy file: must begin with \\x93NUMPY");
    if (size < NPY_PREFIX_BYTES)
        return error_set(REDIST_ERR_IO, "truncated: %" PRId64 " bytes are no header",
                         size);
    int major = p[MAGIC_BYTES], minor = p[MAGIC_BYTES + 1];
    if (major < 1 || major > 3 || minor != 0)
        return error_set(REDIST_ERR_IO, ".npy version %d.%d, must be 1.0, 2.0 or 3.0",
                         major, minor);
    int64_t length = little_endian(p + MAGIC_BYTES + 2, major == 1 ? 2 : 4);
    if (length > LARGEST_HEADER)
        return error_set(REDIST_ERR_IO,
                         "corrupt: a header of %" PRId64
                         " bytes, at most %d are sensible",
                         length, LARGEST_HEADER);
    *bytes = prefix_bytes(p) + length;
    return REDIST_OK;
}

/* Copy a text of Latin-1 characters, or of UTF-8, to a block of UTF-8. */
static redist_err copy_utf8(struct literal_text text, bool latin1, char **copy)
{
    char *block = mem_alloc(NULL, 2 * text.length + 1, 1);
    if (!block) return REDIST_ERR_MEMORY;
    char *out = block;
    for (int64_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.begin[i];
        if (latin1 && c >= 0x80) {
            *out++ = (char)(0xC0 | c >> 6);
            *out++ = (char)(0x80 | (c & 0x3F));
        } else {
            *out++ = (char)c;
        }
    }
    *copy = block;
    return REDIST_OK;
}

static redist_err read_descr(struct literal *in, bool latin1, struct npy *npy)
{
    struct literal_text text;
    (void)literal_more(in);
    const char *begin = in->next;
    TRY(dtype_read(in, &npy->element_bytes));
    text = (struct literal_text){begin, in->next - begin};
    if (*begin != '[') text = (struct literal_text){begin + 1, text.length - 2};
    return copy_utf8(text, latin1, &npy->descr);
}

static redist_err read_bool(struct literal *in, bool *value)
{
    *value = literal_word(in, "True");
    return *value || literal_word(in, "False") ? REDIST_OK
                                               : literal_expected(in, "True or False");
}

enum { HAS_DESCR = 1, HAS_FORTRAN_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

static bool key_is(struct literal_text key, const char *name)
{
    return (size_t)key.length == strlen(name) &&
           memcmp(key.begin, name, strlen(name)) == 0;
}

static redist_err read_entry(struct literal *in, bool latin1, int *found, struct npy *npy)
{
    struct literal_text key;
    TRY(literal_string(in, &key));
    TRY(literal_expect(in, ':'));
    int id = key_is(key, "descr")           ? HAS_DESCR
             : key_is(key, "fortran_order") ? HAS_FORTRAN_ORDER
             : key_is(key, "shape")         ? HAS_SHAPE
                                            : 0;
    if (id == 0 || *found & id)
        return error_set(REDIST_ERR_IO,
                         "key '%.*s': must be descr, fortran_order, shape, once each",
                         (int)int_min(key.length, 40), key.begin);
    *found |= id;
    if (id == HAS_DESCR) return read_descr(in, latin1, npy);
    if (id == HAS_FORTRAN_ORDER) return read_bool(in, &npy->fortran_order);
    redist_err err = literal_tuple(in, REDIST_MAX_DIMS, &npy->ndims, npy->shape);
    return err ? error_prefix(err, "shape") : REDIST_OK;
}

static redist_err read_dict(struct literal *in, bool latin1, struct npy *npy)
{
    int found = 0;
    TRY(literal_expect(in, '{'));
    while (!literal_char(in, '}')) {
        TRY(read_entry(in, latin1, &found, npy));
        if (!literal_char(in, ',') && !literal_at(in, '}'))
            return literal_expected(in, "a comma or }");
    }
    if (literal_more(in)) return literal_expected(in, "white space");
    if (found == HAS_ALL) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "key '%s' is missing",
                     !(found & HAS_DESCR)           ? "descr"
                     : !(found & HAS_FORTRAN_ORDER) ? "fortran_order"
                                                    : "shape");
}

static redist_err count_data(struct npy *npy)
{
    npy->data_bytes = npy->element_bytes;
    for (int i = 0; i < npy->ndims; i++) {
        if (!int_mul(npy->data_bytes, npy->shape[i], &npy->data_bytes))
            return error_set(REDIST_ERR_IO, "the shape takes more than 2^63 bytes");
    }
    int64_t end;
    if (!int_add(npy->data_begin, npy->data_bytes, &end))
        return error_set(REDIST_ERR_IO, "the shape takes more than 2^63 bytes");
    return REDIST_OK;
}

redist_err npy_parse(const void *header, int64_t size, struct npy *npy)
{
    const unsigned char *bytes = header;
    *npy = (struct npy){.data_begin = size};
    struct literal in = {(const char *)header + prefix_bytes(bytes),
                         (const char *)header + size};
    redist_err err = read_dict(&in, bytes[MAGIC_BYTES] < 3, npy);
    if (!err) err = count_data(npy);
    if (!err) return REDIST_OK;
    npy_free(npy);
    return error_prefix(err, "header");
}

redist_err npy_check_size(const struct npy *npy, int64_t bytes)
{
    int64_t there = bytes - npy->data_begin;
    if (there >= npy->data_bytes) return REDIST_OK;
    return error_set(REDIST_ERR_IO,
                     "truncated: its shape takes %" PRId64 " bytes of data, %" PRId64
                     " are there",
                     npy->data_bytes, int_max(there, 0));
}

void npy_free(struct npy *npy)
{
    mem_free(npy->descr);
    npy->descr = NULL;
}

/* ---- print ------------------------------------------------------------------------- */

static bool is_ascii(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text >= 0x80) return false;
    }
    return true;
}

/* Print the dict with its room to grow to text[size]; returns its length. */
static int64_t print_dict(const struct npy *npy, char *text, size_t size)
{
    char shape[REDIST_MAX_DIMS * 24 + 8] = "";
    int at = 0, digits = 0;
    for (int i = 0; i < npy->ndims; i++) {
        int n = snprintf(shape + at, sizeof shape - (size_t)at, "%s%" PRId64,
                         i > 0 ? ", " : "", npy->shape[i]);
        at += n;
        if (i == (npy->fortran_order ? npy->ndims - 1 : 0)) digits = i > 0 ? n - 2 : n;
    }
    const char *quote = npy->descr[0] == '[' ? "" : "'";
    return snprintf(
        text, size, "{'descr': %s%s%s, 'fortran_order': %s, 'shape': (%s%s), }%*s", quote,
        npy->descr, quote, npy->fortran_order ? "True" : "False", shape,
        npy->ndims == 1 ? "," : "", npy->ndims > 0 ? GROWN_DIGITS - digits : 0, "");
}

/* Choose the oldest version that can hold the dict, and the begin of the data. At least
 * one byte of padding and the newline follow the dict. */
static int choose_version(const struct npy *npy, int64_t dict_bytes, int64_t *data_begin)
{
    int64_t short_end = (10 + dict_bytes + 1 + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    int64_t long_end = (12 + dict_bytes + 1 + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    bool ascii = is_ascii(npy->descr);
    bool is_short = ascii && short_end - 10 <= LARGEST_SHORT_HEADER;
    *data_begin = is_short ? short_end : long_end;
    return is_short ? 1 : ascii ? 2 : 3;
}

redist_err npy_make(const char *descr, bool fortran_order, int ndims,
                    const int64_t shape[], struct npy *npy)
{
    *npy = (struct npy){.fortran_order = fortran_order, .ndims = ndims};
    for (int i = 0; i < ndims; i++) npy->shape[i] = shape[i];
    TRY(dtype_bytes(descr, &npy->element_bytes));
    struct literal_text text = {descr, (int64_t)strlen(descr)};
    TRY(copy_utf8(text, false, &npy->descr));
    (void)choose_version(npy, print_dict(npy, NULL, 0), &npy->data_begin);
    redist_err err = count_data(npy);
    if (err) npy_free(npy);
    return err;
}

redist_err npy_print(const struct npy *npy, char **header)
{
    int64_t dict_bytes = print_dict(npy, NULL, 0), size;
    int version = choose_version(npy, dict_bytes, &size);
    char *text = mem_alloc(NULL, size + 1, 1);
    if (!text) return REDIST_ERR_MEMORY;
    int prefix = version == 1 ? 10 : 12;
    memcpy(text, magic, MAGIC_BYTES);
    text[MAGIC_BYTES] = (char)version;
    for (int i = MAGIC_BYTES + 2; i < prefix; i++)
        text[i] = (char)((size - prefix) >> 8 * (i - MAGIC_BYTES - 2));
    (void)print_dict(npy, text + prefix, (size_t)(size - prefix));
    memset(text + prefix + dict_bytes, ' ', (size_t)(size - prefix - dict_bytes - 1));
    text[size - 1] = '\n';
    *header = text;
    return REDIST_OK;
}
