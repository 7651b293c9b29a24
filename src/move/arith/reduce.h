/* SPDX-License-Identifier: MIT
 *
 * move/arith/reduce.h - the other arithmetic on the way to the target: target = target op
 * source, by one of the operations that MPI has too. Integers wrap around. MIN and MAX
 * keep what the target has where neither is less.
 */
#ifndef REDIST_MOVE_ARITH_REDUCE_H
#define REDIST_MOVE_ARITH_REDUCE_H

#include <redist/redist.h>

#include "base/error.h"
#include "move/arith/combine.h"

enum { REDUCTIONS = REDIST_REDUCTION_MAXLOC + 1 };

extern const char *const reduce_name[REDUCTIONS];

/* A type as MPI's operations have it; its kind says which are defined. */
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
    int bytes;          /* from one to the next */
    int which;          /* of the pairs */
    enum number number; /* of combine.h's, or NUMBER_NONE */
    MPI_Datatype type;  /* itself, for what MPI does */
};

/* Check that a reduction is defined for a type, which is called `name`. ARG. */
redist_err reduce_check(redist_reduction reduction, const struct reducible *reducible,
                        const char *name);

/* Find how to put together what reduce_check has passed; with SUM of a number, `alpha`
 * times the source, or its conjugate, is added (combine_make). */
void reduce_make(redist_reduction reduction, const struct reducible *reducible,
                 bool conjugate, const void *alpha, struct combine *combine);

#endif
