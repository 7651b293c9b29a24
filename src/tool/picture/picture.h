/* SPDX-License-Identifier: MIT
 *
 * tool/picture/picture.h - write a picture to the place that --svg names.
 */
#ifndef REDIST_TOOL_PICTURE_PICTURE_H
#define REDIST_TOOL_PICTURE_PICTURE_H

#include <stdio.h>

#include <redist/describe.h>

/* Write one picture of `what` to `out`; on an error the file is removed. */
typedef redist_err picture_draw(FILE *out, void *what);

/* Draw `what` into the file `path`, or on stdout if that is "-". The file gets its name,
 * and replaces another, when the picture is complete.
 * Local. The error of `draw`, MEMORY, IO. */
redist_err picture_write(const char *path, picture_draw *draw, void *what);

#endif
