/* SPDX-License-Identifier: MIT
 *
 * tool/store/input.h - the source of the elements: one file, a directory of shards, or a
 * synthetic array in which each element is its own global index (in 8 bytes; repeated in
 * longer elements, folded in shorter ones).
 */
#ifndef REDIST_TOOL_STORE_INPUT_H
#define REDIST_TOOL_STORE_INPUT_H

#include <redist/files.h>

#include "files/access/slab.h"
#include "files/format/npy.h"
#include "tool/store/manifest.h"

enum input_kind { INPUT_SYNTHETIC, INPUT_FILE, INPUT_SHARDS };

struct input {
    enum input_kind kind;
    const char *path; /* borrowed; NULL if synthetic */
    struct npy npy;   /* of the whole array, as one file would have it; data_begin is 0 if
                         a file's elements do not lie dense */
    redist_file *file;
    struct section section; /* of the file: the array that is read */
    struct manifest manifest;
    redist_dist *dist; /* of the files: all on one process unless they are shards */
    redist_view view;  /* of the whole array */
    int64_t replicas;  /* partial results of each element; 0: elements have their
                          values */
    int64_t replica;   /* which of them this is: it is added to a synthetic element */
};

/* Open the input at `path` (NULL: synthetic, int64 in row-major order), or a `section`
 * "[0:99:2,5:9]" of that file (NULL: all of it), and check that it is an array of the
 * extents of `source`; if `partial`, of partial results of all replicas of `source`
 * (tool/store/partial.h). Free with input_free.
 * Collective over comm. ARG, IO, MEMORY: on every process. */
redist_err input_open(MPI_Comm comm, const char *path, const char *section,
                      const redist_dist *source, bool partial, struct input *input);

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

#endif
