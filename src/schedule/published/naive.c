/* SPDX-License-Identifier: MIT
 *
 * schedule/published/naive.c - every process sends to targets 0, 1, .. Q - 1 in this
 * order, so all meet at target 0 first: the hot spot of Walker and Otto 1996 (section 3)
 * and Guo and Pan (section 1). For comparison only.
 */
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    for (int64_t e = 0; e < table->grid->nedges; e++)
        table->step[e] = table->grid->edge[e].q;
    *state = table;
    return REDIST_OK;
}

const struct schedule_kind schedule_naive = {
    .name = "naive",
    .what = "targets in the order 0, 1, .., Q-1: all senders meet at one",
    .source = "Walker and Otto 1996, section 3",
    .loose = true,
    .applicable = table_applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};
