/* SPDX-License-Identifier: MIT */
#include "move/sweep.h"

#include <sched.h>

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/combine.h"

/* Bytes of a stretch: they and where they come from stay in the second-level cache. */
enum { STRETCH = LENGTH(256 << 10, 512) };

/* Where a walk is to be after stretch k of n. */
static int64_t place_after(const struct walk *walk, int64_t k, int64_t n)
{
    int64_t step = walk_unit(walk, STRETCH), end = (int64_t)((int128)walk->total * k / n);
    return k == n ? walk->total : end - end % step;
}

/* Each walk a stretch, in turns. Processes that share a core take turns too: what one has
 * fetched others find in the cache. */
static void sweep_in_turns(const struct strand strands[], int64_t n, int64_t bytes,
                           const struct combine *combine, void *to)
{
    int64_t stretches = n > 1 ? int_ceil_div(bytes, STRETCH) : 1;
    for (int64_t k = 0; k < n; k++) strands[k].walk->stream = bytes >= WALK_STREAM;
    for (int64_t j = 1; j <= stretches; j++) {
        for (int64_t k = 0; k < n; k++) {
            struct walk *walk = strands[k].walk;
            int64_t end = place_after(walk, j, stretches);
            walk_combine(walk, WAY_COPY, combine, strands[k].from, to, end - walk->done);
        }
        if (j < stretches) (void)sched_yield();
    }
}

void sweep(struct strand strands[], int64_t n, const struct combine *combine, void *to)
{
    struct weave weave;
    int64_t bytes = 0;
    for (int64_t k = 0; k < n; k++) {
        walk_seek(strands[k].walk, 0);
        bytes += strands[k].walk->total * strands[k].walk->grain;
    }
    if (bytes >= WALK_STREAM && (!combine || combine->replaces) &&
        weave_make(strands, n, &weave))
        (void)weave_on(&weave, strands, n, combine, to);
    else
        sweep_in_turns(strands, n, bytes, combine, to);
}
