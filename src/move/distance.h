/* SPDX-License-Identifier: MIT
 *
 * move/distance.h - how far the receiver's core is from the sender's: whether they share
 * a cache shows in the time that it takes to read what the other has just written. That
 * is learned as pieces go, as processes and virtual machines are moved from core to core;
 * and no table of the machine is as true: a virtual one tells of caches that its cores do
 * not share.
 */
#ifndef REDIST_MOVE_DISTANCE_H
#define REDIST_MOVE_DISTANCE_H

#include <time.h>

#include "move/channel.h"

struct distance {
    bool learned;  /* else it is as it began */
    double looked; /* seconds: when that last was */
    int *votes;    /* more than 0: far. The own ones, or those of others too, where whose
                      core is whose changes */
    int own;
};

enum {
    DISTANCE_FAR = 2, /* votes of news that took long, against one: in the own cache there
                         may be some by chance, and another process of the own core has
                         none elsewhere */
    DISTANCE_VOTES = 8 /* are kept at most */
};

/* Seconds that it takes: less, and the two share a cache. */
#define DISTANCE_NEAR 100e-9

/* Seconds since a look in vain: later, what was written may have left the cache. */
#define DISTANCE_FRESH 200e-6

static inline bool distance_is_far(const struct distance *distance)
{
    return *distance->votes > 0;
}

/* So long after the last look another brought news, and took so long. */
static inline void distance_learn(struct distance *distance, double after, double took)
{
    if (after > DISTANCE_FRESH) return;
    int votes = *distance->votes + (took > DISTANCE_NEAR ? DISTANCE_FAR : -1);
    if (votes <= DISTANCE_VOTES && votes >= -DISTANCE_VOTES) *distance->votes = votes;
}

static inline double distance_now(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* As channel_heed. */
static inline void distance_heed(struct distance *distance, struct channel_end *end)
{
    if (!distance->learned) {
        (void)channel_heed(end);
        return;
    }
    double before = distance->looked, begin = distance_now();
    bool news = channel_heed(end);
    distance->looked = distance_now();
    if (news) distance_learn(distance, begin - before, distance->looked - begin);
}

#endif
