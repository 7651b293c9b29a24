/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/spread.h - one dimension of a ScaLAPACK matrix, and a section of
 * it.
 *
 * A first block of `head` elements lies on coordinate `source`, those of `block` elements
 * behind it on the next ones in turn. A section is described from the block on in which
 * it begins, without what is before and behind, so that sections that are dealt out alike
 * look alike: a loop over panels needs a few plans only.
 *
 *   matrix  head 2, block 3      00 111 222 000 111 ..
 *   section from 4 of 6              .1 222 000          first 1, before 2
 */
#ifndef REDIST_BIND_SCALAPACK_MATRIX_SPREAD_H
#define REDIST_BIND_SCALAPACK_MATRIX_SPREAD_H

#include <redist/describe.h>
#include <stdbool.h>

struct spread {
    int64_t extent, head, block;
    int source, procs;
    bool replicated; /* every coordinate holds all; then source is 0 and procs 1 */
};

/* Numbers of one size, so that structs of them have no gaps and compare as bytes. */
struct cut {
    int64_t n;      /* elements of the section */
    int64_t before; /* elements of the block before it */
    int64_t block, first, procs;
    int64_t head; /* elements of the first block if it is not like the others; else 0 */
    int64_t replicated;
};

/* How many of the first x elements a coordinate holds. O(1). */
int64_t spread_count(const struct spread *spread, int64_t x, int64_t coordinate);

/* The element that a coordinate has at `local`. O(1). */
int64_t spread_global(const struct spread *spread, int64_t local, int64_t coordinate);

/* The section of n >= 1 elements from `at` on of a dimension; of a section. O(1). */
struct cut spread_cut(const struct spread *spread, int64_t at, int64_t n);
struct cut cut_of_cut(const struct cut *cut, int64_t at, int64_t n);

/* How many elements a coordinate holds from the block on in which the section begins. */
int64_t cut_count(const struct cut *cut, int64_t coordinate);

/* The coordinate that holds element i of a section, of what is not replicated. O(1). */
int64_t cut_owner(const struct cut *cut, int64_t i);

/* The format of the array [before + n] along an axis of the grid, of which the section
 * begins at `before`. `*owners` is what the format borrows; free it by mem_free.
 * O(1), O(n) if the first block is not like the others. MEMORY. */
redist_err cut_format(const struct cut *cut, int axis, redist_format *format,
                      int **owners);

#endif
