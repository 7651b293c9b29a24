/* SPDX-License-Identifier: MIT
 *
 * plan/comm/number.h - the numbers that MPI's datatypes stand for, under their C and
 * Fortran names.
 */
#ifndef REDIST_PLAN_COMM_NUMBER_H
#define REDIST_PLAN_COMM_NUMBER_H

#include <mpi.h>

#include "base/error.h"
#include "move/arith/number_format.h"
#include "move/arith/reduce.h"

/* The format that a datatype of redist_type_create carries as an attribute
 * (number_type.c); its kind is FORMAT_NONE if it carries none. */
struct format number_type_format(MPI_Datatype type);

/* Return MPI's own type of a format; MPI_DATATYPE_NULL: there is none. */
MPI_Datatype number_type_of(const struct format *format);

/* Find what MPI's operations can do with a datatype; the kind is REDUCIBLE_NONE if
 * nothing. */
struct reducible number_reducible(MPI_Datatype type);

/* Find how the numbers of a datatype are stored: one of redist_type_create, or MPI's own.
 * The kind is FORMAT_NONE if that is not known. */
struct format number_format(MPI_Datatype type);

/* Find the kind of number of a datatype. ARG: it cannot be combined, or there are no
 * kernels for its size. */
redist_err number_find(MPI_Datatype type, enum number *number);

#endif
