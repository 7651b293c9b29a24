/* SPDX-License-Identifier: MIT
 *
 * schedule/network/netsim.h - the messages of a made schedule on their way over a
 * network: what there is of processes, messages, links and events
 * (schedule/network/model_network.c).
 */
#ifndef REDIST_SCHEDULE_NETWORK_NETSIM_H
#define REDIST_SCHEDULE_NETWORK_NETSIM_H

#include <math.h>

#include "base/ring.h"
#include "schedule/model/model.h"
#include "schedule/core/readout.h"

/* A message comes to its links, or has passed them; a process has posted what it may and
 * waits, or has looked at all that it waits for. */
enum event_kind { EVENT_COMES, EVENT_OVER, EVENT_WAITS, EVENT_LOOKED };

struct event {
    double time;
    int64_t number; /* of equal times, in the order in which they were noted */
    enum event_kind kind;
    int64_t of; /* a message, or a process */
};

/* The messages of a process, one way, in its order: own[first .. next - 1] are under way,
 * as far as they are not over. */
struct lane {
    int64_t first, next, end;
    struct ring ring; /* staging memory; of size 0: it needs none */
};

/* A process of a run. */
struct process {
    struct lane lane[SIDES];
    int64_t step;     /* the present one, if it goes by steps */
    double busy;      /* until when it posts, packs and unpacks */
    bool idle;        /* until one of its messages is over */
    double looks;     /* since when it looks at all that is left */
    int64_t at, open; /* the next one of these, and how many they are */
    bool together;    /* it looks at none any more */
    int round;        /* of status, the present one */
};

/* A message of a run, or a piece of one. */
struct sim_message {
    int64_t step;
    double bytes;
    int rank[SIDES];      /* its ends */
    int64_t begin, end;   /* it takes link[begin] .. link[end - 1] */
    double posted[SIDES]; /* negative: not yet */
    bool is_over;         /* at its target */
    double over_at;       /* if so, since when */
    bool is_sent;         /* over, as far as its source can tell */
    bool taken[SIDES];    /* its end has seen that */
    int64_t held[SIDES];  /* until where, in the ring of its end */
    double since;         /* when it was posted at both ends */
    int64_t behind;       /* the one that waits for the same since before, or -1 */
    /* if links are shared: */
    double left, rate; /* bytes, and bytes a second */
    int64_t round;     /* in which it got that rate */
};

/* A link of a run. */
struct sim_link {
    bool taken;
    int64_t waiting; /* the message that waits for it since last, or -1 */
    /* if it is shared: */
    double room, claims; /* bytes a second, and what they are shared by */
    double each;         /* for a claim */
    int64_t users;       /* the messages that claim it */
    int64_t last;        /* use of it */
    int64_t round;       /* in which it was shared last */
};

/* A message's use of a link. */
struct use {
    int64_t m, before; /* the use of that link before it, or -1 */
};

struct netsim {
    const struct schedule_input *input;
    const struct model *model;
    const struct model_going *going;
    double hop;        /* seconds of latency for each link of a way */
    int64_t n, nwords; /* messages; and behind them status, see status_messages.h */
    int nranks;
    struct process *process;         /* [nranks] */
    struct sim_message *sim_message; /* [n] in the order of all, and [nwords] */
    struct sim_link *sim_link;       /* [links of the network] */
    int64_t *own[SIDES];             /* [n] messages, one lane behind the other */
    int *link;                       /* [(n + nwords) longest way] */
    int64_t *freed;          /* [n + nwords] whose link is free again, or that are over */
    struct event *event;     /* [n + nwords + nranks] a heap, the earliest on top */
    int64_t nevents, number; /* noted so far */
    /* if links are shared: */
    int64_t nunderway, *underway; /* [n] messages */
    int64_t nactive;
    int *active;     /* [links of the network] those of these messages */
    struct use *use; /* [that of `link`] */
    int64_t round;   /* of sharing them out */
};

/* Make the netsim of messages between ranks, which are sorted by step, after `input`,
 * `model` and `going` are set: all in pieces, in the lanes of both their ends. MEMORY:
 * netsim_free all the same. */
redist_err netsim_make(const struct readout *messages, struct netsim *netsim);
void netsim_free(struct netsim *netsim);

/* The bytes of a message in staging memory. */
static inline int64_t netsim_staged(const struct netsim *netsim, int64_t m)
{
    return (int64_t)ceil(netsim->sim_message[m].bytes);
}

/* Say that one end of a message has posted it at some time: if the other has, it comes to
 * its links a latency behind the later. */
void netsim_post(struct netsim *netsim, int64_t m, int side, double now);

/* Before a run: nothing is posted, and all links are free. */
void netsim_start_over(struct netsim *netsim);

/* Note an event; take the earliest. */
void netsim_push(struct netsim *netsim, double time, enum event_kind kind, int64_t of);
struct event netsim_pop(struct netsim *netsim);

#endif
