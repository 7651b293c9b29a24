/* SPDX-License-Identifier: MIT
 *
 * move/node/distance.h - how far the receiver's core is from the sender's: whether they
 * share a cache shows in the time that it takes to read what the other has just written.
 * That is learned as offers and pieces go, as processes and virtual machines are moved
 * from core to core; by the receiver too, who as a rule waits for them, and tells. No
 * table of the machine is as true: a virtual one tells of caches that its cores do not
 * share.
 *
 * Where processes share cores, receivers tell on which they are: one on the own core has
 * the same cache, wherever others are.
 */
#ifndef REDIST_MOVE_NODE_DISTANCE_H
#define REDIST_MOVE_NODE_DISTANCE_H

#include <sched.h>
#include <time.h>

#include "move/node/channel.h"

struct distance {
    bool learned; /* else it is as it began */
    bool helped;  /* the receiver tells */
    int *votes;   /* more than 0: far. The own ones, or those of others too, where whose
                     core is whose changes */
    int own;
    int64_t told; /* by the receiver, as it was last read */
};

enum {
    DISTANCE_FAR = 4,         /* votes of news that took long, against one: of cores that
                                 share a cache one look of 20 does, of others one of 3 */
    DISTANCE_VOTES = 16,      /* are kept at most */
    DISTANCE_LONG = 32 << 10, /* bytes: of shorter messages to look at the clock would
                                 take a tenth of their time, */
    DISTANCE_SELDOM = 8       /* so it is done in one of so many runs */
};

/* Seconds that it takes: less, and the two share a cache. Of two that share none most
 * looks take 140 ns and more: with 200 they count as near, and what is packed from any
 * memory takes twice as long. Some processors' one last level takes 100 to 160. */
#define DISTANCE_NEAR 100e-9

/* Seconds since it was written: later, it may have left the cache. */
#define DISTANCE_FRESH 200e-6

/* The number of the core on which the process is now, from 1 on; 0: not known. */
static inline int distance_core(void)
{
#if defined __linux__
    return sched_getcpu() + 1;
#else
    return 0;
#endif
}

/* By the receiver: on which core it is. */
static inline void distance_tell_core(struct channel *channel, int core)
{
    atomic_store_explicit(&channel->core, core, memory_order_relaxed);
}

/* Whether the receiver was last on the own core. */
static inline bool distance_is_none(struct channel *channel)
{
    int core = atomic_load_explicit(&channel->core, memory_order_relaxed);
    return core > 0 && core == distance_core();
}

static inline bool distance_is_far(const struct distance *distance)
{
    return *distance->votes > 0;
}

static inline void distance_vote(struct distance *distance, bool far)
{
    int votes = *distance->votes + (far ? DISTANCE_FAR : -1);
    if (votes <= DISTANCE_VOTES && votes >= -DISTANCE_VOTES) *distance->votes = votes;
}

/* Whether looks are timed in that run of a message. */
static inline bool distance_is_timed(int64_t run, int64_t bytes)
{
    return bytes >= DISTANCE_LONG || run % DISTANCE_SELDOM == 0;
}

static inline double distance_now(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* By who is about to post or take: when that is. */
static inline void distance_note(_Atomic double *when)
{
    atomic_store_explicit(when, distance_now(), memory_order_relaxed);
}

/* A look that began then is over. Returns whether it shows how far the other is: it has
 * brought news of then, which took so long. */
static inline bool distance_judge(_Atomic double *when, double begin, bool news,
                                  bool *far)
{
    *far = distance_now() - begin > DISTANCE_NEAR;
    return news &&
           begin - atomic_load_explicit(when, memory_order_relaxed) <= DISTANCE_FRESH;
}

/* The same of a receiver's, who tells the sender: twice the number of times that it has,
 * and 1 if this one is far. */
static inline void distance_tell(double begin, bool news, struct channel *channel)
{
    bool far;
    if (!distance_judge(&channel->posted_at, begin, news, &far)) return;
    int64_t told = atomic_load_explicit(&channel->told, memory_order_relaxed);
    atomic_store_explicit(&channel->told, (told / 2 + 1) * 2 + far, memory_order_relaxed);
}

/* As channel_heed, of a message of so many bytes. */
static inline void distance_heed(struct distance *distance, struct channel_end *end,
                                 int64_t bytes)
{
    bool far, timed = distance->learned && distance_is_timed(end->runs, bytes);
    double begin = timed ? distance_now() : 0;
    bool news = channel_heed(end);
    if (!distance->learned) return;
    if (timed && distance_judge(&end->channel->taken_at, begin, news, &far) &&
        !distance_is_none(end->channel))
        distance_vote(distance, far);
    int64_t told = atomic_load_explicit(&end->channel->told, memory_order_relaxed);
    if (told != distance->told) distance_vote(distance, told % 2);
    distance->told = told;
}

#endif
