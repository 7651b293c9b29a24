/* SPDX-License-Identifier: MIT */
#include "move/node/plan_cache.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/walk/memory.h"

enum { UNIT = 64 << 10 /* bytes: similar plans differ by less */ };

redist_err plan_cache_node(struct plan_cache *cache, MPI_Comm comm, struct node *node)
{
    if (!cache->known) {
        redist_err err = node_make(comm, &cache->node);
        if (err) node_free(&cache->node);
        TRY(err);
        cache->known = true;
    }
    *node = cache->node;
    return REDIST_OK;
}

/* Take the cached memory if its parts have `bytes`, else allocate. */
static redist_err take(struct plan_cache *cache, int64_t bytes, struct shared *shared,
                       struct plan_cache_part *part)
{
    if (plan_cache_has(cache, bytes)) {
        *shared = cache->shared;
        *part = cache->part;
        cache->part.bytes = 0;
        return REDIST_OK;
    }
    *part = (struct plan_cache_part){int_ceil_div(bytes, UNIT) * UNIT, 0};
    return shared_make(&cache->node, part->bytes, shared);
}

redist_err plan_cache_part(struct plan_cache *cache, const struct node *node,
                           struct plan_cache_need need, struct shared *shared,
                           struct plan_cache_part *part, char **own)
{
    int64_t touched = 0;
    if (cache) {
        TRY(take(cache, need.most, shared, part));
        touched = part->touched;
        part->touched = int_max(touched, need.used);
    } else {
        TRY(shared_make(node, need.used, shared));
    }
    TRY(shared_part(shared, node->rank, own));
    memset(*own, 0, (size_t)need.shown);
    touched = int_max(touched, need.shown);
    if (touched < need.used) memset(*own + touched, 0, (size_t)(need.used - touched));
    return REDIST_OK;
}

static void lose(struct plan_cache *cache)
{
    if (plan_cache_has(cache, 1)) shared_free(&cache->shared);
    cache->part.bytes = 0;
}

void plan_cache_give(struct plan_cache *cache, struct shared *shared,
                     struct plan_cache_part part)
{
    if (plan_cache_has(cache, part.bytes)) {
        shared_free(shared);
        return;
    }
    lose(cache);
    cache->shared = *shared;
    cache->part = part;
    shared->win = MPI_WIN_NULL;
}

char *plan_cache_staging(struct plan_cache *cache, int64_t bytes, redist_side side)
{
    if (!cache->staging) cache->staging = mem_alloc_elements(NULL, bytes);
    return cache->staging ? cache->staging + bytes / 2 * (int)side : NULL;
}

void plan_cache_free(struct plan_cache *cache)
{
    lose(cache);
    mem_free(cache->staging);
    cache->staging = NULL;
    if (cache->known) node_free(&cache->node);
    cache->known = false;
}
