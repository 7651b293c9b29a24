/* SPDX-License-Identifier: MIT
 *
 * base/bracket.h - a number behind a name, as in "window(4)".
 */
#ifndef REDIST_BASE_BRACKET_H
#define REDIST_BASE_BRACKET_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Read `brackets`, a number from 1 in parentheses that ends the text which it is in.
 * ARG: names the text, as `what`, and the brackets. */
static inline redist_err bracket_read(const char *what, const char *text,
                                      const char *brackets, int *number)
{
    char *end = NULL;
    errno = 0;
    long read = isdigit((unsigned char)brackets[1]) ? strtol(brackets + 1, &end, 10) : 0;
    if (read < 1 || read > INT_MAX || errno != 0 || strcmp(end, ")") != 0)
        return error_set(REDIST_ERR_ARG,
                         "%s \"%s\": \"%s\" must be a number from 1 to %d in parentheses",
                         what, text, brackets, INT_MAX);
    *number = (int)read;
    return REDIST_OK;
}

#endif
