/* SPDX-License-Identifier: MIT
 *
 * schedule/published/caterpillar.c - the total exchange of ScaLAPACK's p?gemr2d (Prylli
 * and Tourancheau, in Desprez et al. 1998, section 3). The n = max(P, Q) processes stand
 * in a ring folded flat; those face to face exchange, then the ring moves on by one, like
 * the track of a caterpillar:
 *
 *   n = 8, step 0   0 1 2 3    step 1     0 1 2      step 2   7 0 1 2
 *                   7 6 5 4             7       3             6 5 4 3    ..
 *                                         6 5 4
 *
 * So p and q meet when p + q = -1 - step (mod n). The full schedule has n steps for any
 * messages; the other one leaves out steps without messages.
 */
#include "base/intmath.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"

static redist_err make_full(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    const struct comm_grid *grid = table->grid;
    int64_t n = int_max(grid->P, grid->Q);
    for (int64_t e = 0; e < grid->nedges; e++)
        table->step[e] = int_mod(-1 - (int64_t)grid->edge[e].p - grid->edge[e].q, n);
    *state = table;
    return REDIST_OK;
}

static redist_err make(const struct schedule_input *input, void **state)
{
    void *full = NULL;
    TRY(make_full(input, &full));
    return table_give(full, table_skip_empty_steps(full), state);
}

const struct schedule_kind schedule_caterpillar = {
    .name = "caterpillar",
    .what = "ScaLAPACK's total exchange, steps without a message left out",
    .source = "Desprez et al. 1998, section 3",
    .applicable = table_applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};

const struct schedule_kind schedule_caterpillar_full = {
    .name = "caterpillar-full",
    .what = "ScaLAPACK's total exchange as it is: max(P, Q) steps, empty or not",
    .source = "Desprez et al. 1998, section 3",
    .applicable = table_applicable,
    .make = make_full,
    .own = table_own,
    .free = table_free,
};
