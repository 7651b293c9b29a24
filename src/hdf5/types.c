/* SPDX-License-Identifier: MIT */
#include "hdf5/types.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "files/format/dtype.h"
#include "hdf5/hdf5_error.h"

static const char numpy_tag[] = "NUMPY:";

/* ---- print ------------------------------------------------------------------------- */

struct text {
    char *at, *end;
    bool lost; /* NumPy has no text for the type, or it is too long: bytes, |V */
};

__attribute__((format(printf, 2, 3))) static redist_err put(struct text *text,
                                                            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text->at, (size_t)(text->end - text->at), format, arguments);
    va_end(arguments);
    if (n < 0 || n >= text->end - text->at)
        text->lost = true;
    else
        text->at += n;
    return REDIST_OK;
}

static redist_err lose(struct text *text)
{
    text->lost = true;
    return REDIST_OK;
}

static redist_err refuse(const char *what)
{
    return error_set(REDIST_ERR_IO, "elements of type %s are not supported", what);
}

/* The sign of the bytes' order; 0: neither order. */
static char order_sign(hid_t type)
{
    if (H5Tget_size(type) == 1) return '|';
    H5T_order_t order = H5Tget_order(type);
    return order == H5T_ORDER_LE ? '<' : order == H5T_ORDER_BE ? '>' : 0;
}

static redist_err print_number(hid_t type, char letter, struct text *text)
{
    size_t size = H5Tget_size(type);
    char order = order_sign(type);
    bool whole = H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0;
    if ((size != 1 && size != 2 && size != 4 && size != 8) || !order || !whole)
        return refuse(letter == 'f' ? "float, but not of IEEE with 2, 4 or 8 bytes"
                                    : "integer, but not of 1, 2, 4 or 8 whole bytes");
    return put(text, "%c%c%zu", order, letter, size);
}

static redist_err print_float(hid_t type, struct text *text)
{
    size_t sign, exponent, exponent_bits, mantissa, mantissa_bits,
        size = H5Tget_size(type);
    if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) <
        0)
        return hdf5_error("type");
    size_t bits = size == 2 ? 5 : size == 4 ? 8 : 11;
    bool ieee = size != 1 && sign == 8 * size - 1 && exponent_bits == bits &&
                exponent == sign - bits && mantissa == 0 && mantissa_bits == exponent &&
                H5Tget_ebias(type) == ((size_t)1 << (bits - 1)) - 1 &&
                H5Tget_norm(type) == H5T_NORM_IMPLIED;
    return ieee ? print_number(type, 'f', text)
                : refuse("float, but not of IEEE with 2, 4 or 8 bytes");
}

static redist_err print_any(hid_t type, int depth, struct text *text);

/* Print the type of which a type consists. */
static redist_err print_super(hid_t type, int depth, struct text *text)
{
    hid_t super = H5Tget_super(type);
    if (super < 0) return hdf5_error("type");
    redist_err err = print_any(super, depth, text);
    (void)H5Tclose(super);
    return err;
}

static bool is_bool(hid_t type)
{
    signed char no = -1, yes = -1;
    return H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 &&
           H5Tenum_valueof(type, "FALSE", &no) >= 0 && no == 0 &&
           H5Tenum_valueof(type, "TRUE", &yes) >= 0 && yes == 1;
}

static redist_err print_string(hid_t type, struct text *text)
{
    if (H5Tis_variable_str(type) > 0) return refuse("string of variable length");
    return put(text, "|S%zu", H5Tget_size(type));
}

/* What h5py has tagged with the text of a type. */
static redist_err print_opaque(hid_t type, struct text *text)
{
    int64_t bytes = 0;
    size_t prefix = sizeof numpy_tag - 1, size = H5Tget_size(type);
    char *tag = H5Tget_tag(type);
    bool known = tag && strncmp(tag, numpy_tag, prefix) == 0 && tag[prefix] != '[' &&
                 !dtype_bytes(tag + prefix, &bytes) && (size_t)bytes == size;
    redist_err err =
        known ? put(text, "%s", tag + prefix) : put(text, "|V%zu", H5Tget_size(type));
    (void)H5free_memory(tag);
    return err;
}

/* An array stands in a field alone; `shape` gets what follows its type there. */
static redist_err print_array(hid_t type, int depth, struct text *text,
                              struct text *shape)
{
    hsize_t extents[H5S_MAX_RANK];
    int n = H5Tget_array_ndims(type);
    if (n < 1 || H5Tget_array_dims2(type, extents) < 0) return hdf5_error("type");
    TRY(print_super(type, depth, text));
    if (!shape) return lose(text);
    (void)put(shape, ", (");
    for (int i = 0; i < n; i++) (void)put(shape, "%llu,", (unsigned long long)extents[i]);
    return put(shape, ")");
}

static bool is_plain(const char *name)
{
    for (; *name; name++)
        if (*name < ' ' || *name > '~' || *name == '\'' || *name == '\\') return false;
    return true;
}

/* Bytes between two fields. */
static void put_gap(struct text *text, size_t from, size_t to)
{
    if (to > from) (void)put(text, "('', '|V%zu'), ", to - from);
    if (to < from) (void)lose(text);
}

static redist_err print_field(hid_t type, unsigned i, int depth, struct text *text)
{
    char room[H5S_MAX_RANK * 24];
    struct text shape = {room, room + sizeof room, false};
    hid_t member = H5Tget_member_type(type, i);
    char *name = H5Tget_member_name(type, i);
    *room = 0;
    redist_err err = member < 0 || !name ? hdf5_error("type") : REDIST_OK;
    if (!err) {
        if (!is_plain(name) || !*name) (void)lose(text);
        (void)put(text, "('%s', ", name);
        char *begin = text->at;
        err = H5Tget_class(member) == H5T_ARRAY ? print_array(member, depth, text, &shape)
                                                : print_any(member, depth, text);
        if (!err && !text->lost && *begin != '[') { /* a simple type stands in quotes */
            char simple[64];
            (void)snprintf(simple, sizeof simple, "%s", begin);
            text->at = begin;
            (void)put(text, "'%s'", simple);
        }
        (void)put(text, "%s), ", room);
    }
    (void)H5free_memory(name);
    if (member >= 0) (void)H5Tclose(member);
    return err;
}

static bool is_complex(hid_t type, const char *text)
{
    size_t size = H5Tget_size(type);
    char expected[96];
    (void)snprintf(expected, sizeof expected, "[('r', '%cf%zu'), ('i', '%cf%zu'), ]",
                   text[8], size / 2, text[8], size / 2);
    return (size == 8 || size == 16) && strcmp(text, expected) == 0;
}

static redist_err print_compound(hid_t type, int depth, struct text *text)
{
    char *begin = text->at;
    size_t at = 0, size = H5Tget_size(type);
    int n = H5Tget_nmembers(type);
    (void)put(text, "[");
    for (int i = 0; i < n; i++) {
        size_t offset = H5Tget_member_offset(type, (unsigned)i);
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        size_t bytes = member < 0 ? 0 : H5Tget_size(member);
        if (member >= 0) (void)H5Tclose(member);
        put_gap(text, at, offset);
        TRY(print_field(type, (unsigned)i, depth, text));
        at = offset + bytes;
    }
    put_gap(text, at, size);
    (void)put(text, "]");
    if (text->lost || !is_complex(type, begin)) return REDIST_OK;
    char order = begin[8];
    text->at = begin;
    return put(text, "%cc%zu", order, size);
}

static redist_err print_any(hid_t type, int depth, struct text *text)
{
    enum { MOST_DEPTH = 16 };
    if (depth == MOST_DEPTH) return refuse("compound, many within each other");
    switch (H5Tget_class(type)) {
        case H5T_INTEGER:
            return print_number(type, H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i',
                                text);
        case H5T_BITFIELD: return print_number(type, 'u', text);
        case H5T_FLOAT: return print_float(type, text);
        case H5T_STRING: return print_string(type, text);
        case H5T_OPAQUE: return print_opaque(type, text);
        case H5T_ENUM:
            return is_bool(type) ? put(text, "|b1") : print_super(type, depth + 1, text);
        case H5T_COMPOUND: return print_compound(type, depth + 1, text);
        case H5T_ARRAY: return print_array(type, depth + 1, text, NULL);
        case H5T_VLEN: return refuse("sequence of variable length");
        case H5T_REFERENCE: return refuse("reference");
        case H5T_TIME: return refuse("time");
        default: return hdf5_error("type");
    }
}

redist_err types_print(hid_t type, char text[TYPES_TEXT_SIZE])
{
    struct text out = {text, text + TYPES_TEXT_SIZE, false};
    TRY(print_any(type, 0, &out));
    if (out.lost) (void)snprintf(text, TYPES_TEXT_SIZE, "|V%zu", H5Tget_size(type));
    return REDIST_OK;
}

/* ---- make -------------------------------------------------------------------------- */

/* NumPy's float of 2 bytes, which HDF5 does not name. */
static hid_t make_half(void)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    bool good = type >= 0 && H5Tset_fields(type, 15, 10, 5, 0, 10) >= 0 &&
                H5Tset_size(type, 2) >= 0 && H5Tset_ebias(type, 15) >= 0;
    if (good || type < 0) return type;
    (void)H5Tclose(type);
    return -1;
}

static hid_t make_bool(void)
{
    signed char no = 0, yes = 1;
    hid_t type = H5Tenum_create(H5T_STD_I8LE);
    if (type >= 0) {
        (void)H5Tenum_insert(type, "FALSE", &no);
        (void)H5Tenum_insert(type, "TRUE", &yes);
    }
    return type;
}

static hid_t make_complex(char order, size_t size)
{
    hid_t part = size == 8 ? (order == '>' ? H5T_IEEE_F32BE : H5T_IEEE_F32LE)
                           : (order == '>' ? H5T_IEEE_F64BE : H5T_IEEE_F64LE);
    hid_t type = H5Tcreate(H5T_COMPOUND, size);
    if (type >= 0) {
        (void)H5Tinsert(type, "r", 0, part);
        (void)H5Tinsert(type, "i", size / 2, part);
    }
    return type;
}

static hid_t make_number(char letter, char order, size_t size)
{
    hid_t type = letter == 'i'   ? H5Tcopy(H5T_STD_I8LE)
                 : letter == 'u' ? H5Tcopy(H5T_STD_U8LE)
                 : size == 2     ? make_half()
                 : size == 4     ? H5Tcopy(H5T_IEEE_F32LE)
                                 : H5Tcopy(H5T_IEEE_F64LE);
    if (type < 0) return type;
    if (letter != 'f') (void)H5Tset_size(type, size);
    if (letter != 'f') (void)H5Tset_precision(type, 8 * size);
    if (order == '>') (void)H5Tset_order(type, H5T_ORDER_BE);
    return type;
}

static hid_t make_string(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0) {
        (void)H5Tset_size(type, size);
        (void)H5Tset_strpad(type, H5T_STR_NULLPAD);
    }
    return type;
}

static hid_t make_opaque(size_t size, const char *tag)
{
    hid_t type = H5Tcreate(H5T_OPAQUE, size);
    if (type >= 0) (void)H5Tset_tag(type, tag);
    return type;
}

static redist_err make_simple(struct literal_text text, hid_t *type)
{
    char word[64], tag[sizeof word + sizeof numpy_tag];
    int64_t bytes = 0;
    (void)snprintf(word, sizeof word, "%.*s", (int)text.length, text.begin);
    TRY(dtype_bytes(word, &bytes));
    size_t size = (size_t)bytes;
    char order = strchr("<>|=", *word) ? *word : '=';
    const char *letter = word + (strchr("<>|=", *word) ? 1 : 0);
    if (order == '=' || order == '|')
        order = H5Tget_order(H5T_NATIVE_INT) == H5T_ORDER_BE ? '>' : '<';
    bool wide = (*letter == 'f' && size > 8) || (*letter == 'c' && size > 16);
    if (wide) return refuse("float of more than 8 bytes");
    (void)snprintf(tag, sizeof tag, "%s%c%s", numpy_tag, order, letter);
    switch (*letter) {
        case 'b': *type = make_bool(); break;
        case 'c': *type = make_complex(order, size); break;
        case 'S':
        case 'a': *type = make_string(size); break;
        case 'V': *type = make_opaque(size, ""); break;
        case 'i':
        case 'u':
        case 'f': *type = make_number(*letter, order, size); break;
        default: *type = make_opaque(size, tag); /* times, text of 4 bytes a character */
    }
    return *type < 0 ? hdf5_error("type") : REDIST_OK;
}

static redist_err make_any(struct literal *in, hid_t *type);

/* Make the type of a field's array. */
static redist_err make_array(struct literal *in, hid_t *type)
{
    int n = 0;
    int64_t shape[H5S_MAX_RANK] = {0};
    hsize_t extents[H5S_MAX_RANK];
    if (literal_at(in, '('))
        TRY(literal_tuple(in, H5S_MAX_RANK, &n, shape));
    else
        TRY(literal_integer(in, &shape[n++]));
    for (int i = 0; i < n; i++) extents[i] = (hsize_t)shape[i];
    (void)literal_char(in, ',');
    if (n == 0) return REDIST_OK;
    hid_t array = H5Tarray_create2(*type, (unsigned)n, extents);
    if (array < 0) return hdf5_error("type");
    (void)H5Tclose(*type);
    *type = array;
    return REDIST_OK;
}

/* Read a field, and put it at `*offset` of the compound. One without a name is a gap. */
static redist_err make_field(struct literal *in, hid_t compound, size_t *offset)
{
    struct literal_text name;
    char copy[256];
    hid_t type = -1;
    TRY(literal_expect(in, '('));
    if (literal_char(in, '(')) { /* a title, and the name */
        TRY(literal_string(in, &name));
        TRY(literal_expect(in, ','));
        TRY(literal_string(in, &name));
        (void)literal_char(in, ',');
        TRY(literal_expect(in, ')'));
    } else {
        TRY(literal_string(in, &name));
    }
    TRY(literal_expect(in, ','));
    TRY(make_any(in, &type));
    redist_err err = REDIST_OK;
    if (literal_char(in, ',') && !literal_at(in, ')')) err = make_array(in, &type);
    (void)snprintf(copy, sizeof copy, "%.*s", (int)name.length, name.begin);
    if (!err && name.length >= (int64_t)sizeof copy)
        err = error_set(REDIST_ERR_IO, "the name of a field has more than 255 bytes");
    if (!err && name.length > 0 && H5Tinsert(compound, copy, *offset, type) < 0)
        err = hdf5_error("type");
    *offset += H5Tget_size(type);
    (void)H5Tclose(type);
    return err ? err : literal_expect(in, ')');
}

static redist_err make_compound(struct literal *in, hid_t *type)
{
    int64_t bytes = 0;
    size_t offset = 0;
    struct literal ahead = *in;
    TRY(dtype_read(&ahead, &bytes));
    TRY(literal_expect(in, '['));
    *type = H5Tcreate(H5T_COMPOUND, (size_t)bytes);
    if (*type < 0) return hdf5_error("type");
    redist_err err = REDIST_OK;
    while (!err && !literal_char(in, ']')) {
        err = make_field(in, *type, &offset);
        if (!err) (void)literal_char(in, ',');
    }
    if (err) (void)H5Tclose(*type);
    return err;
}

static redist_err make_any(struct literal *in, hid_t *type)
{
    struct literal_text text;
    if (literal_at(in, '[')) return make_compound(in, type);
    TRY(literal_string(in, &text));
    return make_simple(text, type);
}

redist_err types_make(const char *text, hid_t *type)
{
    struct literal in = {text, text + strlen(text)};
    if (literal_at(&in, '[')) return make_compound(&in, type);
    return make_simple((struct literal_text){text, (int64_t)strlen(text)}, type);
}
