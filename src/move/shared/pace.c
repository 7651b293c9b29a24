/* SPDX-License-Identifier: MIT */
#include "move/shared/pace.h"

#include "base/ablate.h"
#include "base/intmath.h"
#include "base/lengths.h"

enum { STRETCH = LENGTH(128 << 10, 256) }; /* bytes */

bool pace_matters(const struct move *move)
{
    const struct listing *listing = &move->array->listing[REDIST_SOURCE];
    for (int64_t k = 0; !ABLATED(PACE) && move->array->listed && k < listing->n; k++)
        if (listing->message[k].window > 0) return true;
    return false;
}

double pace_find(const struct move *move, const struct neighbors *neighbors, bool keeps)
{
    const struct walk *kept = &move->array->kept;
    double pace = keeps ? pace_of(kept->done, kept->total) : PACE_FREE;
    for (int64_t k = 0; k < neighbors->noutlets; k++) {
        const struct channel_end *end = &neighbors->outlet[k].end;
        double part = pace_of(end->done, end->pieces);
        if (part < pace) pace = part;
    }
    return pace;
}

bool pace_keep(const struct move *move, double pace)
{
    struct walk *kept = &move->array->kept;
    if (pace_of(kept->done, kept->total) > pace) return false;
    int64_t most = int_max(STRETCH / kept->grain, 1);
    walk_combine(kept, WAY_COPY, move->combine, move->sources[0], move->targets[0],
                 int_min(most, kept->total - kept->done));
    return true;
}
