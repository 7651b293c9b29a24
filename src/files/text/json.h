/* SPDX-License-Identifier: MIT
 *
 * files/text/json.h - values of JSON, in place: a text is checked once, and then read
 * without a tree. An integer has all its 64 bits.
 */
#ifndef REDIST_FILES_ZARR_JSON_H
#define REDIST_FILES_ZARR_JSON_H

#include "files/text/literal.h"

/* The text of a value. Starts as {NULL, NULL}: none. */
struct json {
    const char *begin, *end;
};

/* Check a text, and find its value. As Python writes it, a number may also be NaN,
 * Infinity or -Infinity. IO: no JSON, or too deep. */
redist_err json_check(const char *text, int64_t size, struct json *value);

/* Return '{', '[', '"', 't', 'f', 'n' or, of a number, '0'; 0 if there is no value. */
char json_kind(struct json value);

/* The members of an object or the elements of an array, in order. */
struct json_items {
    struct literal rest;
    bool object;
};
struct json_items json_items(struct json container);

/* Read the next one; false if there is none. `key` is one without a value in an array. */
bool json_next(struct json_items *items, struct json *key, struct json *value);

/* Find a member by its name; none if there is none. Of several the last one counts, as in
 * Python. */
struct json json_member(struct json object, const char *name);

/* Tell whether a value is the string `text`. */
bool json_is(struct json value, const char *text);

/* Read an integer >= 0, or an array of at most `room` of them. `what` is for messages.
 * IO. */
redist_err json_integer_of(struct json value, const char *what, int64_t *number);
redist_err json_integers_of(struct json value, const char *what, int room, int *count,
                            int64_t numbers[]);

/* Copy a string, decoded to UTF-8, *length bytes and a 0 behind them: a block that the
 * caller frees with mem_free. Half a surrogate is encoded as it is. IO, MEMORY. */
redist_err json_string_of(struct json value, const char *what, char **text,
                          int64_t *length);

/* The same of a name, which has no control characters. */
redist_err json_name_of(struct json value, const char *what, char **name);

/* Fail with "<what> is <value>, must be <must>". */
redist_err json_refuse(struct json value, const char *what, const char *must);

#endif
