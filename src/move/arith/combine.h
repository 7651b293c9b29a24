/* SPDX-License-Identifier: MIT
 *
 * move/arith/combine.h - arithmetic on the way to the target:
 *
 *   target = alpha source + beta target      or with the source's elements conjugated
 *
 * As in BLAS, an operand with coefficient 0 is not read: a NaN there has no effect.
 * Integers wrap around.
 */
#ifndef REDIST_MOVE_ARITH_COMBINE_H
#define REDIST_MOVE_ARITH_COMBINE_H

#include <mpi.h>

#include "move/kernel/nest.h"

/* Kinds of numbers that can be combined: integers, reals, complex numbers, and their
 * bytes. */
enum number {
    NUMBER_NONE,
    NUMBER_I4,
    NUMBER_I8,
    NUMBER_F4,
    NUMBER_F8,
    NUMBER_C8,
    NUMBER_C16,
    NUMBERS
};
enum { NUMBER_SIZE = 16 }; /* bytes of the largest */

static inline bool number_is_complex(enum number number)
{
    return number == NUMBER_C8 || number == NUMBER_C16;
}

/* Coefficients, all real. For complex numbers these are 2 x 2 matrices, row by row,
 * that act on (real, imaginary), since conjugation is no multiplication by a complex
 * number. */
union coefficients {
    uint32_t i4[4];
    uint64_t i8[4];
    float f4[4];
    double f8[4];
};

/* The forms that do not read one operand, and the kinds of coefficients (combine.c). */
enum combine_form { FORM_SCALE, FORM_ADD, FORM_KEEP, COMBINE_FORMS };
enum combine_kind {
    KIND_SCALAR,
    KIND_MIRRORED,
    KIND_COMPLEX_ALPHA,
    KIND_COMPLEX_BETA,
    KIND_COMPLEX,
    COMBINE_KINDS
};

struct combine;
struct convert;

/* Combine outer->count x inner->count blocks of n units. The kernel defines its unit. */
typedef void combine_kernel(const struct combine *combine, char *to, const char *from,
                            const struct level *outer, const struct level *inner,
                            int64_t n);

/* Combine a tile of numbers: as many in a row as fill a line, and as many rows
 * (transpose_add.h). Rows of the source are `read` bytes apart, of the target `write`. */
typedef void combine_tile_kernel(const struct combine *combine, char *restrict to,
                                 int64_t write, const char *restrict from, int64_t read);

struct combine {
    union coefficients alpha, beta;
    combine_kernel *kernel;    /* for blocks of a few units */
    combine_kernel *dense;     /* for longer ones */
    combine_tile_kernel *tile; /* NULL: there is none for these coefficients */
    int64_t number;            /* bytes of a number of the tile */
    int64_t unit;              /* bytes */
    bool replaces;             /* beta is 0: the target is not read */
    bool adds_up;              /* several sources may meet in one target */
    enum number part; /* I4, I8, F4 or F8: of a unit of combine_make's; or NONE */
    enum combine_form form;
    enum combine_kind kind;
    const struct convert *convert; /* NULL, or in place of all arithmetic: the target's
                                      numbers become the source's, converted */
    MPI_Op op; /* for a kernel that calls MPI (reduce.c), on this type; not thread-safe */
    MPI_Datatype type;
    bool calls; /* the kernel calls MPI, or notes what is lost: no threads */
};

/* Find how to combine. `alpha` and `beta` point to one number of this kind each; NULL: 1
 * and 0. Returns false for a plain copy. */
bool combine_make(enum number number, bool conjugate, const void *alpha, const void *beta,
                  struct combine *combine);

/* As kernel_blocks (kernels.h) and transpose_blocks (transpose.h), but combine. Blocks
 * are whole numbers and need not be aligned. */
void combine_blocks(const struct combine *combine, char *to, const char *from,
                    const struct level *outer, const struct level *inner, int64_t block,
                    bool stream);
void combine_transposed(const struct combine *combine, char *to, const char *from,
                        const struct level *across, const struct level *along,
                        int64_t block, bool stream);

#endif
