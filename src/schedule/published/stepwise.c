/* SPDX-License-Identifier: MIT
 *
 * schedule/published/stepwise.c - the least number of steps: each takes, of all matchings
 * that cover every process with the most messages left, one of maximum weight (Desprez et
 * al. 1998, section 4.3).
 *
 * A bipartite graph has a matching that covers all nodes of maximum degree (Koenig), so
 * each step lowers the maximum degree by one and NS = Delta.
 */
#include "base/intmath.h"
#include "schedule/coloring/matching.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"

/* Cover the processes with the most messages left. */
static void cover_busiest(struct matching *matching)
{
    int64_t most = 0;
    for (int64_t v = 0; v < matching->nnodes; v++)
        most = int_max(most, matching->degree[v]);
    for (int64_t v = 0; v < matching->nnodes; v++)
        matching->must[v] = matching->degree[v] == most;
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    return table_give(table, matching_peel(table->grid, cover_busiest, table->step),
                      state);
}

const struct schedule_kind schedule_stepwise = {
    .name = "stepwise",
    .what = "least steps: heaviest matchings that cover all of maximum degree",
    .source = "Desprez et al. 1998, section 4.3",
    .applicable = matching_applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};
