/* SPDX-License-Identifier: MIT
 *
 * move/interleave/run_table.h - interleave (interleave.h) by a table of runs. Each run is
 * copied to its place in the order of the target. Everything is written once, line by
 * line (line_buffer.h), past the cache.
 *
 *   inputs   aaaaaaaa..      bbbb..
 *              \  \        / /
 *   target    aaaabbaaaabbaaaabb..      table of a period   a 0..3, b 4..5
 *
 * The order of the runs along the innermost axis is the same in each period, so it is
 * found once. Without a table, each input of a batch has to find its part. Batches are
 * then long, so pure reading and pure writing alternate and idle half the memory
 * bandwidth. With a table, a run is looked up and copied, and reading and writing
 * alternate line by line.
 */
#ifndef REDIST_MOVE_INTERLEAVE_RUN_TABLE_H
#define REDIST_MOVE_INTERLEAVE_RUN_TABLE_H

#include "move/runs/period_copy.h"
#include "move/interleave/interleave.h"

enum {
    RUN_TABLE_INPUTS = PERIOD_COPY_PARTNERS, /* at most */
    RUN_TABLE_AHEAD = 24 /* runs that are prefetched; mostly some KiB */
};

/* A run in a row of the target; offsets are in bytes. */
struct table_run {
    int64_t to;      /* from the period's begin */
    int64_t from[2]; /* from the row's local index 0; [1]: in packed data */
    int32_t bytes, partner;
};

/* The runs of a row of the target, along the innermost axis: `repeats` periods and a
 * rest. All rows have the same. Inputs with the same runs in a row share a partner. */
struct run_table {
    int64_t begin, bytes;    /* of a row: first byte, from local index 0; length */
    int64_t period, repeats; /* bytes of a period */
    int64_t nperiod, nrest;  /* number of runs */
    int64_t overread;        /* periods in which each partner has a cache line */
    bool by_periods;         /* runs are short: several periods are copied at a time */
    struct table_run
        *piece; /* [nperiod] and some more; NULL: inputs cannot be interleaved by table */
    struct table_run *rest; /* [nrest] and some more */
    int partners;
    int64_t (*step)[2]; /* [partners] change of from[] from period to period */
    int *partner;       /* [inputs] */
};

/* The walks of an input, for source arrays and for packed data. */
struct table_input {
    const struct walk *copy, *scatter; /* scatter may be NULL */
};

/* Find the runs of a row that the inputs fill together. The table is made if the runs are
 * long enough to pay or can be interleaved in registers (interleave_elements.h). `table`
 * needs run_table_free in any case.
 * O(runs of a period, log of them). MEMORY. */
redist_err run_table_make(struct mem_account *account,
                          const struct table_input table_inputs[], int64_t n,
                          struct run_table *table);
void run_table_free(struct run_table *table);

/* Fill bytes at .. stop - 1 of the target. Inputs are in the order of the table_inputs
 * and must be ready that far; they are not advanced.
 * O(n) a row, O(1) a run. */
void run_table_interleave(const struct run_table *table, const struct input inputs[],
                          int64_t n, int64_t at, int64_t stop, char *to);

#endif
