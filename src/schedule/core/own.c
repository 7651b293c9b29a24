/* SPDX-License-Identifier: MIT */

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/core/schedule.h"

redist_err own_list_append(struct own_list *list, struct own_message message)
{
    return mem_append(NULL, &list->message, &list->n, &list->room, &message,
                      sizeof message);
}

static int by_step(const void *a, const void *b)
{
    const struct own_message *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    return (x->partner > y->partner) - (x->partner < y->partner);
}

void own_list_sort(struct own_list *list)
{
    mem_sort(list->message, list->n, sizeof *list->message, by_step);
}

static int by_partner(const void *a, const void *b)
{
    const struct own_message *x = a, *y = b;
    if (x->partner != y->partner) return x->partner < y->partner ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

void own_list_join_pieces(struct own_list *list)
{
    int64_t n = 0;
    mem_sort(list->message, list->n, sizeof *list->message, by_partner);
    for (int64_t k = 0; k < list->n; k++) {
        struct own_message piece = list->message[k];
        if (n > 0 && list->message[n - 1].partner == piece.partner)
            list->message[n - 1].weight += piece.weight;
        else
            list->message[n++] = piece;
    }
    list->n = n;
    own_list_sort(list);
}

void own_list_stretch(struct own_list *list, int64_t factor)
{
    for (int64_t k = 0; k < list->n; k++) {
        list->message[k].step *= factor;
        list->message[k].weight *= factor;
    }
}

void own_list_free(struct own_list *list)
{
    mem_free(list->message);
    *list = (struct own_list){0};
}

/* ---- with the lengths of the array ------------------------------------------------- */

/* Give n pieces of one message, in order, its length: a timed piece as much as it has
 * time for, pieces in steps equal parts. Returns how many pieces are needed. */
static int64_t share_length(struct own_message piece[], int64_t n, bool timed,
                            int64_t length)
{
    int64_t used = 0;
    for (; used < n && length > 0; used++) {
        piece[used].weight =
            timed ? int_min(piece[used].weight, length) : int_ceil_div(length, n - used);
        length -= piece[used].weight;
    }
    return used;
}

redist_err schedule_own(const struct schedule_kind *kind, const void *state,
                        const struct schedule_input *input, redist_side side, int64_t c,
                        struct own_list *list)
{
    TRY(kind->own(state, side, c, list));
    if (!input->periods) return REDIST_OK;
    mem_sort(list->message, list->n, sizeof *list->message, by_partner);
    int64_t kept = 0;
    for (int64_t k = 0, n = 0; k < list->n; k += n) {
        struct own_message *piece = &list->message[k];
        for (n = 1; k + n < list->n && piece[n].partner == piece->partner;) n++;
        int64_t e = side == REDIST_SOURCE
                        ? comm_grid_find(input->grid, c, piece->partner)
                        : comm_grid_find(input->grid, piece->partner, c);
        int64_t length = e < 0 ? 0 : input->grid->edge[e].weight;
        int64_t used = share_length(piece, n, kind->timed, length);
        for (int64_t i = 0; i < used; i++) list->message[kept++] = piece[i];
    }
    list->n = kept;
    own_list_sort(list);
    return REDIST_OK;
}
