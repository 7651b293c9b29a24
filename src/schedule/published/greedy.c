/* SPDX-License-Identifier: MIT
 *
 * schedule/published/greedy.c - the heaviest matching of the remaining messages,
 * repeatedly (Desprez et al. 1998, section 4.3). Long messages are sent together, so a
 * step wastes little, but there may be more steps than needed.
 */
#include "schedule/coloring/matching.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    return table_give(table, matching_peel(table->grid, NULL, table->step), state);
}

const struct schedule_kind schedule_greedy = {
    .name = "greedy",
    .what = "the heaviest matching of what is left, until nothing is left",
    .source = "Desprez et al. 1998, section 4.3",
    .applicable = matching_applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};
