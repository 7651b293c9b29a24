/* SPDX-License-Identifier: MIT */
#include "move/message/stage.h"

#include <stdalign.h>
#include <string.h>

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/kernel/stream.h"

enum { BATCH = LENGTH(32 << 10, 1 << 10) /* bytes that stay in the cache */ };

/* Find the bytes of a part within bytes at .. at + n - 1 of its message; set the walk
 * before the first of them. */
static int64_t enter(const struct move *move, struct part *part, int64_t at, int64_t n)
{
    part->walk.memory = move->memory;
    int64_t from = at - part->at, all = part->walk.total * part->walk.grain;
    if (from >= all) return 0;
    walk_seek(&part->walk, from / part->walk.grain);
    return int_min(n, all - from);
}

void stage_queue_pack(const struct move *move, struct transfer *transfer, int64_t at,
                      int64_t n, char *staging)
{
    if (move->buffers_invalid) {
        memset(staging, 0, (size_t)n);
        return;
    }
    for (struct part *part = transfer->part; n > 0; part++) {
        int64_t bytes = enter(move, part, at, n);
        walk_move(&part->walk, WAY_GATHER, move->sources[part->number], staging,
                  bytes / move->grain);
        at += bytes, n -= bytes, staging += bytes;
    }
}

/* Tell whether most lines of n bytes can be written directly from the array. */
static bool goes_straight(const struct transfer *transfer, int64_t n)
{
    const struct walk *walk = &transfer->part->walk;
    return transfer->nparts == 1 && !walk_is_listed(walk) &&
           (walk_mean_run(walk) >= STAGE_LONG_RUN ||
            walk_packs_periodic(walk, n / walk->grain));
}

void stage_pack_past(const struct move *move, struct transfer *transfer, int64_t at,
                     int64_t n, char *staging)
{
    alignas(STREAM_LINE) char batch[BATCH];
    int64_t most = BATCH - BATCH % (STREAM_LINE * move->grain);
    const bool host = memory_is_host(move->memory),
               straight = host && goes_straight(transfer, n);
    if (!host || straight || most == 0 || !stream_aligned(staging)) {
        transfer->part->walk.stream = straight;
        stage_queue_pack(move, transfer, at, n, staging);
        transfer->part->walk.stream = false;
        return;
    }
    for (int64_t bytes; n > 0 && !move->buffers_invalid;
         at += bytes, n -= bytes, staging += bytes) {
        int64_t k = 0;
        bytes = int_min(n, most);
        stage_queue_pack(move, transfer, at, bytes, batch);
        for (; k + STREAM_LINE <= bytes; k += STREAM_LINE)
            stream_line(staging + k, batch + k);
        memcpy(staging + k, batch + k, (size_t)(bytes - k));
    }
    stream_fence();
}

void stage_queue_unpack(const struct move *move, struct transfer *transfer, int64_t at,
                        int64_t n, const char *staging)
{
    if (move->buffers_invalid) return;
    for (struct part *part = transfer->part; n > 0; part++) {
        int64_t bytes = enter(move, part, at, n);
        walk_combine(&part->walk, WAY_SCATTER, move->combine, staging,
                     move->targets[part->number], bytes / move->grain);
        at += bytes, n -= bytes, staging += bytes;
    }
}

/* An error is kept by the memory, until the run's end. */
bool stage_fence(const struct move *move)
{
    return move->buffers_invalid || !memory_fence(move->memory);
}

void stage_kept(const struct move *move)
{
    for (int k = 0; k < move->narrays; k++) {
        struct walk *kept = &move->array[k].kept;
        kept->memory = move->memory;
        walk_seek(kept, 0);
        walk_combine(kept, WAY_COPY, move->combine, move->sources[k], move->targets[k],
                     kept->total);
    }
}

void stage_order(const struct move *move)
{
    if (move->narrays == 0 || move->combine || !memory_is_host(move->memory)) return;
    for (int k = 0; k < move->narrays; k++) {
        const struct array *array = &move->array[k];
        const struct blocked_scatter *scatter = array->listing[REDIST_TARGET].scatter;
        if (scatter) blocked_scatter_order(scatter, array->sizes.grain, move->targets[k]);
    }
}

char *stage_direct(const struct move *move, redist_side side,
                   const struct transfer *transfer)
{
    int number = transfer->part->number;
    const void *buffer =
        side == REDIST_SOURCE ? move->sources[number] : move->targets[number];
    return (char *)(uintptr_t)buffer + transfer->offset;
}
