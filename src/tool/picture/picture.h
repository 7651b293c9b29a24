/* SPDX-License-Identifier: MIT
 *
 * tool/picture/picture.h - draw a slice in the terminal or as SVG, and write a picture to
 * the place that --svg names.
 */
#ifndef REDIST_TOOL_PICTURE_PICTURE_H
#define REDIST_TOOL_PICTURE_PICTURE_H

#include <stdio.h>

#include <redist/describe.h>
#include "tool/common/terminal.h"
#include "tool/picture/slice.h"

/* Write one picture of `what` to `out`; on an error the file is removed. */
typedef redist_err picture_draw(FILE *out, void *what);

/* Draw `what` into the file `path`, or on stdout if that is "-". The file gets its name,
 * and replaces another, when the picture is complete.
 * Local. The error of `draw`, MEMORY, IO. */
redist_err picture_write(const char *path, picture_draw *draw, void *what);

/* Set the bands of a slice so that it fits the terminal, and draw it. Elements outside
 * the section are dots. MEMORY. */
redist_err draw_slice(const struct terminal *terminal, struct slice *slice);

/* Set the bands of a slice and write a self-contained picture to `out`: `title`, the runs
 * of elements of one owner as rectangles, indices along the axes, a legend of colours.
 * Elements outside the section are grey. MEMORY. */
redist_err svg_draw(FILE *out, struct slice *slice, const char *title);

#endif
