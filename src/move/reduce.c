/* SPDX-License-Identifier: MIT
 *
 * move/reduce.c - a kernel for each operation and each type of the machine that it makes
 * a difference to. SUM is that of combine.c, with 1 before the target.
 */
#include "move/reduce.h"

#include <string.h>

const char *const reduce_name[REDUCTIONS] = {
    [REDIST_REDUCTION_NONE] = "NONE", [REDIST_REDUCTION_SUM] = "SUM",
    [REDIST_REDUCTION_PROD] = "PROD", [REDIST_REDUCTION_MIN] = "MIN",
    [REDIST_REDUCTION_MAX] = "MAX",   [REDIST_REDUCTION_LAND] = "LAND",
    [REDIST_REDUCTION_LOR] = "LOR",   [REDIST_REDUCTION_LXOR] = "LXOR",
    [REDIST_REDUCTION_BAND] = "BAND", [REDIST_REDUCTION_BOR] = "BOR",
    [REDIST_REDUCTION_BXOR] = "BXOR",
};

typedef int32_t i4;
typedef int64_t i8;
typedef uint32_t u4;
typedef uint64_t u8;
typedef float f4;
typedef double f8;

/* The kernel of units of `width` numbers of a type: from the target's unit y and the
 * source's x the statement makes the target's. Nobody aligns the caller's arrays. */
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

#define PRODUCT(type) KERNEL(type##_product, type, 1, y[0] *= x[0])
#define EXTREMES(type)                                                                   \
    KERNEL(type##_least, type, 1, y[0] = x[0] < y[0] ? x[0] : y[0])                      \
    KERNEL(type##_most, type, 1, y[0] = x[0] > y[0] ? x[0] : y[0])
#define LOGIC(type)                                                                      \
    KERNEL(type##_land, type, 1, y[0] = y[0] && x[0])                                    \
    KERNEL(type##_lor, type, 1, y[0] = y[0] || x[0])                                     \
    KERNEL(type##_lxor, type, 1, y[0] = !y[0] != !x[0])                                  \
    KERNEL(type##_band, type, 1, y[0] &= x[0])                                           \
    KERNEL(type##_bor, type, 1, y[0] |= x[0])                                            \
    KERNEL(type##_bxor, type, 1, y[0] ^= x[0])
#define PAIRS(type)                                                                      \
    KERNEL(type##_pairs_product, type, 2, {                                              \
        const type real = y[0] * x[0] - y[1] * x[1];                                     \
        y[1] = y[0] * x[1] + y[1] * x[0];                                                \
        y[0] = real;                                                                     \
    })

PRODUCT(u4)
PRODUCT(u8)
PRODUCT(f4)
PRODUCT(f8)
PAIRS(f4)
PAIRS(f8)
EXTREMES(i4)
EXTREMES(i8)
EXTREMES(u4)
EXTREMES(u8)
EXTREMES(f4)
EXTREMES(f8)
LOGIC(u4)
LOGIC(u8)

#define OF_INTEGERS(bits, order)                                                         \
    {                                                                                    \
        [REDIST_REDUCTION_PROD] = u##bits##_product,                                     \
        [REDIST_REDUCTION_MIN] = order##bits##_least,                                    \
        [REDIST_REDUCTION_MAX] = order##bits##_most,                                     \
        [REDIST_REDUCTION_LAND] = u##bits##_land,                                        \
        [REDIST_REDUCTION_LOR] = u##bits##_lor,                                          \
        [REDIST_REDUCTION_LXOR] = u##bits##_lxor,                                        \
        [REDIST_REDUCTION_BAND] = u##bits##_band,                                        \
        [REDIST_REDUCTION_BOR] = u##bits##_bor,                                          \
        [REDIST_REDUCTION_BXOR] = u##bits##_bxor,                                        \
    }
#define OF_REALS(type)                                                                   \
    {                                                                                    \
        [REDIST_REDUCTION_PROD] = type##_product, [REDIST_REDUCTION_MIN] = type##_least, \
        [REDIST_REDUCTION_MAX] = type##_most,                                            \
    }

static combine_kernel *const kernels[NUMBERS][REDUCTIONS] = {
    [NUMBER_I4] = OF_INTEGERS(4, i),
    [NUMBER_I8] = OF_INTEGERS(8, i),
    [NUMBER_F4] = OF_REALS(f4),
    [NUMBER_F8] = OF_REALS(f8),
    [NUMBER_C8] = {[REDIST_REDUCTION_PROD] = f4_pairs_product},
    [NUMBER_C16] = {[REDIST_REDUCTION_PROD] = f8_pairs_product},
};
static combine_kernel *const unsigned_kernels[NUMBERS][REDUCTIONS] = {
    [NUMBER_I4] = OF_INTEGERS(4, u),
    [NUMBER_I8] = OF_INTEGERS(8, u),
};

static const int64_t unit[NUMBERS] = {
    [NUMBER_I4] = 4, [NUMBER_I8] = 8, [NUMBER_F4] = 4,
    [NUMBER_F8] = 8, [NUMBER_C8] = 8, [NUMBER_C16] = 16,
};

redist_err reduce_check(redist_reduction reduction, enum number number)
{
    if (reduction == REDIST_REDUCTION_SUM || kernels[number][reduction]) return REDIST_OK;
    return error_set(REDIST_ERR_ARG, "options: reduction is %s, must be SUM%s of %s",
                     reduce_name[reduction],
                     number_is_complex(number) ? " or PROD" : ", PROD, MIN or MAX",
                     number_is_complex(number) ? "complex numbers" : "reals");
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
}

void reduce_make(redist_reduction reduction, enum number number, bool is_unsigned,
                 bool conjugate, const void *alpha, struct combine *combine)
{
    if (reduction == REDIST_REDUCTION_SUM) {
        make_sum(number, conjugate, alpha, combine);
        return;
    }
    *combine = (struct combine){.unit = unit[number]};
    combine->kernel = (is_unsigned ? unsigned_kernels : kernels)[number][reduction];
}
