/* SPDX-License-Identifier: MIT
 *
 * move/node/segments.h - the shared memory segments of redist_alloc that this process has
 * a part in. It finds the segment of an address, and the parts of other processes in it.
 *
 * Processes tell each other a place: the segment's name (a number unique on the node),
 * whose part, and the offset in it. Each knows at which of its own addresses that part
 * lies.
 */
#ifndef REDIST_MOVE_NODE_SEGMENTS_H
#define REDIST_MOVE_NODE_SEGMENTS_H

#include <mpi.h>
#include <redist/describe.h>
#include <stdbool.h>
#include <stdint.h>

struct segment_place {
    uint64_t name;
    int part;
    int64_t offset; /* bytes */
};

/* Make a segment of which `bytes` are this process's part, which begins at *part, not
 * NULL. *part is NULL if it failed on another process of the node.
 * Collective over comm. MEMORY, MPI, not the same on all processes. */
redist_err segments_make(MPI_Comm comm, int64_t bytes, void **part);

/* Free the segment whose part begins at `part`.
 * Collective over the processes that made it. ARG: there is none. */
redist_err segments_free(void *part);

/* Find the place of an address in an own part; false: it is in none. */
bool segments_place(const void *address, struct segment_place *place);

/* Find the address of a place; NULL if this process has no part in that segment. */
const char *segments_address(struct segment_place place);

#endif
