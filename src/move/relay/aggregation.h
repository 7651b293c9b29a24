/* SPDX-License-Identifier: MIT
 *
 * move/relay/aggregation.h - aggregate messages: they travel by way of a third process,
 * many in one.
 *
 * Ranks are in groups of m neighbours. All that a process sends to a group goes to one
 * member, the `relay`, as one bundle. The relay forwards all that it has for a neighbour,
 * from all senders, as one bundle. Within its group a process is its own relay.
 *
 *     from    hop 0     relay     hop 1    to
 *
 *       0 ---------.                       groups of 3: 0 1 2 | 3 4 5 | 6 7 8
 *       2 ------------> 4 -----------> 3   what 0, 2 and 6 have for 3, 4 and 5
 *       6 ---------'       `---------> 5
 *
 * The relay is a process that receives something in the bundle; such processes take
 * turns. So a message alone in its bundle goes directly to its receiver.
 */
#ifndef REDIST_MOVE_RELAY_AGGREGATION_H
#define REDIST_MOVE_RELAY_AGGREGATION_H

#include "move/message/exchange.h"
#include "schedule/network/bundles.h"

/* The message of a pair of processes, on one hop; a part of a bundle. */
struct submessage {
    int from, relay, to;
    int partner;               /* at the other end of the hop */
    int64_t bytes;             /* of the message */
    struct transfer *transfer; /* if it begins or ends here; else NULL */
    int64_t origin;            /* on hop 1, sent: its number among those received on hop
                                  0; -1: it begins here */
    int64_t place;             /* in staging memory; set by the exchange */
};

/* Submessages begin .. end - 1, to or from one partner. */
struct bundle {
    int partner;
    int64_t begin, end;
    int64_t place, bytes; /* in staging memory; set by the exchange */
};

/* One direction of one hop. */
struct submessages {
    int64_t n, nbundles;
    struct submessage *submessage; /* [n] ascending by partner, from, to */
    struct bundle *bundle;         /* [nbundles] */
    char *staging;                 /* NULL: none; allocated by the exchange */
};

struct aggregation {
    struct submessages hop[HOPS]
                          [SIDES]; /* REDIST_SOURCE: sent, REDIST_TARGET: received */
};

/* Find all submessages that this process sends or receives on either hop, in groups of
 * `group` ranks. The move's transfers must live on. The caller frees with
 * aggregation_free, after a failure too. Local. O(group x (own runs of one period +
 * messages log messages)). MEMORY. */
redist_err aggregation_make(const struct move *move, int group,
                            struct aggregation *aggregation);
void aggregation_free(struct aggregation *aggregation);

#endif
