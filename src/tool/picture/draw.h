/* SPDX-License-Identifier: MIT
 *
 * tool/picture/draw.h - draw a slice in the terminal.
 */
#ifndef REDIST_TOOL_PICTURE_DRAW_H
#define REDIST_TOOL_PICTURE_DRAW_H

#include "tool/picture/slice.h"
#include "tool/common/terminal.h"

/* Set the bands of a slice so that it fits the terminal, and draw it. Elements outside
 * the section are dots. MEMORY. */
redist_err draw_slice(const struct terminal *terminal, struct slice *slice);

#endif
