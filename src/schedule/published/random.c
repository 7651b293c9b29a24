/* SPDX-License-Identifier: MIT
 *
 * schedule/published/random.c - every process sends its messages in an order drawn at
 * random, which reduces hot spots but does not exclude them: several may send to a target
 * in one step (Walker and Otto 1996, section 2.2.2). The seed alone decides.
 */
#include "base/hash.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"

/* Set step[0 .. n) to a permutation of 0 .. n - 1 (Fisher and Yates). */
static void shuffle(uint64_t seed, int64_t n, int64_t step[])
{
    for (int64_t k = 0; k < n; k++) {
        seed = hash_int(seed, k);
        int64_t j = (int64_t)(seed % ((uint64_t)k + 1));
        step[k] = step[j];
        step[j] = k;
    }
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    const struct comm_grid *grid = table->grid;
    for (int p = 0; p < grid->P; p++) {
        int64_t begin = grid->by_source[p], n = grid->by_source[p + 1] - begin;
        shuffle(hash_int((uint64_t)input->seed, p), n, table->step + begin);
    }
    *state = table;
    return REDIST_OK;
}

const struct schedule_kind schedule_random = {
    .name = "random",
    .what = "targets in an order that each source draws at random",
    .source = "Walker and Otto 1996, section 2.2.2",
    .loose = true,
    .drawn = true,
    .applicable = table_applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};
