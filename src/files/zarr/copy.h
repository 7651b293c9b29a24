/* SPDX-License-Identifier: MIT
 *
 * files/zarr/copy.h - what a chunk and a box of the array have in common: a chunk of the
 * file and what is read or written, or an inner chunk and its shard.
 */
#ifndef REDIST_FILES_ZARR_COPY_H
#define REDIST_FILES_ZARR_COPY_H

#include "files/format/format.h"
#include "files/metadata/metadata.h"

struct common {
    int ndims;
    int dim[REDIST_MAX_DIMS]; /* fastest first */
    int64_t chunk[REDIST_MAX_DIMS], extent[REDIST_MAX_DIMS], offset[REDIST_MAX_DIMS];
    int64_t index[REDIST_MAX_DIMS]; /* of the chunk */
    bool cut;                       /* the box ends within the chunk */
};

/* Find chunk k of a box, whose extents are >= 1 and which begins where a chunk does;
 * false if it has none. O(ndims). */
bool common_find(const struct metadata *metadata, const int64_t chunk[],
                 const struct box *box, int64_t k, struct common *common);

/* Copy it, from the chunk if it is `read`. */
void common_copy(const struct common *common, const struct box *box, int64_t bytes,
                 char *chunk, char *elements, bool read);

#endif
