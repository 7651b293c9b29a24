/* SPDX-License-Identifier: MIT
 *
 * tool/picture/palette.h - one light colour for each process, the same in the terminal
 * and in SVG.
 *
 * Black text is legible on all of them. The first 16 are picked by hand, so that
 * neighbours in the grid differ clearly; further hues advance by the golden angle.
 */
#ifndef REDIST_TOOL_PICTURE_PALETTE_H
#define REDIST_TOOL_PICTURE_PALETTE_H

#include <stdint.h>

struct color {
    int red, green, blue; /* 0 .. 255 */
};

/* The colour of the process at linear position i >= 0 of its grid. */
struct color palette_color(int64_t i);

/* The nearest colour of the 6 x 6 x 6 cube of terminals with 256 colours: 16 .. 231. */
int palette_xterm(struct color color);

#endif
