/* SPDX-License-Identifier: MIT
 *
 * move/arith/transpose_add.h - transposed tiles, as in transpose.h, of numbers that are
 * scaled and added to the target, in registers only.
 */
#ifndef REDIST_MOVE_ARITH_TRANSPOSE_ADD_H
#define REDIST_MOVE_ARITH_TRANSPOSE_ADD_H

#include "move/arith/combine.h"

enum { TRANSPOSE_ADD_LINE = 64 /* bytes of a row of a tile in the target */ };

/* Numbers of `block` bytes in a row of a tile; it has as many rows. */
static inline int64_t transpose_add_side(int64_t block)
{
    return TRANSPOSE_ADD_LINE / block;
}

/* Find the tile kernel of numbers, or their conjugates, with real coefficients. It reads
 * the target only if it `adds`. */
combine_tile_kernel *transpose_add_tile(enum number number, bool adds);

#endif
