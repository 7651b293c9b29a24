/* SPDX-License-Identifier: MIT */
#include "files/text/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void text_add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (text->err || length < 0) return;
    int64_t need = text->size + length + 1;
    char *bytes = mem_reserve(NULL, text->bytes, need, &text->room, 1);
    if (!bytes) {
        text->err = REDIST_ERR_MEMORY;
        return;
    }
    text->bytes = bytes;
    va_start(args, format);
    (void)vsnprintf(bytes + text->size, (size_t)length + 1, format, args);
    va_end(args);
    text->size += length;
}

void text_add_bytes(struct text *text, const char *bytes, int64_t size)
{
    if (text->err) return;
    char *all = mem_reserve(NULL, text->bytes, text->size + size + 1, &text->room, 1);
    if (!all) {
        text->err = REDIST_ERR_MEMORY;
        return;
    }
    memcpy(all + text->size, bytes, (size_t)size);
    text->bytes = all;
    text->size += size;
    all[text->size] = 0;
}

const char *text_add_character(struct text *text, const char *c, const char *end)
{
    unsigned first = (unsigned char)*c;
    int more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    unsigned code = first & (0x3fU >> more);
    for (; more > 0 && c + 1 < end; more--) code = code << 6 | (*++c & 0x3f);
    if (code >= 0x10000)
        text_add(text, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    else
        text_add(text, "\\u%04x", code);
    return c;
}

/* Return the bytes of the character of UTF-8 that begins here; 0: none, or ASCII. */
static int character_bytes(const char *at)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = (unsigned char)*at;
    int bytes = first < 0xc0   ? 0
                : first < 0xe0 ? 2
                : first < 0xf0 ? 3
                : first < 0xf8 ? 4
                               : 0;
    unsigned code = first & (0x7fU >> bytes);
    for (int k = 1; k < bytes; k++) {
        if ((at[k] & 0xc0) != 0x80) return 0;
        code = code << 6 | (at[k] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[bytes] && code < 0x110000 && !surrogate ? bytes : 0;
}

/* Return how many characters stand in a string of JSON as they are. */
static int64_t plain_bytes(const char *at)
{
    int64_t n = 0;
    while (at[n] >= ' ' && at[n] <= '~' && at[n] != '"' && at[n] != '\\') n++;
    return n;
}

void text_add_string(struct text *text, const char *string)
{
    text_add(text, "\"");
    for (const char *at = string; *at; at++) {
        int64_t plain = plain_bytes(at);
        int bytes = character_bytes(at);
        if (plain > 0) {
            text_add_bytes(text, at, plain);
            at += plain - 1;
        } else if (bytes > 0) {
            at = text_add_character(text, at, at + bytes);
        } else {
            unsigned char byte = (unsigned char)*at;
            text_add(text,
                     byte == '"' || byte == '\\' ? "\\%c"
                     : byte < ' '                ? "\\u%04x"
                                                 : "%c",
                     byte);
        }
    }
    text_add(text, "\"");
}

void text_add_integers(struct text *text, int count, const int64_t numbers[])
{
    text_add(text, "[");
    for (int i = 0; i < count; i++)
        text_add(text, "%s%" PRId64, i ? ", " : "", numbers[i]);
    text_add(text, "]");
}
