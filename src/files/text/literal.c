/* SPDX-License-Identifier: MIT */
#include "files/text/literal.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"

bool literal_more(struct literal *in)
{
    while (in->next < in->end && strchr(" \t\r\n\f", *in->next) && *in->next) in->next++;
    return in->next < in->end;
}

bool literal_at(struct literal *in, char c) { return literal_more(in) && *in->next == c; }

bool literal_char(struct literal *in, char c)
{
    bool found = literal_at(in, c);
    if (found) in->next++;
    return found;
}

bool literal_word(struct literal *in, const char *word)
{
    size_t length = strlen(word);
    bool found = literal_more(in) && (size_t)(in->end - in->next) >= length &&
                 memcmp(in->next, word, length) == 0;
    if (found) in->next += length;
    return found;
}

redist_err literal_expected(struct literal *in, const char *what)
{
    if (!literal_more(in))
        return error_set(REDIST_ERR_IO, "expected %s, found the end", what);
    char shown[21];
    size_t left = (size_t)(in->end - in->next), length = 0;
    for (; length < left && length < sizeof shown - 1; length++) {
        char c = in->next[length];
        shown[length] = c >= ' ' && c <= '~' ? c : '?';
    }
    shown[length] = 0;
    return error_set(REDIST_ERR_IO, "expected %s, found %s", what, shown);
}

redist_err literal_expect(struct literal *in, char c)
{
    char what[2] = {c, 0};
    return literal_char(in, c) ? REDIST_OK : literal_expected(in, what);
}

redist_err literal_string(struct literal *in, struct literal_text *text)
{
    if (!literal_at(in, '\'') && !literal_at(in, '"'))
        return literal_expected(in, "a string");
    const char *c = in->next + 1;
    while (c < in->end && *c != *in->next) c += *c == '\\' ? 2 : 1;
    if (c >= in->end) return literal_expected(in, "a string that ends");
    for (const char *d = in->next; d < c; d++)
        if ((unsigned char)*d < ' ')
            return literal_expected(in, "a string without control characters");
    *text = (struct literal_text){in->next + 1, c - in->next - 1};
    in->next = c + 1;
    return REDIST_OK;
}

redist_err literal_integer(struct literal *in, int64_t *value)
{
    static const char what[] = "an integer of 0 .. 2^63 - 1";
    if (!literal_more(in) || *in->next < '0' || *in->next > '9')
        return literal_expected(in, what);
    const char *c = in->next;
    int64_t sum = 0;
    for (; c < in->end && *c >= '0' && *c <= '9'; c++) {
        if (!int_mul(sum, 10, &sum) || !int_add(sum, *c - '0', &sum))
            return literal_expected(in, what);
    }
    in->next = c < in->end && *c == 'L' ? c + 1 : c;
    *value = sum;
    return REDIST_OK;
}

redist_err literal_tuple(struct literal *in, int room, int *count, int64_t values[])
{
    TRY(literal_expect(in, '('));
    int n = 0;
    while (!literal_char(in, ')')) {
        if (n == room)
            return error_set(REDIST_ERR_IO, "a tuple of more than %d numbers", room);
        TRY(literal_integer(in, &values[n++]));
        /* (3) is a number in parentheses, not a tuple: the last comma may only be missing
         * after two */
        if (!literal_char(in, ',') && !(n > 1 && literal_at(in, ')')))
            return literal_expected(in, "a comma");
    }
    *count = n;
    return REDIST_OK;
}
