/* SPDX-License-Identifier: MIT
 *
 * schedule/original/staircase.c - GEN_BLOCK -> GEN_BLOCK, and all other distributions
 * that keep the array's order: at most P + Q - 1 messages that descend the communication
 * grid in a staircase.
 *
 *            q = 0  1  2  3
 *   p = 0        5  .  .  .     source 0 ends within what target 0 holds; (0,0) and
 *       1        2  4  3  .     (1,0) meet at target 0, (1,0) (1,1) (1,2) at source 1
 *       2        .  .  1  6
 *
 * Only the first and the last message of a process can lead to a partner that has others
 * too; call such a message a link. Links, in the order of the array, start alternately at
 * 0 and end at W, so that the two of a process never meet; its other messages lead to
 * partners without others and take its time in between. Steps are those of
 * staircase_color.h.
 */
#include "base/intmath.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"
#include "schedule/original/staircase_color.h"

static bool applicable(const struct schedule_input *input, const char **why)
{
    if (!table_applicable(input, why)) return false;
    const struct comm_grid *grid = input->grid;
    for (int64_t e = 1; e < grid->nedges; e++)
        if (grid->edge[e].q < grid->edge[e - 1].q) {
            *why = "needs messages that keep the order of the processes, as from "
                   "gen_block to gen_block";
            return false;
        }
    return true;
}

/* Whether both ends of a message have others. */
static bool is_link(const struct comm_grid *grid, const struct edge *edge)
{
    return grid->by_source[edge->p + 1] - grid->by_source[edge->p] > 1 &&
           grid->by_target[edge->q + 1] - grid->by_target[edge->q] > 1;
}

/* Start the links alternately at 0 and so that they end at `end`. */
static void start_links(struct table *table, int64_t end)
{
    const struct comm_grid *grid = table->grid;
    bool late = false;
    for (int64_t e = 0; e < grid->nedges; e++) {
        const struct edge *edge = &grid->edge[e];
        if (!is_link(grid, edge)) continue;
        table->step[e] = late ? end - edge->weight : 0;
        late = !late;
    }
}

/* Start the other messages of one process, whose n edges are ids[0] .., one after the
 * other after the link that starts at 0, if any. */
static void start_others(struct table *table, int64_t n, const int64_t ids[])
{
    const struct edge *edge = table->grid->edge;
    int64_t next = 0;
    for (int64_t k = 0; k < n; k++)
        if (is_link(table->grid, &edge[ids[k]]) && table->step[ids[k]] == 0)
            next = edge[ids[k]].weight;
    for (int64_t k = 0; k < n; k++) {
        if (is_link(table->grid, &edge[ids[k]])) continue;
        table->step[ids[k]] = next;
        next += edge[ids[k]].weight;
    }
}

/* O(edges). In a staircase target_edge is the identity: in the order of targets the
 * messages are in the order of sources too. */
static redist_err make_timed(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    const struct comm_grid *grid = input->grid;
    start_links(table, grid->load);
    for (int64_t e = 0; e < grid->nedges; e++)
        if (table->step[e] < 0) table->step[e] = 0; /* if both its ends have only it */
    for (int p = 0; p < grid->P; p++) {
        int64_t first = grid->by_source[p], n = grid->by_source[p + 1] - first;
        if (n > 1) start_others(table, n, &grid->target_edge[first]);
    }
    for (int q = 0; q < grid->Q; q++) {
        int64_t first = grid->by_target[q], n = grid->by_target[q + 1] - first;
        if (n > 1) start_others(table, n, &grid->target_edge[first]);
    }
    *state = table;
    return REDIST_OK;
}

static redist_err make_steps(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    return table_give(table, staircase_color(table->grid, table->step), state);
}

const struct schedule_kind schedule_staircase = {
    .name = "staircase",
    .what = "gen_block to gen_block without barriers: each message whole, done at W",
    .source = "docs/schedules.md, Without barriers",
    .timed = true,
    .applicable = applicable,
    .make = make_timed,
    .own = table_own,
    .free = table_free,
};

const struct schedule_kind schedule_staircase_steps = {
    .name = "staircase-steps",
    .what = "gen_block to gen_block in the fewest steps, Delta, of small TC",
    .source = "docs/schedules.md, Without barriers",
    .applicable = applicable,
    .make = make_steps,
    .own = table_own,
    .free = table_free,
};
