/* SPDX-License-Identifier: MIT
 *
 * describe/view.h - check a view, and find the layout of its local arrays.
 */
#ifndef REDIST_DESCRIBE_VIEW_H
#define REDIST_DESCRIBE_VIEW_H

#include "describe/dist.h"

/* Check everything in a view that does not depend on the process. O(ndims^2). ARG. */
redist_err view_check(const redist_view *view);

/* The layout of a process's local array in memory. */
struct layout {
    bool member;                     /* the rank is in the grid */
    int64_t count[REDIST_MAX_DIMS];  /* local elements along each dimension */
    int64_t stride[REDIST_MAX_DIMS]; /* elements from one to the next */
    int64_t offset; /* of local element (0, 0, ..) from the buffer's start */
    int64_t span;   /* elements from the buffer's start to its end */
};

/* Find the layout of `rank`. O(ndims). ARG: it exceeds 64 bits, or elements overlap by
 * `lead`. */
redist_err view_layout(const redist_view *view, int rank, struct layout *layout);

/* Return a view without halo and `lead`: its local arrays have no gaps. */
redist_view view_dense(const redist_view *view);

/* Find the bytes of a local array that spans `elements` of `element` bytes each. ARG:
 * more than 63 bits. */
redist_err view_bytes(int64_t elements, int64_t element, int64_t *bytes);

/* Return the number of elements of the section. */
int64_t view_elements(const redist_view *view);

/* Return a 64-bit hash of a view, without `lead`. */
uint64_t view_hash(const redist_view *view);

#endif
