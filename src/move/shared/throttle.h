/* SPDX-License-Identifier: MIT
 *
 * move/shared/throttle.h - messages of lists that keep in step: where they go over the
 * source by windows (listed.h), what one has fetched the others find in the cache, unless
 * some run ahead. Each goes no further than the last of them has come.
 */
#ifndef REDIST_MOVE_SHARED_THROTTLE_H
#define REDIST_MOVE_SHARED_THROTTLE_H

#include "move/shared/shm_peers.h"

/* The part of a message, from 0 to 1, up to which it may go: whatever the others do. */
#define THROTTLE_NONE 1.0

/* Whether messages of the calling process go by windows. O(messages). */
bool throttle_matters(const struct move *move);

/* Find how far the last has come: of all messages, and, if it may go on, of what stays on
 * the process. */
double throttle_find(const struct move *move, const struct shm_peers *peers, bool keeps);

/* How far something has come. */
static inline double fraction_of(int64_t done, int64_t all)
{
    return all > 0 ? (double)done / (double)all : THROTTLE_NONE;
}

/* Copy a stretch of what stays on the process, if that is not ahead: false. */
bool throttle_keep(const struct move *move, double limit);

#endif
