/* SPDX-License-Identifier: MIT */
#include "schedule/core/table.h"

#include <stdlib.h>

static redist_err make(const struct comm_grid *grid, struct table **table)
{
    int64_t n = grid->nedges, *step = NULL;
    const struct mem_part parts[] = {MEM_PART(*table, 1), MEM_PART(step, n), {0}};
    TRY(mem_alloc_parts(NULL, parts));
    for (int64_t e = 0; e < n; e++) step[e] = -1;
    **table = (struct table){.grid = grid, .step = step};
    return REDIST_OK;
}

redist_err table_make(const struct schedule_input *input, struct table **table)
{
    return make(input->grid, table);
}

redist_err table_make_period(const struct classes *k, struct table **table)
{
    struct comm_grid period;
    TRY(comm_grid_from_classes(k, NULL, &period));
    redist_err err = make(&period, table);
    if (err) {
        comm_grid_free(&period);
        return err;
    }
    (*table)->period = period;
    (*table)->grid = &(*table)->period;
    return REDIST_OK;
}

redist_err table_give(struct table *table, redist_err err, void **state)
{
    return schedule_give(table, err, table_free, state);
}

redist_err table_own(const void *state, redist_side side, int64_t c,
                     struct own_list *list)
{
    const struct table *table = state;
    const struct comm_grid *grid = table->grid;
    const int64_t *begin =
        side == REDIST_SOURCE ? &grid->by_source[c] : &grid->by_target[c];
    for (int64_t k = begin[0]; k < begin[1]; k++) {
        int64_t e = side == REDIST_SOURCE ? k : grid->target_edge[k];
        const struct edge *edge = &grid->edge[e];
        struct own_message message = {side == REDIST_SOURCE ? edge->q : edge->p,
                                      edge->weight, table->step[e]};
        TRY(own_list_append(list, message));
    }
    own_list_sort(list);
    return REDIST_OK;
}

void table_free(void *state)
{
    if (state) comm_grid_free(&((struct table *)state)->period);
    mem_free(state);
}

bool table_applicable(const struct schedule_input *input, const char **why)
{
    if (input->grid) return true;
    *why = "needs the whole communication grid, which is too large here";
    return false;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

redist_err table_skip_empty_steps(struct table *table)
{
    int64_t n = table->grid->nedges, used = 0;
    int64_t *steps = mem_alloc(NULL, n, sizeof *steps);
    if (!steps) return REDIST_ERR_MEMORY;
    for (int64_t e = 0; e < n; e++) steps[e] = table->step[e];
    mem_sort(steps, n, sizeof *steps, ascending);
    for (int64_t e = 0; e < n; e++)
        if (e == 0 || steps[e] != steps[e - 1]) steps[used++] = steps[e];
    for (int64_t e = 0; e < n; e++) {
        const int64_t *found =
            bsearch(&table->step[e], steps, (size_t)used, sizeof *steps, ascending);
        table->step[e] = found - steps;
    }
    mem_free(steps);
    return REDIST_OK;
}
