/* SPDX-License-Identifier: MIT
 *
 * move/node/plan_cache.h - what plans over one communicator that come and go leave to
 * each other: the node, and memory that one which has gone shared within it. To find the
 * one and to make the other takes longer than many a run.
 *
 * Plans that are made for a few runs do all with the same staging memory, as they run one
 * after the other: what has not been touched before takes longer to get than to fill.
 *
 * All processes must make and free these plans in the same order, and no run of one may
 * be under way as another is freed.
 */
#ifndef REDIST_MOVE_NODE_PLAN_CACHE_H
#define REDIST_MOVE_NODE_PLAN_CACHE_H

#include "move/node/node.h"

/* A process's part of shared memory: its bytes, the same on all processes, and those at
 * its beginning that this one has written to. */
struct plan_cache_part {
    int64_t bytes, touched;
};

/* Starts zeroed. */
struct plan_cache {
    bool known; /* the node is */
    struct node node;
    struct shared shared;
    struct plan_cache_part part; /* of no bytes: nothing is shared */
    char *staging;               /* of this process alone */
};

/* As node_make; the node stays the plan cache's. */
redist_err plan_cache_node(struct plan_cache *cache, MPI_Comm comm, struct node *node);

/* Whether there is memory whose parts have at least so many bytes, which are more than 0:
 * on all processes or none. */
static inline bool plan_cache_has(const struct plan_cache *cache, int64_t bytes)
{
    return cache->part.bytes >= bytes;
}

/* The bytes of its part that a process uses, of which those at its beginning are shown to
 * others; and the most that any of them uses. */
struct plan_cache_need {
    int64_t shown, used, most;
};

/* Take the memory that there is, if it does, or make such; without a plan cache just what
 * is used. In the own part what is shown are zeros then. What a process uses is first
 * written here, by itself, and so comes to lie next to it. Others may still read what
 * plans before have left, if all have not agreed on anything since. Collective over the
 * node if there is none. MPI. */
redist_err plan_cache_part(struct plan_cache *cache, const struct node *node,
                           struct plan_cache_need need, struct shared *shared,
                           struct plan_cache_part *part, char **own);

/* Give memory back; the larger is kept, of this and what there is.
 * Collective over the node. */
void plan_cache_give(struct plan_cache *cache, struct shared *shared,
                     struct plan_cache_part part);

/* The staging memory of a direction, half of `bytes`, the same in each call; NULL: there
 * is no memory. Local. */
char *plan_cache_staging(struct plan_cache *cache, int64_t bytes, redist_side side);

/* Free all that there is. Collective over the node. */
void plan_cache_free(struct plan_cache *cache);

#endif
