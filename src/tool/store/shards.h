/* SPDX-License-Identifier: MIT
 *
 * tool/store/shards.h - a directory with one .npy file for each process of a
 * distribution:
 *
 *   DIR/shard-00000.npy ..     the local array of rank 0, .., dense; NumPy reads it
 *   DIR/manifest.json          the distribution (tool/store/manifest.h), written last
 *
 * After a shard's data, where NumPy does not look, 32 bytes name the run and the rank, so
 * that shards of different runs are not mixed up.
 */
#ifndef REDIST_TOOL_STORE_SHARDS_H
#define REDIST_TOOL_STORE_SHARDS_H

#include <sys/stat.h>

#include <mpi.h>

#include "files/format/npy.h"
#include "files/format/window.h"
#include "tool/store/manifest.h"
#include "tool/common/progress.h"

/* Write each process's local array in `buffer`, in the layout of `view`, as its shard,
 * and then the manifest. The shards are in C or in Fortran order; the dtype is `descr`.
 * The directory is made if needed. When all shards are complete a manifest in it is
 * removed and the shards get their names; so earlier shards stay if these cannot be
 * written.
 * Collective over comm.
 * O(local array). IO, MEMORY: on every process. */
redist_err shards_write(MPI_Comm comm, const char *directory, const redist_view *view,
                        const char *descr, bool fortran_order, const void *buffer,
                        uint64_t run, struct progress *progress);

/* Tell whether shards of `nprocs` processes in the directory would replace a file.
 * Local. O(nprocs). MEMORY. */
redist_err shards_replace(const char *directory, int nprocs, const struct stat *file,
                          bool *replaced);

/* Read the manifest of a directory, and create the dist that it describes. The caller
 * frees both.
 * Collective over comm. IO, MEMORY: on every process. */
redist_err shards_open(MPI_Comm comm, const char *directory, struct manifest *manifest,
                       redist_dist **dist);

/* A shard open for reading. */
struct shard {
    char *path;
    struct window window;
    int64_t data_begin;
};

/* Open the shard of `rank` and check that it agrees with the manifest. Close with
 * shard_close.
 * Local. IO: it is missing, of another run, truncated, .. MEMORY. */
redist_err shard_open(const char *directory, const struct manifest *manifest,
                      const redist_dist *dist, int rank, struct shard *shard);
void shard_close(struct shard *shard);

#endif
