/* SPDX-License-Identifier: MIT
 *
 * move/node/plan_cache.h - resources that short-lived plans of one communicator reuse:
 * the node, and shared memory of a plan that was freed. To find the node and to allocate
 * shared memory takes longer than many runs.
 *
 * Plans made for a few runs share one staging memory, as they run one after the other:
 * memory that was never touched takes longer to get than to fill.
 *
 * All processes must make and free these plans in the same order. No run of a plan may be
 * in progress while another plan is freed.
 */
#ifndef REDIST_MOVE_NODE_PLAN_CACHE_H
#define REDIST_MOVE_NODE_PLAN_CACHE_H

#include "move/node/node.h"

/* A process's part of shared memory: its bytes, the same on all processes, and how many
 * of them, from the beginning on, this process has written to. */
struct plan_cache_part {
    int64_t bytes, touched;
};

/* Starts zeroed. */
struct plan_cache {
    bool known; /* the node is known */
    struct node node;
    struct shared shared;
    struct plan_cache_part part; /* 0 bytes: nothing is shared */
    char *staging;               /* private to this process */
};

/* As node_make; the node belongs to the plan cache. */
redist_err plan_cache_node(struct plan_cache *cache, MPI_Comm comm, struct node *node);

/* Tell whether there is memory whose parts have at least so many bytes, > 0: the same on
 * all processes. */
static inline bool plan_cache_has(const struct plan_cache *cache, int64_t bytes)
{
    return cache->part.bytes >= bytes;
}

/* Bytes of its part that a process uses; of these, from the beginning on, those other
 * processes read; the most that any process uses. */
struct plan_cache_need {
    int64_t shown, used, most;
};

/* Take the cached memory if it suffices, or allocate more; without a plan cache allocate
 * what is used. The `shown` bytes of the own part are zeroed. This process writes first
 * to the bytes it uses, so that their pages are placed close to it. Others may still read
 * data of previous plans, unless all have agreed on something since.
 * Collective over the node if memory is allocated. MPI. */
redist_err plan_cache_part(struct plan_cache *cache, const struct node *node,
                           struct plan_cache_need need, struct shared *shared,
                           struct plan_cache_part *part, char **own);

/* Return memory to the cache, which keeps the larger of this and its own.
 * Collective over the node. */
void plan_cache_give(struct plan_cache *cache, struct shared *shared,
                     struct plan_cache_part part);

/* Return the staging memory of a direction: half of `bytes`, which are the same in each
 * call. NULL: out of memory. Local. */
char *plan_cache_staging(struct plan_cache *cache, int64_t bytes, redist_side side);

/* Free all. Collective over the node. */
void plan_cache_free(struct plan_cache *cache);

#endif
