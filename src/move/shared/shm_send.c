/* SPDX-License-Identifier: MIT */
#include "move/shared/shm_send.h"

#include "base/intmath.h"
#include "move/message/stage.h"
#include "move/shared/throttle.h"

/* Close a message if it is done. Returns whether it is. */
static bool close_outgoing(struct outgoing *outgoing, int64_t *open)
{
    outgoing->over = channel_is_over(&outgoing->end);
    *open -= outgoing->over;
    return outgoing->over;
}

/* Read the receiver's answer, and pack the next piece if there is room and it is not
 * ahead of `limit`: it is then due to be sent. Returns whether anything was done. */
static bool pack_piece(const struct move *move, double limit, struct outgoing *outgoing,
                       int64_t *open)
{
    struct channel_end *end = &outgoing->end;
    if (outgoing->over) return false;
    cache_distance_heed(&outgoing->distance, end, outgoing->transfer.bytes);
    char *slot = channel_room(end);
    if (!slot) return close_outgoing(outgoing, open);
    if (fraction_of(end->done, end->pieces) > limit) return false;
    int64_t at = end->done * end->slot;
    int64_t bytes = int_min(end->slot, outgoing->transfer.bytes - at);
    bool past = cache_is_remote(&outgoing->distance) && !cache_is_own(end->channel);
    (past ? stage_pack_past : stage_queue_pack)(move, &outgoing->transfer, at, bytes,
                                                slot);
    outgoing->due = true;
    return true;
}

/* Send the pieces that are packed. */
static void send_due(const struct move *move, struct outgoing outgoing[], int64_t n)
{
    (void)stage_fence(move);
    for (int64_t k = 0; k < n; k++) {
        if (outgoing[k].due) outgoing_send(&outgoing[k]);
        outgoing[k].due = false;
    }
}

/* Count the pieces for which there is room. */
static int64_t count_room(struct channel_end end)
{
    int64_t n = 0;
    for (; channel_room(&end); n++) end.done++;
    return n;
}

/* Read all answers, and copy the parts of the source for which all receivers have room,
 * past the cache if any of them is remote. If some could not access the offered arrays,
 * this happens when the others have read theirs. Returns whether anything was done. */
static bool send_stretches(const struct move *move, struct shm_peers *peers,
                           int64_t *open)
{
    bool moved = false, past = false;
    int64_t room = INT64_MAX;
    const struct channel_end *any = NULL;
    for (int64_t k = 0; k < peers->noutgoing; k++) {
        struct outgoing *outgoing = &peers->outgoing[k];
        if (outgoing->over) continue;
        cache_distance_heed(&outgoing->distance, &outgoing->end,
                            outgoing->transfer.bytes);
        past = past || cache_is_remote(&outgoing->distance);
        if (close_outgoing(outgoing, open)) {
            moved = true;
            continue;
        }
        room = int_min(room, count_room(outgoing->end));
        any = &outgoing->end;
    }
    for (; any && room > 0; room--) {
        source_window_copy(peers->window, any->done, past, move, channel_slot(any));
        (void)stage_fence(move);
        for (int64_t k = 0; k < peers->noutgoing; k++)
            if (!peers->outgoing[k].over) channel_send(&peers->outgoing[k].end);
        moved = true;
    }
    return moved;
}

bool shm_send_pieces(const struct move *move, struct shm_peers *peers, double limit,
                     int64_t *open)
{
    if (peers->by_window) return send_stretches(move, peers, open);
    bool moved = false, queues = memory_queues(move->memory);
    for (int64_t k = 0; k < peers->noutgoing; k++) {
        struct outgoing *outgoing = &peers->outgoing[k];
        moved = pack_piece(move, limit, outgoing, open) || moved;
        if (!queues && outgoing->due) send_due(move, outgoing, 1);
    }
    if (queues && moved) send_due(move, peers->outgoing, peers->noutgoing);
    return moved;
}
