/* SPDX-License-Identifier: MIT
 *
 * move/shared/arrivals.h - what neighbors bring to an array, and what stays on the
 * process, woven into the target (weave.h) as it arrives: pieces in their rings, arrays
 * that have been offered. The elements that stay are read shortly after those between
 * them have been packed for others, so that the source, too, goes through the cache once.
 */
#ifndef REDIST_MOVE_SHARED_ARRIVALS_H
#define REDIST_MOVE_SHARED_ARRIVALS_H

#include "move/shared/neighbors.h"
#include "move/interleave/splice.h"
#include "move/interleave/weave.h"

struct arrivals {
    struct weave whole;     /* nothing, if they cannot be woven */
    struct strand *strands; /* room for [inlets + 1] */
    struct splice splice;   /* of them, if they can be spliced */
    /* in a run */
    bool weaving;
    struct weave weave;
    int64_t vain; /* looks in vain */
};

/* Find out whether the messages from neighbors and what stays fill the target together.
 * `strands` has room for all of them, and stays the caller's. `arrivals` needs
 * arrivals_free in any case.
 * O(n dims), and what splice_make takes. MEMORY. */
redist_err arrivals_make(const struct move *move, const struct neighbors *neighbors,
                         struct strand *strands, struct arrivals *arrivals);
void arrivals_free(struct arrivals *arrivals);

/* Begin a run: weave, if they can be woven and what is moved replaces what is there. */
void arrivals_start(const struct move *move, const struct neighbors *neighbors,
                    struct arrivals *arrivals);

/* Weave as far as all have come, when no inlet is listening any more. Slots are given
 * back to their senders. Returns whether anything was done. */
bool arrivals_weave(const struct move *move, struct neighbors *neighbors,
                    struct arrivals *arrivals);

/* Move by itself what has come of a message: a piece, or stretches of the source. Returns
 * whether there was anything. */
bool arrivals_take(const struct move *move, struct inlet *inlet);

/* Give up weaving where some are late: what has come can be moved as if nothing had been.
 * Called after each look in vain. */
void arrivals_wait(struct arrivals *arrivals);

static inline bool arrivals_are_over(const struct arrivals *arrivals)
{
    return arrivals->weave.at == arrivals->weave.end;
}

#endif
