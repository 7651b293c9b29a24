/* SPDX-License-Identifier: MIT
 *
 * move/arith/reduce.c - a kernel for each operation and each machine type for which it
 * differs. SUM is that of combine.c, with a factor of 1 for the target. Types without
 * kernels here are reduced by MPI, which does not promise that integers of one or two
 * bytes wrap around.
 */
#include "move/arith/reduce.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "base/intmath.h"
#include "move/kernel/kernels.h"

const char *const reduce_name[REDUCTIONS] = {
    [REDIST_REDUCTION_NONE] = "NONE",     [REDIST_REDUCTION_SUM] = "SUM",
    [REDIST_REDUCTION_PROD] = "PROD",     [REDIST_REDUCTION_MIN] = "MIN",
    [REDIST_REDUCTION_MAX] = "MAX",       [REDIST_REDUCTION_LAND] = "LAND",
    [REDIST_REDUCTION_LOR] = "LOR",       [REDIST_REDUCTION_LXOR] = "LXOR",
    [REDIST_REDUCTION_BAND] = "BAND",     [REDIST_REDUCTION_BOR] = "BOR",
    [REDIST_REDUCTION_BXOR] = "BXOR",     [REDIST_REDUCTION_MINLOC] = "MINLOC",
    [REDIST_REDUCTION_MAXLOC] = "MAXLOC",
};

typedef int8_t i1;
typedef int16_t i2;
typedef int32_t i4;
typedef int64_t i8;
typedef uint8_t u1;
typedef uint16_t u2;
typedef uint32_t u4;
typedef uint64_t u8;
typedef uint64_t wide;
typedef float f4;
typedef double f8;

/* The kernel of units of `width` numbers of a type: the statement computes the
 * target's unit from its old value y and the source's x. The caller's arrays need not
 * be aligned. */
#define KERNEL(name, type, width, statement)                                             \
    static void name(const struct combine *combine, char *to, const char *from,          \
                     const struct level *outer, const struct level *inner, int64_t n)    \
    {                                                                                    \
        (void)combine;                                                                   \
        for (int64_t k = 0; k < outer->count; k++)                                       \
            for (int64_t i = 0; i < inner->count; i++) {                                 \
                const char *f = from + k * outer->step[REDIST_SOURCE] +                  \
                                i * inner->step[REDIST_SOURCE];                          \
                char *t = to + k * outer->step[REDIST_TARGET] +                          \
                          i * inner->step[REDIST_TARGET];                                \
                for (int64_t e = 0; e < n; e++) {                                        \
                    type x[width], y[width];                                             \
                    memcpy(x, f + e * (int64_t)sizeof x, sizeof x);                      \
                    memcpy(y, t + e * (int64_t)sizeof y, sizeof y);                      \
                    statement;                                                           \
                    memcpy(t + e * (int64_t)sizeof y, y, sizeof y);                      \
                }                                                                        \
            }                                                                            \
    }

#define INTEGERS(type)                                                                   \
    KERNEL(type##_sum, type, 1, y[0] = (type)(y[0] + x[0]))                              \
    KERNEL(type##_product, type, 1, y[0] = (type)(y[0] * (wide)x[0]))                    \
    KERNEL(type##_land, type, 1, y[0] = y[0] && x[0])                                    \
    KERNEL(type##_lor, type, 1, y[0] = y[0] || x[0])                                     \
    KERNEL(type##_lxor, type, 1, y[0] = !y[0] != !x[0])                                  \
    KERNEL(type##_band, type, 1, y[0] &= x[0])                                           \
    KERNEL(type##_bor, type, 1, y[0] |= x[0])                                            \
    KERNEL(type##_bxor, type, 1, y[0] ^= x[0])
#define EXTREMES(type)                                                                   \
    KERNEL(type##_least, type, 1, y[0] = x[0] < y[0] ? x[0] : y[0])                      \
    KERNEL(type##_most, type, 1, y[0] = x[0] > y[0] ? x[0] : y[0])
#define REALS(type)                                                                      \
    KERNEL(type##_product, type, 1, y[0] *= x[0])                                        \
    KERNEL(type##_pairs_product, type, 2, {                                              \
        const type real = y[0] * x[0] - y[1] * x[1];                                     \
        y[1] = y[0] * x[1] + y[1] * x[0];                                                \
        y[0] = real;                                                                     \
    })

INTEGERS(u1)
INTEGERS(u2)
INTEGERS(u4)
INTEGERS(u8)
REALS(f4)
REALS(f8)
EXTREMES(i1)
EXTREMES(i2)
EXTREMES(i4)
EXTREMES(i8)
EXTREMES(u1)
EXTREMES(u2)
EXTREMES(u4)
EXTREMES(u8)
EXTREMES(f4)
EXTREMES(f8)

#define OF_INTEGERS(bytes, order)                                                        \
    {                                                                                    \
        [REDIST_REDUCTION_SUM] = u##bytes##_sum,                                         \
        [REDIST_REDUCTION_PROD] = u##bytes##_product,                                    \
        [REDIST_REDUCTION_MIN] = order##bytes##_least,                                   \
        [REDIST_REDUCTION_MAX] = order##bytes##_most,                                    \
        [REDIST_REDUCTION_LAND] = u##bytes##_land,                                       \
        [REDIST_REDUCTION_LOR] = u##bytes##_lor,                                         \
        [REDIST_REDUCTION_LXOR] = u##bytes##_lxor,                                       \
        [REDIST_REDUCTION_BAND] = u##bytes##_band,                                       \
        [REDIST_REDUCTION_BOR] = u##bytes##_bor,                                         \
        [REDIST_REDUCTION_BXOR] = u##bytes##_bxor,                                       \
    }
#define OF_REALS(type)                                                                   \
    {                                                                                    \
        [REDIST_REDUCTION_PROD] = type##_product, [REDIST_REDUCTION_MIN] = type##_least, \
        [REDIST_REDUCTION_MAX] = type##_most,                                            \
    }
#define OF_COMPLEX(type)                                                                 \
    {                                                                                    \
        [REDIST_REDUCTION_PROD] = type##_pairs_product                                   \
    }

/* Indexed by the logarithm of the size; NULL: MPI's. */
enum { SIZES = 5 };
static combine_kernel *const kernels[REDUCIBLE_KINDS][SIZES][REDUCTIONS] = {
    [REDUCIBLE_SIGNED] = {OF_INTEGERS(1, i), OF_INTEGERS(2, i), OF_INTEGERS(4, i),
                          OF_INTEGERS(8, i)},
    [REDUCIBLE_UNSIGNED] = {OF_INTEGERS(1, u), OF_INTEGERS(2, u), OF_INTEGERS(4, u),
                            OF_INTEGERS(8, u)},
    [REDUCIBLE_REAL] = {[2] = OF_REALS(f4), [3] = OF_REALS(f8)},
    [REDUCIBLE_COMPLEX] = {[3] = OF_COMPLEX(f4), [4] = OF_COMPLEX(f8)},
    [REDUCIBLE_BYTE] = {OF_INTEGERS(1, u)}, /* only the bitwise ones are used */
};

/* MPI's operations put x op y in the place of y. The left operand is the target's, so
 * the result does not replace it in place. The caller's arrays need not be aligned,
 * either. */
static void by_mpi(const struct combine *combine, char *to, const char *from,
                   const struct level *outer, const struct level *inner, int64_t n)
{
    enum { BATCH = 4 << 10 };
    alignas(max_align_t) char y[BATCH], x[BATCH];
    const int64_t unit = combine->unit, most = BATCH / unit;
    const struct level once = {.count = 1};
    for (int64_t k = 0; k < outer->count; k++)
        for (int64_t i = 0, blocks; i < inner->count; i += blocks) {
            const char *f =
                from + k * outer->step[REDIST_SOURCE] + i * inner->step[REDIST_SOURCE];
            char *t =
                to + k * outer->step[REDIST_TARGET] + i * inner->step[REDIST_TARGET];
            blocks = int_min(int_max(most / n, 1), inner->count - i);
            for (int64_t e = 0, units; e < n; e += units) {
                units = int_min(n - e, most);
                const int64_t at = e * unit, block = units * unit;
                const struct level of_x = {blocks, {inner->step[REDIST_SOURCE], block}};
                const struct level of_y = {blocks, {inner->step[REDIST_TARGET], block}};
                const struct level back = {blocks, {block, inner->step[REDIST_TARGET]}};
                kernel_blocks(x, f + at, &once, &of_x, block, false);
                kernel_blocks(y, t + at, &once, &of_y, block, false);
                MPI_Reduce_local(y, x, (int)(units * blocks), combine->type, combine->op);
                kernel_blocks(t + at, x, &once, &back, block, false);
            }
        }
}

/* ---- which operations -------------------------------------------------------------- */

#define BIT(name) (1U << REDIST_REDUCTION_##name)
#define ARITHMETIC (BIT(SUM) | BIT(PROD))
#define ORDER (BIT(MIN) | BIT(MAX))
#define LOGICAL (BIT(LAND) | BIT(LOR) | BIT(LXOR))
#define BITWISE (BIT(BAND) | BIT(BOR) | BIT(BXOR))
#define ALL "SUM, PROD, MIN, MAX, LAND, LOR, LXOR, BAND, BOR or BXOR"

/* The types for which MPI defines its operations. */
static const struct {
    unsigned operations;
    const char *names;
} defined[REDUCIBLE_KINDS] = {
    [REDUCIBLE_SIGNED] = {ARITHMETIC | ORDER | LOGICAL | BITWISE, ALL},
    [REDUCIBLE_UNSIGNED] = {ARITHMETIC | ORDER | LOGICAL | BITWISE, ALL},
    [REDUCIBLE_REAL] = {ARITHMETIC | ORDER, "SUM, PROD, MIN or MAX"},
    [REDUCIBLE_COMPLEX] = {ARITHMETIC, "SUM or PROD"},
    [REDUCIBLE_LOGICAL] = {LOGICAL, "LAND, LOR or LXOR"},
    [REDUCIBLE_BYTE] = {BITWISE, "BAND, BOR or BXOR"},
    [REDUCIBLE_PAIR] = {BIT(MINLOC) | BIT(MAXLOC), "MINLOC or MAXLOC"},
};

redist_err reduce_check(redist_reduction reduction, const struct reducible *reducible,
                        const char *name)
{
    if (reducible->kind == REDUCIBLE_NONE)
        return error_arg("options: reduction is %s, must be NONE of %s, for which MPI "
                         "defines none",
                         reduce_name[reduction], name);
    if (defined[reducible->kind].operations & 1U << reduction) return REDIST_OK;
    return error_arg("options: reduction is %s, must be %s of %s", reduce_name[reduction],
                     defined[reducible->kind].names, name);
}

static MPI_Op op_of(redist_reduction reduction)
{
    const MPI_Op op[REDUCTIONS] = {
        [REDIST_REDUCTION_SUM] = MPI_SUM,       [REDIST_REDUCTION_PROD] = MPI_PROD,
        [REDIST_REDUCTION_MIN] = MPI_MIN,       [REDIST_REDUCTION_MAX] = MPI_MAX,
        [REDIST_REDUCTION_LAND] = MPI_LAND,     [REDIST_REDUCTION_LOR] = MPI_LOR,
        [REDIST_REDUCTION_LXOR] = MPI_LXOR,     [REDIST_REDUCTION_BAND] = MPI_BAND,
        [REDIST_REDUCTION_BOR] = MPI_BOR,       [REDIST_REDUCTION_BXOR] = MPI_BXOR,
        [REDIST_REDUCTION_MINLOC] = MPI_MINLOC, [REDIST_REDUCTION_MAXLOC] = MPI_MAXLOC,
    };
    return op[reduction];
}

static void make_sum(enum number number, bool conjugate, const void *alpha,
                     struct combine *combine)
{
    static const i4 four = 1;
    static const i8 eight = 1;
    static const f4 real[2] = {1, 0};
    static const f8 longer[2] = {1, 0};
    const void *const one[NUMBERS] = {
        [NUMBER_I4] = &four,  [NUMBER_I8] = &eight, [NUMBER_F4] = real,
        [NUMBER_F8] = longer, [NUMBER_C8] = real,   [NUMBER_C16] = longer,
    };
    (void)combine_make(number, conjugate, alpha, one[number], combine);
    combine->adds_up = true;
}

void reduce_make(redist_reduction reduction, const struct reducible *reducible,
                 bool conjugate, const void *alpha, struct combine *combine)
{
    const enum number number = reducible->number;
    const int64_t bytes = reducible->bytes;
    if (reduction == REDIST_REDUCTION_SUM && number != NUMBER_NONE) {
        make_sum(number, conjugate, alpha, combine);
        return;
    }
    int size = 0;
    while (size < SIZES - 1 && 1 << size < bytes) size++;
    combine_kernel *own = kernels[reducible->kind][size][reduction];
    if (1 << size != bytes) own = NULL;
    *combine = (struct combine){.kernel = own ? own : by_mpi,
                                .dense = own ? own : by_mpi,
                                .unit = bytes,
                                .op = op_of(reduction),
                                .type = reducible->type,
                                .calls = !own};
}
