/* SPDX-License-Identifier: MIT
 *
 * schedule/original/dense.c - list scheduling (list.h) of any communication grid, without
 * barriers: a message occupies its source and its target.
 *
 * It ends before 2 W: while the last message, (p, q), waits, p or q is busy with others,
 * so it ends by load(p) + load(q) minus its length (Racsmany's bound, see Barany and
 * Fiala 1982). This holds however ties break, and so for all of list.h's rules.
 */
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"
#include "schedule/lists/list.h"

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    const struct comm_grid *grid = input->grid;
    redist_err err =
        list_schedule_ends(grid->P, grid->Q, grid->nedges, grid->edge, table->step);
    return table_give(table, err, state);
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
