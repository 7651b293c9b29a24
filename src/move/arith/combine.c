/* SPDX-License-Identifier: MIT
 *
 * move/arith/combine.c - a kernel for each type of number, for each kind of coefficients,
 * and for each of three forms, two of which do not read one operand:
 *
 *                                                         scale      add         keep
 *   scalar         y = a x + b y                          b = 0                  a = 0
 *   mirrored       re and im with a of their own, one b   b = 0
 *   complex alpha  a is a 2 x 2 matrix, one b             b = 0
 *   complex beta   re and im with a of their own,
 *                  b is a 2 x 2 matrix                                           a = 0
 *   complex        both are 2 x 2 matrices                       (nothing else)
 *
 * Most coefficients of complex numbers are real. A real one multiplies both parts, apart
 * from the sign of conjugates. That is not only faster: an infinite imaginary part times
 * the 0 of a real coefficient would be a NaN.
 */
#include "move/arith/combine.h"

#include <string.h>

#include "base/intmath.h"
#include "move/arith/convert.h"
#include "move/arith/transpose_add.h"
#include "move/kernel/kernels.h"
#include "move/kernel/machine.h"
#include "move/kernel/square.h"
#include "move/kernel/transpose.h"

typedef uint32_t i4;
typedef uint64_t i8;
typedef float f4;
typedef double f8;

/* The caller's arrays need not be aligned. */
#define ACCESS(type)                                                                     \
    INLINE type load_##type(const char *at)                                              \
    {                                                                                    \
        type value;                                                                      \
        memcpy(&value, at, sizeof value);                                                \
        return value;                                                                    \
    }                                                                                    \
    INLINE void store_##type(char *at, type value) { memcpy(at, &value, sizeof value); }

ACCESS(i4)
ACCESS(i8)
ACCESS(f4)
ACCESS(f8)

/* Within a kernel: parts of the source's unit, the target's, and of the result. */
#define X(type, k) load_##type(x + (k) * sizeof(type))
#define Y(type, k) load_##type(y + (k) * sizeof(type))
#define PUT(type, k, value) store_##type(y + (k) * sizeof(type), value)

/* The kernel of units of `width` numbers of a type, each done by the statement. The
 * compiler unrolls short blocks and vectorizes long ones. */
#define KERNEL(name, type, width, statement)                                             \
    INLINE void loops_of_##name(char *restrict to, const char *restrict from,            \
                                const struct level *outer, const struct level *inner,    \
                                int64_t n, const type *a, const type *b)                 \
    {                                                                                    \
        const int64_t unit = (width) * sizeof(type);                                     \
        for (int64_t k = 0; k < outer->count; k++) {                                     \
            const char *f = from + k * outer->step[REDIST_SOURCE];                       \
            char *t = to + k * outer->step[REDIST_TARGET];                               \
            for (int64_t i = 0; i < inner->count; i++) {                                 \
                for (int64_t e = 0; e < n; e++) {                                        \
                    const char *x = f + e * unit;                                        \
                    char *y = t + e * unit;                                              \
                    (void)a, (void)b, (void)x;                                           \
                    statement;                                                           \
                }                                                                        \
                f += inner->step[REDIST_SOURCE];                                         \
                t += inner->step[REDIST_TARGET];                                         \
            }                                                                            \
        }                                                                                \
    }                                                                                    \
    INLINE void run_##name(const struct combine *combine, char *to, const char *from,    \
                           const struct level *outer, const struct level *inner,         \
                           int64_t n)                                                    \
    {                                                                                    \
        const type *alpha = combine->alpha.type, *beta = combine->beta.type;             \
        const type a[] = {alpha[0], alpha[1], alpha[2], alpha[3]};                       \
        const type b[] = {beta[0], beta[1], beta[2], beta[3]};                           \
        switch (n) {                                                                     \
            case 1: loops_of_##name(to, from, outer, inner, 1, a, b); break;             \
            case 2: loops_of_##name(to, from, outer, inner, 2, a, b); break;             \
            case 3: loops_of_##name(to, from, outer, inner, 3, a, b); break;             \
            case 4: loops_of_##name(to, from, outer, inner, 4, a, b); break;             \
            default: loops_of_##name(to, from, outer, inner, n, a, b); break;            \
        }                                                                                \
    }                                                                                    \
    FOR_MACHINES(BUILD, name)

#define BUILD(name, machine, target)                                                     \
    target static void name##_##machine(const struct combine *combine, char *to,         \
                                        const char *from, const struct level *outer,     \
                                        const struct level *inner, int64_t n)            \
    {                                                                                    \
        run_##name(combine, to, from, outer, inner, n);                                  \
    }

#define SCALARS(type)                                                                    \
    KERNEL(type##_scale, type, 1, PUT(type, 0, a[0] * X(type, 0)))                       \
    KERNEL(type##_add, type, 1, PUT(type, 0, a[0] * X(type, 0) + b[0] * Y(type, 0)))     \
    KERNEL(type##_keep, type, 1, PUT(type, 0, b[0] * Y(type, 0)))

#define PAIR(type, re, im)                                                               \
    {                                                                                    \
        const type real = (re), imaginary = (im);                                        \
        PUT(type, 0, real);                                                              \
        PUT(type, 1, imaginary);                                                         \
    }

/* The product of row k of the matrix m and a unit. */
#define ROW(type, m, k, of) ((m)[2 * (k)] * of(type, 0) + (m)[2 * (k) + 1] * of(type, 1))

#define PAIRS(type)                                                                      \
    KERNEL(type##_mirrored_scale, type, 2,                                               \
           PAIR(type, a[0] * X(type, 0), a[3] * X(type, 1)))                             \
    KERNEL(type##_mirrored_add, type, 2,                                                 \
           PAIR(type, a[0] * X(type, 0) + b[0] * Y(type, 0),                             \
                a[3] * X(type, 1) + b[0] * Y(type, 1)))                                  \
    KERNEL(type##_complex_alpha_scale, type, 2,                                          \
           PAIR(type, ROW(type, a, 0, X), ROW(type, a, 1, X)))                           \
    KERNEL(type##_complex_alpha_add, type, 2,                                            \
           PAIR(type, ROW(type, a, 0, X) + b[0] * Y(type, 0),                            \
                ROW(type, a, 1, X) + b[0] * Y(type, 1)))                                 \
    KERNEL(type##_complex_beta_add, type, 2,                                             \
           PAIR(type, a[0] * X(type, 0) + ROW(type, b, 0, Y),                            \
                a[3] * X(type, 1) + ROW(type, b, 1, Y)))                                 \
    KERNEL(type##_complex_beta_keep, type, 2,                                            \
           PAIR(type, ROW(type, b, 0, Y), ROW(type, b, 1, Y)))                           \
    KERNEL(type##_complex_add, type, 2,                                                  \
           PAIR(type, ROW(type, a, 0, X) + ROW(type, b, 0, Y),                           \
                ROW(type, a, 1, X) + ROW(type, b, 1, Y)))

SCALARS(i4)
SCALARS(i8)
SCALARS(f4)
SCALARS(f8)
PAIRS(f4)
PAIRS(f8)
KERNEL(i4_zero, i4, 1, PUT(i4, 0, 0))

/* ---- which kernel ------------------------------------------------------------------ */

#define ENTRY(name, machine, target) name##_##machine,
#define ENTRIES(name)                                                                    \
    {                                                                                    \
        FOR_MACHINES(ENTRY, name)                                                        \
    }
#define SCALAR_FORMS(type)                                                               \
    {                                                                                    \
        ENTRIES(type##_scale), ENTRIES(type##_add), ENTRIES(type##_keep)                 \
    }
#define ALL_FORMS(type)                                                                  \
    {                                                                                    \
        SCALAR_FORMS(type),                                                              \
            {ENTRIES(type##_mirrored_scale), ENTRIES(type##_mirrored_add)},              \
            {ENTRIES(type##_complex_alpha_scale), ENTRIES(type##_complex_alpha_add)},    \
            {[FORM_ADD] = ENTRIES(type##_complex_beta_add),                              \
             [FORM_KEEP] = ENTRIES(type##_complex_beta_keep)},                           \
            {[FORM_ADD] = ENTRIES(type##_complex_add)},                                  \
    }

static combine_kernel *const kernels[][COMBINE_KINDS][COMBINE_FORMS][MACHINES] = {
    [NUMBER_I4] = {SCALAR_FORMS(i4)}, [NUMBER_I8] = {SCALAR_FORMS(i8)},
    [NUMBER_F4] = {SCALAR_FORMS(f4)}, [NUMBER_F8] = {SCALAR_FORMS(f8)},
    [NUMBER_C8] = ALL_FORMS(f4),      [NUMBER_C16] = ALL_FORMS(f8),
};
static combine_kernel *const zero[MACHINES] = ENTRIES(i4_zero);

/* Copy the coefficients of a type, and find the kernel for them. */
#define TAKE(type, of_part)                                                              \
    static bool take_##type(enum number number, bool conjugate, const char *alpha,       \
                            const char *beta, struct combine *combine)                   \
    {                                                                                    \
        const bool pairs = number_is_complex(number);                                    \
        const bool mirrors = pairs && conjugate;                                         \
        const type ar = alpha ? load_##type(alpha) : 1;                                  \
        const type ai = alpha && pairs ? load_##type(alpha + sizeof ar) : 0;             \
        const type br = beta ? load_##type(beta) : 0;                                    \
        const type bi = beta && pairs ? load_##type(beta + sizeof br) : 0;               \
        const type a[] = {ar, mirrors ? ai : -ai, ai, mirrors ? -ar : ar};               \
        const type b[] = {br, -bi, bi, br};                                              \
        memcpy(combine->alpha.type, a, sizeof a);                                        \
        memcpy(combine->beta.type, b, sizeof b);                                         \
        const bool adds = br != 0 || bi != 0, keeps = ar == 0 && ai == 0;                \
        const enum combine_form form = keeps ? FORM_KEEP : adds ? FORM_ADD : FORM_SCALE; \
        const enum combine_kind kind = ai != 0 && bi != 0  ? KIND_COMPLEX                \
                                       : bi != 0           ? KIND_COMPLEX_BETA           \
                                       : ai != 0           ? KIND_COMPLEX_ALPHA          \
                                       : mirrors && !keeps ? KIND_MIRRORED               \
                                                           : KIND_SCALAR;                \
        const bool nothing = keeps && !adds;                                             \
        combine->replaces = !adds;                                                       \
        combine->adds_up = combine->calls = false;                                       \
        combine->convert = NULL;                                                         \
        combine->part = nothing ? NUMBER_NONE : (of_part);                               \
        combine->form = form;                                                            \
        combine->kind = kind;                                                            \
        combine_kernel *const *built = nothing ? zero : kernels[number][kind][form];     \
        combine->kernel = built[machine_here()];                                         \
        combine->dense = built[int_min(machine_here(), DENSE)];                          \
        combine->unit =                                                                  \
            nothing ? sizeof(i4) : sizeof(type) * (kind == KIND_SCALAR ? 1 : 2);         \
        combine->tile = kind <= KIND_MIRRORED && form != FORM_KEEP                       \
                            ? transpose_add_tile(number, adds)                           \
                            : NULL;                                                      \
        combine->number = sizeof(type) * (pairs ? 2 : 1);                                \
        return adds || mirrors || ar != 1 || ai != 0;                                    \
    }

TAKE(i4, NUMBER_I4)
TAKE(i8, NUMBER_I8)
TAKE(f4, NUMBER_F4)
TAKE(f8, NUMBER_F8)

bool combine_make(enum number number, bool conjugate, const void *alpha, const void *beta,
                  struct combine *combine)
{
    switch (number) {
        case NUMBER_I4: return take_i4(number, conjugate, alpha, beta, combine);
        case NUMBER_I8: return take_i8(number, conjugate, alpha, beta, combine);
        case NUMBER_F4:
        case NUMBER_C8: return take_f4(number, conjugate, alpha, beta, combine);
        case NUMBER_F8:
        case NUMBER_C16: return take_f8(number, conjugate, alpha, beta, combine);
        default: return false;
    }
}

/* ---- loops ------------------------------------------------------------------------- */

enum { FEW = 4 /* units that have loops of their own */ };
enum { LINE = 64, HIGH = 64, TILE = LINE * HIGH /* bytes: stays in the cache */ };

static const struct level once = {.count = 1};

static void run_kernel(const struct combine *combine, char *to, const char *from,
                       const struct level *outer, const struct level *inner,
                       int64_t block)
{
    int64_t n = block / combine->unit;
    (n > FEW ? combine->dense : combine->kernel)(combine, to, from, outer, inner, n);
}

/* Replace the target's bytes past the cache, a tile at a time. */
static void stream_block(const struct combine *combine, char *to, const char *from,
                         int64_t block)
{
    char tile[TILE];
    for (int64_t at = 0, n; at < block; at += n) {
        n = int_min(TILE, block - at);
        run_kernel(combine, tile, from + at, &once, &once, n);
        kernel_blocks(to + at, tile, &once, &once, n, true);
    }
}

void combine_blocks(const struct combine *combine, char *to, const char *from,
                    const struct level *outer, const struct level *inner, int64_t block,
                    bool stream)
{
    if (combine->convert) {
        convert_blocks(combine->convert, to, from, outer, inner, block, stream);
        return;
    }
    if (!stream || !combine->replaces || block < TILE) {
        run_kernel(combine, to, from, outer, inner, block);
        return;
    }
    for (int64_t k = 0; k < outer->count; k++)
        for (int64_t i = 0; i < inner->count; i++)
            stream_block(combine, to + k * outer->step[1] + i * inner->step[1],
                         from + k * outer->step[0] + i * inner->step[0], block);
}

/* Combine a tile of the source, in its layout, into the cache; transpose it from
 * there. */
static void replace_tile(const struct combine *combine, char *to, const char *from,
                         const struct level *across, const struct level *along,
                         int64_t block, bool stream)
{
    char tile[TILE];
    int64_t row = across->count * block;
    bool dense = across->step[REDIST_SOURCE] == block;
    struct level down = {along->count, {along->step[REDIST_SOURCE], row}};
    struct level right = {across->count, {across->step[REDIST_SOURCE], block}};
    struct level wide = {across->count, {block, across->step[REDIST_TARGET]}};
    struct level high = {along->count, {row, along->step[REDIST_TARGET]}};
    run_kernel(combine, tile, from, &down, dense ? &once : &right, dense ? row : block);
    transpose_blocks(to, tile, &wide, &high, block, stream);
}

/* Transpose a tile of the source into the cache, and combine it from there. Its rows are
 * prefetched: the hardware does not predict a tile. */
static void combine_tile(const struct combine *combine, char *to, const char *from,
                         const struct level *across, const struct level *along,
                         int64_t block)
{
    char tile[TILE];
    int64_t row = along->count * block, step = across->step[REDIST_TARGET];
    bool dense = along->step[REDIST_TARGET] == block;
    struct level wide = {across->count, {across->step[REDIST_SOURCE], row}};
    struct level high = {along->count, {along->step[REDIST_SOURCE], block}};
    struct level down = {across->count, {row, step}};
    struct level right = {along->count, {block, along->step[REDIST_TARGET]}};
    for (int64_t i = 0; dense && i < across->count; i++)
        for (int64_t b = 0; b < row; b += LINE) __builtin_prefetch(to + i * step + b, 1);
    transpose_blocks(tile, from, &wide, &high, block, false);
    run_kernel(combine, to, tile, &down, dense ? &once : &right, dense ? row : block);
}

/* Combine by tiles in registers, and the remainders below them and on their right. */
static void combine_tiles(const struct combine *combine, char *to, const char *from,
                          const struct level *across, const struct level *along,
                          int64_t block)
{
    int64_t read = along->step[REDIST_SOURCE], write = across->step[REDIST_TARGET];
    int64_t n = transpose_add_side(block);
    const struct tiled cut = transpose_cut(across, along, n);
    for (int64_t i = 0; i < cut.wide.count; i += n)
        for (int64_t j = 0; j < cut.high.count; j += n) {
            const char *f = from + j * read + i * block;
            for (int64_t r = n; r < 2 * n; r++) __builtin_prefetch(f + r * read);
            combine->tile(combine, to + i * write + j * block, write, f, read);
        }
    run_kernel(combine, to + cut.high.count * block, from + cut.high.count * read, across,
               &cut.below, block);
    run_kernel(combine, to + cut.wide.count * write, from + cut.wide.count * block,
               &cut.right, &cut.high, block);
}

void combine_transposed(const struct combine *combine, char *to, const char *from,
                        const struct level *across, const struct level *along,
                        int64_t block, bool stream)
{
    if (combine->convert) {
        convert_transposed(combine->convert, to, from, across, along, block, stream);
        return;
    }
    const bool streams = /* whole lines */
        stream && combine->replaces && across->step[REDIST_TARGET] % LINE == 0;
    if (combine->tile && !streams && block == combine->number &&
        across->step[REDIST_SOURCE] == block && along->step[REDIST_TARGET] == block) {
        combine_tiles(combine, to, from, across, along, block);
        return;
    }
    struct level wide = *across, high = *along;
    for (int64_t i = 0; i < across->count; i += LINE / block)
        for (int64_t j = 0; j < along->count; j += HIGH) {
            char *t = to + i * wide.step[REDIST_TARGET] + j * high.step[REDIST_TARGET];
            const char *f =
                from + i * wide.step[REDIST_SOURCE] + j * high.step[REDIST_SOURCE];
            wide.count = int_min(LINE / block, across->count - i);
            high.count = int_min(HIGH, along->count - j);
            if (combine->replaces)
                replace_tile(combine, t, f, &wide, &high, block, stream);
            else
                combine_tile(combine, t, f, &wide, &high, block);
        }
}
