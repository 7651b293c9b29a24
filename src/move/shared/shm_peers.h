/* SPDX-License-Identifier: MIT
 *
 * move/shared/shm_peers.h - the messages to and from processes of the same node. Each has
 * a channel (channel.h) and a ring of slots in the memory of its receiver. All other
 * messages go by point-to-point messages of MPI.
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
    struct cache_distance distance; /* remote: write past the cache */
    bool due; /* its next piece is packed, or being packed, but not sent */
    bool over;
};

/* Where an array lies, for the other processes of the node. */
struct shown_place {
    enum { SHOWN_NOWHERE, SHOWN_IN_SEGMENT, SHOWN_IN_KIND } where;
    union {
        struct segment_place segment; /* of redist_alloc */
        struct memory_place place;    /* in memory of another kind than the host's */
    };
};

/* How a part of a message is read directly from the sender's array, if accessible. */
struct direct_read {
    const char *array;  /* its address here */
    struct walk walk;   /* from there to the own array */
    struct listed list; /* of the sender's array, if the walk has lists */
};

/* A message from another process of the node. */
struct incoming {
    struct transfer transfer; /* its parts are copies of its own */
    struct channel_end end;
    const struct source_window
        *window;       /* pieces are parts of the source as it is; NULL: packed */
    bool timed, helps; /* the sender measures the distance (cache_distance.h); this
                          receiver does, too */
    enum { LISTENING, READING, UNPACKING, OVER } state;
    const struct shown_place *place; /* [narrays] of the sender's arrays, if offered */
    struct direct_read *direct;      /* [transfer.nparts] */
    int64_t read;                    /* how many of them are done */
};

/* Note the time before a post, by which the receiver judges its read. */
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

/* Tell whether senders measure in this run. */
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

/* A process of the node that sends nothing to this one. */
struct silent_peer {
    int rank; /* in the move's communicator */
    const struct status_flag *flag;
};

/* Bytes of a long message, which may be written past the cache. */
enum { SHM_LONG = LENGTH(4 << 10, 64) };

struct shm_peers {
    struct node node;
    struct shared shared;       /* channels and rings of all */
    struct plan_cache_part own; /* part of the shared memory, if cached */
    int64_t noutgoing, nincoming;
    struct outgoing *outgoing;  /* [noutgoing] in the order of the steps */
    struct incoming *incoming;  /* [nincoming] */
    struct part *part;          /* of all incoming */
    struct direct_read *direct; /* of all incoming */
    struct axis *axes;          /* room for their walks */
    struct shown_place *place;  /* [narrays] of the own arrays, for others to read */
    bool uses_flags; /* all processes of the plan are here and hold elements: each tells
                        the others by its status flag whether its buffers are invalid */
    int64_t nsilent;
    struct silent_peer *silent; /* [nsilent] none unless uses_flags */
    struct status_flag *flag;   /* the own one */
    bool by_window;             /* all sources are shown in windows (source_window.h) */
    const struct source_window *window; /* the own one */
    struct move far;      /* all other messages; its plan cache provides node
                                           and memory, if there is one */
    int64_t shown, rings; /* bytes of shared memory in use, charged to these two
                             accounts */
};

/* Tell whether a message is long enough for measuring its distance to pay. */
static inline bool shm_peers_learn(const struct shm_peers *peers, int64_t bytes)
{
    return bytes >= (peers->node.sharing > 1 ? CACHE_TIMED_LONG : SHM_LONG);
}

/* Count what a run asks of a machine (load.h). Other messages go by `policy`. Pure. */
bool shm_effort(const struct load *load, const struct pipeline_policy *policy,
                struct effort *effort);

/* Find the peers and connect to them. They share the staging memory with all other
 * messages.
 * Collective over the plan's processes. MEMORY, MPI. */
redist_err shm_peers_make(const struct move *move, struct shm_peers *peers);

/* Collective over the plan's processes. */
void shm_peers_free(struct shm_peers *peers);

#endif
