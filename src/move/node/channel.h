/* SPDX-License-Identifier: MIT
 *
 * move/node/channel.h - synchronize a sender and a receiver that share memory, by two
 * counters. Each counter is written by one of them alone and has a cache line of its own.
 *
 *   posted   0 1 2 3 4 5 . .     by the sender: an offer at the beginning of each run,
 *                                then its pieces
 *   taken    0 1 2 . . . . .     by the receiver: when it has finished with a post
 *
 * The sender's run ends when all its pieces are posted, or its arrays have been read, and
 * all posts of the run before have been taken. It is never more than one run ahead, and
 * short messages wait for nobody. The offer lies beside the counter, in one of two places
 * in turn. It is overwritten when the offer of two runs ago has been read. A counter is
 * stored with release and loaded with acquire: whoever loads the new count sees all that
 * was written before it.
 *
 *   offer   ARRAYS    read my arrays: taken once they have been read; or refused, if the
 *                     receiver cannot access them, and pieces follow
 *           PIECES    pieces follow
 *           NOTHING   I must not use my buffers: nothing follows
 *
 * Piece k, counted over all runs, is in slot k % nslots of a ring. It is posted after
 * piece k - nslots has been taken.
 */
#ifndef REDIST_MOVE_NODE_CHANNEL_H
#define REDIST_MOVE_NODE_CHANNEL_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHANNEL_LINE = 64 };

enum offer { OFFER_NOTHING, OFFER_PIECES, OFFER_ARRAYS };

/* Lies in the memory of the receiver. Starts zeroed. */
struct channel {
    alignas(CHANNEL_LINE) _Atomic int64_t posted;
    _Atomic double posted_at; /* time of that write, if noted (cache_distance.h) */
    enum offer offer[2];      /* of runs in turn */
    alignas(CHANNEL_LINE) _Atomic int64_t taken;
    _Atomic double taken_at;
    bool refused;
    _Atomic int64_t reports; /* reports of the distance (cache_distance.h) */
    _Atomic int core;        /* the receiver's, as last reported; 0: never */
};

/* One end of a channel, in the private memory of its process. */
struct channel_end {
    struct channel *channel;
    char *slots;
    int64_t slot, nslots; /* bytes of a slot, and how many there are */
    int64_t all;          /* pieces of the message */
    int64_t runs;         /* begun */
    int64_t base;         /* posts before the run */
    int64_t first;        /* slot of its first piece */
    int64_t before;       /* pieces of the run before it */
    int64_t pieces, done; /* of the run: all; those this end has posted or taken */
    int64_t taken;        /* at the sender: the receiver's counter as last read */
};

/* Begin a run, before which there were `base` posts. */
static inline void channel_begin(struct channel_end *end, int64_t base)
{
    end->first = (end->first + end->pieces) % end->nslots;
    end->before = end->pieces;
    end->pieces = end->done = 0;
    end->base = base;
    end->runs++;
}

/* The slot of the next piece. */
static inline char *channel_slot(const struct channel_end *end)
{
    return end->slots + (end->first + end->done) % end->nslots * end->slot;
}

/* The offer of the run. */
static inline enum offer *channel_offered(const struct channel_end *end)
{
    return &end->channel->offer[end->runs % 2];
}

static inline int64_t channel_posted(const struct channel_end *end)
{
    return atomic_load_explicit(&end->channel->posted, memory_order_acquire) - end->base;
}

/* ---- the sender's end -------------------------------------------------------------- */

static inline void channel_post(struct channel_end *end, int64_t posts)
{
    atomic_store_explicit(&end->channel->posted, end->base + posts, memory_order_release);
}

/* Begin a run. */
static inline void channel_offer(struct channel_end *end, enum offer offer)
{
    channel_begin(end, atomic_load_explicit(&end->channel->posted, memory_order_relaxed));
    end->pieces = offer == OFFER_PIECES ? end->all : 0;
    *channel_offered(end) = offer;
    channel_post(end, 1);
}

/* Read the receiver's answer. Pieces follow if it has refused the arrays; by then it may
 * have given back some that it does not need. Returns whether there is any news. */
static inline bool channel_heed(struct channel_end *end)
{
    int64_t before = end->taken;
    end->taken = atomic_load_explicit(&end->channel->taken, memory_order_acquire);
    if (end->pieces == 0 && end->taken > end->base && end->channel->refused)
        end->pieces = end->all;
    return end->taken > before;
}

/* Return the slot of the next piece; NULL if there is no free slot yet (channel_heed) or
 * no further piece. */
static inline char *channel_room(const struct channel_end *end)
{
    int64_t taken = end->taken - end->base; /* < 0: posts of the run before are left */
    int64_t late = -taken < end->before ? -taken : end->before; /* pieces of that run */
    int64_t there = end->done + (taken < 0 ? late : taken > 1 ? 1 - taken : 0);
    return end->done < end->pieces && there < end->nslots ? channel_slot(end) : NULL;
}

/* Post the piece that is in that slot. */
static inline void channel_send(struct channel_end *end)
{
    channel_post(end, 1 + ++end->done);
}

/* Tell whether the sender's run is over, as last read (channel_heed). */
static inline bool channel_is_over(const struct channel_end *end)
{
    int64_t taken = end->taken - end->base;
    if (end->pieces > 0) return end->done == end->pieces && taken >= 0;
    return taken == 1;
}

/* ---- the receiver's end ------------------------------------------------------------ */

static inline void channel_take(struct channel_end *end, int64_t posts)
{
    atomic_store_explicit(&end->channel->taken, end->base + posts, memory_order_release);
}

/* Begin a run. */
static inline void channel_listen(struct channel_end *end)
{
    channel_begin(end, atomic_load_explicit(&end->channel->taken, memory_order_relaxed));
}

/* Tell whether the run's offer has arrived; if so, copy it. */
static inline bool channel_hear(struct channel_end *end, enum offer *offer)
{
    if (channel_posted(end) < 1) return false;
    *offer = *channel_offered(end);
    if (*offer == OFFER_PIECES) end->pieces = end->all;
    return true;
}

/* Answer an offer without pieces: there is nothing to read, or the arrays have been read;
 * or refuse the arrays, so that pieces follow. */
static inline void channel_answer(struct channel_end *end, bool refused)
{
    if (refused) end->pieces = end->all;
    end->channel->refused = refused;
    channel_take(end, 1);
}

/* Return the slot of the next piece; NULL if it has not arrived or there is no further
 * piece. */
static inline const char *channel_piece(const struct channel_end *end)
{
    if (end->done == end->pieces || channel_posted(end) - 1 <= end->done) return NULL;
    return channel_slot(end);
}

/* Return all pieces that have arrived and are contiguous from the next one on, `*n` of
 * them. */
static inline const char *channel_pieces(const struct channel_end *end, int64_t *n)
{
    *n = 0;
    if (end->done == end->pieces) return NULL;
    int64_t come = channel_posted(end) - 1; /* may include posts of the next run */
    int64_t beside = end->nslots - (end->first + end->done) % end->nslots;
    come = (come < end->pieces ? come : end->pieces) - end->done;
    *n = come < beside ? come : beside;
    return channel_slot(end);
}

/* Return the slots of all pieces that are done to the sender. */
static inline void channel_give_back(struct channel_end *end)
{
    channel_take(end, 1 + end->done);
}

#endif
