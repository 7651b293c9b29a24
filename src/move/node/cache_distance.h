/* SPDX-License-Identifier: MIT
 *
 * move/node/cache_distance.h - tell whether the sender's core and the receiver's share a
 * cache. It shows in the time to read what the other has just written. It is measured
 * while offers and pieces are exchanged, as processes and virtual machines migrate
 * between cores. The receiver measures, too: as a rule it waits for pieces, and it
 * reports the result to the sender. Tables of the machine are less reliable: a virtual
 * one reports caches that its cores do not share.
 *
 * Where processes share cores, receivers report their core number. A receiver on the
 * sender's own core shares its cache, wherever the others are.
 */
#ifndef REDIST_MOVE_NODE_CACHE_DISTANCE_H
#define REDIST_MOVE_NODE_CACHE_DISTANCE_H

#include <sched.h>
#include <time.h>

#include "move/node/channel.h"

struct cache_distance {
    bool learned; /* measured; else the initial value stays */
    bool helped;  /* the receiver measures and reports */
    int *votes;   /* more than 0: remote. Points to `own`, or to the votes of another
                     message where processes change cores */
    int own;
    int64_t reports; /* the receiver's reports, as last read */
};

enum {
    CACHE_REMOTE_VOTES = 4, /* votes of a slow read; a fast one has 1. Of cores that share
                               a cache one read of 20 is slow, of others one of 3 */
    CACHE_MOST_VOTES = 16,  /* limit of the sum, either way */
    CACHE_TIMED_LONG = 32 << 10, /* bytes; for shorter messages reading the clock takes a
                                    tenth of their time, */
    CACHE_TIMED_SELDOM = 8       /* so they are timed in one of so many runs */
};

/* Seconds of a read below which the two share a cache. Without a shared cache most reads
 * take 140 ns or more. With a limit of 200 ns they would count as local, and data packed
 * from any memory would take twice as long. On some processors with one last-level cache
 * reads take 100 to 160 ns. */
#define CACHE_SHARED_SECONDS 100e-9

/* Seconds since the write after which the data may have left the cache. */
#define CACHE_FRESH_SECONDS 200e-6

/* Return the number of the core on which the process runs, from 1 on; 0: unknown. */
static inline int cache_distance_core(void)
{
#if defined __linux__
    return sched_getcpu() + 1;
#else
    return 0;
#endif
}

/* Report the core of the receiver; called by the receiver. */
static inline void cache_distance_tell_core(struct channel *channel, int core)
{
    atomic_store_explicit(&channel->core, core, memory_order_relaxed);
}

/* Tell whether the receiver last ran on the sender's own core. */
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

/* Tell whether reads are timed in that run of a message. */
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

/* Note the present time; called before a post or a take. */
static inline void cache_distance_note(_Atomic double *when)
{
    atomic_store_explicit(when, cache_distance_now(), memory_order_relaxed);
}

/* Judge a read that began at `begin` and is over. Returns whether it shows the distance:
 * it found news, written shortly before `begin`. */
static inline bool cache_distance_judge(_Atomic double *when, double begin, bool news,
                                        bool *far)
{
    *far = cache_distance_now() - begin > CACHE_SHARED_SECONDS;
    return news && begin - atomic_load_explicit(when, memory_order_relaxed) <=
                       CACHE_FRESH_SECONDS;
}

/* Judge a read of the receiver's and report it to the sender: `reports` is twice the
 * number of reports, plus 1 if the last one was slow. */
static inline void cache_distance_tell(double begin, bool news, struct channel *channel)
{
    bool far;
    if (!cache_distance_judge(&channel->posted_at, begin, news, &far)) return;
    int64_t reports = atomic_load_explicit(&channel->reports, memory_order_relaxed);
    atomic_store_explicit(&channel->reports, (reports / 2 + 1) * 2 + far,
                          memory_order_relaxed);
}

/* As channel_heed, for a message of so many bytes; updates the distance. */
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
    int64_t reports = atomic_load_explicit(&end->channel->reports, memory_order_relaxed);
    if (reports != distance->reports) cache_distance_vote(distance, reports % 2);
    distance->reports = reports;
}

#endif
