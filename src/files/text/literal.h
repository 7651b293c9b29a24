/* SPDX-License-Identifier: MIT
 *
 * files/text/literal.h - read a Python literal, such as the header of an .npy file, or
 * JSON, from left to right. White space between tokens is skipped. Errors are IO.
 */
#ifndef REDIST_FILES_FORMAT_LITERAL_H
#define REDIST_FILES_FORMAT_LITERAL_H

#include <stdbool.h>

#include <redist/describe.h>

struct literal {
    const char *next; /* the rest of the text */
    const char *end;
};

/* A token, in place. */
struct literal_text {
    const char *begin;
    int64_t length;
};

/* Skip white space, and return whether anything follows. */
bool literal_more(struct literal *in);

/* Tell whether the character c comes next; literal_char also reads it. */
bool literal_at(struct literal *in, char c);
bool literal_char(struct literal *in, char c);

/* Read the word, such as True, if it comes next. */
bool literal_word(struct literal *in, const char *word);

/* Read the character c, or fail with what was expected. */
redist_err literal_expect(struct literal *in, char c);

/* Read a string in '' or "". The text is that between the quotes, with escapes. Control
 * characters are refused, as Python and JSON write them as escapes; a 0 would end it. */
redist_err literal_string(struct literal *in, struct literal_text *text);

/* Read an integer >= 0, also a long integer of Python 2: 10L. */
redist_err literal_integer(struct literal *in, int64_t *value);

/* Read a tuple of at most `room` integers >= 0: (), (3,), (3, 4). */
redist_err literal_tuple(struct literal *in, int room, int *count, int64_t values[]);

/* Fail with "expected <what>, found <what comes next>". */
redist_err literal_expected(struct literal *in, const char *what);

#endif
