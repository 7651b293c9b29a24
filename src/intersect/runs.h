/* SPDX-License-Identifier: MIT
 *
 * intersect/runs.h - the runs of one dimension: elements owned by coordinate p of the
 * source and q of the target. For regular formats both repeat every L elements:
 *
 *   source r=3 P=2   000111
 *   target s=2 Q=3   001122       L = lcm(6,6) = 6
 *   (0,0) owns 0-1   (0,1) owns 2   (1,1) owns 3   (1,2) owns 4-5
 *
 * A run is contiguous on both sides. Runs of equal length at equal distances are kept as
 * one progression, so that cyclic(1) -> block takes a few words for any extent:
 *
 *   source r=1 P=2   0101010101010101
 *   target s=8 Q=2   0000000011111111      (0,0): 4 runs of 1, step 2;  source 0 1 2 3
 *                                                                       target 0 2 4 6
 */
#ifndef REDIST_INTERSECT_RUNS_H
#define REDIST_INTERSECT_RUNS_H

#include "base/mem.h"
#include "intersect/side.h"

/* The two sides; index by REDIST_SOURCE, REDIST_TARGET. */
#define SIDES 2

/* `count` runs of `length` elements: the j-th begins at section index at + j step, on
 * each side at local index local + j local_step. Within a run a side steps by its
 * section's stride. */
struct run {
    int64_t at, length, count, step;
    int64_t local[SIDES], local_step[SIDES];
};

/* All runs of a pair, ascending: `nperiod` of one period, repeated `repeats` times, each
 * time local_period further; then `ntail` after the last whole period. */
struct runs {
    int64_t elements;        /* of all */
    int64_t period_elements; /* of one period */
    int64_t repeats;
    int64_t local_period[SIDES];
    int64_t nperiod, ntail;
    struct run *run; /* [nperiod + ntail]; those of the tail have their own places */
};

/* The runs of one period, while they are collected. */
struct runs_builder {
    struct mem_account *account;
    int64_t n, room;
    struct run *run;
};

/* Append runs after all others; they are merged with the last progression if they
 * continue it. MEMORY. */
redist_err runs_append(struct runs_builder *builder, struct run run);

/* Extend the runs of one period of `period` elements to all `extent` elements. Takes over
 * the builder's memory and empties it, also on an error. MEMORY. */
redist_err runs_finish(struct runs_builder *builder, const struct side sides[SIDES],
                       int64_t period, int64_t extent, struct runs *runs);

/* Tell whether all elements are contiguous on side `s`, if its section has no stride.
 * O(runs). */
bool runs_contiguous(const struct runs *runs, int s);

void runs_free(struct runs *runs);

#endif
