/* SPDX-License-Identifier: MIT
 *
 * move/shared/shm_peers.h - the messages that go to and come from processes of the same
 * node, each with a channel (channel.h) and a ring of slots in the memory of its
 * receiver. What cannot have them is left to the network.
 */
#ifndef REDIST_MOVE_SHARED_SHM_PEERS_H
#define REDIST_MOVE_SHARED_SHM_PEERS_H

#include "base/lengths.h"
#include "move/node/channel.h"
#include "move/node/cache_distance.h"
#include "move/message/exchange.h"
#include "move/p2p/pipeline.h"
#include "move/node/node.h"
#include "move/node/status_flag.h"
#include "move/node/rings.h"
#include "move/node/segments.h"
#include "move/shared/source_window.h"

/* A message to another process of the node. */
struct outgoing {
    struct transfer transfer;
    struct channel_end end;
    struct cache_distance distance; /* far: it is written past the cache */
    bool over;
};

/* How a part of a message is read, should the sender's array be in reach. */
struct direct_read {
    const char *array;  /* where that begins */
    struct walk walk;   /* from there to the own one */
    struct listed list; /* of the sender's array, if the walk goes by lists */
};

/* A message from one. */
struct incoming {
    struct transfer transfer; /* with parts of its own */
    struct channel_end end;
    const struct source_window
        *window;       /* pieces are stretches of the source; NULL: packed */
    bool timed, helps; /* the sender learns how far it is (cache_distance.h); is helped */
    enum { LISTENING, READING, UNPACKING, OVER } state;
    const struct segment_place *place; /* [narrays] of the sender's arrays, if offered */
    struct direct_read *direct;        /* [transfer.nparts] */
    int64_t read;                      /* of them */
};

/* Before a post: note when it is, for the receiver to judge its look by. */
static inline void outgoing_note(struct outgoing *outgoing, int64_t run)
{
    if (outgoing->distance.helped &&
        cache_distance_is_timed(run, outgoing->transfer.bytes))
        cache_distance_note(&outgoing->end.channel->posted_at);
}

/* As channel_offer and channel_send. */
static inline void outgoing_offer(struct outgoing *outgoing, enum offer offer)
{
    outgoing_note(outgoing, outgoing->end.runs + 1);
    channel_offer(&outgoing->end, offer);
}

static inline void outgoing_send(struct outgoing *outgoing)
{
    outgoing_note(outgoing, outgoing->end.runs);
    channel_send(&outgoing->end);
}

/* Whether senders learn from this run. */
static inline bool incoming_is_timed(const struct incoming *incoming)
{
    return incoming->timed &&
           cache_distance_is_timed(incoming->end.runs, incoming->transfer.bytes);
}

/* As channel_hear, channel_piece and channel_give_back. */
static inline bool incoming_hear(struct incoming *incoming, enum offer *offer)
{
    bool timed = incoming->helps && incoming_is_timed(incoming);
    double begin = timed ? cache_distance_now() : 0;
    bool news = channel_hear(&incoming->end, offer);
    if (timed) cache_distance_tell(begin, news, incoming->end.channel);
    return news;
}

static inline const char *incoming_piece(struct incoming *incoming)
{
    bool timed = incoming->helps && incoming_is_timed(incoming);
    double begin = timed ? cache_distance_now() : 0;
    const char *piece = channel_piece(&incoming->end);
    if (timed) cache_distance_tell(begin, piece, incoming->end.channel);
    return piece;
}

static inline void incoming_give_back(struct incoming *incoming)
{
    if (incoming_is_timed(incoming))
        cache_distance_note(&incoming->end.channel->taken_at);
    channel_give_back(&incoming->end);
}

/* A process of the node that sends nothing here. */
struct silent_peer {
    int rank; /* in the move's communicator */
    const struct status_flag *flag;
};

/* Bytes of a long message: such may go past the cache. */
enum { SHM_LONG = LENGTH(4 << 10, 64) };

struct shm_peers {
    struct node node;
    struct shared shared;       /* everybody's channels and rings */
    struct plan_cache *cache;   /* where both come from and go to; NULL: they are made */
    struct plan_cache_part own; /* then */
    int64_t noutgoing, nincoming;
    struct outgoing *outgoing;   /* [noutgoing] in the order of the steps */
    struct incoming *incoming;   /* [nincoming] */
    struct part *part;           /* of all incoming */
    struct direct_read *direct;  /* the same */
    struct axis *axes;           /* room for the walks of those */
    struct segment_place *place; /* [narrays] of the own arrays, for the others to see */
    bool uses_flags; /* all processes of the plan live here and hold something: each tells
                        the others by its status flag whether it is mute */
    int64_t nsilent;
    struct silent_peer *silent; /* [nsilent] none unless uses_flags */
    struct status_flag *flag;   /* the own one */
    bool by_window;             /* all sources are shown as they lie (source_window.h) */
    const struct source_window *window; /* the own one */
    struct move far;                    /* all the other messages */
    struct mem_account *plan_account, *staging_account;
    int64_t shown, rings; /* bytes of it that are used, charged to these two */
};

/* Whether a message is so long that to learn how far it goes pays. */
static inline bool shm_peers_learn(const struct shm_peers *peers, int64_t bytes)
{
    return bytes >= (peers->node.sharing > 1 ? CACHE_TIMED_LONG : SHM_LONG);
}

/* Count what a run asks of a machine (effort.h); what is left over goes as `policy` has
 * it. Pure. */
bool shm_effort(const struct load *load, const struct pipeline_policy *policy,
                struct effort *effort);

/* Find the peers and connect with them. The staging memory is shared with the
 * messages that are left over.
 * Collective over the plan's processes. MEMORY, MPI. */
redist_err shm_peers_make(const struct move *move, struct shm_peers *peers);

/* Collective over the plan's processes. */
void shm_peers_free(struct shm_peers *peers);

#endif
