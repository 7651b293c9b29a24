/* SPDX-License-Identifier: MIT */
#include "schedule/core/readout.h"

#include "base/error.h"

redist_err readout_append(struct readout *out, struct piece piece)
{
    return mem_append(NULL, &out->piece, &out->n, &out->room, &piece, sizeof piece);
}

redist_err readout_own(const struct schedule_kind *kind, const void *state,
                       const struct schedule_input *input, redist_side side, int64_t c,
                       struct readout *out)
{
    struct own_list list = {0};
    redist_err err = schedule_own(kind, state, input, side, c, &list);
    for (int64_t k = 0; !err && k < list.n; k++) {
        const struct own_message *own = &list.message[k];
        struct piece piece = {(int)c, own->partner, own->weight, own->step};
        if (side == REDIST_TARGET) piece.p = own->partner, piece.q = (int)c;
        err = readout_append(out, piece);
    }
    own_list_free(&list);
    return err;
}

redist_err readout_side(const struct schedule_kind *kind, const void *state,
                        const struct schedule_input *input, redist_side side,
                        struct readout *out)
{
    const struct comm_grid *grid = input->grid;
    int64_t processes = side == REDIST_SOURCE ? grid->P : grid->Q;
    for (int64_t c = 0; c < processes; c++)
        TRY(readout_own(kind, state, input, side, c, out));
    return REDIST_OK;
}

int readout_compare(const struct piece *x, const struct piece *y)
{
    if (x->p != y->p) return x->p < y->p ? -1 : 1;
    if (x->q != y->q) return x->q < y->q ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

static int by_message(const void *a, const void *b) { return readout_compare(a, b); }

static int by_step(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    return readout_compare(x, y);
}

static void sort(struct readout *out, int (*order)(const void *a, const void *b))
{
    mem_sort(out->piece, out->n, sizeof *out->piece, order);
}

void readout_sort_by_message(struct readout *out) { sort(out, by_message); }

void readout_sort_by_step(struct readout *out) { sort(out, by_step); }

void readout_thin(const struct schedule_input *input, struct readout *out)
{
    int64_t n = 0;
    for (int64_t k = 0; k < out->n; k++)
        if (!schedule_stays(input, out->piece[k].p, out->piece[k].q))
            out->piece[n++] = out->piece[k];
    out->n = n;
}

/* Merge the pieces of each message, or only those of the same step. */
static void join(struct readout *out, bool by_step)
{
    int64_t n = 0;
    readout_sort_by_message(out);
    for (int64_t k = 0; k < out->n; k++) {
        struct piece piece = out->piece[k], *last = n > 0 ? &out->piece[n - 1] : NULL;
        if (last && piece.p == last->p && piece.q == last->q &&
            (!by_step || piece.step == last->step))
            last->weight += piece.weight;
        else
            out->piece[n++] = piece;
    }
    out->n = n;
    readout_sort_by_step(out);
}

void readout_join(struct readout *out) { join(out, false); }

void readout_unite(struct readout *out) { join(out, true); }

void readout_place(const struct schedule_input *input, struct readout *out)
{
    for (int64_t k = 0; k < out->n; k++) {
        struct piece *piece = &out->piece[k];
        piece->p = input->rank[REDIST_SOURCE][piece->p];
        piece->q = input->rank[REDIST_TARGET][piece->q];
    }
}

void readout_free(struct readout *out)
{
    mem_free(out->piece);
    *out = (struct readout){0};
}
