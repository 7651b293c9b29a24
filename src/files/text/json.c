/* SPDX-License-Identifier: MIT */
#include "files/text/json.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

enum { MOST_DEPTH = 64 };

/* ---- from left to right ------------------------------------------------------------ */

static redist_err skip_string(struct literal *in)
{
    struct literal_text text;
    if (!literal_at(in, '"')) return literal_expected(in, "a string in \"\"");
    return literal_string(in, &text);
}

static bool skip_digits(struct literal *in)
{
    const char *begin = in->next;
    while (in->next < in->end && isdigit((unsigned char)*in->next)) in->next++;
    return in->next > begin;
}

static bool skip_one_of(struct literal *in, const char *set)
{
    bool found = in->next < in->end && *in->next && strchr(set, *in->next);
    if (found) in->next++;
    return found;
}

static redist_err skip_number(struct literal *in)
{
    struct literal start = *in;
    if (literal_word(in, "NaN") || literal_word(in, "Infinity") ||
        literal_word(in, "-Infinity"))
        return REDIST_OK;
    (void)skip_one_of(in, "-");
    bool good = skip_digits(in);
    if (good && skip_one_of(in, ".")) good = skip_digits(in);
    if (good && skip_one_of(in, "eE")) {
        (void)skip_one_of(in, "+-");
        good = skip_digits(in);
    }
    return good ? REDIST_OK : literal_expected(&start, "a value");
}

static redist_err skip_value(struct literal *in, int depth);

static redist_err skip_container(struct literal *in, int depth, bool object)
{
    char close = object ? '}' : ']';
    if (depth == MOST_DEPTH)
        return error_set(REDIST_ERR_IO, "values within values, %d deep", MOST_DEPTH);
    in->next++;
    if (literal_char(in, close)) return REDIST_OK;
    do {
        if (object) TRY(skip_string(in));
        if (object) TRY(literal_expect(in, ':'));
        TRY(skip_value(in, depth + 1));
    } while (literal_char(in, ','));
    return literal_char(in, close) ? REDIST_OK
                                   : literal_expected(in, object ? ", or }" : ", or ]");
}

static redist_err skip_value(struct literal *in, int depth)
{
    if (literal_at(in, '{')) return skip_container(in, depth, true);
    if (literal_at(in, '[')) return skip_container(in, depth, false);
    if (literal_at(in, '"')) return skip_string(in);
    if (literal_word(in, "true") || literal_word(in, "false") || literal_word(in, "null"))
        return REDIST_OK;
    return skip_number(in);
}

redist_err json_check(const char *text, int64_t size, struct json *value)
{
    struct literal in = {text, text + size};
    (void)literal_more(&in);
    value->begin = in.next;
    TRY(skip_value(&in, 0));
    value->end = in.next;
    return literal_more(&in) ? literal_expected(&in, "the end of the text") : REDIST_OK;
}

/* ---- containers -------------------------------------------------------------------- */

char json_kind(struct json value)
{
    if (value.begin == value.end) return 0;
    char c = *value.begin;
    return c && strchr("{[\"tfn", c) ? c : '0';
}

struct json_items json_items(struct json container)
{
    char kind = json_kind(container);
    bool some = kind == '{' || kind == '[';
    const char *begin = some ? container.begin + 1 : container.end;
    const char *end = some ? container.end - 1 : container.end;
    return (struct json_items){{begin, end}, kind == '{'};
}

bool json_next(struct json_items *items, struct json *key, struct json *value)
{
    struct literal *in = &items->rest;
    *key = (struct json){NULL, NULL};
    (void)literal_char(in, ',');
    if (!literal_more(in)) return false;
    if (items->object) {
        key->begin = in->next;
        (void)skip_string(in);
        key->end = in->next;
        (void)literal_char(in, ':');
        (void)literal_more(in);
    }
    value->begin = in->next;
    (void)skip_value(in, 0);
    value->end = in->next;
    return true;
}

bool json_is(struct json value, const char *text)
{
    size_t length = strlen(text);
    return json_kind(value) == '"' && (size_t)(value.end - value.begin) == length + 2 &&
           memcmp(value.begin + 1, text, length) == 0;
}

struct json json_member(struct json object, const char *name)
{
    struct json found = {NULL, NULL}, key, value;
    struct json_items items = json_items(object);
    if (!items.object) return found;
    while (json_next(&items, &key, &value))
        if (json_is(key, name)) found = value;
    return found;
}

/* ---- values ------------------------------------------------------------------------ */

redist_err json_refuse(struct json value, const char *what, const char *must)
{
    char shown[41];
    size_t length = 0, size = (size_t)(value.end - value.begin);
    if (!json_kind(value))
        return error_set(REDIST_ERR_IO, "%s is missing, must be %s", what, must);
    for (; length < size && length < sizeof shown - 1; length++) {
        char c = value.begin[length];
        shown[length] = c >= ' ' && c <= '~' ? c : '?';
    }
    shown[length] = 0;
    return error_set(REDIST_ERR_IO, "%s is %s%s, must be %s", what, shown,
                     length < size ? ".." : "", must);
}

redist_err json_integer_of(struct json value, const char *what, int64_t *number)
{
    int64_t found = 0;
    const char *c = value.begin;
    bool good = json_kind(value) == '0';
    for (; good && c < value.end; c++)
        good = isdigit((unsigned char)*c) && int_mul(found, 10, &found) &&
               int_add(found, *c - '0', &found);
    if (!good) return json_refuse(value, what, "an integer of 0 .. 2^63 - 1");
    *number = found;
    return REDIST_OK;
}

redist_err json_integers_of(struct json value, const char *what, int room, int *count,
                            int64_t numbers[])
{
    struct json key, item;
    struct json_items items = json_items(value);
    *count = 0;
    if (json_kind(value) != '[') return json_refuse(value, what, "an array of integers");
    while (json_next(&items, &key, &item)) {
        if (*count == room)
            return error_set(REDIST_ERR_IO, "%s has more than %d numbers", what, room);
        TRY(json_integer_of(item, what, &numbers[(*count)++]));
    }
    return REDIST_OK;
}

/* ---- strings ----------------------------------------------------------------------- */

static bool take_hex(const char **in, const char *end, unsigned *code)
{
    *code = 0;
    for (int k = 0; k < 4; k++, (*in)++) {
        if (*in == end || !isxdigit((unsigned char)**in)) return false;
        int c = tolower((unsigned char)**in);
        *code = *code << 4 | (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* Read the escape behind a backslash. */
static bool take_escape(const char **in, const char *end, unsigned *code)
{
    static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    unsigned low;
    if (*in == end || !**in) return false;
    char c = *(*in)++;
    const char *at = strchr(letters, c);
    if (at) *code = (unsigned char)means[at - letters];
    if (c != 'u') return at != NULL;
    if (!take_hex(in, end, code)) return false;
    if (*code >= 0xd800 && *code < 0xdc00 && end - *in >= 6 && (*in)[0] == '\\' &&
        (*in)[1] == 'u') {
        const char *next = *in + 2;
        if (!take_hex(&next, end, &low)) return false;
        if (low < 0xdc00 || low >= 0xe000) return true;
        *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
        *in = next;
    }
    return true;
}

static char *put_code(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(lead[more] | code >> 6 * more);
    while (more-- > 0) *out++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return out;
}

redist_err json_string_of(struct json value, const char *what, char **text,
                          int64_t *length)
{
    unsigned code = 0;
    *text = NULL;
    if (json_kind(value) != '"') return json_refuse(value, what, "a string");
    const char *in = value.begin + 1, *end = value.end - 1;
    char *made = mem_alloc(NULL, end - in + 1, 1), *out = made;
    if (!made) return REDIST_ERR_MEMORY;
    while (in < end) { /* an escape is no shorter than what it stands for */
        char c = *in++;
        if (c != '\\') {
            *out++ = c;
        } else if (take_escape(&in, end, &code)) {
            out = put_code(out, code);
        } else {
            mem_free(made);
            return json_refuse(value, what, "a string with escapes of JSON");
        }
    }
    *out = 0;
    *text = made;
    *length = out - made;
    return REDIST_OK;
}

redist_err json_name_of(struct json value, const char *what, char **name)
{
    int64_t length;
    bool good = true;
    TRY(json_string_of(value, what, name, &length));
    for (int64_t k = 0; k < length; k++)
        good = good && !iscntrl((unsigned char)(*name)[k]);
    if (good) return REDIST_OK;
    mem_free(*name);
    *name = NULL;
    return json_refuse(value, what, "a name without control characters");
}
