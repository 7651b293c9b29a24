/* SPDX-License-Identifier: MIT
 *
 * move/node/cache_distance.h - how far the receiver's core is from the sender's: whether
 * they share a cache shows in the time that it takes to read what the other has just
 * written. That is learned as offers and pieces go, as processes and virtual machines are
 * moved from core to core; by the receiver too, who as a rule waits for them, and tells.
 * No table of the machine is as true: a virtual one tells of caches that its cores do not
 * share.
 *
 * Where processes share cores, receivers tell on which they are: one on the own core has
 * the same cache, wherever others are.
 */
#ifndef REDIST_MOVE_NODE_CACHE_DISTANCE_H
#define REDIST_MOVE_NODE_CACHE_DISTANCE_H

#include <sched.h>
#include <time.h>

#include "move/node/channel.h"

struct cache_distance {
    bool learned; /* else it is as it began */
    bool helped;  /* the receiver tells */
    int *votes;   /* more than 0: far. The own ones, or those of others too, where whose
                     core is whose changes */
    int own;
    int64_t told; /* by the receiver, as it was last read */
};

enum {
    CACHE_REMOTE_VOTES = 4, /* votes of news that took long, against one: of cores that
                                 share a cache one look of 20 does, of others one of 3 */
    CACHE_MOST_VOTES = 16,  /* are kept at most */
    CACHE_TIMED_LONG = 32 << 10, /* bytes: of shorter messages to look at the clock would
                                 take a tenth of their time, */
    CACHE_TIMED_SELDOM = 8       /* so it is done in one of so many runs */
};

/* Seconds that it takes: less, and the two share a cache. Of two that share none most
 * looks take 140 ns and more: with 200 they count as near, and what is packed from any
 * memory takes twice as long. Some processors' one last level takes 100 to 160. */
#define CACHE_SHARED_SECONDS 100e-9

/* Seconds since it was written: later, it may have left the cache. */
#define CACHE_FRESH_SECONDS 200e-6

/* The number of the core on which the process is now, from 1 on; 0: not known. */
static inline int cache_distance_core(void)
{
#if defined __linux__
    return sched_getcpu() + 1;
#else
    return 0;
#endif
}

/* By the receiver: on which core it is. */
static inline void cache_distance_tell_core(struct channel *channel, int core)
{
    atomic_store_explicit(&channel->core, core, memory_order_relaxed);
}

/* Whether the receiver was last on the own core. */
static inline bool cache_is_own(struct channel *channel)
{
    int core = atomic_load_explicit(&channel->core, memory_order_relaxed);
    return core > 0 && core == cache_distance_core();
}

static inline bool cache_is_remote(const struct cache_distance *distance)
{
    return *distance->votes > 0;
}

static inline void cache_distance_vote(struct cache_distance *distance, bool far)
{
    int votes = *distance->votes + (far ? CACHE_REMOTE_VOTES : -1);
    if (votes <= CACHE_MOST_VOTES && votes >= -CACHE_MOST_VOTES) *distance->votes = votes;
}

/* Whether looks are timed in that run of a message. */
static inline bool cache_distance_is_timed(int64_t run, int64_t bytes)
{
    return bytes >= CACHE_TIMED_LONG || run % CACHE_TIMED_SELDOM == 0;
}

static inline double cache_distance_now(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* By who is about to post or take: when that is. */
static inline void cache_distance_note(_Atomic double *when)
{
    atomic_store_explicit(when, cache_distance_now(), memory_order_relaxed);
}

/* A look that began then is over. Returns whether it shows how far the other is: it has
 * brought news of then, which took so long. */
static inline bool cache_distance_judge(_Atomic double *when, double begin, bool news,
                                        bool *far)
{
    *far = cache_distance_now() - begin > CACHE_SHARED_SECONDS;
    return news && begin - atomic_load_explicit(when, memory_order_relaxed) <=
                       CACHE_FRESH_SECONDS;
}

/* The same of a receiver's, who tells the sender: twice the number of times that it has,
 * and 1 if this one is far. */
static inline void cache_distance_tell(double begin, bool news, struct channel *channel)
{
    bool far;
    if (!cache_distance_judge(&channel->posted_at, begin, news, &far)) return;
    int64_t told = atomic_load_explicit(&channel->told, memory_order_relaxed);
    atomic_store_explicit(&channel->told, (told / 2 + 1) * 2 + far, memory_order_relaxed);
}

/* As channel_heed, of a message of so many bytes. */
static inline void cache_distance_heed(struct cache_distance *distance,
                                       struct channel_end *end, int64_t bytes)
{
    bool far, timed = distance->learned && cache_distance_is_timed(end->runs, bytes);
    double begin = timed ? cache_distance_now() : 0;
    bool news = channel_heed(end);
    if (!distance->learned) return;
    if (timed && cache_distance_judge(&end->channel->taken_at, begin, news, &far) &&
        !cache_is_own(end->channel))
        cache_distance_vote(distance, far);
    int64_t told = atomic_load_explicit(&end->channel->told, memory_order_relaxed);
    if (told != distance->told) cache_distance_vote(distance, told % 2);
    distance->told = told;
}

#endif
