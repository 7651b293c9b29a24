/* SPDX-License-Identifier: MIT
 *
 * move/channel.h - how a sender and a receiver that share memory keep in step: two
 * counters, each written by one of them alone, on a cache line of its own.
 *
 *   posted   0 1 2 3 4 5 . .     by the sender: an offer at the beginning of each run,
 *                                then its pieces
 *   taken    0 1 2 . . . . .     by the receiver: as soon as it is done with a post
 *
 * Between runs all that was posted has been taken, which both ends know: the sender's run
 * ends no earlier. So the offer, which lies beside the counter and not in it, is written
 * while the receiver does not read it. What is written before a counter is stored is seen
 * by whoever has loaded the new count: release and acquire.
 *
 *   offer   ARRAYS    come and read my arrays: taken once they have been read; or
 *                     refused, as the receiver cannot reach them, and pieces follow
 *           PIECES    they follow
 *           NOTHING   I must not use my buffers: nothing follows
 *
 * Piece k is in slot k % nslots of a ring, and is posted when piece k - nslots is taken.
 */
#ifndef REDIST_MOVE_CHANNEL_H
#define REDIST_MOVE_CHANNEL_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHANNEL_LINE = 64 };

enum offer { OFFER_NOTHING, OFFER_PIECES, OFFER_ARRAYS };

/* In the memory of the receiver. Starts zeroed. */
struct channel {
    alignas(CHANNEL_LINE) _Atomic int64_t posted;
    enum offer offer;
    int64_t slot; /* bytes; the receiver's choice, before the first run */
    alignas(CHANNEL_LINE) _Atomic int64_t taken;
    bool refused;
};

/* One end of a channel, in the private memory of its process. */
struct channel_end {
    struct channel *channel;
    char *slots;
    int64_t slot, nslots; /* bytes of a slot, and how many there are */
    int64_t all;          /* pieces of the message */
    int64_t base;         /* posts before the run */
    int64_t pieces, done; /* in the run; of them, those this end has posted or taken */
};

static inline int64_t channel_posted(const struct channel_end *end)
{
    return atomic_load_explicit(&end->channel->posted, memory_order_acquire) - end->base;
}

static inline int64_t channel_taken(const struct channel_end *end)
{
    return atomic_load_explicit(&end->channel->taken, memory_order_acquire) - end->base;
}

/* ---- the sender's end -------------------------------------------------------------- */

static inline void channel_post(struct channel_end *end, int64_t posts)
{
    atomic_store_explicit(&end->channel->posted, end->base + posts, memory_order_release);
}

/* Begin a run. */
static inline void channel_offer(struct channel_end *end, enum offer offer)
{
    end->base = atomic_load_explicit(&end->channel->posted, memory_order_relaxed);
    end->pieces = offer == OFFER_PIECES ? end->all : 0;
    end->done = 0;
    end->channel->offer = offer;
    channel_post(end, 1);
}

/* See whether the arrays that were offered are out of the receiver's reach: then pieces
 * follow after all. */
static inline void channel_heed(struct channel_end *end)
{
    if (end->pieces == 0 && channel_taken(end) == 1 && end->channel->refused)
        end->pieces = end->all;
}

/* The slot of the next piece, NULL if there is none now or no such piece. */
static inline char *channel_room(const struct channel_end *end)
{
    int64_t taken = channel_taken(end) - 1; /* pieces; -1 until the offer is taken */
    if (end->done == end->pieces || end->done - (taken < 0 ? 0 : taken) >= end->nslots)
        return NULL;
    return end->slots + end->done % end->nslots * end->slot;
}

/* Post the piece that is in that slot. */
static inline void channel_send(struct channel_end *end)
{
    channel_post(end, 1 + ++end->done);
}

/* Whether all that was posted in the run, and is to be, has been taken. Arrays may have
 * been refused since channel_heed looked: then it has not. */
static inline bool channel_is_drained(const struct channel_end *end)
{
    if (channel_taken(end) < 1 + end->pieces) return false;
    return end->pieces > 0 || !end->channel->refused;
}

/* ---- the receiver's end ------------------------------------------------------------ */

static inline void channel_take(struct channel_end *end, int64_t posts)
{
    atomic_store_explicit(&end->channel->taken, end->base + posts, memory_order_release);
}

/* Begin a run. */
static inline void channel_listen(struct channel_end *end)
{
    end->base = atomic_load_explicit(&end->channel->taken, memory_order_relaxed);
    end->pieces = end->done = 0;
}

/* Whether the run's offer is there; if so it is copied. */
static inline bool channel_hear(struct channel_end *end, enum offer *offer)
{
    if (channel_posted(end) < 1) return false;
    *offer = end->channel->offer;
    if (*offer == OFFER_PIECES) end->pieces = end->all;
    return true;
}

/* Answer an offer of no pieces: there is nothing, or the arrays have been read; or they
 * are refused, and pieces follow. */
static inline void channel_answer(struct channel_end *end, bool refused)
{
    if (refused) end->pieces = end->all;
    end->channel->refused = refused;
    channel_take(end, 1);
}

/* The slot of the next piece, NULL if it has not come yet or there is no such piece. */
static inline const char *channel_piece(const struct channel_end *end)
{
    if (end->done == end->pieces || channel_posted(end) - 1 <= end->done) return NULL;
    return end->slots + end->done % end->nslots * end->slot;
}

/* All pieces that have come and lie side by side from that one on, `*n` of them. */
static inline const char *channel_pieces(const struct channel_end *end, int64_t *n)
{
    int64_t before = end->done % end->nslots;
    *n = 0;
    if (end->done == end->pieces) return NULL;
    int64_t come = channel_posted(end) - 1 - end->done;
    *n = come < end->nslots - before ? come : end->nslots - before;
    return end->slots + before * end->slot;
}

/* Give the slot of that piece back. */
static inline void channel_release(struct channel_end *end)
{
    channel_take(end, 1 + ++end->done);
}

#endif
