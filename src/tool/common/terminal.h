/* SPDX-License-Identifier: MIT
 *
 * tool/common/terminal.h - width and colours of stdout.
 */
#ifndef REDIST_TOOL_COMMON_TERMINAL_H
#define REDIST_TOOL_COMMON_TERMINAL_H

#include <stdio.h>

#include <redist/describe.h>

enum draw_color { DRAW_PLAIN, DRAW_256_COLORS, DRAW_TRUE_COLOR };

struct terminal {
    FILE *out;
    int columns; /* of a picture: 80 if the width is unknown */
    enum draw_color color;
};

/* Examine stdout. `when` is "auto" (NULL too), "always" or "never"; auto colours a
 * terminal, unless NO_COLOR is set. ARG: another `when`. */
redist_err terminal_find(const char *when, struct terminal *terminal);

/* Return the width of stdout in columns, 40 to 400: COLUMNS, or the terminal's. 0:
 * unknown, as for a file or a pipe without COLUMNS; text may then have any width. */
int terminal_columns(void);

/* Print a text that starts in column `indent`, and a newline. Words beyond the width go
 * on the next lines, from the same column. */
void terminal_print_wrapped(int indent, const char *text);

#endif
