/* SPDX-License-Identifier: MIT
 *
 * move/arith/reduce.h - reductions on the way to the target: target = target op source,
 * by MPI's operations. Integers wrap around. MIN and MAX keep the target's value where
 * neither is less.
 */
#ifndef REDIST_MOVE_ARITH_REDUCE_H
#define REDIST_MOVE_ARITH_REDUCE_H

#include <redist/redist.h>

#include "base/error.h"
#include "move/arith/combine.h"

enum { REDUCTIONS = REDIST_REDUCTION_MAXLOC + 1 };

extern const char *const reduce_name[REDUCTIONS];

/* A type as MPI's operations see it. The kind determines which are defined. */
enum reducible_kind {
    REDUCIBLE_NONE,
    REDUCIBLE_SIGNED,
    REDUCIBLE_UNSIGNED,
    REDUCIBLE_REAL,
    REDUCIBLE_COMPLEX,
    REDUCIBLE_LOGICAL,
    REDUCIBLE_BYTE,
    REDUCIBLE_PAIR,
    REDUCIBLE_KINDS
};
struct reducible {
    enum reducible_kind kind;
    int bytes;          /* from one element to the next */
    int which;          /* which of the pair types */
    enum number number; /* of combine.h, or NUMBER_NONE */
    MPI_Datatype type;  /* the type itself, for MPI */
};

/* Check that a reduction is defined for a type, which is called `name`. ARG. */
redist_err reduce_check(redist_reduction reduction, const struct reducible *reducible,
                        const char *name);

/* Find how to do a reduction that reduce_check has accepted. SUM of a number adds `alpha`
 * times the source, or its conjugate (combine_make). */
void reduce_make(redist_reduction reduction, const struct reducible *reducible,
                 bool conjugate, const void *alpha, struct combine *combine);

#endif
