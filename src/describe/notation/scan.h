/* SPDX-License-Identifier: MIT
 *
 * describe/notation/scan.h - read a text from left to right; errors name the wrong
 * character.
 *
 * Upper and lower case (of ASCII, whatever the locale) and white space don't matter.
 * Every error is an ARG that starts with the column, counted from 1:
 *
 *   column 10: expected *, block, cyclic, gen_block or indirect, found "cyclc" (did you
 *   mean cyclic?)
 */
#ifndef REDIST_DESCRIBE_NOTATION_SCAN_H
#define REDIST_DESCRIBE_NOTATION_SCAN_H

#include <stdbool.h>

#include <redist/describe.h>

#include "base/nearest.h"

struct scan {
    const char *text;       /* borrowed, ends with a 0 */
    const char *next;       /* the rest of the text */
    struct nearest nearest; /* to the next word, among those that scan_word did not
                               find */
};

static inline struct scan scan_of(const char *text)
{
    return (struct scan){.text = text, .next = text};
}

/* Skip white space and return the current place. */
const char *scan_place(struct scan *scan);

/* Read the character `c`, or the word `word` (lower case), if it comes next. Only a whole
 * word matches: "block" does not match "blocks". A word that does not match must live on:
 * scan_expected may propose it. */
bool scan_char(struct scan *scan, char c);
bool scan_word(struct scan *scan, const char *word);

/* Tell whether an integer followed by `c` comes next. Reads nothing. */
bool scan_integer_before(struct scan *scan, char c);

/* Read the character `c`, or fail with what was expected. */
redist_err scan_expect(struct scan *scan, char c);

/* Read an integer in low .. high; `what` names it in messages. */
redist_err scan_integer(struct scan *scan, const char *what, int64_t low, int64_t high,
                        int64_t *value);
redist_err scan_int(struct scan *scan, const char *what, int low, int high, int *value);

/* Advance to item i of a list of n items: read brackets[0] before the first, a comma
 * between two, brackets[1] after the last (i = n). `what` names the items in messages. */
redist_err scan_item(struct scan *scan, const char *brackets, int i, int n,
                     const char *what);

/* Fail with "expected <what>, found <next word>", and propose the nearest word that
 * scan_word looked for. */
redist_err scan_expected(struct scan *scan, const char *what);

/* Put "column <n>: " before the current message if the text is wrong, i.e. `err` is ARG;
 * return `err`. */
redist_err scan_blame(const struct scan *scan, const char *place, redist_err err);

#endif
