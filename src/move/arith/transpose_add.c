/* SPDX-License-Identifier: MIT */
#include "move/arith/transpose_add.h"

#include <string.h>

#include "move/kernel/square.h"

SQUARE(4, uint32_t, 4)
SQUARE(8, uint64_t, 2)
SQUARE(16, uint64_t, 1)

/* Combine n x n numbers of `size` bytes, m of them a register, whose parts are of a type,
 * reading the target only if it `adds`. Its next lines are prefetched. */
#define TILE(name, type, part, size, adds)                                               \
    static void name(const struct combine *combine, char *restrict to, int64_t write,    \
                     const char *restrict from, int64_t read)                            \
    {                                                                                    \
        enum { n = TRANSPOSE_ADD_LINE / (size), m = VECTOR / (size) };                   \
        typedef type vector __attribute__((vector_size(VECTOR)));                        \
        const type *a = combine->alpha.part, beta = combine->beta.part[0];               \
        vector alpha; /* of conjugates, imaginary parts have a[3] */                     \
        for (int k = 0; k < VECTOR / (int)sizeof(type); k++) alpha[k] = a[k % 2 * 3];    \
        for (int k = 0; k < n; k += m) {                                                 \
            vector_##size row[n];                                                        \
            for (int i = 0; i < n; i++)                                                  \
                memcpy(&row[i], from + i * read + k * (size), VECTOR);                   \
            for (int i = 0; i < n; i += m) square_##size(row + i);                       \
            for (int j = 0; j < m; j++) {                                                \
                char *line = to + (k + j) * write;                                       \
                __builtin_prefetch(line + 2 * TRANSPOSE_ADD_LINE, 1);                    \
                for (int i = 0; i < n / m; i++) {                                        \
                    vector x, y = {0};                                                   \
                    memcpy(&x, &row[i * m + j], VECTOR);                                 \
                    if (adds) memcpy(&y, line + i * VECTOR, VECTOR);                     \
                    y = (adds) ? alpha * x + beta * y : alpha * x;                       \
                    memcpy(line + i * VECTOR, &y, VECTOR);                               \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    }
#define TILES(kind, type, part, size)                                                    \
    TILE(scale_##kind, type, part, size, false)                                          \
    TILE(add_##kind, type, part, size, true)

TILES(i4, uint32_t, i4, 4)
TILES(i8, uint64_t, i8, 8)
TILES(f4, float, f4, 4)
TILES(f8, double, f8, 8)
TILES(c8, float, f4, 8)
TILES(c16, double, f8, 16)

combine_tile_kernel *transpose_add_tile(enum number number, bool adds)
{
    static combine_tile_kernel *const kernels[NUMBERS][2] = {
        [NUMBER_I4] = {scale_i4, add_i4}, [NUMBER_I8] = {scale_i8, add_i8},
        [NUMBER_F4] = {scale_f4, add_f4}, [NUMBER_F8] = {scale_f8, add_f8},
        [NUMBER_C8] = {scale_c8, add_c8}, [NUMBER_C16] = {scale_c16, add_c16}};
    return kernels[number][adds];
}
