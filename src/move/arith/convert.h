/* SPDX-License-Identifier: MIT
 *
 * move/arith/convert.h - numbers of one type into those of another, on the way to the
 * target. A conversion is a chain of loops (convert_kernels.h) over numbers that stay in
 * the cache:
 *
 *   bytes reversed -> real part -> half or brain to F4 -> plain to plain -> F4 to half or
 *   brain -> imaginary part 0 -> bytes reversed                    each only where needed
 */
#ifndef REDIST_MOVE_ARITH_CONVERT_H
#define REDIST_MOVE_ARITH_CONVERT_H

#include "move/arith/convert_kernels.h"
#include "move/arith/number_format.h"
#include "move/kernel/nest.h"

enum { CONVERT_STEPS = 8 };

struct convert {
    struct format format[SIDES];
    int64_t size[SIDES]; /* bytes of a number */
    bool checked;        /* some may be lost, and are to be found */
    /* Where it is checked, called with each number that is lost and its place in the
     * target. */
    void (*note)(void *context, const char *at, const char *number);
    void *context;
    struct chain {
        int nsteps;
        struct convert_step {
            convert_kernel *run;
            int64_t times; /* of the kernel's for each number */
        } step[CONVERT_STEPS];
    } chain;
    /* Parts of numbers within these bounds, as doubles, are not lost. */
    struct chain to_doubles;
    convert_within *within;
    double below, above;
};

/* Find how to convert. `checked`: numbers that the target cannot hold are to be found.
 * Returns false if the formats are equal. */
bool convert_make(const struct format *source, const struct format *target, bool checked,
                  struct convert *convert);

/* The bytes in the target of so many in the source. */
static inline int64_t convert_bytes(const struct convert *convert, int64_t bytes)
{
    return bytes / convert->size[REDIST_SOURCE] * convert->size[REDIST_TARGET];
}

/* Convert n numbers. Neither side needs to be aligned. */
void convert_numbers(const struct convert *convert, char *to, const char *from,
                     int64_t n);

/* As kernel_blocks (kernels.h) and transpose_blocks (transpose.h), but convert. `block`
 * are bytes of the source, and whole numbers. */
void convert_blocks(const struct convert *convert, char *to, const char *from,
                    const struct level *outer, const struct level *inner, int64_t block,
                    bool stream);
void convert_transposed(const struct convert *convert, char *to, const char *from,
                        const struct level *across, const struct level *along,
                        int64_t block, bool stream);

/* Return the index of the first of n numbers, from `at` on, that the target cannot hold;
 * n: none. */
int64_t convert_find_lost(const struct convert *convert, const char *from, int64_t at,
                          int64_t n);

#endif
