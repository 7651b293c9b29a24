/* SPDX-License-Identifier: MIT
 *
 * schedule/published/shifted.c - every process starts with its own rank and goes on round
 * the ring: q = p + step (mod max(P, Q)). As the ring is as long as the larger side, no
 * two sources meet at a target, and no two targets at a source, for P != Q too. Steps
 * without a message are left out.
 *
 *   P = 2, Q = 3    step 0: 0->0 1->1    step 1: 0->1 1->2    step 2: 0->2 1->0
 */
#include "schedule/core/kinds.h"
#include "schedule/published/shifted.h"
#include "schedule/core/table.h"

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    const struct comm_grid *grid = table->grid;
    int ring = grid->P > grid->Q ? grid->P : grid->Q;
    for (int64_t e = 0; e < grid->nedges; e++)
        table->step[e] = schedule_shifted_step(grid->edge[e].p, grid->edge[e].q, ring);
    redist_err err = table_skip_empty_steps(table);
    return table_give(table, err, state);
}

const struct schedule_kind schedule_shifted = {
    .name = "shifted",
    .what = "start with the own rank, then round the ring: q = p + step",
    .source = "Guo, Yamashita and Nakata, section 4.3.2",
    .applicable = table_applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};
