/* SPDX-License-Identifier: MIT */
#include "plan/comm/number.h"

/* Longer types of Fortran have no kernels, nor operations in every MPI. */
enum { LONGEST_INTEGER = 8 };

struct list {
    enum reducible_kind kind;
    const MPI_Datatype *types;
    int n;
};

#define LIST(kind, types)                                                                \
    {                                                                                    \
        kind, types, (int)(sizeof(types) / sizeof *(types))                              \
    }

/* Return the index of a type in a list; -1: not found. */
static int find_in(const struct list *list, MPI_Datatype type)
{
    for (int k = 0; k < list->n; k++)
        if (list->types[k] == type) return k;
    return -1;
}

/* Find the kind of one of MPI's named types, and its index in the list of that kind. Some
 * are MPI_DATATYPE_NULL in an MPI without Fortran. */
static enum reducible_kind find_named(MPI_Datatype type, int *at)
{
    const MPI_Datatype integers[] = {
        MPI_INT,      MPI_LONG,     MPI_LONG_LONG, MPI_SHORT,    MPI_SIGNED_CHAR,
        MPI_INT8_T,   MPI_INT16_T,  MPI_INT32_T,   MPI_INT64_T,  MPI_INTEGER,
        MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4,  MPI_INTEGER8, MPI_AINT,
        MPI_OFFSET,   MPI_COUNT};
    const MPI_Datatype naturals[] = {
        MPI_UNSIGNED,       MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
        MPI_UNSIGNED_SHORT, MPI_UNSIGNED_CHAR, MPI_UINT8_T,
        MPI_UINT16_T,       MPI_UINT32_T,      MPI_UINT64_T};
    const MPI_Datatype reals[] = {
        MPI_FLOAT, MPI_DOUBLE, MPI_REAL,       MPI_DOUBLE_PRECISION,
        MPI_REAL4, MPI_REAL8,  MPI_LONG_DOUBLE};
    const MPI_Datatype complexes[] = {MPI_C_FLOAT_COMPLEX,
                                      MPI_C_DOUBLE_COMPLEX,
                                      MPI_CXX_FLOAT_COMPLEX,
                                      MPI_COMPLEX,
                                      MPI_DOUBLE_COMPLEX,
                                      MPI_CXX_DOUBLE_COMPLEX,
                                      MPI_COMPLEX8,
                                      MPI_COMPLEX16,
                                      MPI_C_LONG_DOUBLE_COMPLEX,
                                      MPI_CXX_LONG_DOUBLE_COMPLEX};
    const MPI_Datatype logicals[] = {MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL};
    const MPI_Datatype bytes[] = {MPI_BYTE};
    const MPI_Datatype pairs[] = {
        MPI_2INT,     MPI_DOUBLE_INT,        MPI_FLOAT_INT,
        MPI_LONG_INT, MPI_SHORT_INT,         MPI_LONG_DOUBLE_INT,
        MPI_2REAL,    MPI_2DOUBLE_PRECISION, MPI_2INTEGER};
    const struct list lists[] = {
        LIST(REDUCIBLE_SIGNED, integers),  LIST(REDUCIBLE_UNSIGNED, naturals),
        LIST(REDUCIBLE_REAL, reals),       LIST(REDUCIBLE_COMPLEX, complexes),
        LIST(REDUCIBLE_LOGICAL, logicals), LIST(REDUCIBLE_BYTE, bytes),
        LIST(REDUCIBLE_PAIR, pairs)};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        *at = find_in(&lists[k], type);
        if (*at >= 0) return lists[k].kind;
    }
    return REDUCIBLE_NONE;
}

/* Find the kind of a type made by Fortran for a precision or range. */
static enum reducible_kind find_made(MPI_Datatype type)
{
    int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    switch (combiner) {
        case MPI_COMBINER_F90_INTEGER: return REDUCIBLE_SIGNED;
        case MPI_COMBINER_F90_REAL: return REDUCIBLE_REAL;
        case MPI_COMBINER_F90_COMPLEX: return REDUCIBLE_COMPLEX;
        default: return REDUCIBLE_NONE;
    }
}

/* Signed and unsigned integers wrap around alike. */
static enum number number_of(enum reducible_kind kind, int bytes)
{
    switch (kind) {
        case REDUCIBLE_SIGNED:
        case REDUCIBLE_UNSIGNED:
            return bytes == 4 ? NUMBER_I4 : bytes == 8 ? NUMBER_I8 : NUMBER_NONE;
        case REDUCIBLE_REAL:
            return bytes == 4 ? NUMBER_F4 : bytes == 8 ? NUMBER_F8 : NUMBER_NONE;
        case REDUCIBLE_COMPLEX:
            return bytes == 8 ? NUMBER_C8 : bytes == 16 ? NUMBER_C16 : NUMBER_NONE;
        default: return NUMBER_NONE;
    }
}

struct reducible number_reducible(MPI_Datatype type)
{
    int bytes = 0, at = -1;
    const struct format format = number_type_format(type);
    const MPI_Datatype own = number_type_of(&format);
    if (own != MPI_DATATYPE_NULL) type = own;
    struct reducible reducible = {.type = type};
    MPI_Type_size(type, &bytes);
    reducible.kind = find_named(type, &at);
    if (reducible.kind == REDUCIBLE_NONE) reducible.kind = find_made(type);
    reducible.number = number_of(reducible.kind, bytes);
    reducible.bytes = bytes;
    if (reducible.kind == REDUCIBLE_PAIR) {
        MPI_Aint lower = 0, extent = 0;
        MPI_Type_get_extent(type, &lower, &extent);
        reducible.bytes = (int)extent;
        reducible.which = at;
    }
    bool is_integer =
        reducible.kind == REDUCIBLE_SIGNED || reducible.kind == REDUCIBLE_UNSIGNED;
    if (type == MPI_DATATYPE_NULL || (is_integer && bytes > LONGEST_INTEGER))
        reducible.kind = REDUCIBLE_NONE;
    return reducible;
}

struct format number_format(MPI_Datatype type)
{
    static const enum format_kind kinds[REDUCIBLE_KINDS] = {
        [REDUCIBLE_SIGNED] = FORMAT_SIGNED,
        [REDUCIBLE_UNSIGNED] = FORMAT_UNSIGNED,
        [REDUCIBLE_REAL] = FORMAT_FLOAT,
        [REDUCIBLE_COMPLEX] = FORMAT_FLOAT};
    struct format format = number_type_format(type);
    if (format.kind != FORMAT_NONE || type == MPI_DATATYPE_NULL) return format;
    const struct reducible reducible = number_reducible(type);
    format.kind = kinds[reducible.kind];
    format.complex = reducible.kind == REDUCIBLE_COMPLEX;
    format.bytes = format.complex ? reducible.bytes / 2 : reducible.bytes;
    if (format.bytes > 8) format.kind = FORMAT_NONE;
    return format;
}

redist_err number_find(MPI_Datatype type, enum number *number)
{
    *number = number_reducible(type).number;
    if (*number != NUMBER_NONE) return REDIST_OK;
    return error_arg("type has no arithmetic, which options.scaled and conjugation need: "
                     "must be MPI_INT32_T, MPI_INT64_T, MPI_FLOAT, MPI_DOUBLE, "
                     "MPI_C_FLOAT_COMPLEX or MPI_C_DOUBLE_COMPLEX, by any of the names "
                     "that C and Fortran have for them");
}
