/* SPDX-License-Identifier: MIT */
#include "describe/notation/scan.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"

/* The most characters of the text in a message. */
enum { EXCERPT = 24 };

/* ---- characters -------------------------------------------------------------------- */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
static bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Return the length of the word at `place`: letters, "_", and "-" between two letters. */
static size_t word_length(const char *place)
{
    size_t n = 0;
    while (is_letter(place[n]) || (n > 0 && place[n] == '_') ||
           (n > 0 && place[n] == '-' && is_letter(place[n + 1])))
        n++;
    return n;
}

static size_t integer_length(const char *place)
{
    size_t sign = *place == '-' || *place == '+', n = sign;
    while (is_digit(place[n])) n++;
    return n > sign ? n : 0;
}

/* ---- reading ----------------------------------------------------------------------- */

const char *scan_place(struct scan *scan)
{
    while (is_space(*scan->next)) scan->next++;
    return scan->next;
}

bool scan_char(struct scan *scan, char c)
{
    if (lower(*scan_place(scan)) != c) return false;
    scan->next++;
    return true;
}

bool scan_word(struct scan *scan, const char *word)
{
    const char *place = scan_place(scan);
    size_t n = word_length(place), k = 0;
    while (k < n && lower(place[k]) == word[k]) k++;
    if (k == n && word[n] == 0) {
        scan->next += n;
        return true;
    }
    if (scan->nearest.word != place)
        scan->nearest = (struct nearest){.word = place, .length = n};
    nearest_offer(&scan->nearest, word);
    return false;
}

redist_err scan_expect(struct scan *scan, char c)
{
    if (scan_char(scan, c)) return REDIST_OK;
    return scan_expected(scan, (char[]){'"', c, '"', 0});
}

/* Compute the value of the n characters at `place`; false if it exceeds 64 bits. */
static bool integer_value(const char *place, size_t n, int64_t *value)
{
    bool negative = *place == '-', fits = true;
    *value = 0;
    for (size_t k = !is_digit(*place); k < n && fits; k++) {
        int64_t digit = place[k] - '0';
        fits = !__builtin_mul_overflow(*value, 10, value) &&
               int_add(*value, negative ? -digit : digit, value);
    }
    return fits;
}

redist_err scan_integer(struct scan *scan, const char *what, int64_t low, int64_t high,
                        int64_t *value)
{
    const char *place = scan_place(scan);
    size_t n = integer_length(place);
    if (n == 0) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "an integer (%s)", what);
        return scan_expected(scan, expected);
    }
    int64_t read = 0;
    if (!integer_value(place, n, &read) || read < low || read > high) {
        bool cut = n > EXCERPT;
        return scan_blame(scan, place,
                          error_arg("%s is %.*s%s, must be %" PRId64 " to %" PRId64, what,
                                    cut ? EXCERPT : (int)n, place, cut ? ".." : "", low,
                                    high));
    }
    scan->next += n;
    *value = read;
    return REDIST_OK;
}

bool scan_integer_before(struct scan *scan, char c)
{
    struct scan ahead = *scan;
    size_t n = integer_length(scan_place(&ahead));
    ahead.next += n;
    return n > 0 && scan_char(&ahead, c);
}

redist_err scan_int(struct scan *scan, const char *what, int low, int high, int *value)
{
    int64_t read = 0;
    TRY(scan_integer(scan, what, low, high, &read));
    *value = (int)read;
    return REDIST_OK;
}

redist_err scan_item(struct scan *scan, const char *brackets, int i, int n,
                     const char *what)
{
    if (i == 0) return scan_expect(scan, brackets[0]);
    const char *place = scan_place(scan);
    bool few = i < n && *place == brackets[1], many = i == n && *place == ',';
    if (few || many)
        return scan_blame(
            scan, place,
            error_arg("too %s %s, expected %d", few ? "few" : "many", what, n));
    return scan_expect(scan, i < n ? ',' : brackets[1]);
}

/* ---- errors ------------------------------------------------------------------------ */

redist_err scan_blame(const struct scan *scan, const char *place, redist_err err)
{
    if (err != REDIST_ERR_ARG) return err;
    return error_prefix(err, "column %td", place - scan->text + 1);
}

redist_err scan_expected(struct scan *scan, const char *what)
{
    const char *place = scan_place(scan);
    size_t n = word_length(place);
    if (n == 0) n = integer_length(place);
    if (n == 0) n = 1;
    char found[EXCERPT + 8] = "the end";
    if (*place && (*place < ' ' || *place > '~'))
        (void)snprintf(found, sizeof found, "byte 0x%02x",
                       (unsigned)(unsigned char)*place);
    else if (*place)
        (void)snprintf(found, sizeof found, "\"%.*s\"%s",
                       (int)(n > EXCERPT ? EXCERPT : n), place, n > EXCERPT ? ".." : "");
    char hint[NEAREST_HINT_SIZE] = "";
    if (scan->nearest.word == place) (void)nearest_hint(&scan->nearest, hint);
    return scan_blame(scan, place,
                      error_arg("expected %s, found %s%s", what, found, hint));
}
