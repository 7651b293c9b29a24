/* SPDX-License-Identifier: MIT */
#include "move/node/spare.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/walk/copy.h"

enum { UNIT = 64 << 10 /* bytes: what plans that are much alike take differs by less */ };

redist_err spare_node(struct spare *spare, MPI_Comm comm, struct node *node)
{
    if (!spare->known) {
        redist_err err = node_make(comm, &spare->node);
        if (err) node_free(&spare->node);
        TRY(err);
        spare->known = true;
    }
    *node = spare->node;
    return REDIST_OK;
}

/* Take the memory if its parts have `bytes`, or make such. */
static redist_err take(struct spare *spare, int64_t bytes, struct shared *shared,
                       struct spare_part *part)
{
    if (spare_has(spare, bytes)) {
        *shared = spare->shared;
        *part = spare->part;
        spare->part.bytes = 0;
        return REDIST_OK;
    }
    *part = (struct spare_part){int_ceil_div(bytes, UNIT) * UNIT, 0};
    return shared_make(&spare->node, part->bytes, shared);
}

redist_err spare_part(struct spare *spare, const struct node *node,
                      struct spare_need need, struct shared *shared,
                      struct spare_part *part, char **own)
{
    int64_t touched = 0;
    if (spare) {
        TRY(take(spare, need.most, shared, part));
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

static void lose(struct spare *spare)
{
    if (spare_has(spare, 1)) shared_free(&spare->shared);
    spare->part.bytes = 0;
}

void spare_give(struct spare *spare, struct shared *shared, struct spare_part part)
{
    if (spare_has(spare, part.bytes)) {
        shared_free(shared);
        return;
    }
    lose(spare);
    spare->shared = *shared;
    spare->part = part;
    shared->win = MPI_WIN_NULL;
}

char *spare_staging(struct spare *spare, int64_t bytes, redist_side side)
{
    if (!spare->staging) spare->staging = memory_host.alloc(NULL, bytes);
    return spare->staging ? spare->staging + bytes / 2 * (int)side : NULL;
}

void spare_free(struct spare *spare)
{
    lose(spare);
    memory_host.free(spare->staging);
    spare->staging = NULL;
    if (spare->known) node_free(&spare->node);
    spare->known = false;
}
