/* SPDX-License-Identifier: MIT
 *
 * move/walk/walk_convert.h - move elements that are converted on their way.
 *
 *   source  --gather-->  batch  --convert-->  batch  --scatter-->  target
 *
 * Batches stay in the cache. A side whose elements are contiguous needs none. Elements
 * have a size for each side, so there is a walk for each.
 */
#ifndef REDIST_MOVE_WALK_WALK_CONVERT_H
#define REDIST_MOVE_WALK_WALK_CONVERT_H

#include "move/arith/convert.h"
#include "move/walk/walk.h"

/* The first element, in grains of the walk's message, that the target cannot hold; -1:
 * none is lost. */
struct walk_lost {
    int64_t grain;
    char number[FORMAT_SIZE];
};

/* Move the next `n` grains of `target` (WAY_SCATTER) from its numbers' source: those of
 * the walk `source` (WAY_GATHER), which stands at the same grain, or, if it is NULL, a
 * dense buffer that begins with them. Both arrays lie in host memory. Large amounts are
 * split among threads unless the conversion is checked. */
void walk_convert(struct walk *source, struct walk *target, const struct convert *convert,
                  const void *from, void *to, int64_t n, struct walk_lost *lost);

#endif
