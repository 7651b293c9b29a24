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

/* Both sides of each choice below are computed before it. With an operation on floats in
 * one side the compiler would branch, as it must not raise a flag that the program does
 * not, and could not vectorize. */

/* `most` is the float next to the type's end, from which `rest` is missing; a NaN passes
 * neither end. */
#define SATURATE(from, type, wide, least, most, rest)                                    \
    INLINE type from##_to_##type(from x)                                                 \
    {                                                                                    \
        from y = x > (least) ? x : (least);                                              \
        y = y < (most) ? y : (most);                                                     \
        y = x == x ? y : 0; /* NOLINT(misc-redundant-expression) */                      \
        return (type)((wide)y | ((rest) & -(wide)(x > (most))));                         \
    }

SATURATE(f4, i1, i4, INT8_MIN, INT8_MAX, 0)
SATURATE(f4, i2, i4, INT16_MIN, INT16_MAX, 0)
SATURATE(f4, i4, i4, INT32_MIN, 0x1p31F - 0x1p7F, INT8_MAX)
SATURATE(f4, u1, i4, 0, UINT8_MAX, 0)
SATURATE(f4, u2, i4, 0, UINT16_MAX, 0)
SATURATE(f4, u4, u4, 0, 0x1p32F - 0x1p8F, UINT8_MAX)
SATURATE(f8, i1, i4, INT8_MIN, INT8_MAX, 0)
SATURATE(f8, i2, i4, INT16_MIN, INT16_MAX, 0)
SATURATE(f8, i4, i4, INT32_MIN, INT32_MAX, 0)
SATURATE(f8, u1, i4, 0, UINT8_MAX, 0)
SATURATE(f8, u2, i4, 0, UINT16_MAX, 0)
SATURATE(f8, u4, u4, 0, UINT32_MAX, 0)

/* The integer next to x towards 0, without its sign; `end` if it has more than `digits`
 * binary digits, 0 for a NaN. Few machines have vectors of this, but all of its bits. */
INLINE u8 whole(f8 x, int digits, u8 end)
{
    const u8 one = (u8)1 << 52;
    u8 bits;
    BITS(x, bits);
    const i8 magnitude = (i8)(bits & INT64_MAX), power = (magnitude >> 52) - 1023;
    u8 value = ((u8)magnitude % one | one) << 11 >> ((63 - power) & 63);
    value = power < 0 ? 0 : value;
    value = power >= digits ? end : value;
    return magnitude > (i8)0x7ff << 52 ? 0 : value;
}

INLINE i8 f8_to_i8(f8 x)
{
    u8 bits;
    BITS(x, bits);
    const u8 sign = bits >> 63, value = whole(x, 63, INT64_MAX + sign);
    return (i8)((value ^ -sign) + sign);
}

INLINE u8 f8_to_u8(f8 x)
{
    i8 bits;
    BITS(x, bits);
    const u8 value = whole(x, 64, UINT64_MAX);
    return bits < 0 ? 0 : value;
}

INLINE i8 f4_to_i8(f4 x) { return f8_to_i8(x); }
INLINE u8 f4_to_u8(f4 x) { return f8_to_u8(x); }

/* x - less, rounded once: its halves become the last digits of 2^84 and of 2^52. */
INLINE f8 sum_of_halves(u8 x, f8 less)
{
    const u8 upper = x >> 32 | (u8)0x453 << 52,
             lower = (x & UINT32_MAX) | (u8)0x433 << 52;
    f8 high, low;
    BITS(upper, high);
    BITS(lower, low);
    return high - (0x1p84 + 0x1p52 + less) + low;
}

INLINE f8 f8_of_u8(u8 x) { return sum_of_halves(x, 0); }
INLINE f8 f8_of_i8(i8 x) { return sum_of_halves((u8)x ^ (u8)1 << 63, 0x1p63); }

/* An integer of at most 53 digits: x, or x rounded to odd. */
INLINE u8 odd_bits(u8 x, u8 magnitude)
{
    const u8 cut = (u8)1 << 11, odd = x / cut * cut | (x % cut != 0 ? cut : 0);
    return magnitude >> 53 == 0 ? x : odd;
}

INLINE f8 odd_of_u8(u8 x) { return f8_of_u8(odd_bits(x, x)); }
INLINE f8 odd_of_i8(i8 x)
{
    return f8_of_i8((i8)odd_bits((u8)x, (u8)(x ^ -(i8)(x < 0))));
}

/* A double, or an integer as one, rounded to 13 binary digits, two more than short floats
 * have. Those that become no short 0 are floats exactly, subnormal ones too. */
INLINE f4 odd_of_f8(f8 x)
{
    const u8 cut = (u8)1 << (53 - 13);
    u8 bits;
    BITS(x, bits);
    bits = bits / cut * cut | (bits % cut != 0 ? cut : 0);
    BITS(bits, x);
    return (f4)x;
}

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

/* The place of the first of two numbers of 4 bytes, among the bits of both. */
enum { REAL = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 32 };

/* By C's rules; and where these leave a result undefined. Signed and unsigned integers
 * wrap around alike. */
#define FROM_INTEGER(type, to_f4, to_f8)                                                 \
    ONE(type##_i1, type, u1, (u1)x[0])                                                   \
    ONE(type##_i2, type, u2, (u2)x[0])                                                   \
    ONE(type##_i4, type, u4, (u4)x[0])                                                   \
    ONE(type##_i8, type, u8, (u8)x[0])                                                   \
    ONE(type##_f4, type, f4, (f4)to_f4(x[0]))                                            \
    ONE(type##_f8, type, f8, (f8)to_f8(x[0]))
#define TO_INTEGER(type)                                                                 \
    ONE(f4_##type, f4, type, f4_to_##type(x[0]))                                         \
    ONE(f8_##type, f8, type, f8_to_##type(x[0]))

FROM_INTEGER(i1, , )
FROM_INTEGER(i2, , )
FROM_INTEGER(i4, , )
FROM_INTEGER(i8, , f8_of_i8)
FROM_INTEGER(u1, , )
FROM_INTEGER(u2, , )
FROM_INTEGER(u4, , )
FROM_INTEGER(u8, odd_of_u8, f8_of_u8)
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
ONE(i8_odd, i8, f4, odd_of_f8(odd_of_i8(x[0])))
ONE(u8_odd, u8, f4, odd_of_f8(odd_of_u8(x[0])))
ONE(f8_odd, f8, f4, odd_of_f8(x[0]))
ONE(brain_f4, u2, f4, from_brain(x[0]))
ONE(f4_brain, f4, u2, to_brain(x[0]))
ONE(swap2, u2, u2, __builtin_bswap16(x[0]))
ONE(swap4, u4, u4, __builtin_bswap32(x[0]))
ONE(swap8, u8, u8, __builtin_bswap64(x[0]))
ONE(real4, u8, u4, (u4)(x[0] >> REAL))
KERNEL(real8, u8, 2, u8, 1, y[0] = x[0])
ONE(complex4, u4, u8, (u8)x[0] << REAL)
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

/* A number from 2^52 on has no digits for a fraction. */
#define WITHIN(name, machine, attribute)                                                 \
    attribute static bool name##_##machine(const char *numbers, int64_t n, f8 below,     \
                                           f8 above, bool whole)                         \
    {                                                                                    \
        const f8 large = whole ? 0x1p52 : 0;                                             \
        u8 outside = 0;                                                                  \
        for (int64_t e = 0; e < n; e++) {                                                \
            f8 x;                                                                        \
            memcpy(&x, numbers + e * (int64_t)sizeof x, sizeof x);                       \
            outside |=                                                                   \
                !(x > below) | !(x < above) | (fabs(x) + large - large != fabs(x));      \
        }                                                                                \
        return outside == 0;                                                             \
    }
FOR_TARGETS(WITHIN, within)

convert_within *convert_find_within(void)
{
    static convert_within *const built[TARGETS] = ENTRIES(within);
    return built[target_here()];
}

/* ---- which loop -------------------------------------------------------------------- */

#define ROW_FROM_INTEGER(type, name)                                                     \
    [PLAIN_##name] = {ENTRIES(type##_i1), ENTRIES(type##_i2), ENTRIES(type##_i4),        \
                      ENTRIES(type##_i8), ENTRIES(type##_i1), ENTRIES(type##_i2),        \
                      ENTRIES(type##_i4), ENTRIES(type##_i8), ENTRIES(type##_f4),        \
                      ENTRIES(type##_f8)}
#define ROW_TO_INTEGERS(type, name, ...)                                                 \
    [PLAIN_##name] = {ENTRIES(type##_i1), ENTRIES(type##_i2), ENTRIES(type##_i4),        \
                      ENTRIES(type##_i8), ENTRIES(type##_u1), ENTRIES(type##_u2),        \
                      ENTRIES(type##_u4), ENTRIES(type##_u8), __VA_ARGS__}
static convert_kernel *const kernels[PLAINS][PLAINS][TARGETS] = {
    ROW_FROM_INTEGER(i1, I1),
    ROW_FROM_INTEGER(i2, I2),
    ROW_FROM_INTEGER(i4, I4),
    ROW_FROM_INTEGER(i8, I8),
    ROW_FROM_INTEGER(u1, U1),
    ROW_FROM_INTEGER(u2, U2),
    ROW_FROM_INTEGER(u4, U4),
    ROW_FROM_INTEGER(u8, U8),
    ROW_TO_INTEGERS(f4, F4, {NULL}, ENTRIES(f4_f8)),
    ROW_TO_INTEGERS(f8, F8, ENTRIES(f8_f4), {NULL})};

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
