/* SPDX-License-Identifier: MIT
 *
 * files/zarr/shard.h - a file that holds the inner chunks of a chunk, by one process.
 *
 *   inner chunk 2 | inner chunk 0 | .. | index    or    index | inner chunk 0 | ..
 *
 * The index has the offset and the bytes of each inner chunk, in row-major order, each in
 * 8 bytes; both are 2^64 - 1 where there is none, and it is full of the fill.
 * https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html
 */
#ifndef REDIST_FILES_ZARR_SHARD_H
#define REDIST_FILES_ZARR_SHARD_H

#include "files/zarr/chunk.h"

/* Read the shard of an open file of `file_bytes` bytes into work.block[0]. `path` is for
 * messages. IO: corrupt, .. MEMORY. */
redist_err shard_read(struct chunks *chunks, int descriptor, const char *path,
                      int64_t file_bytes);

/* Write work.block[0], which is then lost, to an empty file that is open. Inner chunks of
 * nothing but the fill are left out. IO, MEMORY. */
redist_err shard_write(struct chunks *chunks, int descriptor, const char *path);

#endif
