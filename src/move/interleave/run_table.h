/* SPDX-License-Identifier: MIT
 *
 * move/interleave/run_table.h - a interleave (interleave.h) of what one table describes:
 * each run goes from where it lies to its place, in the order of the target, so that all
 * is written once, line by line (line_buffer.h), past the cache.
 *
 *   inputs   aaaaaaaa..      bbbb..
 *              \  \        / /
 *   target    aaaabbaaaabbaaaabb..      table of a period   a 0..3, b 4..5
 *
 * Which runs come after each other along the innermost axis is known beforehand, period
 * by period. In a batch of the interleave each input has to find its part; so batches are
 * long, and while one is put together the memory takes nothing, while it is written gives
 * nothing. Here a run is looked up and copied, and what is read and written takes turns
 * by the line.
 */
#ifndef REDIST_MOVE_INTERLEAVE_RUN_TABLE_H
#define REDIST_MOVE_INTERLEAVE_RUN_TABLE_H

#include "move/runs/period_copy.h"
#include "move/interleave/interleave.h"

enum {
    RUN_TABLE_INPUTS = PERIOD_COPY_PARTNERS, /* at most */
    RUN_TABLE_AHEAD = 24 /* pieces: those are asked for; of most, some KiB */
};

/* A run in a row of the target; places are in bytes. */
struct table_run {
    int64_t to;      /* from where the period begins */
    int64_t from[2]; /* from the row's local index 0; [1]: in what was packed */
    int32_t bytes, partner;
};

/* What all rows of a target, along the innermost axis, have in common: `repeats` periods,
 * and what is left. Strands with the same runs in a row have the same partner. */
struct run_table {
    int64_t begin, bytes;    /* of a row: from local index 0 to its first byte; all */
    int64_t period, repeats; /* bytes of a period */
    int64_t nperiod, nrest;  /* pieces */
    int64_t overread;        /* periods in which each partner has a cache line */
    bool by_periods;         /* periods go several at a time, as runs are short */
    struct table_run
        *piece; /* [nperiod] and some more; NULL: nothing can be interleaved by table */
    struct table_run *rest; /* [nrest] and some more */
    int partners;
    int64_t (*step)[2]; /* [partners] of from[], from period to period */
    int *partner;       /* [inputs] */
};

/* The two ways in which what a input brings may be there. */
struct table_input {
    const struct walk *copy, *scatter; /* scatter may be NULL */
};

/* Find the runs of a row that inputs fill together, if they are of a length that pays,
 * or can be interleaved in registers (interleave_elements.h).
 * `table` needs run_table_free in any case.
 * O(runs of a period, log of them). MEMORY. */
redist_err run_table_make(struct mem_account *account,
                          const struct table_input table_inputs[], int64_t n,
                          struct run_table *table);
void run_table_free(struct run_table *table);

/* Fill bytes at .. stop - 1 of the target, from inputs in the order of the table_inputs,
 * which must be ready to there. They stay where they are.
 * O(n) a row, O(1) a run. */
void run_table_interleave(const struct run_table *table, const struct input inputs[],
                          int64_t n, int64_t at, int64_t stop, char *to);

#endif
