/* SPDX-License-Identifier: MIT
 *
 * move/shared/pace.h - messages of lists that keep in step: where they go over the source
 * by windows (listed.h), what one has fetched the others find in the cache, unless some
 * run ahead. Each goes no further than the last of them has come.
 */
#ifndef REDIST_MOVE_SHARED_PACE_H
#define REDIST_MOVE_SHARED_PACE_H

#include "move/shared/neighbors.h"

/* The part of a message, from 0 to 1, up to which it may go: whatever the others do. */
#define PACE_FREE 1.0

/* Whether messages of the calling process go by windows. O(messages). */
bool pace_matters(const struct move *move);

/* Find how far the last has come: of all messages, and, if it may go on, of what stays on
 * the process. */
double pace_find(const struct move *move, const struct neighbors *neighbors, bool keeps);

/* How far something has come. */
static inline double pace_of(int64_t done, int64_t all)
{
    return all > 0 ? (double)done / (double)all : PACE_FREE;
}

/* Copy a stretch of what stays on the process, if that is not ahead: false. */
bool pace_keep(const struct move *move, double pace);

#endif
