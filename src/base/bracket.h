/* SPDX-License-Identifier: MIT
 *
 * base/bracket.h - a number in parentheses after a name, as in "window(4)".
 */
#ifndef REDIST_BASE_BRACKET_H
#define REDIST_BASE_BRACKET_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Tell whether a text is this name, with or without parentheses after it. */
static inline bool bracket_names(const char *text, const char *name)
{
    size_t length = strcspn(text, "(");
    return strncmp(text, name, length) == 0 && !name[length];
}

/* Read the number >= 1 in parentheses after `name`, with which the text begins. Without
 * one *number is unchanged. ARG: it is no such number, or the name `takes` none; the
 * message calls the text `what`. */
static inline redist_err bracket_read(const char *what, const char *text,
                                      const char *name, bool takes, int *number)
{
    const char *brackets = text + strlen(name);
    char *end = NULL;
    if (!*brackets) return REDIST_OK;
    if (!takes) return error_arg("%s \"%.40s\": %s takes no number", what, text, name);
    errno = 0;
    long read = isdigit((unsigned char)brackets[1]) ? strtol(brackets + 1, &end, 10) : 0;
    if (read < 1 || read > INT_MAX || errno != 0 || strcmp(end, ")") != 0)
        return error_arg(
            "%s \"%.40s\": \"%.40s\" must be a number from 1 to %d in parentheses", what,
            text, brackets, INT_MAX);
    *number = (int)read;
    return REDIST_OK;
}

#endif
