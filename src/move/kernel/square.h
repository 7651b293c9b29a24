/* SPDX-License-Identifier: MIT
 *
 * move/kernel/square.h - transpose squares of elements in registers. Tiles are made of
 * squares.
 */
#ifndef REDIST_MOVE_KERNEL_SQUARE_H
#define REDIST_MOVE_KERNEL_SQUARE_H

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

enum { VECTOR = 16 }; /* bytes of a register; wider ones gain nothing more */

/* Elements k, k + 1, .. of a and of b, alternating. A single element is never zipped. */
#define ZIP_1(a, b, k) (a)[k], (b)[(k) + 1]
#define ZIP_2(a, b, k) (a)[k], (b)[k]
#define ZIP_4(a, b, k) ZIP_2(a, b, k), ZIP_2(a, b, (k) + 1)
#define ZIP_8(a, b, k) ZIP_4(a, b, k), ZIP_4(a, b, (k) + 2)
#define ZIP_16(a, b, k) ZIP_8(a, b, k), ZIP_8(a, b, (k) + 4)

/* Transpose m x m elements in registers: zip each row of the upper half with its
 * counterpart in the lower half, log2 m times:
 *
 *     a b c d         a i b j         a e i m
 *     e f g h         c k d l         b f j n
 *     i j k l   ->    e m f n   ->    c g k o
 *     m n o p         g o h p         d h l p
 */
#define SQUARE(size, type, m)                                                            \
    typedef type vector_##size __attribute__((vector_size(VECTOR)));                     \
    INLINE void square_##size(vector_##size row[m])                                      \
    {                                                                                    \
        vector_##size zipped[m];                                                         \
        for (int bit = 1; bit < (m); bit *= 2) {                                         \
            for (int i = 0; i < (m) / 2; i++) {                                          \
                const vector_##size a = row[i], b = row[i + (m) / 2];                    \
                zipped[2 * i] = (vector_##size){ZIP_##m(a, b, 0)};                       \
                zipped[2 * i + 1] = (vector_##size){ZIP_##m(a, b, (m) / 2)};             \
            }                                                                            \
            for (int i = 0; i < (m); i++) row[i] = zipped[i];                            \
        }                                                                                \
    }

#endif
