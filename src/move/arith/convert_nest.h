/* SPDX-License-Identifier: MIT
 *
 * move/arith/convert_nest.h - the two loops of a nest over blocks that are converted.
 *
 *   source  --gather-->  tile  --convert-->  tile  --scatter-->  target
 *
 * Tiles stay in the cache. A side on which blocks follow each other needs none.
 */
#ifndef REDIST_MOVE_ARITH_CONVERT_NEST_H
#define REDIST_MOVE_ARITH_CONVERT_NEST_H

#include "move/arith/convert.h"
#include "move/kernel/nest.h"

/* As kernel_blocks (kernels.h) and transpose_blocks (transpose.h), but convert. `block`
 * are bytes of the source, and whole numbers. */
void convert_blocks(const struct convert *convert, char *to, const char *from,
                    const struct level *outer, const struct level *inner, int64_t block,
                    bool stream);
void convert_transposed(const struct convert *convert, char *to, const char *from,
                        const struct level *across, const struct level *along,
                        int64_t block, bool stream);

#endif
