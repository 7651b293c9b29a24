/* SPDX-License-Identifier: MIT
 *
 * tool/draw.h - draw a slice in the terminal.
 */
#ifndef REDIST_TOOL_DRAW_H
#define REDIST_TOOL_DRAW_H

#include <stdio.h>

#include "tool/slice.h"

enum draw_color { DRAW_PLAIN, DRAW_256_COLORS, DRAW_TRUE_COLOR };

struct terminal {
    FILE *out;
    int columns;
    enum draw_color color;
};

/* Look at what stdout is. `when` is "auto" (NULL too), "always" or "never"; auto colours
 * a terminal, unless NO_COLOR is set. ARG: `when` is something else. */
redist_err terminal_find(const char *when, struct terminal *terminal);

/* Set the bands of a slice so that it fits, and draw it. Elements outside of the section
 * are dots. MEMORY. */
redist_err draw_slice(const struct terminal *terminal, struct slice *slice);

#endif
