/* SPDX-License-Identifier: MIT */
#include "files/metadata/type.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"

static char host_order(void)
{
    const int one = 1;
    char first;
    memcpy(&first, &one, 1);
    return first ? '<' : '>';
}

struct element type_element(const char *type, int64_t bytes, const char **rest)
{
    *rest = NULL;
    if (*type == '[') return (struct element){'|', 'V', bytes};
    char order = *type;
    if (strchr("<>|=", order))
        type++;
    else
        order = '=';
    *rest = type;
    char letter = *type == 'a' ? 'S' : *type;
    if (bytes == 1 || strchr("bSV", letter))
        order = '|';
    else if (order == '=' || order == '|')
        order = host_order();
    return (struct element){order, letter, bytes};
}

/* ---- from JSON --------------------------------------------------------------------- */

/* Escapes mean the same in Python. */
static redist_err put_string(struct text *out, struct json value, const char *what)
{
    if (json_kind(value) != '"') return json_refuse(value, what, "a string");
    int length = (int)(value.end - value.begin) - 2;
    char quote = memchr(value.begin, '\'', (size_t)length + 2) ? '"' : '\'';
    text_add(out, "%c%.*s%c", quote, length, value.begin + 1, quote);
    return REDIST_OK;
}

static redist_err put_shape(struct text *out, struct json value)
{
    enum { MOST = 32 };
    int64_t numbers[MOST];
    int count = 1;
    static const char what[] = "dtype: the shape of a field";
    if (json_kind(value) == '0') {
        TRY(json_integer_of(value, what, numbers));
    } else {
        TRY(json_integers_of(value, what, MOST, &count, numbers));
    }
    text_add(out, ", (");
    for (int i = 0; i < count; i++) text_add(out, "%" PRId64 ",", numbers[i]);
    text_add(out, ")");
    return REDIST_OK;
}

static redist_err put_type(struct text *out, struct json value)
{
    static const char a_field[] = "[name, type] or [name, type, shape]";
    struct json key, field, part[4];
    struct json_items items = json_items(value);
    if (json_kind(value) != '[') return put_string(out, value, "dtype");
    text_add(out, "[");
    while (json_next(&items, &key, &field)) {
        struct json_items parts = json_items(field);
        int count = 0;
        while (count < 4 && json_next(&parts, &key, &part[count])) count++;
        if (json_kind(field) != '[' || count < 2 || count > 3)
            return json_refuse(field, "dtype: a field", a_field);
        text_add(out, "(");
        TRY(put_string(out, part[0], "dtype: the name of a field"));
        text_add(out, ", ");
        TRY(put_type(out, part[1]));
        if (count == 3) TRY(put_shape(out, part[2]));
        text_add(out, "), ");
    }
    text_add(out, "]");
    return REDIST_OK;
}

redist_err type_read(struct json value, char **type)
{
    struct text out = {0};
    *type = NULL;
    if (json_kind(value) != '[') return json_name_of(value, "dtype", type);
    redist_err err = put_type(&out, value);
    if (!err) err = out.err;
    if (err)
        mem_free(out.bytes);
    else
        *type = out.bytes;
    return err;
}

/* ---- to JSON ----------------------------------------------------------------------- */

static redist_err print_string(struct text *out, struct literal_text text)
{
    text_add(out, "\"");
    for (const char *c = text.begin, *end = c + text.length; c < end; c++) {
        if (*c & 0x80) {
            c = text_add_character(out, c, end);
        } else if (*c == '\\' && ++c < end && *c != '\'') {
            if (!strchr("\"\\/bfnrtu", *c))
                return error_set(REDIST_ERR_IO,
                                 "dtype: the name of a field has the escape \\%c, which "
                                 "JSON lacks",
                                 *c >= ' ' && *c <= '~' ? *c : '?');
            text_add(out, "\\%c", *c);
        } else {
            text_add(out, *c == '"' ? "\\%c" : "%c", *c);
        }
    }
    text_add(out, "\"");
    return REDIST_OK;
}

static redist_err print_fields(const char *type, struct text *out)
{
    struct literal in = {type, type + strlen(type)};
    struct literal_text string;
    int64_t number;
    while (literal_more(&in)) {
        char c = *in.next;
        if (c == '\'' || c == '"') {
            TRY(literal_string(&in, &string));
            TRY(print_string(out, string));
        } else if (c >= '0' && c <= '9') {
            TRY(literal_integer(&in, &number));
            text_add(out, "%" PRId64, number);
        } else if (literal_char(&in, ',')) {
            if (!literal_at(&in, ')') && !literal_at(&in, ']')) text_add(out, ", ");
        } else {
            in.next++;
            if (c == '(' && literal_at(&in, '('))
                return error_set(REDIST_ERR_IO, "dtype: a field has a title, which Zarr "
                                                "lacks");
            text_add(out, c == '(' || c == '[' ? "[" : "]");
        }
    }
    return REDIST_OK;
}

redist_err type_print(const char *type, int64_t bytes, struct text *out)
{
    const char *rest;
    struct element element = type_element(type, bytes, &rest);
    if (!rest) return print_fields(type, out);
    text_add(out, "\"%c%c%s\"", element.order, element.letter, rest + 1);
    return REDIST_OK;
}
