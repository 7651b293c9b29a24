/* SPDX-License-Identifier: MIT
 *
 * plan/comm/number.h - the numbers that MPI's datatypes stand for, whatever C or Fortran
 * calls them.
 */
#ifndef REDIST_PLAN_COMM_NUMBER_H
#define REDIST_PLAN_COMM_NUMBER_H

#include <mpi.h>

#include "base/error.h"
#include "move/arith/reduce.h"

/* Find what MPI's operations have a datatype for; its kind is REDUCIBLE_NONE if for
 * nothing. */
struct reducible number_reducible(MPI_Datatype type);

/* Find which number a datatype is. ARG: it is none that can be combined, or not of a size
 * for which there are kernels. */
redist_err number_find(MPI_Datatype type, enum number *number);

#endif
