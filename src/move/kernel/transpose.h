/* SPDX-License-Identifier: MIT
 *
 * move/kernel/transpose.h - copy blocks that are contiguous along one axis in the source
 * and along another in the target.
 */
#ifndef REDIST_MOVE_KERNEL_TRANSPOSE_H
#define REDIST_MOVE_KERNEL_TRANSPOSE_H

#include "move/kernel/nest.h"

/* The most rows of the source, read side by side, whose lines the hardware prefetches by
 * itself. */
enum { TRANSPOSE_FORESEEN = 16 };

/* Blocks of a row to write at a time: at steps of a power of two the cache holds few
 * lines, and each load brings its neighbour. */
enum { TRANSPOSE_LOW = 32 };

/* Loops cut into whole tiles of n x n, and the remainders at the right and below. */
struct tiled {
    struct level wide, high, right, below;
};
static inline struct tiled transpose_cut(const struct level *across,
                                         const struct level *along, int64_t n)
{
    struct tiled cut = {*across, *along, *across, *along};
    cut.right.count %= n;
    cut.below.count %= n;
    cut.wide.count -= cut.right.count;
    cut.high.count -= cut.below.count;
    return cut;
}

/* Return how many blocks of a row of the target to write at a time where they go past
 * the cache. Blocks are `read` bytes in the source and `block` in the target, rows are
 * `write` bytes apart. Where tiles are whole lines, few rows of the source are read
 * faster. Elsewhere long rows have few broken lines. O(1). */
int64_t transpose_strip(int64_t read, int64_t block, int64_t write);

/* Copy across->count x along->count blocks of `block` bytes, tile by tile: `across` is
 * the loop with the short step of the source, `along` the one with the short step of the
 * target. `stream`: write past the cache where whole lines are written, see stream.h. */
void transpose_blocks(char *to, const char *from, const struct level *across,
                      const struct level *along, int64_t block, bool stream);

#endif
