/* SPDX-License-Identifier: MIT
 *
 * schedule/original/dense.c - list scheduling (list.h) of any communication grid, without
 * barriers: a message occupies its source and its target.
 *
 * It ends before 2 W: while the last message, (p, q), waits, p or q is busy with others,
 * so it ends by load(p) + load(q) minus its length (Racsmany's bound, see Barany and
 * Fiala 1982). This holds however ties break, and so for all of list.h's rules.
 */
#include "base/error.h"
#include "base/mem.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"
#include "schedule/lists/list.h"

/* Sources are the resources 0 .. P-1, targets P .. P+Q-1. */
static redist_err list_ends(const struct comm_grid *grid, struct table *table)
{
    int64_t n = grid->nedges;
    int64_t *begin = mem_alloc(NULL, n + 1, sizeof *begin);
    int *ends = mem_alloc(NULL, 2 * n, sizeof *ends);
    redist_err err = begin && ends ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int64_t e = 0; !err && e <= n; e++) begin[e] = 2 * e;
    for (int64_t e = 0; !err && e < n; e++) {
        ends[2 * e] = grid->edge[e].p;
        ends[2 * e + 1] = grid->P + grid->edge[e].q;
    }
    if (!err) {
        struct list_work work = {n, grid->edge, grid->P + grid->Q, begin, ends};
        err = list_schedule(&work, 0, table->step);
    }
    mem_free(begin);
    mem_free(ends);
    return err;
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    return table_give(table, list_ends(input->grid, table), state);
}

const struct schedule_kind schedule_dense = {
    .name = "dense",
    .what =
        "no barriers: start any free pair, most loaded first; under twice the optimum",
    .source = "docs/schedules.md, Without barriers",
    .timed = true,
    .applicable = table_applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};
