/* SPDX-License-Identifier: MIT
 *
 * files/zarr/chunk.h - a file a chunk, by one process.
 *
 *   version 2   folder/1.0.2  folder/1/0/2     without dimensions: folder/0
 *   version 3   folder/c/1/0/2                 folder/c
 */
#ifndef REDIST_FILES_ZARR_CHUNK_H
#define REDIST_FILES_ZARR_CHUNK_H

#include "files/zarr/common.h"

struct chunks {
    const char *folder; /* borrowed, as are the metadata */
    const struct metadata *metadata;
    struct codec_work work;
    bool to_disk, complete;          /* as those of the file */
    struct codec_block shard, index; /* of shards: the elements of one, and its index */
};

void chunks_free(struct chunks *chunks);

/* Read what a chunk and a box have in common into the elements of the box; where there is
 * no chunk it is full of the fill, unless the array is complete. Of a chunk without
 * codecs only that is read, if its pieces are long. work.block[0] is lost. IO: corrupt,
 * missing, .. MEMORY. */
redist_err chunk_read(struct chunks *chunks, const struct common *common,
                      const struct box *box, char *elements);

/* Write work.block[0], which is then lost, as the chunk `index`. If this is interrupted
 * the old chunk stays. IO, MEMORY. */
redist_err chunk_write(struct chunks *chunks, const int64_t index[]);

/* Make room for a chunk in work.block[0]; `fill` it. MEMORY. */
redist_err chunk_prepare(struct chunks *chunks, bool fill);

#endif
