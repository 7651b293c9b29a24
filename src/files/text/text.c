/* SPDX-License-Identifier: MIT */
#include "files/text/text.h"

#include <inttypes.h>
#include <stdarg.h>
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

void text_add_string(struct text *text, const char *string)
{
    text_add(text, "\"");
    for (const char *at = string; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        text_add(text,
                 byte == '"' || byte == '\\' ? "\\%c"
                 : byte < 32                 ? "\\u%04x"
                                             : "%c",
                 byte);
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
