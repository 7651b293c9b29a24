/* SPDX-License-Identifier: MIT
 *
 * tool/format/part.h - the part of an array in a file that one process holds, as MPI
 * datatypes.
 *
 * The file holds the whole array dense, in C or in Fortran order. A part is cut into
 * chunks, boxes of local elements that are read or written one after the other. So
 * neither a chunk nor MPI's description of it grows with the array:
 *
 *   local array 5 x 6,       0 0 0 1 1 1       chunks follow the file's order: all of the
 *   chunks of 1 x 3          2 2 2 3 3 3       fastest dimensions, some of one, and one
 *                            4 4 4 5 5 5 ..    element along the slower ones
 */
#ifndef REDIST_TOOL_FORMAT_PART_H
#define REDIST_TOOL_FORMAT_PART_H

#include <mpi.h>

#include "describe/view.h"
#include "files/format/npy.h"

struct part {
    const redist_dist *dist; /* borrowed */
    struct layout layout;    /* of the local array in memory */
    int64_t element_bytes;
    int dims[REDIST_MAX_DIMS];            /* the dimensions, slowest in the file first */
    int coords[REDIST_MAX_DIMS];          /* of the process, along each dimension */
    int64_t file_stride[REDIST_MAX_DIMS]; /* bytes from one to the next in the file */
    int64_t chunk[REDIST_MAX_DIMS];       /* local elements of a chunk */
    int64_t nchunks;
};

/* A chunk as committed MPI datatypes: its bytes in the file, from the array's begin, and
 * in memory, from `offset` bytes into the buffer, in the same order. */
struct chunk {
    MPI_Datatype file, memory;
    int64_t offset;
};

/* Find the part of the array `npy` that `rank` holds in the dist of `view`.
 * O(ndims). ARG. */
redist_err part_make(const redist_view *view, int rank, const struct npy *npy,
                     struct part *part);

/* Make chunk k, 0 <= k < nchunks; free it with chunk_free. Memory O(1) for regular
 * formats, O(own blocks of the chunk) for irregular ones. MEMORY. */
redist_err part_chunk(const struct part *part, int64_t k, struct chunk *chunk);
void chunk_free(struct chunk *chunk);

#endif
