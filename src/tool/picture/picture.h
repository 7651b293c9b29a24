/* SPDX-License-Identifier: MIT
 *
 * tool/picture/picture.h - write a picture where --svg says.
 */
#ifndef REDIST_TOOL_PICTURE_PICTURE_H
#define REDIST_TOOL_PICTURE_PICTURE_H

#include <stdio.h>

#include <redist/describe.h>

/* Write one picture of `what` to `out`; an error takes the file away again. */
typedef redist_err picture_draw(FILE *out, void *what);

/* Draw `what` into the file `path`, or on stdout where that is "-". A file takes its
 * name, from another one perhaps, once the picture is complete.
 * Local. What `draw` returns, MEMORY, IO. */
redist_err picture_write(const char *path, picture_draw *draw, void *what);

#endif
