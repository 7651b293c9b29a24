/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/matrix/problem.h"

const struct type types[TYPES] = {
    [TYPE_I] = {'i', 4, NUMBER_I4},   [TYPE_S] = {'s', 4, NUMBER_F4},
    [TYPE_D] = {'d', 8, NUMBER_F8},   [TYPE_C] = {'c', 8, NUMBER_C8},
    [TYPE_Z] = {'z', 16, NUMBER_C16},
};

/* MPI's names of types are not constants in every MPI. */
MPI_Datatype type_mpi(int64_t type)
{
    switch (type) {
        case TYPE_I: return MPI_INT;
        case TYPE_S: return MPI_FLOAT;
        case TYPE_D: return MPI_DOUBLE;
        case TYPE_C: return MPI_C_FLOAT_COMPLEX;
        default: return MPI_C_DOUBLE_COMPLEX;
    }
}
