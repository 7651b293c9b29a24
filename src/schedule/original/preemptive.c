/* SPDX-License-Identifier: MIT
 *
 * schedule/original/preemptive.c - the lower bound W for any communication grid, if
 * messages may be sent in pieces (open_shop.h).
 */
#include "base/error.h"
#include "base/mem.h"
#include "schedule/coloring/open_shop.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"

/* The time is quadratic in the messages. */
enum { MAX_EDGES = 1 << 14 };

struct preemptive {
    const struct comm_grid *grid;
    struct open_shop shop;
};

static void destroy(void *state)
{
    struct preemptive *made = state;
    if (!made) return;
    open_shop_free(&made->shop);
    mem_free(made);
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct preemptive *made = mem_alloc(NULL, 1, sizeof *made);
    if (!made) return REDIST_ERR_MEMORY;
    made->grid = input->grid;
    return schedule_give(made, open_shop_make(input->grid, &made->shop), destroy, state);
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    const struct preemptive *made = state;
    const struct comm_grid *grid = made->grid;
    const int64_t *begin =
        side == REDIST_SOURCE ? &grid->by_source[c] : &grid->by_target[c];
    for (int64_t k = begin[0]; k < begin[1]; k++) {
        int64_t e = side == REDIST_SOURCE ? k : grid->target_edge[k];
        int partner = side == REDIST_SOURCE ? grid->edge[e].q : grid->edge[e].p;
        for (int64_t i = made->shop.newest[e]; i >= 0; i = made->shop.piece[i].next) {
            struct own_message piece = {partner, made->shop.piece[i].length,
                                        made->shop.piece[i].start};
            TRY(own_list_append(list, piece));
        }
    }
    own_list_sort(list);
    return REDIST_OK;
}

static bool applicable(const struct schedule_input *input, const char **why)
{
    if (!table_applicable(input, why)) return false;
    if (input->grid->nedges <= MAX_EDGES) return true;
    *why = "needs at most 16384 messages, as its time is quadratic in them";
    return false;
}

const struct schedule_kind schedule_preemptive = {
    .name = "preemptive",
    .what = "no barriers: any pattern at the lower bound W, some messages in pieces",
    .source = "Gonzalez and Sahni 1976",
    .timed = true,
    .applicable = applicable,
    .make = make,
    .own = own,
    .free = destroy,
};
