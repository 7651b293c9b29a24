/* SPDX-License-Identifier: MIT
 *
 * move/arith/convert_kernels.c - a loop of one expression for each pair of plain numbers,
 * which the compiler vectorizes.
 *
 * Integers wrap around. A floating number becomes the integer next to it towards zero, or
 * the type's nearest end; a NaN becomes 0. C leaves the latter undefined.
 */
#include "move/arith/convert_kernels.h"

#include <math.h>
#include <string.h>

#include "base/intmath.h"
#include "move/kernel/machine.h"
#include "move/kernel/square.h"

#if defined __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#define FOR_TARGETS(X, name)                                                             \
    X(name, portable, )                                                                  \
    X(name, vector, __attribute__((target("avx2,f16c"))))
#else
#define FOR_TARGETS(X, name) X(name, portable, )
#endif
enum target { PORTABLE_TARGET, VECTOR_TARGET, TARGETS };

static enum target target_here(void)
{
#if defined __x86_64__
    unsigned a, b, c = 0, d;
    bool has_f16c = __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
    if (machine_here() >= AVX2 && has_f16c) return VECTOR_TARGET;
#endif
    return PORTABLE_TARGET;
}

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

/* ---- single numbers ---------------------------------------------------------------- */

#define BITS(value, bits) memcpy(&(bits), &(value), sizeof(bits))

/* Integers that a double holds as its ends; a NaN passes neither end. */
#define SATURATE(type, wide, least, most)                                                \
    INLINE type to_##type(f8 x)                                                          \
    {                                                                                    \
        f8 y = x > (least) ? x : (least);                                                \
        y = y < (most) ? y : (most);                                                     \
        y = x == x ? y : 0; /* NOLINT(misc-redundant-expression) */                      \
        return (type)(wide)y;                                                            \
    }

SATURATE(i1, i4, INT8_MIN, INT8_MAX)
SATURATE(i2, i4, INT16_MIN, INT16_MAX)
SATURATE(i4, i4, INT32_MIN, INT32_MAX)
SATURATE(u1, i4, 0, UINT8_MAX)
SATURATE(u2, i4, 0, UINT16_MAX)
SATURATE(u4, i8, 0, UINT32_MAX)

/* A double has no number next to the upper end of these. */
INLINE i8 to_i8(f8 x)
{
    const f8 end = 0x1p63, most = 0x1p63 - 0x1p10;
    if (!(x > -end)) return x <= -end ? INT64_MIN : 0;
    return x < end ? (i8)(x < most ? x : most) : INT64_MAX;
}

INLINE u8 to_u8(f8 x)
{
    const f8 end = 0x1p64, most = 0x1p64 - 0x1p11;
    if (!(x > 0)) return 0;
    return x < end ? (u8)(x < most ? x : most) : UINT64_MAX;
}

/* The magnitude of an integer as a double, rounded to odd. */
INLINE f8 odd_f8(u8 x)
{
    const u8 cut = (u8)1 << 11; /* 64 bits less those of a double */
    u8 sticky = x % cut != 0;
    return x < (u8)1 << 53 ? (f8)x : (f8)(x / cut | sticky) * (f8)cut;
}

/* The bits of r, which is x rounded to nearest, are those of the next one towards or past
 * x if it is inexact and even. */
INLINE f4 odd_of_f8(f8 x)
{
    f4 r = (f4)x;
    f8 back = r;
    u4 bits;
    BITS(r, bits);
    u4 change = fabs(back) > fabs(x) ? (u4)-1 : 1;
    bits += back != x && bits % 2 == 0 ? change : 0;
    BITS(bits, r);
    return r;
}

INLINE f4 odd_of_i8(i8 x) { return odd_of_f8(x < 0 ? -odd_f8(-(u8)x) : odd_f8((u8)x)); }
INLINE f4 odd_of_u8(u8 x) { return odd_of_f8(odd_f8(x)); }

INLINE f4 from_half(u2 half)
{
    u4 sign = (u4)(half & 0x8000) << 16, rest = half & 0x7fff, exponent = half & 0x7c00;
    f4 small = (f4)(i4)rest * 0x1p-24F; /* if it is subnormal */
    u4 bits, small_bits;
    BITS(small, small_bits);
    bits = (rest << 13) + ((u4)(127 - 15) << 23);
    bits = exponent == 0 ? small_bits : bits;
    bits = exponent == 0x7c00 ? rest << 13 | 0x7f800000 : bits;
    bits |= rest > 0x7c00 ? 0x400000 : 0; /* quiet, as from the machine */
    bits |= sign;
    BITS(bits, small);
    return small;
}

INLINE u2 to_half(f4 x)
{
    u4 bits, magnitude, small_bits;
    BITS(x, bits);
    magnitude = bits & 0x7fffffff;
    u4 cut = magnitude - ((u4)(127 - 15) << 23);
    u4 half = (cut + 0xfff + (cut >> 13 & 1)) >> 13;
    f4 small = fabsf(x) + 0.5F; /* whose last bit is the half's last if subnormal */
    BITS(small, small_bits);
    half = magnitude < 0x38800000 ? small_bits - 0x3f000000 : half;
    half = magnitude >= 0x47800000 ? 0x7c00 : half;
    half = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : half;
    return (u2)(half | (bits >> 16 & 0x8000));
}

INLINE f4 from_brain(u2 brain)
{
    u4 bits = (u4)brain << 16;
    f4 x;
    BITS(bits, x);
    return x;
}

INLINE u2 to_brain(f4 x)
{
    u4 bits;
    BITS(x, bits);
    u4 nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (u2)(x == x ? nearest : bits >> 16 | 0x40); /* NOLINT */
}

/* ---- loops ------------------------------------------------------------------------- */

/* From n times `in` numbers to n times `out`: x and y are the current ones. */
#define LOOP(name, from_type, in, to_type, out, statement)                               \
    INLINE void loop_##name(char *restrict to, const char *restrict from, int64_t n)     \
    {                                                                                    \
        for (int64_t e = 0; e < n; e++) {                                                \
            from_type x[in];                                                             \
            to_type y[out];                                                              \
            memcpy(x, from + e * (int64_t)sizeof x, sizeof x);                           \
            statement;                                                                   \
            memcpy(to + e * (int64_t)sizeof y, y, sizeof y);                             \
        }                                                                                \
    }
#define KERNEL(name, from_type, in, to_type, out, statement)                             \
    LOOP(name, from_type, in, to_type, out, statement)                                   \
    FOR_TARGETS(BUILD, name)

#define BUILD(name, machine, attribute)                                                  \
    attribute static void name##_##machine(char *restrict to, const char *restrict from, \
                                           int64_t n)                                    \
    {                                                                                    \
        loop_##name(to, from, n);                                                        \
    }

#define ENTRY(name, machine, attribute) name##_##machine,
#define ENTRIES(name)                                                                    \
    {                                                                                    \
        FOR_TARGETS(ENTRY, name)                                                         \
    }

#define ONE(name, from, to, value) KERNEL(name, from, 1, to, 1, y[0] = (value))

/* By C's rules; and where these leave a result undefined. Signed and unsigned integers
 * wrap around alike. */
#define FROM_INTEGER(type)                                                               \
    ONE(type##_i1, type, u1, (u1)x[0])                                                   \
    ONE(type##_i2, type, u2, (u2)x[0])                                                   \
    ONE(type##_i4, type, u4, (u4)x[0])                                                   \
    ONE(type##_i8, type, u8, (u8)x[0])                                                   \
    ONE(type##_f4, type, f4, (f4)x[0])                                                   \
    ONE(type##_f8, type, f8, (f8)x[0])
#define TO_INTEGER(type) ONE(f8_##type, f8, type, to_##type(x[0]))

FROM_INTEGER(i1)
FROM_INTEGER(i2)
FROM_INTEGER(i4)
FROM_INTEGER(i8)
FROM_INTEGER(u1)
FROM_INTEGER(u2)
FROM_INTEGER(u4)
FROM_INTEGER(u8)
TO_INTEGER(i1)
TO_INTEGER(i2)
TO_INTEGER(i4)
TO_INTEGER(i8)
TO_INTEGER(u1)
TO_INTEGER(u2)
TO_INTEGER(u4)
TO_INTEGER(u8)
ONE(f4_f8, f4, f8, x[0])
ONE(f8_f4, f8, f4, (f4)x[0])
ONE(i4_odd, i4, f4, odd_of_f8(x[0]))
ONE(u4_odd, u4, f4, odd_of_f8(x[0]))
ONE(i8_odd, i8, f4, odd_of_i8(x[0]))
ONE(u8_odd, u8, f4, odd_of_u8(x[0]))
ONE(f8_odd, f8, f4, odd_of_f8(x[0]))
ONE(brain_f4, u2, f4, from_brain(x[0]))
ONE(f4_brain, f4, u2, to_brain(x[0]))
ONE(swap2, u2, u2, __builtin_bswap16(x[0]))
ONE(swap4, u4, u4, __builtin_bswap32(x[0]))
ONE(swap8, u8, u8, __builtin_bswap64(x[0]))
KERNEL(real4, u4, 2, u4, 1, y[0] = x[0])
KERNEL(real8, u8, 2, u8, 1, y[0] = x[0])
KERNEL(complex4, u4, 1, u4, 2, (y[0] = x[0], y[1] = 0))
KERNEL(complex8, u8, 1, u8, 2, (y[0] = x[0], y[1] = 0))

LOOP(half_f4, u2, 1, f4, 1, y[0] = from_half(x[0]))
LOOP(f4_half, f4, 1, u2, 1, y[0] = to_half(x[0]))
BUILD(half_f4, portable, )
BUILD(f4_half, portable, )

#if defined __x86_64__
enum { LANES = 8 };

__attribute__((target("avx2,f16c"))) static void
half_f4_vector(char *restrict to, const char *restrict from, int64_t n)
{
    int64_t e = 0;
    for (; e + LANES <= n; e += LANES) {
        const __m128i halves = _mm_loadu_si128((const void *)(from + 2 * e));
        _mm256_storeu_ps((void *)(to + 4 * e), _mm256_cvtph_ps(halves));
    }
    loop_half_f4(to + 4 * e, from + 2 * e, n - e);
}

__attribute__((target("avx2,f16c"))) static void
f4_half_vector(char *restrict to, const char *restrict from, int64_t n)
{
    int64_t e = 0;
    for (; e + LANES <= n; e += LANES) {
        const __m256 floats = _mm256_loadu_ps((const void *)(from + 4 * e));
        _mm_storeu_si128((void *)(to + 2 * e),
                         _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT));
    }
    loop_f4_half(to + 2 * e, from + 4 * e, n - e);
}
#endif

/* ---- which loop -------------------------------------------------------------------- */

#define ROW_FROM_INTEGER(type, name)                                                     \
    [PLAIN_##name] = {ENTRIES(type##_i1), ENTRIES(type##_i2), ENTRIES(type##_i4),        \
                      ENTRIES(type##_i8), ENTRIES(type##_i1), ENTRIES(type##_i2),        \
                      ENTRIES(type##_i4), ENTRIES(type##_i8), ENTRIES(type##_f4),        \
                      ENTRIES(type##_f8)}
static convert_kernel *const kernels[PLAINS][PLAINS][TARGETS] = {
    ROW_FROM_INTEGER(i1, I1),
    ROW_FROM_INTEGER(i2, I2),
    ROW_FROM_INTEGER(i4, I4),
    ROW_FROM_INTEGER(i8, I8),
    ROW_FROM_INTEGER(u1, U1),
    ROW_FROM_INTEGER(u2, U2),
    ROW_FROM_INTEGER(u4, U4),
    ROW_FROM_INTEGER(u8, U8),
    [PLAIN_F4] = {[PLAIN_F8] = ENTRIES(f4_f8)},
    [PLAIN_F8] = {ENTRIES(f8_i1), ENTRIES(f8_i2), ENTRIES(f8_i4), ENTRIES(f8_i8),
                  ENTRIES(f8_u1), ENTRIES(f8_u2), ENTRIES(f8_u4), ENTRIES(f8_u8),
                  ENTRIES(f8_f4)}};

/* NULL: a F4 holds all such numbers. */
static convert_kernel *const odd_kernels[PLAINS][TARGETS] = {[PLAIN_I4] = ENTRIES(i4_odd),
                                                             [PLAIN_I8] = ENTRIES(i8_odd),
                                                             [PLAIN_U4] = ENTRIES(u4_odd),
                                                             [PLAIN_U8] = ENTRIES(u8_odd),
                                                             [PLAIN_F8] =
                                                                 ENTRIES(f8_odd)};

convert_kernel *convert_plain(enum plain from, enum plain to)
{
    return from == to ? NULL : kernels[from][to][target_here()];
}

convert_kernel *convert_to_odd(enum plain from)
{
    convert_kernel *kernel = odd_kernels[from][target_here()];
    return kernel ? kernel : convert_plain(from, PLAIN_F4);
}

#define FIND(function, name)                                                             \
    convert_kernel *function(void)                                                       \
    {                                                                                    \
        static convert_kernel *const built[TARGETS] = ENTRIES(name);                     \
        return built[target_here()];                                                     \
    }

FIND(convert_from_half, half_f4)
FIND(convert_to_half, f4_half)
FIND(convert_from_brain, brain_f4)
FIND(convert_to_brain, f4_brain)

/* Of numbers of 2, 4 or 8 bytes. */
#define FIND_SIZED(function, ...)                                                        \
    convert_kernel *function(int bytes)                                                  \
    {                                                                                    \
        static convert_kernel *const built[][TARGETS] = {__VA_ARGS__};                   \
        return built[bytes / 4][target_here()];                                          \
    }

FIND_SIZED(convert_swap, ENTRIES(swap2), ENTRIES(swap4), ENTRIES(swap8))
FIND_SIZED(convert_real_part, {NULL}, ENTRIES(real4), ENTRIES(real8))
FIND_SIZED(convert_complex, {NULL}, ENTRIES(complex4), ENTRIES(complex8))
