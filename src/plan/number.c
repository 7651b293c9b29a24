/* SPDX-License-Identifier: MIT */
#include "plan/number.h"

#include "move/exchange.h"

/* What Fortran calls INTEGER or REAL is as long as its compiler was told. */
static enum number of_size(enum number four, enum number eight, int bytes)
{
    return bytes == 4 ? four : bytes == 8 ? eight : NUMBER_NONE;
}

static bool is_one_of(MPI_Datatype type, const MPI_Datatype types[], size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (types[k] == type) return true;
    return false;
}

#define IS_ONE_OF(type, types) is_one_of(type, types, sizeof(types) / sizeof *(types))

/* Unsigned integers wrap around like the others. Some of these are MPI_DATATYPE_NULL in
 * an MPI without Fortran. */
static enum number find(MPI_Datatype type, int bytes)
{
    const MPI_Datatype integers[] = {
        MPI_INT,      MPI_INT32_T,   MPI_UNSIGNED, MPI_UINT32_T,
        MPI_LONG,     MPI_LONG_LONG, MPI_INT64_T,  MPI_UNSIGNED_LONG,
        MPI_UINT64_T, MPI_AINT,      MPI_OFFSET,   MPI_COUNT,
        MPI_INTEGER,  MPI_INTEGER4,  MPI_INTEGER8, MPI_UNSIGNED_LONG_LONG};
    const MPI_Datatype reals[] = {MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION,
                                  MPI_REAL4, MPI_REAL8};
    const MPI_Datatype complexes[] = {MPI_C_FLOAT_COMPLEX,   MPI_C_DOUBLE_COMPLEX,
                                      MPI_CXX_FLOAT_COMPLEX, MPI_COMPLEX,
                                      MPI_DOUBLE_COMPLEX,    MPI_CXX_DOUBLE_COMPLEX,
                                      MPI_COMPLEX8,          MPI_COMPLEX16};
    if (IS_ONE_OF(type, integers)) return of_size(NUMBER_I4, NUMBER_I8, bytes);
    if (IS_ONE_OF(type, reals)) return of_size(NUMBER_F4, NUMBER_F8, bytes);
    if (IS_ONE_OF(type, complexes)) return of_size(NUMBER_C8, NUMBER_C16, bytes / 2);
    return NUMBER_NONE;
}

bool number_is_unsigned(MPI_Datatype type)
{
    const MPI_Datatype types[] = {MPI_UNSIGNED, MPI_UINT32_T, MPI_UNSIGNED_LONG,
                                  MPI_UINT64_T, MPI_UNSIGNED_LONG_LONG};
    return IS_ONE_OF(type, types);
}

redist_err number_find(MPI_Datatype type, enum number *number)
{
    int bytes = 0;
    TRY(exchange_check(MPI_Type_size(type, &bytes), "MPI_Type_size"));
    *number = find(type, bytes);
    if (*number != NUMBER_NONE) return REDIST_OK;
    return error_set(REDIST_ERR_ARG,
                     "type has no arithmetic, which options.scaled, conjugation and "
                     "options.reduction need: must be MPI_INT32_T, MPI_INT64_T, "
                     "MPI_FLOAT, MPI_DOUBLE, "
                     "MPI_C_FLOAT_COMPLEX or MPI_C_DOUBLE_COMPLEX, by any of the names "
                     "that C and Fortran have for them");
}
