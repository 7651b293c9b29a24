/* SPDX-License-Identifier: MIT
 *
 * move/driver/device_linear.h - target = alpha source + beta target, as a device computes
 * it: for each number what the kernels of move/arith/combine.c compute, to the last bit.
 * Compiled as device_move.h.
 */
#ifndef REDIST_MOVE_DRIVER_DEVICE_LINEAR_H
#define REDIST_MOVE_DRIVER_DEVICE_LINEAR_H

#include <stdint.h>

#ifdef __CUDACC__
#define LINEAR_INLINE static __device__ __forceinline__
#define LINEAR_LOAD(type, at, k) (reinterpret_cast<const type *>(at)[k])
#define LINEAR_STORE(type, at, k, value) (reinterpret_cast<type *>(at)[k] = (value))
#else
#define LINEAR_INLINE static inline
#define LINEAR_LOAD(type, at, k) linear_load_##type((at) + (k) * (int)sizeof(type))
#define LINEAR_STORE(type, at, k, value)                                                 \
    linear_store_##type((at) + (k) * (int)sizeof(type), value)
#endif

/* Machine types of the parts of a number. */
enum linear_type { LINEAR_I4, LINEAR_I8, LINEAR_F4, LINEAR_F8 };
typedef uint32_t linear_i4;
typedef uint64_t linear_i8;
typedef float linear_f4;
typedef double linear_f8;

/* y = a x, a x + b y, or b y, of numbers; of complex ones with real coefficients, the
 * imaginary part with a sign of its own; or with a matrix as one coefficient, or both. */
enum linear_form { LINEAR_SCALE, LINEAR_ADD, LINEAR_KEEP };
enum linear_kind {
    LINEAR_SCALAR,
    LINEAR_MIRRORED,
    LINEAR_COMPLEX_ALPHA,
    LINEAR_COMPLEX_BETA,
    LINEAR_COMPLEX
};

struct device_linear {
    int32_t type, form, kind;
    union linear_coefficients { /* as union coefficients of combine.h */
        linear_i4 i4[4];
        linear_i8 i8[4];
        linear_f4 f4[4];
        linear_f8 f8[4];
    } alpha, beta;
};

#ifndef __CUDACC__
#define LINEAR_ACCESS(type)                                                              \
    static inline type linear_load_##type(const char *at)                                \
    {                                                                                    \
        type value;                                                                      \
        __builtin_memcpy(&value, at, sizeof value);                                      \
        return value;                                                                    \
    }                                                                                    \
    static inline void linear_store_##type(char *at, type value)                         \
    {                                                                                    \
        __builtin_memcpy(at, &value, sizeof value);                                      \
    }
LINEAR_ACCESS(linear_i4)
LINEAR_ACCESS(linear_i8)
LINEAR_ACCESS(linear_f4)
LINEAR_ACCESS(linear_f8)
#endif

/* An operand that the form lacks is not read. */
#define LINEAR(type, coefficients)                                                       \
    LINEAR_INLINE void type##_run(const struct device_linear *by, char *to,              \
                                  const char *from)                                      \
    {                                                                                    \
        const type *a = by->alpha.coefficients, *b = by->beta.coefficients;              \
        const int reads = by->form != LINEAR_KEEP, adds = by->form != LINEAR_SCALE;      \
        const int pair = by->kind != LINEAR_SCALAR;                                      \
        const type x0 = reads ? LINEAR_LOAD(type, from, 0) : 0;                          \
        const type y0 = adds ? LINEAR_LOAD(type, to, 0) : 0;                             \
        if (!pair) {                                                                     \
            LINEAR_STORE(type, to, 0,                                                    \
                         !adds    ? a[0] * x0                                            \
                         : !reads ? b[0] * y0                                            \
                                  : a[0] * x0 + b[0] * y0);                              \
            return;                                                                      \
        }                                                                                \
        const int both = by->kind == LINEAR_COMPLEX;                                     \
        const int matrix_a = both || by->kind == LINEAR_COMPLEX_ALPHA;                   \
        const int matrix_b = both || by->kind == LINEAR_COMPLEX_BETA;                    \
        const type x1 = reads ? LINEAR_LOAD(type, from, 1) : 0;                          \
        const type y1 = adds ? LINEAR_LOAD(type, to, 1) : 0;                             \
        const type ax0 = matrix_a ? a[0] * x0 + a[1] * x1 : a[0] * x0;                   \
        const type ax1 = matrix_a ? a[2] * x0 + a[3] * x1 : a[3] * x1;                   \
        const type by0 = matrix_b ? b[0] * y0 + b[1] * y1 : b[0] * y0;                   \
        const type by1 = matrix_b ? b[2] * y0 + b[3] * y1 : b[0] * y1;                   \
        LINEAR_STORE(type, to, 0, !adds ? ax0 : !reads ? by0 : ax0 + by0);               \
        LINEAR_STORE(type, to, 1, !adds ? ax1 : !reads ? by1 : ax1 + by1);               \
    }
LINEAR(linear_i4, i4)
LINEAR(linear_i8, i8)
LINEAR(linear_f4, f4)
LINEAR(linear_f8, f8)

/* Combine one number. */
LINEAR_INLINE void device_linear_run(const struct device_linear *by, char *to,
                                     const char *from)
{
    switch (by->type) {
        case LINEAR_I4: linear_i4_run(by, to, from); return;
        case LINEAR_I8: linear_i8_run(by, to, from); return;
        case LINEAR_F4: linear_f4_run(by, to, from); return;
        default: linear_f8_run(by, to, from); return;
    }
}

#endif
