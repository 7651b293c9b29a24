/* SPDX-License-Identifier: MIT
 *
 * tool/picture/svg.h - draw a slice as SVG.
 */
#ifndef REDIST_TOOL_PICTURE_SVG_H
#define REDIST_TOOL_PICTURE_SVG_H

#include <stdio.h>

#include "tool/picture/slice.h"

/* Set the bands of a slice and write the picture, which stands by itself, to `out`:
 * `title`, the runs of elements of one owner as rectangles, indices along the axes, what
 * colour is whose. Elements outside of the section are grey. MEMORY. */
redist_err svg_draw(FILE *out, struct slice *slice, const char *title);

#endif
