/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/spread.h - one dimension of a ScaLAPACK matrix, and a section of
 * it.
 *
 * A first block of `head` elements lies on coordinate `source`; blocks of `block`
 * elements follow on the next coordinates in turn. A section is described from the block
 * on in which it begins, without what lies before and behind. So sections with the same
 * distribution have the same description: a loop over panels needs few plans.
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

/* All members have one size, so that the struct has no gaps and compares as bytes. */
struct cut {
    int64_t n;      /* elements of the section */
    int64_t before; /* elements of its first block before the section */
    int64_t block, first, procs;
    int64_t head; /* elements of the first block if it differs from the others; else 0 */
    int64_t replicated;
};

/* Count the elements of a coordinate among the first x. O(1). */
int64_t spread_count(const struct spread *spread, int64_t x, int64_t coordinate);

/* Return the global index of element `local` of a coordinate. O(1). */
int64_t spread_global(const struct spread *spread, int64_t local, int64_t coordinate);

/* Return the section of n >= 1 elements from `at` on of a dimension; of a section.
 * O(1). */
struct cut spread_cut(const struct spread *spread, int64_t at, int64_t n);
struct cut cut_of_cut(const struct cut *cut, int64_t at, int64_t n);

/* Count the elements of a coordinate from the block on in which the section begins. */
int64_t cut_count(const struct cut *cut, int64_t coordinate);

/* Return the owner of element i of a section that is not replicated. O(1). */
int64_t cut_owner(const struct cut *cut, int64_t i);

/* Find the format of the array [before + n] along an axis of the grid; the section begins
 * at `before`. The format borrows `*owners`; free it by mem_free.
 * O(1), O(n) if the first block differs from the others. MEMORY. */
redist_err cut_format(const struct cut *cut, int axis, redist_format *format,
                      int **owners);

#endif
