/* SPDX-License-Identifier: MIT
 *
 * schedule/network/netsim.h - a discrete-event simulation of the messages of a schedule
 * on a network: its processes, messages, links and events. The interface between its
 * files:
 *
 *   model_network.c     what processes and links do; the runs
 *   netsim.c            making all of it, and the events
 *   shares.c            links that share their bandwidth among all messages on them
 *   status_messages.c   the messages of the vote
 */
#ifndef REDIST_SCHEDULE_NETWORK_NETSIM_H
#define REDIST_SCHEDULE_NETWORK_NETSIM_H

#include <math.h>

#include "base/ring.h"
#include "schedule/model/model.h"
#include "schedule/core/readout.h"

/* A message reaches its links, or has passed them; a process has posted what it may and
 * waits, or has tested all that it waits for. */
enum event_kind { EVENT_COMES, EVENT_OVER, EVENT_WAITS, EVENT_LOOKED };

struct event {
    double time;
    int64_t number; /* orders events of equal time as they were added */
    enum event_kind kind;
    int64_t of; /* a message, or a process */
};

/* The messages of a process in one direction, in order: own[first .. next - 1] have been
 * posted, and may be complete. */
struct lane {
    int64_t first, next, end;
    struct ring ring; /* staging memory; size 0: none needed */
};

/* A simulated process. */
struct process {
    struct lane lane[SIDES];
    int64_t step;     /* the current one, if it goes by steps */
    double busy;      /* end of its current posting, packing or unpacking */
    bool idle;        /* waits for one of its messages */
    double looks;     /* begin of its current test of all remaining messages */
    int64_t at, open; /* the next message to test, and how many there are */
    bool together;    /* it tests none any more */
    int round;        /* of the vote, the current one */
};

/* A simulated message, or a piece of one. */
struct sim_message {
    int64_t step;
    double bytes;
    int rank[SIDES];      /* its ends */
    int64_t begin, end;   /* its links are link[begin] .. link[end - 1] */
    double posted[SIDES]; /* times; negative: not yet */
    bool is_over;         /* complete at its target */
    double over_at;       /* the time of completion */
    bool is_sent;         /* complete for its source */
    bool taken[SIDES];    /* this end has noticed */
    int64_t held[SIDES];  /* its end in the ring of that process */
    double since;         /* time when both ends had posted it */
    int64_t behind;       /* the previous message waiting for the same link, or -1 */
    /* shared links: */
    double left, rate; /* bytes left, and bytes a second */
    int64_t round;     /* of sharing in which it got that rate */
};

/* A simulated link. */
struct sim_link {
    bool taken;
    int64_t waiting; /* the last message waiting for it, or -1 */
    /* shared links: */
    double room, claims; /* bytes a second left, and the claims on them */
    double each;         /* bytes a second for a claim */
    int64_t users;       /* messages that claim it */
    int64_t last;        /* its last use */
    int64_t round;       /* in which it was last shared */
};

/* A message's use of a link. */
struct use {
    int64_t m, before; /* the previous use of that link, or -1 */
};

struct netsim {
    const struct schedule_input *input;
    const struct model *model;
    const struct model_going *going;
    double hop;        /* seconds of latency for each link of a route */
    int64_t n, nwords; /* messages; after them those of the vote */
    int nranks;
    struct process *process;         /* [nranks] */
    struct sim_message *sim_message; /* [n] in the order of all, then [nwords] */
    struct sim_link *sim_link;       /* [links of the network] */
    int64_t *own[SIDES];             /* [n] messages, one lane after the other */
    int *link;                       /* [(n + nwords) longest route] */
    int64_t *freed;          /* [n + nwords] whose link was freed, or that are complete */
    struct event *event;     /* [n + nwords + nranks] a heap, the earliest first */
    int64_t nevents, number; /* added so far */
    /* shared links: */
    int64_t nunderway, *underway; /* [n] messages on their links */
    int64_t nactive;
    int *active;     /* [links of the network] those that they use */
    struct use *use; /* [as `link`] */
    int64_t round;   /* of sharing */
};

/* Make the simulation of messages between ranks, sorted by step, after `input`, `model`
 * and `going` are set. Messages are cut into pieces and put into the lanes of both ends.
 * MEMORY: call netsim_free all the same. */
redist_err netsim_make(const struct readout *messages, struct netsim *netsim);
void netsim_free(struct netsim *netsim);

/* Return the bytes of a message in staging memory. */
static inline int64_t netsim_staged(const struct netsim *netsim, int64_t m)
{
    return (int64_t)ceil(netsim->sim_message[m].bytes);
}

/* Post a message at one end. If the other end has posted it, it reaches its links a
 * latency after the later post. */
void netsim_post(struct netsim *netsim, int64_t m, int side, double now);

/* Reset before a run: nothing is posted, all links are free. */
void netsim_start_over(struct netsim *netsim);

/* Add an event; remove the earliest. */
void netsim_push(struct netsim *netsim, double time, enum event_kind kind, int64_t of);
struct event netsim_pop(struct netsim *netsim);

/* Share the links among the messages in progress, and find their rates. Messages on the
 * narrowest link share its bandwidth, then those on the next one share what is left.
 * O(their links x rounds). */
void shares_divide(struct netsim *netsim);

/* ---- the vote ---------------------------------------------------------------------- */

/* The messages of the vote (plan/comm/vote.h). Each process reports to all without a
 * message from it; or by rounds, so that in the end each has heard of all:
 *
 *   round   0          1          2          of 8 processes
 *           0 -> 1     0 -> 2     0 -> 4
 *
 * The former, and the first round, follow a process's first messages. Each other round
 * begins when the previous one has been received, for which a process waits beside its
 * messages. They use links as messages do. Though short, they may decide which message is
 * first. */

/* Count the status messages. */
int64_t status_messages_count(const struct netsim *netsim);

/* Append them to the messages, which are in their lanes. MEMORY. */
redist_err status_messages_make(struct netsim *netsim);

/* Post the first status messages of a process, sends and receives. */
void status_messages_begin(struct netsim *netsim, int rank);

/* Return the status message that a process waits for beside its messages, or NULL. */
struct sim_message *status_messages_awaited(const struct netsim *netsim, int rank);

/* Handle that message: post those of the next round, if any. */
void status_messages_go_on(struct netsim *netsim, int rank);

/* Return the time at which a process with nothing else to do has received all. */
double status_messages_end(const struct netsim *netsim, int rank);

#endif
