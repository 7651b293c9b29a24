/* SPDX-License-Identifier: MIT
 *
 * move/shared/neighbors.h - the messages that go to and come from processes of the same
 * node, each with a channel (channel.h) and a ring of slots in the memory of its
 * receiver. What cannot have them is left to the network.
 */
#ifndef REDIST_MOVE_SHARED_NEIGHBORS_H
#define REDIST_MOVE_SHARED_NEIGHBORS_H

#include "base/lengths.h"
#include "move/node/channel.h"
#include "move/node/distance.h"
#include "move/message/exchange.h"
#include "move/p2p/lanes.h"
#include "move/node/node.h"
#include "move/node/notice.h"
#include "move/node/rings.h"
#include "move/node/segments.h"
#include "move/shared/slide.h"

/* A message to another process of the node. */
struct outlet {
    struct transfer transfer;
    struct channel_end end;
    struct distance distance; /* far: it is written past the cache */
    bool over;
};

/* How a part of a message is read, should the sender's array be in reach. */
struct reach {
    const char *array;  /* where that begins */
    struct walk walk;   /* from there to the own one */
    struct listed list; /* of the sender's array, if the walk goes by lists */
};

/* A message from one. */
struct inlet {
    struct transfer transfer; /* with parts of its own */
    struct channel_end end;
    const struct slide *slide; /* pieces are stretches of the source; NULL: packed */
    bool timed, tells; /* the sender learns how far it is (distance.h); is helped */
    enum { LISTENING, READING, UNPACKING, OVER } state;
    const struct segment_place *place; /* [narrays] of the sender's arrays, if offered */
    struct reach *reach;               /* [transfer.nparts] */
    int64_t read;                      /* of them */
};

/* Before a post: note when it is, for the receiver to judge its look by. */
static inline void outlet_note(struct outlet *outlet, int64_t run)
{
    if (outlet->distance.helped && distance_is_timed(run, outlet->transfer.bytes))
        distance_note(&outlet->end.channel->posted_at);
}

/* As channel_offer and channel_send. */
static inline void outlet_offer(struct outlet *outlet, enum offer offer)
{
    outlet_note(outlet, outlet->end.runs + 1);
    channel_offer(&outlet->end, offer);
}

static inline void outlet_send(struct outlet *outlet)
{
    outlet_note(outlet, outlet->end.runs);
    channel_send(&outlet->end);
}

/* Whether senders learn from this run. */
static inline bool inlet_is_timed(const struct inlet *inlet)
{
    return inlet->timed && distance_is_timed(inlet->end.runs, inlet->transfer.bytes);
}

/* As channel_hear, channel_piece and channel_give_back. */
static inline bool inlet_hear(struct inlet *inlet, enum offer *offer)
{
    bool timed = inlet->tells && inlet_is_timed(inlet);
    double begin = timed ? distance_now() : 0;
    bool news = channel_hear(&inlet->end, offer);
    if (timed) distance_tell(begin, news, inlet->end.channel);
    return news;
}

static inline const char *inlet_piece(struct inlet *inlet)
{
    bool timed = inlet->tells && inlet_is_timed(inlet);
    double begin = timed ? distance_now() : 0;
    const char *piece = channel_piece(&inlet->end);
    if (timed) distance_tell(begin, piece, inlet->end.channel);
    return piece;
}

static inline void inlet_give_back(struct inlet *inlet)
{
    if (inlet_is_timed(inlet)) distance_note(&inlet->end.channel->taken_at);
    channel_give_back(&inlet->end);
}

/* A process of the node that sends nothing here. */
struct stranger {
    int rank; /* in the move's communicator */
    const struct notice *notice;
};

/* Bytes of a long message: such may go past the cache. */
enum { NEIGHBORS_LONG = LENGTH(4 << 10, 64) };

struct neighbors {
    struct node node;
    struct shared shared;  /* everybody's channels and rings */
    struct spare *spare;   /* where both come from and go to; NULL: they are made */
    struct spare_part own; /* then */
    int64_t noutlets, ninlets;
    struct outlet *outlet;       /* [noutlets] in the order of the steps */
    struct inlet *inlet;         /* [ninlets] */
    struct part *part;           /* of all inlets */
    struct reach *reach;         /* the same */
    struct axis *axes;           /* room for the walks of those */
    struct segment_place *place; /* [narrays] of the own arrays, for the others to see */
    bool acquainted; /* all processes of the plan live here and hold something: each tells
                        the others by its notice whether it is mute */
    int64_t nstrangers;
    struct stranger *stranger; /* [nstrangers] none unless acquainted */
    struct notice *notice;     /* the own one */
    bool sliding;              /* all sources are shown as they lie (slide.h) */
    const struct slide *slide; /* the own one */
    struct move far;           /* all the other messages */
    struct mem_account *plan_account, *staging_account;
    int64_t shown, rings; /* bytes of it that are used, charged to these two */
};

/* Whether a message is so long that to learn how far it goes pays. */
static inline bool neighbors_learn(const struct neighbors *neighbors, int64_t bytes)
{
    return bytes >= (neighbors->node.sharing > 1 ? DISTANCE_LONG : NEIGHBORS_LONG);
}

/* Count what a run asks of a machine (effort.h); what is left over goes as `policy` has
 * it. Pure. */
bool neighbors_effort(const struct load *load, const struct lanes_policy *policy,
                      struct effort *effort);

/* Find the neighbors and connect with them. The staging memory is shared with the
 * messages that are left over.
 * Collective over the plan's processes. MEMORY, MPI. */
redist_err neighbors_make(const struct move *move, struct neighbors *neighbors);

/* Collective over the plan's processes. */
void neighbors_free(struct neighbors *neighbors);

#endif
