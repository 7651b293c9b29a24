/* SPDX-License-Identifier: MIT
 *
 * move/arith/transpose_add.h - tiles as in transpose.h, of numbers that are scaled on the
 * way and added to what is there, by way of registers only.
 */
#ifndef REDIST_MOVE_ARITH_TRANSPOSE_ADD_H
#define REDIST_MOVE_ARITH_TRANSPOSE_ADD_H

#include "move/arith/combine.h"

enum { TRANSPOSE_ADD_LINE = 64 /* bytes: of the target, a row of a tile */ };

/* Numbers of `block` bytes in a row of a tile, and so many rows. */
static inline int64_t transpose_add_side(int64_t block)
{
    return TRANSPOSE_ADD_LINE / block;
}

/* Find the kernel of a tile of numbers whose coefficients are real; not to read the
 * target, unless it `adds`. */
combine_tile_kernel *transpose_add_tile(enum number number, bool adds);

#endif
