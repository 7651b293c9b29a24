/* SPDX-License-Identifier: MIT */
#include "move/message/transfer.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"

/* One array's part of a message, with its step and its ends, for sorting. */
struct ordered {
    int64_t step;
    int from, to;
    int number; /* of the array */
    const struct message *message;
};

/* The same order at both ends of each message. */
static int by_step(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Append the parts of one array; returns the new number of parts. */
static int64_t append(const struct array *array, int number, redist_side own,
                      const int64_t step[], struct ordered parts[], int64_t n)
{
    const struct overlap *overlap = &array->overlap[own];
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        const struct message *message = &overlap->message[k];
        if (message->rank == overlap->rank) continue;
        bool sends = own == REDIST_SOURCE;
        int from = sends ? overlap->rank : message->rank;
        int to = sends ? message->rank : overlap->rank;
        parts[n++] = (struct ordered){step[k], from, to, number, message};
    }
    return n;
}

/* List the parts of all messages, sorted, in `parts`, which has room for them, as has
 * `step`; returns their number in *n. */
static redist_err list(const struct order *order, int narrays,
                       const struct array arrays[], redist_side own,
                       struct ordered parts[], int64_t step[], int64_t *n)
{
    *n = 0;
    for (int a = 0; a < narrays; a++) {
        TRY(order_steps(order, &arrays[a].overlap[own], step));
        *n = append(&arrays[a], a, own, step, parts, *n);
    }
    if (*n > 1) qsort(parts, (size_t)*n, sizeof *parts, by_step);
    return REDIST_OK;
}

/* Add a part to the last transfer; returns its number of axes. */
static int add_part(struct transfers *transfers, const struct array *array,
                    const struct ordered *ordered, redist_side own, struct axis *axes)
{
    const struct overlap *overlap = &array->overlap[own];
    struct transfer *transfer = &transfers->transfer[transfers->n - 1];
    struct part *part = &transfers->part[transfers->nparts++];
    *part = (struct part){
        .number = ordered->number, .at = transfer->bytes, .message = ordered->message};
    array_walk(array, own, ordered->message,
               own == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER, axes, &part->walk);
    transfer->nparts++;
    transfer->bytes += ordered->message->elements * array->sizes.element;
    return overlap->ndims;
}

/* Add a complete transfer to the totals. */
static void count(struct transfers *transfers, const struct transfer *transfer)
{
    for (int64_t k = 0; k < transfer->nparts; k++)
        transfers->elements += transfer->part[k].message->elements;
    transfers->bytes += transfer->bytes;
    transfers->largest = int_max(transfers->largest, transfer->bytes);
    if (!transfer->direct) transfers->packed += transfer->bytes;
}

/* Complete the last transfer, which has all its parts. */
static void finish(struct transfers *transfers, redist_side own, bool direct)
{
    struct transfer *transfer = &transfers->transfer[transfers->n - 1];
    transfer->direct = direct && transfer->nparts == 1 &&
                       walk_is_contiguous(&transfer->part->walk, own, &transfer->offset);
    count(transfers, transfer);
}

/* Make the transfers of the sorted parts: one for each process. */
static void gather(struct transfers *transfers, const struct array arrays[],
                   const struct ordered parts[], int64_t n, redist_side own, bool direct)
{
    struct axis *axes = transfers->axes;
    for (int64_t k = 0; k < n; k++) {
        int rank = parts[k].message->rank;
        if (k == 0 || parts[k - 1].message->rank != rank)
            transfers->transfer[transfers->n++] =
                (struct transfer){.rank = rank,
                                  .step = parts[k].step,
                                  .part = &transfers->part[transfers->nparts]};
        axes += add_part(transfers, &arrays[parts[k].number], &parts[k], own, axes);
        if (k == n - 1 || parts[k + 1].message->rank != rank)
            finish(transfers, own, direct);
    }
}

redist_err transfers_room(struct mem_account *account, int64_t n, int64_t nparts,
                          int64_t naxes, struct transfers *transfers)
{
    const struct mem_part parts[] = {MEM_PART(transfers->transfer, n),
                                     MEM_PART(transfers->part, nparts),
                                     MEM_PART(transfers->axes, naxes),
                                     {0}};
    *transfers = (struct transfers){0};
    return mem_alloc_parts(account, parts);
}

redist_err transfers_make(struct mem_account *account, const struct order *order,
                          int narrays, const struct array arrays[], redist_side own,
                          bool direct, struct transfers *transfers)
{
    int64_t n = 0, naxes = 0;
    *transfers = (struct transfers){0};
    for (int a = 0; a < narrays; a++) {
        const struct overlap *overlap = &arrays[a].overlap[own];
        n += overlap->nmessages;
        naxes += overlap->nmessages * overlap->ndims;
    }
    struct ordered *parts = NULL;
    int64_t *steps = NULL;
    TRY(mem_alloc_parts(
        NULL, (const struct mem_part[]){MEM_PART(parts, n), MEM_PART(steps, n), {0}}));
    redist_err err = transfers_room(account, n, n, naxes, transfers);
    if (!err) err = list(order, narrays, arrays, own, parts, steps, &n);
    if (!err) /* MPI is given host memory alone */
        gather(transfers, arrays, parts, n, own, direct && !memory_has_kinds());
    else
        transfers_free(transfers);
    mem_free(parts);
    return err;
}

/* For the transfers of one side: all have this process at one end. */
static int by_step_and_rank(const void *a, const void *b)
{
    const struct transfer *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

void transfers_reorder(const struct overlap *overlap, const int64_t step[],
                       struct transfers *transfers)
{
    struct transfer *transfer = transfers->transfer;
    for (int64_t k = 0; k < transfers->n; k++)
        transfer[k].step = step[transfer[k].part->message - overlap->message];
    if (transfers->n > 1)
        qsort(transfer, (size_t)transfers->n, sizeof *transfer, by_step_and_rank);
}

void transfers_append(struct transfers *transfers, const struct transfer *transfer)
{
    transfers->transfer[transfers->n++] = *transfer;
    count(transfers, transfer);
}

int *transfers_ranks(const struct transfers *transfers)
{
    int *ranks = mem_alloc(NULL, transfers->n, sizeof *ranks);
    for (int64_t k = 0; ranks && k < transfers->n; k++)
        ranks[k] = transfers->transfer[k].rank;
    return ranks;
}

void transfers_free(struct transfers *transfers)
{
    mem_free(transfers->transfer);
    *transfers = (struct transfers){0};
}

int64_t transfer_chunk(int64_t staging, int64_t grain)
{
    int64_t chunk = int_min(staging / 8, TRANSFER_PIECE);
    return int_max(chunk - chunk % grain, grain);
}

int64_t transfers_staging(const struct transfers *transfers, int64_t staging,
                          int64_t grain)
{
    int64_t piece = int_min(transfers->largest, transfer_chunk(staging, grain));
    return int_min(int_max(transfers->packed, piece), staging / 2);
}
