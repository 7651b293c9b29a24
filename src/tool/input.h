/* SPDX-License-Identifier: MIT
 *
 * tool/input.h - where the elements come from: one .npy file, a directory of shards, or
 * nowhere: a synthetic array in which each element is its own global index (in 8 bytes;
 * with more of them repeated, with fewer folded into them).
 */
#ifndef REDIST_TOOL_INPUT_H
#define REDIST_TOOL_INPUT_H

#include <mpi.h>

#include "tool/manifest.h"
#include "tool/npy.h"
#include "tool/progress.h"

enum input_kind { INPUT_SYNTHETIC, INPUT_NPY, INPUT_SHARDS };

struct input {
    enum input_kind kind;
    const char *path; /* borrowed; NULL if synthetic */
    struct npy npy;   /* of the whole array, as one file has it or would have it */
    struct manifest manifest;
    redist_dist *dist; /* of the files: all on one process unless they are shards */
    redist_view view;  /* the whole of it */
};

/* Open the input at `path` (NULL: synthetic, int64 in row-major order) and check that
 * it is an array of the extents of `source`. Free with input_free.
 * Collective over comm. ARG, IO, MEMORY: on every process. */
redist_err input_open(MPI_Comm comm, const char *path, const redist_dist *source,
                      struct input *input);

/* Make a synthetic input of elements of `element_bytes` bytes. Free with input_free.
 * Local. MEMORY, IO: more than 2^63 bytes. */
redist_err input_synthetic(const redist_dist *source, int64_t element_bytes,
                           struct input *input);
void input_free(struct input *input);

/* Read each process's local array of `source`, the whole of it, not just the section,
 * into `buffer`: a single file through MPI-IO, each process the shards that it shares
 * something with.
 * Collective over comm.
 * O(local array). IO, MEMORY: on every process. */
redist_err input_read(MPI_Comm comm, const struct input *input, const redist_view *source,
                      void *buffer, struct progress *progress);

/* Compare the target's section in `buffer` with what the input has at the same places
 * of the source's section, read anew by another way than input_read's, each process
 * what it holds. If any element differs, fail with how many do and the first of them.
 * Collective over comm.
 * O(local array). IO, MEMORY: on every process. */
redist_err input_check(MPI_Comm comm, const struct input *input,
                       const redist_view *source, const redist_view *target,
                       const void *buffer, struct progress *progress);

#endif
