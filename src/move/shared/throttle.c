/* SPDX-License-Identifier: MIT */
#include "move/shared/throttle.h"

#include "base/ablate.h"
#include "base/intmath.h"
#include "base/lengths.h"

enum { STRETCH = LENGTH(128 << 10, 256) }; /* bytes */

bool throttle_matters(const struct move *move)
{
    const struct listing *listing = &move->array->listing[REDIST_SOURCE];
    for (int64_t k = 0; !ABLATED(THROTTLE) && move->array->listed && k < listing->n; k++)
        if (listing->message[k].window > 0) return true;
    return false;
}

double throttle_find(const struct move *move, const struct shm_peers *peers, bool keeps)
{
    const struct walk *kept = &move->array->kept;
    double limit = keeps ? fraction_of(kept->done, kept->total) : THROTTLE_NONE;
    for (int64_t k = 0; k < peers->noutgoing; k++) {
        const struct channel_end *end = &peers->outgoing[k].end;
        double part = fraction_of(end->done, end->pieces);
        if (part < limit) limit = part;
    }
    return limit;
}

bool throttle_keep(const struct move *move, double limit)
{
    struct walk *kept = &move->array->kept;
    if (fraction_of(kept->done, kept->total) > limit) return false;
    kept->memory = move->memory;
    int64_t most = int_max(STRETCH / kept->grain, 1);
    walk_combine(kept, WAY_COPY, move->combine, move->sources[0], move->targets[0],
                 int_min(most, kept->total - kept->done));
    return true;
}
