/* SPDX-License-Identifier: MIT
 *
 * tool/store/array_file.h - one .npy file, read and written by all processes together
 * through MPI-IO, each process its own part of a distribution.
 *
 * They work in rounds of one chunk a process (tool/format/part.h), so that MPI's memory
 * is bounded for any array.
 */
#ifndef REDIST_TOOL_STORE_ARRAY_FILE_H
#define REDIST_TOOL_STORE_ARRAY_FILE_H

#include <mpi.h>

#include "files/format/npy.h"
#include "tool/common/progress.h"

/* Read the header of an .npy file and check that the file is long enough. Free with
 * npy_free.
 * Collective over comm. IO, MEMORY: on every process. */
redist_err array_file_open(MPI_Comm comm, const char *path, struct npy *npy);

/* Read each process's part of the array `npy` (from array_file_open) into `buffer`, in
 * the layout of `view`; the view's section is ignored. Every replica is filled.
 * Collective over comm. O(part). IO, MEMORY: on every process. */
redist_err array_file_read(MPI_Comm comm, const char *path, const struct npy *npy,
                           const redist_view *view, void *buffer,
                           struct progress *progress);

/* Write the array from each process's part in `buffer`, that of the first replica, under
 * a temporary name of run `run`, and rename it when complete.
 * Collective over comm.
 * O(part). IO, MEMORY: on every process, and no file is left. */
redist_err array_file_write(MPI_Comm comm, const char *path, const struct npy *npy,
                            const redist_view *view, const void *buffer, uint64_t run,
                            struct progress *progress);

#endif
