/* SPDX-License-Identifier: MIT
 *
 * describe/notation/series.h - a list of integers in text form.
 *
 *   4, 3*10, 0:9, 9:0:-3      is      4, 10 10 10, 0 1 2 .. 9, 9 6 3 0
 *
 * (repeat counts and ranges as in Fortran).
 *
 * Progressions are kept as such, so a short text takes few bytes, however many integers
 * it stands for. The integers are written out once their number is known to be as needed.
 */
#ifndef REDIST_DESCRIBE_NOTATION_SERIES_H
#define REDIST_DESCRIBE_NOTATION_SERIES_H

#include "describe/notation/scan.h"

/* first, first + step, .. : count integers, count >= 1. */
struct progression {
    int64_t first, step, count;
};

/* Starts as {0}. */
struct series {
    struct progression *parts; /* [nparts], owned */
    int64_t nparts, room;
    int64_t count; /* integers of all parts */
};

/* Read one or more items separated by commas, each integer in 0 .. high, and append them;
 * `what` names an item in messages.
 * O(text). ARG, MEMORY. */
redist_err series_scan(struct series *series, struct scan *scan, const char *what,
                       int64_t high);

/* Allocate and write out the integers, as int64_t or, if `size` is that of one, as int;
 * `high` made sure that they fit. `integers` is the address of the pointer to them.
 * MEMORY. */
redist_err series_write(const struct series *series, size_t size, void *integers);

void series_free(struct series *series);

#endif
