/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/matrix.h - a ScaLAPACK matrix on the calling process: the
 * contents of its descriptor, checked as ScaLAPACK's own routines do.
 */
#ifndef REDIST_BIND_SCALAPACK_MATRIX_MATRIX_H
#define REDIST_BIND_SCALAPACK_MATRIX_MATRIX_H

#include "bind/scalapack/matrix/spread.h"

enum { ROWS, COLUMNS, MATRIX_DIMS };

struct matrix {
    int context;
    bool member;               /* this process is in its grid; else nothing more is
                                  known */
    int shape[MATRIX_DIMS];    /* of the grid */
    int64_t mine[MATRIX_DIMS]; /* own coordinates, 0 where the matrix is replicated */
    struct spread spread[MATRIX_DIMS];
    int64_t start[MATRIX_DIMS]; /* of the section, from 0 */
    int64_t lld;                /* elements from a local column to the next */
    char *memory;
};

/* Positions of arguments in a routine's list, from 1. `start` is followed by the
 * positions of the columns' start and the descriptor. */
struct positions {
    int rows, columns, start;
};

/* A matrix and its section as passed to a routine: the first row and column count from
 * 1. */
struct operand {
    const void *memory;
    int row, column;
    const int *descriptor;
};

/* Read a matrix of the redistribution routines, which ignore the type of its descriptor.
 * O(1). */
void matrix_take(const struct operand *operand, struct matrix *matrix);

/* Return the position of the first argument that the redistribution routines refuse, or
 * 0: bad source coordinates, a section outside the matrix, a leading dimension that is
 * too short. Nothing is checked for a process outside the grid. O(1). */
int matrix_check(const struct matrix *matrix, const int64_t n[MATRIX_DIMS],
                 struct positions positions);

/* Read and check a matrix of the PBLAS, which accept both types of descriptor and
 * replicated matrices: fill `matrix`, unless refused. `found` is the position refused
 * before, or 0; the lesser is returned. `context` is that of the operation. */
int matrix_take_pblas(const struct operand *operand, const int64_t n[MATRIX_DIMS],
                      struct positions positions, int context, int found,
                      struct matrix *matrix);

/* The part of a section that this process holds: `count` local elements from `begin` on
 * in each dimension; 0 outside the grid. O(1). */
struct box {
    int64_t begin[MATRIX_DIMS], count[MATRIX_DIMS];
};
struct box matrix_box(const struct matrix *matrix, const int64_t at[MATRIX_DIMS],
                      const int64_t n[MATRIX_DIMS]);

#endif
