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

#include "intersect/runs.h"
#include "move/arith/convert_kernels.h"
#include "move/arith/number_format.h"

enum { CONVERT_STEPS = 8 };

struct convert {
    struct format format[SIDES];
    int64_t size[SIDES]; /* bytes of a number */
    bool checked;        /* some may be lost, and are to be found */
    int nsteps;
    struct convert_step {
        convert_kernel *run;
        int64_t times; /* of the kernel's for each number */
    } step[CONVERT_STEPS];
};

/* Find how to convert. `checked`: numbers that the target cannot hold are to be found.
 * Returns false if the formats are equal. */
bool convert_make(const struct format *source, const struct format *target, bool checked,
                  struct convert *convert);

/* Convert n numbers. Neither side needs to be aligned. */
void convert_numbers(const struct convert *convert, char *to, const char *from,
                     int64_t n);

/* Return the index of the first of n numbers that the target cannot hold; n: none. It is
 * none at once unless the conversion is checked. */
int64_t convert_find_lost(const struct convert *convert, const char *from, int64_t n);

#endif
