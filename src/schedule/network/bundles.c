/* SPDX-License-Identifier: MIT */
#include "schedule/network/bundles.h"

#include "base/error.h"

int bundles_group(int nranks)
{
    int root = 1;
    while ((int64_t)root * root < nranks) root++;
    return root;
}

/* The messages between ranks, sorted. */
static redist_err list_messages(const struct schedule_input *input, struct readout *out)
{
    for (int64_t k = 0; k < input->grid->nedges; k++) {
        const struct edge *edge = &input->grid->edge[k];
        struct piece piece = {edge->p, edge->q, edge->weight, 0};
        TRY(readout_append(out, piece));
    }
    readout_thin(input, out);
    readout_place(input, out);
    readout_sort_by_message(out);
    return REDIST_OK;
}

/* Append both hops of the messages begin .. end - 1, from one process to one group. */
static redist_err append_hops(const struct readout *messages, int64_t begin, int64_t end,
                              int group, struct readout *out)
{
    const struct piece *first = &messages->piece[begin];
    bool neighbours = first->p / group == first->q / group;
    int relay = neighbours ? first->p : first[bundles_relay(first->p, end - begin)].q;
    for (int64_t k = begin; k < end; k++) {
        const struct piece *piece = &messages->piece[k];
        struct piece hop[HOPS] = {{piece->p, relay, piece->weight, 0},
                                  {relay, piece->q, piece->weight, 1}};
        for (int h = 0; h < HOPS; h++)
            if (hop[h].p != hop[h].q) TRY(readout_append(out, hop[h]));
    }
    return REDIST_OK;
}

redist_err bundles_list(const struct schedule_input *input, int group,
                        struct readout *out, bool *any)
{
    struct readout messages = {0};
    redist_err err = list_messages(input, &messages);
    for (int64_t k = 0, end = 0; !err && k < messages.n; k = end) {
        const struct piece *first = &messages.piece[k];
        while (end < messages.n && messages.piece[end].p == first->p &&
               messages.piece[end].q / group == first->q / group)
            end++;
        err = append_hops(&messages, k, end, group, out);
    }
    readout_free(&messages);
    int64_t nhops = out->n;
    readout_unite(out);
    *any = out->n < nhops;
    return err;
}
