/* SPDX-License-Identifier: MIT
 *
 * move/in_place/gaps.h - close the gaps of a local array (halo, leading strides) within
 * its own memory, and open them again.
 *
 *   . . . . .
 *   . a b c .      close ->      a b c d e f . . . . . ..
 *   . d e f .    <- open
 *   . . . . .
 *
 * No element lies before its place in the dense array, so rows move in ascending order
 * when gaps are closed, in descending order when they are opened, and none is
 * overwritten.
 */
#ifndef REDIST_MOVE_IN_PLACE_GAPS_H
#define REDIST_MOVE_IN_PLACE_GAPS_H

#include "move/walk/walk.h"

struct gaps {
    int64_t rows, row; /* number of rows, and bytes of one; a row is contiguous */
    int64_t offset;    /* bytes, of the first */
    int ndims;
    int64_t count[REDIST_MAX_DIMS], stride[REDIST_MAX_DIMS]; /* of rows; bytes */
};

/* Find the gaps of one side. ARG: its strides do not follow the order of its
 * dimensions. */
redist_err gaps_find(const struct memory_side *side, int64_t element, struct gaps *gaps);

void gaps_close(const struct gaps *gaps, char *array);
void gaps_open(const struct gaps *gaps, char *array);

#endif
