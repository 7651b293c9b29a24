/* SPDX-License-Identifier: MIT
 *
 * tool/picture/svg.h - draw a slice as SVG.
 */
#ifndef REDIST_TOOL_PICTURE_SVG_H
#define REDIST_TOOL_PICTURE_SVG_H

#include <stdio.h>

#include "tool/picture/slice.h"

/* Set the bands of a slice and write a self-contained picture to `out`: `title`, the runs
 * of elements of one owner as rectangles, indices along the axes, a legend of colours.
 * Elements outside the section are grey. MEMORY. */
redist_err svg_draw(FILE *out, struct slice *slice, const char *title);

#endif
