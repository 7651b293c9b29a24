/* SPDX-License-Identifier: MIT */
#include "tool/picture/palette.h"

#include <stdlib.h>

/* Tints of equal weight; the first ones of any number cover the whole colour wheel. */
static const struct color picked[] = {
    {0x9e, 0xc5, 0xf4}, {0xff, 0xc5, 0x8f}, {0xa8, 0xdd, 0xa6}, {0xf4, 0xa6, 0xb0},
    {0xcb, 0xb4, 0xee}, {0xf6, 0xe2, 0x86}, {0x90, 0xdc, 0xd7}, {0xe9, 0xb9, 0xde},
    {0xc9, 0xd6, 0x85}, {0xc4, 0xc9, 0xd4}, {0xde, 0xb8, 0x97}, {0xb5, 0xc0, 0xf7},
    {0xb9, 0xed, 0xc8}, {0xff, 0xd6, 0xc9}, {0xa5, 0xd8, 0xf0}, {0xdc, 0xcf, 0xb0},
};
enum { PICKED = sizeof picked / sizeof *picked };

/* Return one channel of the hue, in degrees; `at` is its peak: a triangle wave around the
 * wheel, cut at both ends, between the two lightnesses. */
static int channel(int64_t hue, int at, int low, int high)
{
    int64_t away = llabs((hue - at + 540) % 360 - 180);
    int64_t level = away <= 60 ? 60 : away >= 120 ? 0 : 120 - away;
    return low + (int)((high - low) * level / 60);
}

struct color palette_color(int64_t i)
{
    if (i < PICKED) return picked[i];
    int64_t hue = (i % 360) * 13751 / 100 % 360;
    int low = i / 2 % 2 == 0 ? 150 : 185, high = i % 2 == 0 ? 250 : 225;
    return (struct color){channel(hue, 0, low, high), channel(hue, 120, low, high),
                          channel(hue, 240, low, high)};
}

/* Return the level 0 .. 5 of the cube (0, 95, 135, 175, 215, 255) nearest to a
 * channel. */
static int cube_level(int value)
{
    return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

int palette_xterm(struct color color)
{
    return 16 + 36 * cube_level(color.red) + 6 * cube_level(color.green) +
           cube_level(color.blue);
}
