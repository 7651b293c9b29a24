/* SPDX-License-Identifier: MIT
 *
 * describe/notation/scan.h - read a text from left to right, and point at the character
 * that is wrong.
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
    const char *next;       /* what is not yet read */
    struct nearest nearest; /* to the word there, of those that scan_word did not find */
};

static inline struct scan scan_of(const char *text)
{
    return (struct scan){.text = text, .next = text};
}

/* Skip white space and return the place of what comes next. */
const char *scan_place(struct scan *scan);

/* Pass over the character `c`, or the word `word` (in lower case), if it comes next. A
 * word comes next only whole: "block" does not begin "blocks". A word that is not found
 * must live on: scan_expected may propose it. */
bool scan_char(struct scan *scan, char c);
bool scan_word(struct scan *scan, const char *word);

/* Whether an integer comes next with the character `c` behind it. Passes over nothing. */
bool scan_integer_before(struct scan *scan, char c);

/* Pass over the character `c`, or fail with what was expected. */
redist_err scan_expect(struct scan *scan, char c);

/* Read an integer in low .. high; `what` names it in messages. */
redist_err scan_integer(struct scan *scan, const char *what, int64_t low, int64_t high,
                        int64_t *value);
redist_err scan_int(struct scan *scan, const char *what, int low, int high, int *value);

/* Come to item i of a list of n items: pass over brackets[0] before the first, a comma
 * between two, brackets[1] behind the last (i = n). `what` names the items in
 * messages. */
redist_err scan_item(struct scan *scan, const char *brackets, int i, int n,
                     const char *what);

/* Fail with "expected <what>, found <what comes next>", and which of the words that
 * scan_word looked for there may be meant. */
redist_err scan_expected(struct scan *scan, const char *what);

/* Put "column <n>: " before the present message if the text is at fault, which is if
 * `err` is ARG; returns `err`. */
redist_err scan_blame(const struct scan *scan, const char *place, redist_err err);

#endif
