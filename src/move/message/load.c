/* SPDX-License-Identifier: MIT */
#include "move/message/load.h"

#include <assert.h>
#include <stddef.h>

#include "base/intmath.h"
#include "move/message/transfer.h"

static_assert(offsetof(struct load, nranks) == LOAD_NUMBERS * sizeof(int64_t),
              "what is found comes first, and is of int64_t alone");

static void add(struct flow *flow, const struct transfer *transfer, redist_side own)
{
    flow->messages++;
    flow->bytes += transfer->bytes;
    flow->largest = int_max(flow->largest, transfer->bytes);
    if (!transfer->direct) flow->packed += transfer->bytes;
    if (transfer->direct) flow->blocks++;
    for (int64_t k = 0; !transfer->direct && k < transfer->nparts; k++)
        flow->blocks += walk_blocks(&transfer->part[k].walk, own);
}

void load_add(struct load *load, const struct transfers *transfers, redist_side own)
{
    for (int64_t k = 0; k < transfers->n; k++) {
        const struct transfer *transfer = &transfers->transfer[k];
        add(&load->all[own], transfer, own);
        add(transfer->near ? &load->near[own] : &load->far[own], transfer, own);
    }
}

struct flow flow_most(const struct flow flows[SIDES])
{
    const struct flow *x = &flows[REDIST_SOURCE], *y = &flows[REDIST_TARGET];
    return (struct flow){.messages = int_max(x->messages, y->messages),
                         .bytes = int_max(x->bytes, y->bytes),
                         .packed = int_max(x->packed, y->packed),
                         .largest = int_max(x->largest, y->largest),
                         .blocks = int_max(x->blocks, y->blocks)};
}

int64_t *load_numbers(struct load *load) { return (int64_t *)(void *)load; }

void load_merge(struct load *load, const struct load *other)
{
    struct load from = *other;
    int64_t *most = load_numbers(load), *numbers = load_numbers(&from);
    for (int k = 0; k < LOAD_NUMBERS; k++) most[k] = int_max(most[k], numbers[k]);
}
