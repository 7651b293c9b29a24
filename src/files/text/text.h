/* SPDX-License-Identifier: MIT
 *
 * files/text/text.h - a text that grows.
 */
#ifndef REDIST_FILES_ZARR_TEXT_H
#define REDIST_FILES_ZARR_TEXT_H

#include <redist/describe.h>

/* Starts as {0}. */
struct text {
    char *bytes; /* with a 0 at the end; NULL: empty. Owned; free with mem_free. */
    int64_t size, room;
    redist_err err; /* MEMORY: from then on nothing is added */
};

/* Append formatted words. */
void text_add(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Append bytes as they are. */
void text_add_bytes(struct text *text, const char *bytes, int64_t size);

/* Append a string of JSON, in ASCII as some readers expect; bytes that are not UTF-8 stay
 * as they are. */
void text_add_string(struct text *text, const char *string);

/* Append the character of UTF-8 at `c`, which is not ASCII, as an escape of JSON; return
 * its last byte, which lies before `end`. */
const char *text_add_character(struct text *text, const char *c, const char *end);

/* Append [1, 2, 3]. */
void text_add_integers(struct text *text, int count, const int64_t numbers[]);

#endif
