/* SPDX-License-Identifier: MIT
 *
 * Values of the types for which MPI has operations, and these from their definitions.
 */
#ifndef REDUCIBLE_H
#define REDUCIBLE_H

#include <float.h>
#include <mpi.h>
#include <redist/redist.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

enum { LARGEST = 32 };

typedef int8_t i1;
typedef int16_t i2;
typedef int32_t i4;
typedef int64_t i8;
typedef uint8_t u1;
typedef uint16_t u2;
typedef uint32_t u4;
typedef uint64_t u8;
typedef float f4;
typedef double f8;
typedef long double f16;

/* A value and where it is, of each type that has such in C. */
#define PAIR(type, name)                                                                 \
    typedef struct {                                                                     \
        type value;                                                                      \
        int where;                                                                       \
    } name; /* NOLINT(bugprone-macro-parentheses): a declaration */
PAIR(short, short_int)
PAIR(int, int_int)
PAIR(long, long_int)
PAIR(float, float_int)
PAIR(double, double_int)
PAIR(long double, long_double_int)

union value {
    i1 i1;
    i2 i2;
    i4 i4;
    i8 i8;
    u1 u1;
    u2 u2;
    u4 u4;
    u8 u8;
    f4 f4[2];
    f8 f8[2];
    f16 f16[2];
    short_int short_int;
    int_int int_int;
    long_int long_int;
    float_int float_int;
    double_int double_int;
    long_double_int long_double_int;
    unsigned char byte[LARGEST];
};

/* ---- the operations, from their definitions ---------------------------------------- */

#define EITHER(a, op, b) ((a)op(b) ? (a) : (b))
#define INTEGERS(type)                                                                   \
    static void fold_##type(redist_reduction op, union value *y, union value x)          \
    {                                                                                    \
        const type a = y->type, b = x.type;                                              \
        switch (op) {                                                                    \
            case REDIST_REDUCTION_SUM: y->type = (type)((u8)a + (u8)b); break;           \
            case REDIST_REDUCTION_PROD: y->type = (type)((u8)a * (u8)b); break;          \
            case REDIST_REDUCTION_MIN: y->type = EITHER(a, <, b); break;                 \
            case REDIST_REDUCTION_MAX: y->type = EITHER(a, >, b); break;                 \
            case REDIST_REDUCTION_LAND: y->type = a != 0 && b != 0; break;               \
            case REDIST_REDUCTION_LOR: y->type = a != 0 || b != 0; break;                \
            case REDIST_REDUCTION_LXOR: y->type = (a != 0) != (b != 0); break;           \
            case REDIST_REDUCTION_BAND: y->type = (type)(a & b); break;                  \
            case REDIST_REDUCTION_BOR: y->type = (type)(a | b); break;                   \
            default: y->type = (type)(a ^ b); break;                                     \
        }                                                                                \
    }
#define REALS(type)                                                                      \
    static void fold_##type(redist_reduction op, union value *y, union value x)          \
    {                                                                                    \
        switch (op) {                                                                    \
            case REDIST_REDUCTION_SUM: y->type[0] += x.type[0]; break;                   \
            case REDIST_REDUCTION_PROD: y->type[0] *= x.type[0]; break;                  \
            case REDIST_REDUCTION_MIN:                                                   \
                y->type[0] = EITHER(y->type[0], <, x.type[0]);                           \
                break;                                                                   \
            default: y->type[0] = EITHER(y->type[0], >, x.type[0]); break;               \
        }                                                                                \
    }                                                                                    \
    static void fold_pair_of_##type(redist_reduction op, union value *y, union value x)  \
    {                                                                                    \
        const type re = y->type[0], im = y->type[1];                                     \
        int sums = op == REDIST_REDUCTION_SUM;                                           \
        y->type[0] = sums ? re + x.type[0] : re * x.type[0] - im * x.type[1];            \
        y->type[1] = sums ? im + x.type[1] : re * x.type[1] + im * x.type[0];            \
    }

/* Of equal values the one that comes first. */
#define PAIRS(type)                                                                      \
    static void fold_##type(redist_reduction op, union value *y, union value x)          \
    {                                                                                    \
        const type a = y->type, b = x.type;                                              \
        int less = op == REDIST_REDUCTION_MINLOC && b.value < a.value;                   \
        int more = op == REDIST_REDUCTION_MAXLOC && b.value > a.value;                   \
        int first = b.value == a.value && b.where < a.where;                             \
        if (less || more || first) *y = x;                                               \
    }                                                                                    \
    static union value make_##type(int value, int where)                                 \
    {                                                                                    \
        union value pair;                                                                \
        memset(&pair, 0, sizeof pair); /* what lies between the two as well */           \
        pair.type.value = (short)value;                                                  \
        pair.type.where = where;                                                         \
        return pair;                                                                     \
    }

INTEGERS(i1)
INTEGERS(i2)
INTEGERS(i4)
INTEGERS(i8)
INTEGERS(u1)
INTEGERS(u2)
INTEGERS(u4)
INTEGERS(u8)
REALS(f4)
REALS(f8)
REALS(f16)
PAIRS(short_int)
PAIRS(int_int)
PAIRS(long_int)
PAIRS(float_int)
PAIRS(double_int)
PAIRS(long_double_int)

/* What its values are: any bits, 0 or 1, reals, or small integers, of which all is
 * exact. */
enum values { BITS, TRUTHS, ANY_REALS, SMALL };

struct operand {
    MPI_Datatype type;
    size_t bytes;
    redist_reduction first, last; /* of those that it has */
    enum values values;
    int scales; /* alpha and beta are for it too */
    void (*fold)(redist_reduction op, union value *y, union value x);
    union value (*pair)(int value, int where);
};

#define OF(first, last) REDIST_REDUCTION_##first, REDIST_REDUCTION_##last
#define OF_PAIRS(type)                                                                   \
    sizeof(type), OF(MINLOC, MAXLOC), SMALL, 0, fold_##type, make_##type

/* Some of these are none in an MPI without Fortran, or of another size (MPI_INTEGER1 of
 * SMPI has 4 bytes). */
static struct operand draw_number(uint64_t *seed)
{
    const struct operand numbers[] = {
        {MPI_INT32_T, 4, OF(SUM, BXOR), BITS, 1, fold_i4, NULL},
        {MPI_INT64_T, 8, OF(SUM, BXOR), BITS, 1, fold_i8, NULL},
        {MPI_UNSIGNED, 4, OF(SUM, BXOR), BITS, 1, fold_u4, NULL},
        {MPI_UINT64_T, 8, OF(SUM, BXOR), BITS, 1, fold_u8, NULL},
        {MPI_FLOAT, 4, OF(SUM, MAX), ANY_REALS, 1, fold_f4, NULL},
        {MPI_DOUBLE, 8, OF(SUM, MAX), ANY_REALS, 1, fold_f8, NULL},
        {MPI_C_FLOAT_COMPLEX, 8, OF(SUM, PROD), SMALL, 1, fold_pair_of_f4, NULL},
        {MPI_C_DOUBLE_COMPLEX, 16, OF(SUM, PROD), SMALL, 1, fold_pair_of_f8, NULL},
        {MPI_INT, 4, OF(SUM, BXOR), BITS, 1, fold_i4, NULL},
        {MPI_LONG, 8, OF(SUM, BXOR), BITS, 1, fold_i8, NULL},
        {MPI_LONG_LONG, 8, OF(SUM, BXOR), BITS, 1, fold_i8, NULL},
        {MPI_INTEGER, 4, OF(SUM, BXOR), BITS, 1, fold_i4, NULL},
        {MPI_REAL, 4, OF(SUM, MAX), ANY_REALS, 1, fold_f4, NULL},
        {MPI_DOUBLE_PRECISION, 8, OF(SUM, MAX), ANY_REALS, 1, fold_f8, NULL},
        {MPI_REAL4, 4, OF(SUM, MAX), ANY_REALS, 1, fold_f4, NULL},
        {MPI_REAL8, 8, OF(SUM, MAX), ANY_REALS, 1, fold_f8, NULL},
        {MPI_COMPLEX, 8, OF(SUM, PROD), SMALL, 1, fold_pair_of_f4, NULL},
        {MPI_COMPLEX8, 8, OF(SUM, PROD), SMALL, 1, fold_pair_of_f4, NULL},
        {MPI_DOUBLE_COMPLEX, 16, OF(SUM, PROD), SMALL, 1, fold_pair_of_f8, NULL},
        {MPI_COMPLEX16, 16, OF(SUM, PROD), SMALL, 1, fold_pair_of_f8, NULL},
        {MPI_SIGNED_CHAR, 1, OF(SUM, BXOR), BITS, 0, fold_i1, NULL},
        {MPI_SHORT, 2, OF(SUM, BXOR), BITS, 0, fold_i2, NULL},
        {MPI_UNSIGNED_CHAR, 1, OF(SUM, BXOR), BITS, 0, fold_u1, NULL},
        {MPI_UINT16_T, 2, OF(SUM, BXOR), BITS, 0, fold_u2, NULL},
        {MPI_INTEGER1, 1, OF(SUM, BXOR), BITS, 0, fold_i1, NULL},
        {MPI_INTEGER2, 2, OF(SUM, BXOR), BITS, 0, fold_i2, NULL},
        {MPI_LONG_DOUBLE, 16, OF(SUM, MAX), ANY_REALS, 0, fold_f16, NULL},
        {MPI_C_LONG_DOUBLE_COMPLEX, 32, OF(SUM, PROD), SMALL, 0, fold_pair_of_f16, NULL},
        {MPI_C_BOOL, 1, OF(LAND, LXOR), TRUTHS, 0, fold_u1, NULL},
        {MPI_LOGICAL, 4, OF(LAND, LXOR), TRUTHS, 0, fold_i4, NULL},
        {MPI_BYTE, 1, OF(BAND, BXOR), BITS, 0, fold_u1, NULL},
        {MPI_SHORT_INT, OF_PAIRS(short_int)},
        {MPI_2INT, OF_PAIRS(int_int)},
        {MPI_LONG_INT, OF_PAIRS(long_int)},
        {MPI_FLOAT_INT, OF_PAIRS(float_int)},
        {MPI_DOUBLE_INT, OF_PAIRS(double_int)},
        {MPI_LONG_DOUBLE_INT, OF_PAIRS(long_double_int)},
        {MPI_2INTEGER, OF_PAIRS(int_int)},
    };
    const int64_t last = (int64_t)(sizeof numbers / sizeof *numbers) - 1;
    for (;;) {
        const struct operand *number = &numbers[random_in(seed, 0, last)];
        MPI_Aint lower, extent = 0;
        if (number->type != MPI_DATATYPE_NULL)
            MPI_Type_get_extent(number->type, &lower, &extent);
        if ((size_t)extent == number->bytes) return *number;
    }
}

/* Clear what a long double of ten bytes leaves in sixteen: it means nothing, and nobody
 * says what becomes of it. */
static void clear_padding(const struct operand *number, unsigned char *values,
                          size_t bytes)
{
    const int is_long = number->fold == fold_f16 || number->fold == fold_pair_of_f16 ||
                        number->fold == fold_long_double_int;
    if (!is_long || LDBL_MANT_DIG != 64) return;
    for (size_t k = 0; k < bytes; k += 16) memset(values + k + 10, 0, 6);
}

/* ---- numbers of the caller's ------------------------------------------------------- */

static union value whole_number(const struct operand *number, int re, int im)
{
    union value value = {.i8 = re};
    if (number->fold == fold_f4 || number->fold == fold_pair_of_f4)
        value.f4[0] = (f4)re, value.f4[1] = (f4)im;
    if (number->fold == fold_pair_of_f16) value.f16[0] = re, value.f16[1] = im;
    if (number->fold == fold_f8 || number->fold == fold_pair_of_f8)
        value.f8[0] = re, value.f8[1] = im;
    return value;
}

/* alpha x, of a small integer. */
static inline union value times(const struct operand *number, int factor, union value x)
{
    union value y = whole_number(number, 0, 0);
    for (int k = 0; k < abs(factor); k++) number->fold(REDIST_REDUCTION_SUM, &y, x);
    if (factor >= 0) return y;
    union value minus = whole_number(number, -1, 0);
    number->fold(REDIST_REDUCTION_PROD, &minus, y);
    return minus;
}

#endif
