/* SPDX-License-Identifier: MIT
 *
 * move/arith/convert_kernels.h - loops over contiguous numbers, from which conversions
 * are put together (convert.h). Numbers need not be aligned.
 */
#ifndef REDIST_MOVE_ARITH_CONVERT_KERNELS_H
#define REDIST_MOVE_ARITH_CONVERT_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers that C has, in this machine's byte order. */
enum plain {
    PLAIN_I1,
    PLAIN_I2,
    PLAIN_I4,
    PLAIN_I8,
    PLAIN_U1,
    PLAIN_U2,
    PLAIN_U4,
    PLAIN_U8,
    PLAIN_F4,
    PLAIN_F8,
    PLAINS
};

/* Write n numbers at `to`, which shares no byte with `from`. */
typedef void convert_kernel(char *restrict to, const char *restrict from, int64_t n);

/* Find the kernel from one plain number to another. NULL: the two are equal. */
convert_kernel *convert_plain(enum plain from, enum plain to);

/* Find the kernel from a plain number, but F4, to an F4 that is to be rounded once more,
 * to fewer bits. The result is as rounded once, as the first rounding is to an odd last
 * bit where it is inexact (Boldo and Melquiond, "Emulation of a FMA and correctly rounded
 * sums", 2008, section 4). */
convert_kernel *convert_to_odd(enum plain from);

/* Between F4 and shorter ones: IEEE's of 2 bytes, and the upper half of an F4. */
convert_kernel *convert_from_half(void), *convert_to_half(void);
convert_kernel *convert_from_brain(void), *convert_to_brain(void);

/* Reverse the bytes of numbers of 2, 4 or 8. */
convert_kernel *convert_swap(int bytes);

/* Tell whether n doubles lie between two and are whole, if they must be. Some from 2^52
 * on are taken for ones that are not. */
typedef bool convert_within(const char *numbers, int64_t n, double below, double above,
                            bool whole);
convert_within *convert_find_within(void);

/* The first numbers of n pairs; n pairs with a second number 0. They have 4 or 8
 * bytes. */
convert_kernel *convert_real_part(int bytes), *convert_complex(int bytes);

#endif
