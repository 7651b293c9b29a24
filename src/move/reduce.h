/* SPDX-License-Identifier: MIT
 *
 * move/reduce.h - the other arithmetic on the way to the target: target = target op
 * source, by one of the operations that MPI has too. Integers wrap around. MIN and MAX
 * keep what the target has where neither is less.
 */
#ifndef REDIST_MOVE_REDUCE_H
#define REDIST_MOVE_REDUCE_H

#include <redist/redist.h>

#include "base/error.h"
#include "move/combine.h"

enum { REDUCTIONS = REDIST_REDUCTION_BXOR + 1 };

extern const char *const reduce_name[REDUCTIONS];

/* Check that numbers of this kind can be so put together. ARG. */
redist_err reduce_check(redist_reduction reduction, enum number number);

/* Find how to put together what reduce_check has passed; with SUM, `alpha` times the
 * source, or its conjugate, is added (combine_make). */
void reduce_make(redist_reduction reduction, enum number number, bool is_unsigned,
                 bool conjugate, const void *alpha, struct combine *combine);

#endif
