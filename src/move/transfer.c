/* SPDX-License-Identifier: MIT */
#include "move/transfer.h"

#include <stdlib.h>

#include "base/intmath.h"

/* A message, its step and its ends, for sorting. */
struct ordered {
    int64_t step;
    int from, to;
    const struct message *message;
};

/* The same order at both ends of each message. */
static int by_step(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

void transfers_append(struct transfers *transfers, const struct transfer *transfer)
{
    transfers->transfer[transfers->n++] = *transfer;
    transfers->bytes += transfer->bytes;
    transfers->largest = int_max(transfers->largest, transfer->bytes);
    if (!transfer->direct) transfers->packed += transfer->bytes;
}

static void add(struct transfers *transfers, const struct overlap *overlap,
                const struct ordered *ordered, const struct memory_side sides[SIDES],
                size_t element)
{
    const struct message *message = ordered->message;
    struct axis *axes = transfers->axes + transfers->n * overlap->ndims;
    enum way way = overlap->own == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER;
    struct transfer transfer = {.rank = message->rank,
                                .step = ordered->step,
                                .bytes = message->elements * (int64_t)element,
                                .message = message};
    walk_make(overlap, message, sides, element, way, axes, &transfer.walk);
    transfer.direct = walk_is_contiguous(&transfer.walk, overlap->own, &transfer.offset);
    transfers_append(transfers, &transfer);
}

redist_err transfers_make(struct mem_account *account, const struct overlap *overlap,
                          const struct memory_side sides[SIDES], size_t element,
                          const int64_t step[], struct transfers *transfers)
{
    *transfers = (struct transfers){.overlap = overlap};
    int64_t n = 0;
    struct ordered *order = mem_alloc(account, overlap->nmessages, sizeof *order);
    transfers->transfer =
        mem_alloc(account, overlap->nmessages, sizeof *transfers->transfer);
    transfers->axes =
        mem_alloc(account, overlap->nmessages * overlap->ndims, sizeof *transfers->axes);
    if (!order || !transfers->transfer || !transfers->axes) {
        mem_free(order);
        transfers_free(transfers);
        return REDIST_ERR_MEMORY;
    }
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        const struct message *message = &overlap->message[k];
        if (message->rank == overlap->rank) continue;
        bool sends = overlap->own == REDIST_SOURCE;
        int from = sends ? overlap->rank : message->rank;
        int to = sends ? message->rank : overlap->rank;
        order[n++] = (struct ordered){step[k], from, to, message};
    }
    if (n > 1) qsort(order, (size_t)n, sizeof *order, by_step);
    for (int64_t k = 0; k < n; k++) add(transfers, overlap, &order[k], sides, element);
    mem_free(order);
    return REDIST_OK;
}

bool transfer_local(const struct overlap *overlap, const struct memory_side sides[SIDES],
                    size_t element, struct axis *axes, struct walk *walk)
{
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        if (overlap->message[k].rank != overlap->rank) continue;
        walk_make(overlap, &overlap->message[k], sides, element, WAY_COPY, axes, walk);
        return true;
    }
    return false;
}

void transfers_free(struct transfers *transfers)
{
    mem_free(transfers->transfer);
    mem_free(transfers->axes);
    *transfers = (struct transfers){0};
}

int64_t transfer_chunk(int64_t staging, int64_t element)
{
    int64_t chunk = int_min(staging / 8, 1 << 30);
    return int_max(chunk - chunk % element, element);
}

int64_t transfers_staging(const struct transfers *transfers, int64_t staging,
                          int64_t element)
{
    int64_t piece = int_min(transfers->largest, transfer_chunk(staging, element));
    return int_min(int_max(transfers->packed, piece), staging / 2);
}
