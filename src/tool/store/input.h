/* SPDX-License-Identifier: MIT
 *
 * tool/store/input.h - the source of the elements: one .npy file, a directory of shards,
 * or a synthetic array in which each element is its own global index (in 8 bytes;
 * repeated in longer elements, folded in shorter ones).
 */
#ifndef REDIST_TOOL_STORE_INPUT_H
#define REDIST_TOOL_STORE_INPUT_H

#include <mpi.h>

#include "files/format/npy.h"
#include "tool/store/manifest.h"
#include "tool/common/progress.h"

enum input_kind { INPUT_SYNTHETIC, INPUT_NPY, INPUT_SHARDS };

struct input {
    enum input_kind kind;
    const char *path; /* borrowed; NULL if synthetic */
    struct npy npy;   /* of the whole array, as one file would have it */
    struct manifest manifest;
    redist_dist *dist; /* of the files: all on one process unless they are shards */
    redist_view view;  /* of the whole array */
    int64_t replicas;  /* partial results of each element; 0: elements have their
                          values */
    int64_t replica;   /* which of them this is: it is added to a synthetic element */
};

/* Open the input at `path` (NULL: synthetic, int64 in row-major order) and check that it
 * is an array of the extents of `source`; if `partial`, of partial results of all
 * replicas of `source` (tool/store/partial.h). Free with input_free.
 * Collective over comm. ARG, IO, MEMORY: on every process. */
redist_err input_open(MPI_Comm comm, const char *path, const redist_dist *source,
                      bool partial, struct input *input);

/* Find the part of an input of partial results that belongs to one replica, as an input
 * of its own; the former must live on. Free with input_replica_free, after a failure too.
 * Local. MEMORY. */
redist_err input_replica(const struct input *input, int64_t replica, struct input *one);
void input_replica_free(struct input *one);

/* Make a synthetic input of elements of `element_bytes` bytes. Free with input_free.
 * Local. MEMORY, IO: more than 2^63 bytes. */
redist_err input_synthetic(const redist_dist *source, int64_t element_bytes,
                           struct input *input);
void input_free(struct input *input);

/* Read each process's whole local array of `source`, not only the section, into `buffer`:
 * a single file through MPI-IO, else each process the shards that concern it.
 * Collective over comm.
 * O(local array). IO, MEMORY: on every process. */
redist_err input_read(MPI_Comm comm, const struct input *input, const redist_view *source,
                      void *buffer, struct progress *progress);

/* Read the expected target section into `buffer`, in the layout of `target`: the input's
 * elements at the same places of the source's section. Each process reads its own, by
 * another way than input_read.
 * Collective over comm. O(local array). IO, MEMORY: on every process. */
redist_err input_fetch(MPI_Comm comm, const struct input *input,
                       const redist_view *source, const redist_view *target, void *buffer,
                       struct progress *progress);

/* Compare the target's section in `buffer` with the expected one, as input_check does. */
redist_err input_compare(MPI_Comm comm, const struct input *input,
                         const redist_view *source, const redist_view *target,
                         const void *buffer, const void *expected);

/* Compare the target's section in `buffer` with the input's elements at the same places
 * of the source's section. Each process reads its own, by another way than input_read. If
 * any element differs, fail with their number and the first of them.
 * Collective over comm.
 * O(local array). IO, MEMORY: on every process. */
redist_err input_check(MPI_Comm comm, const struct input *input,
                       const redist_view *source, const redist_view *target,
                       const void *buffer, struct progress *progress);

#endif
