/* SPDX-License-Identifier: MIT
 *
 * tool/common/terminal.h - how wide stdout is, and whether it has colours.
 */
#ifndef REDIST_TOOL_COMMON_TERMINAL_H
#define REDIST_TOOL_COMMON_TERMINAL_H

#include <stdio.h>

#include <redist/describe.h>

enum draw_color { DRAW_PLAIN, DRAW_256_COLORS, DRAW_TRUE_COLOR };

struct terminal {
    FILE *out;
    int columns; /* of a picture: 80 where the width is not known */
    enum draw_color color;
};

/* Look at what stdout is. `when` is "auto" (NULL too), "always" or "never"; auto colours
 * a terminal, unless NO_COLOR is set. ARG: `when` is something else. */
redist_err terminal_find(const char *when, struct terminal *terminal);

/* The width of stdout in columns, 40 to 400: COLUMNS, or what the terminal says. 0: not
 * known, as in a file or a pipe without COLUMNS; text may then be of any width. */
int terminal_columns(void);

/* Print a text that starts in column `indent`, and the end of its line. What does not fit
 * the width goes on the next lines, between words, from the same column. */
void terminal_print_wrapped(int indent, const char *text);

#endif
