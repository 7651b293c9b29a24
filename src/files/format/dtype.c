/* SPDX-License-Identifier: MIT */
#include "files/format/dtype.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"

/* NumPy's limit of dimensions of an array in a field. The depth of nested fields is our
 * limit: it keeps a corrupt header from exhausting the stack. */
enum { MAX_FIELD_DIMS = 32, MAX_DEPTH = 64 };

/* The kinds of a simple type, and the sizes of each; kinds without a list take any
 * size. */
static const struct kind {
    char letter;
    const char *sizes;
    int64_t unit; /* bytes counted by the number after the letter */
} kinds[] = {
    {'b', " 1 ", 1},
    {'i', " 1 2 4 8 ", 1},
    {'u', " 1 2 4 8 ", 1},
    {'f', " 2 4 8 10 12 16 ", 1},
    {'c', " 8 16 20 24 32 ", 1},
    {'m', " 8 ", 1},
    {'M', " 8 ", 1},
    {'S', NULL, 1},
    {'a', NULL, 1},
    {'U', NULL, 4},
    {'V', NULL, 1},
};

static redist_err unknown(struct literal_text text)
{
    return error_set(REDIST_ERR_IO, "dtype \"%.*s\" is not supported",
                     (int)int_min(text.length, 40), text.begin);
}

static bool size_is_known(const char *sizes, const char *digits, int64_t ndigits)
{
    if (!sizes) return true;
    for (const char *c = sizes + 1; *c; c = strchr(c, ' ') + 1) {
        if (strchr(c, ' ') - c == ndigits && memcmp(c, digits, (size_t)ndigits) == 0)
            return true;
    }
    return false;
}

/* A date or time may have a unit after it: [ns], [25s], [s/10]. */
static bool is_time_unit(struct literal *in)
{
    if (!literal_char(in, '[')) return false;
    while (literal_more(in) && (isalnum((unsigned char)*in->next) || *in->next == '/'))
        in->next++;
    return literal_char(in, ']');
}

static redist_err simple_bytes(struct literal_text text, int64_t *bytes)
{
    struct literal in = {text.begin, text.begin + text.length};
    for (const char *c = in.next; c < in.end; c++)
        if (isspace((unsigned char)*c)) return unknown(text);
    if (literal_more(&in) && strchr("<>|=", *in.next)) in.next++;
    if (!literal_more(&in)) return unknown(text);
    char letter = *in.next++;
    if (letter == 'O')
        return error_set(REDIST_ERR_IO,
                         "dtype \"%.*s\" is of Python objects, which can't be moved",
                         (int)int_min(text.length, 40), text.begin);
    const char *digits = in.next;
    int64_t number = 0;
    if (literal_integer(&in, &number)) return unknown(text);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].letter != letter) continue;
        if (!size_is_known(kinds[i].sizes, digits, in.next - digits)) break;
        if ((letter == 'm' || letter == 'M') && literal_more(&in) && !is_time_unit(&in))
            break;
        if (literal_more(&in) || !int_mul(number, kinds[i].unit, bytes)) break;
        return REDIST_OK;
    }
    return unknown(text);
}

static redist_err read_any(struct literal *in, int depth, int64_t *bytes);

/* A field is (name, type) or (name, type, shape); a name is 'n' or ('title', 'n'). */
static redist_err read_field(struct literal *in, int depth, int64_t *bytes)
{
    struct literal_text name;
    TRY(literal_expect(in, '('));
    if (literal_char(in, '(')) {
        TRY(literal_string(in, &name));
        TRY(literal_expect(in, ','));
        TRY(literal_string(in, &name));
        (void)literal_char(in, ',');
        TRY(literal_expect(in, ')'));
    } else {
        TRY(literal_string(in, &name));
    }
    TRY(literal_expect(in, ','));
    TRY(read_any(in, depth, bytes));
    int ndims = 0;
    int64_t shape[MAX_FIELD_DIMS];
    if (literal_char(in, ',') && !literal_at(in, ')')) {
        if (literal_at(in, '('))
            TRY(literal_tuple(in, MAX_FIELD_DIMS, &ndims, shape));
        else
            TRY(literal_integer(in, &shape[ndims++]));
        (void)literal_char(in, ',');
    }
    for (int i = 0; i < ndims; i++) {
        if (!int_mul(*bytes, shape[i], bytes))
            return error_set(REDIST_ERR_IO, "a field of more than 2^63 bytes");
    }
    return literal_expect(in, ')');
}

static redist_err read_any(struct literal *in, int depth, int64_t *bytes)
{
    if (!literal_at(in, '[')) {
        struct literal_text text;
        TRY(literal_string(in, &text));
        return simple_bytes(text, bytes);
    }
    if (depth == MAX_DEPTH)
        return error_set(REDIST_ERR_IO, "fields within fields, %d deep", MAX_DEPTH);
    TRY(literal_expect(in, '['));
    *bytes = 0;
    while (!literal_char(in, ']')) {
        int64_t field = 0;
        TRY(read_field(in, depth + 1, &field));
        if (!int_add(*bytes, field, bytes))
            return error_set(REDIST_ERR_IO, "fields of more than 2^63 bytes");
        if (!literal_char(in, ',') && !literal_at(in, ']'))
            return literal_expected(in, "a comma or ]");
    }
    return REDIST_OK;
}

static redist_err check_bytes(int64_t bytes)
{
    if (bytes >= 1 && bytes <= INT32_MAX) return REDIST_OK;
    return error_set(REDIST_ERR_IO,
                     "elements take %" PRId64 " bytes, must be 1 .. 2147483647", bytes);
}

redist_err dtype_read(struct literal *in, int64_t *bytes)
{
    TRY(read_any(in, 0, bytes));
    return check_bytes(*bytes);
}

redist_err dtype_bytes(const char *text, int64_t *bytes)
{
    struct literal in = {text, text + strlen(text)};
    if (!literal_at(&in, '[')) {
        TRY(simple_bytes((struct literal_text){text, (int64_t)strlen(text)}, bytes));
        return check_bytes(*bytes);
    }
    TRY(dtype_read(&in, bytes));
    return literal_more(&in) ? literal_expected(&in, "the end of the dtype") : REDIST_OK;
}
