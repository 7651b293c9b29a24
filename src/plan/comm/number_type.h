/* SPDX-License-Identifier: MIT
 *
 * plan/comm/number_type.h - the MPI datatypes of redist_type_create, which carry the
 * format of their numbers as an attribute.
 */
#ifndef REDIST_PLAN_COMM_NUMBER_TYPE_H
#define REDIST_PLAN_COMM_NUMBER_TYPE_H

#include <mpi.h>

#include "move/arith/number_format.h"

/* Return the format that a datatype carries; its kind is FORMAT_NONE if it carries
 * none. */
struct format number_type_format(MPI_Datatype type);

/* Return MPI's own type of a format; MPI_DATATYPE_NULL: there is none. */
MPI_Datatype number_type_of(const struct format *format);

#endif
