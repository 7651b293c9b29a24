/* SPDX-License-Identifier: MIT
 *
 * move/shared/throttle.h - flow control for messages of index lists. Where they traverse
 * the source by windows (listed.h), the lines that one message has fetched are in the
 * cache for the others, unless some run ahead. So each goes no further than the slowest
 * of them.
 */
#ifndef REDIST_MOVE_SHARED_THROTTLE_H
#define REDIST_MOVE_SHARED_THROTTLE_H

#include "move/shared/shm_peers.h"

/* The fraction of a message up to which it may go: no limit. */
#define THROTTLE_NONE 1.0

/* Tell whether messages of the calling process go by windows. O(messages). */
bool throttle_matters(const struct move *move);

/* Find the fraction done of the slowest: of all messages and, if `keeps`, of the elements
 * that stay on the process. */
double throttle_find(const struct move *move, const struct shm_peers *peers, bool keeps);

/* The fraction done. */
static inline double fraction_of(int64_t done, int64_t all)
{
    return all > 0 ? (double)done / (double)all : THROTTLE_NONE;
}

/* Copy a part of the elements that stay on the process. Returns false if they are
 * ahead. */
bool throttle_keep(const struct move *move, double limit);

#endif
