/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/problem.h - the part of a call that determines its plan: how the
 * sections of its matrices are distributed. Memory, coefficients and leading dimensions
 * come with each call.
 */
#ifndef REDIST_BIND_SCALAPACK_MATRIX_PROBLEM_H
#define REDIST_BIND_SCALAPACK_MATRIX_PROBLEM_H

#include <redist/redist.h>

#include "bind/scalapack/matrix/numbering.h"
#include "intersect/runs.h"
#include "move/arith/combine.h"

/* The elements (i, j) of the section that take part. */
enum region {
    REGION_ALL,
    REGION_UPPER, /* i - j <= diagonal */
    REGION_LOWER  /* i - j >= diagonal */
};

/* Only 64-bit numbers, without gaps, so that problems can be compared as bytes and sent
 * as numbers. */
struct problem {
    int64_t type; /* index into `types` */
    int64_t op, scaled, region, diagonal;
    int64_t n[MATRIX_DIMS]; /* of the target's section */
    struct aspect {
        struct numbering numbering; /* of its grid */
        int64_t shape[MATRIX_DIMS];
        struct cut cut[MATRIX_DIMS];
    } side[SIDES];
};

/* The types of elements: S, D, C, Z, I. */
struct type {
    char letter;
    int bytes;
    enum number number;
};
enum { TYPE_I, TYPE_S, TYPE_D, TYPE_C, TYPE_Z, TYPES };
extern const struct type types[TYPES];
MPI_Datatype type_mpi(int64_t type);

static inline bool problem_transposes(const struct problem *problem)
{
    return problem->op == REDIST_OP_TRANSPOSE ||
           problem->op == REDIST_OP_CONJUGATE_TRANSPOSE;
}

/* Return the extents of the section on a side. */
static inline int64_t problem_extent(const struct problem *problem, int side, int d)
{
    return problem->n[side == REDIST_SOURCE && problem_transposes(problem) ? !d : d];
}

#endif
