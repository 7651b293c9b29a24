/* SPDX-License-Identifier: MIT
 *
 * files/zarr/common.h - what a chunk and a box of the array have in common: a chunk of
 * the file and what is read or written, or an inner chunk and its shard.
 */
#ifndef REDIST_FILES_ZARR_COMMON_H
#define REDIST_FILES_ZARR_COMMON_H

#include "files/format/format.h"
#include "files/metadata/metadata.h"

struct common {
    int ndims;
    int dim[REDIST_MAX_DIMS]; /* fastest first */
    int64_t chunk[REDIST_MAX_DIMS], extent[REDIST_MAX_DIMS];
    int64_t in_chunk[REDIST_MAX_DIMS], in_box[REDIST_MAX_DIMS]; /* where it begins */
    int64_t index[REDIST_MAX_DIMS];                             /* of the chunk */
    bool cut; /* there is more in the chunk */
};

/* Find chunk k of a box, whose extents are >= 1; false if it has none. O(ndims). */
bool common_find(const struct metadata *metadata, const int64_t chunk[],
                 const struct box *box, int64_t k, struct common *common);

/* A run of it that is dense in both. Starts as {0}. */
struct piece {
    int64_t bytes, in_chunk, in_box; /* as long as all others; where it begins */
    int64_t count;                   /* of pieces */
    int inner;                       /* dimensions within a piece */
    int64_t at[REDIST_MAX_DIMS];
};

/* Go to the first piece, or to the next one; false if there is none. `bytes` are those of
 * an element. O(ndims). */
bool common_next(const struct common *common, const struct box *box, int64_t bytes,
                 struct piece *piece);

/* Copy it, from the chunk if it is `read`. */
void common_copy(const struct common *common, const struct box *box, int64_t bytes,
                 char *chunk, char *elements, bool read);

#endif
