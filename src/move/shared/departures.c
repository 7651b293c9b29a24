/* SPDX-License-Identifier: MIT */
#include "move/shared/departures.h"

#include "base/intmath.h"
#include "move/shared/pace.h"
#include "move/message/stage.h"

/* Returns whether the outlet is over now. */
static bool close_outlet(struct outlet *outlet, int64_t *open)
{
    outlet->over = channel_is_over(&outlet->end);
    *open -= outlet->over;
    return outlet->over;
}

/* Take in what the receiver has answered, and pack the next piece if it has room and is
 * not ahead. Returns whether anything was done. */
static bool send_piece(const struct move *move, double pace, struct outlet *outlet,
                       int64_t *open)
{
    struct channel_end *end = &outlet->end;
    if (outlet->over) return false;
    distance_heed(&outlet->distance, end, outlet->transfer.bytes);
    char *slot = channel_room(end);
    if (!slot) return close_outlet(outlet, open);
    if (pace_of(end->done, end->pieces) > pace) return false;
    int64_t at = end->done * end->slot;
    int64_t bytes = int_min(end->slot, outlet->transfer.bytes - at);
    bool past = distance_is_far(&outlet->distance) && !distance_is_none(end->channel);
    (past ? stage_pack_past : stage_pack)(move, &outlet->transfer, at, bytes, slot);
    outlet_send(outlet);
    return true;
}

/* Count the pieces for which there is room. */
static int64_t count_room(struct channel_end end)
{
    int64_t n = 0;
    for (; channel_room(&end); n++) end.done++;
    return n;
}

/* Take in what all have answered, and copy the stretches for which all have room, past
 * the cache if any of them is far. If some could not reach the arrays that they were
 * offered, that is when the others have read theirs. Returns whether anything was done.
 */
static bool send_stretches(const struct move *move, struct neighbors *neighbors,
                           int64_t *open)
{
    bool moved = false, past = false;
    int64_t room = INT64_MAX;
    const struct channel_end *any = NULL;
    for (int64_t k = 0; k < neighbors->noutlets; k++) {
        struct outlet *outlet = &neighbors->outlet[k];
        if (outlet->over) continue;
        distance_heed(&outlet->distance, &outlet->end, outlet->transfer.bytes);
        past = past || distance_is_far(&outlet->distance);
        if (close_outlet(outlet, open)) {
            moved = true;
            continue;
        }
        room = int_min(room, count_room(outlet->end));
        any = &outlet->end;
    }
    for (; any && room > 0; room--) {
        slide_copy(neighbors->slide, any->done, past, move->sources[0],
                   channel_slot(any));
        for (int64_t k = 0; k < neighbors->noutlets; k++)
            if (!neighbors->outlet[k].over) channel_send(&neighbors->outlet[k].end);
        moved = true;
    }
    return moved;
}

bool departures_send(const struct move *move, struct neighbors *neighbors, double pace,
                     int64_t *open)
{
    if (neighbors->sliding) return send_stretches(move, neighbors, open);
    bool moved = false;
    for (int64_t k = 0; k < neighbors->noutlets; k++)
        moved = send_piece(move, pace, &neighbors->outlet[k], open) || moved;
    return moved;
}
