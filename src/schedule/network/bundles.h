/* SPDX-License-Identifier: MIT
 *
 * schedule/network/bundles.h - messages aggregated by way of a third process (Guo,
 * Yamashita and Nakata, section 4.3.3; move/relay/aggregation.h has the picture).
 *
 * Ranks are in groups of neighbours. All that a process sends to another group goes first
 * to one of its members, as one bundle. That member forwards all that it has for a
 * neighbour, from all senders, as one bundle.
 */
#ifndef REDIST_SCHEDULE_NETWORK_BUNDLES_H
#define REDIST_SCHEDULE_NETWORK_BUNDLES_H

#include "schedule/core/readout.h"

enum { HOPS = 2 };

/* Return the ranks of a group, if no number is given: the least number whose square is at
 * least the number of ranks, so that there are about as many groups as members. */
int bundles_group(int nranks);

/* Return the relay of `from` for n > 0 members of another group, as an index from 0 in
 * ascending order: consecutive processes choose consecutive members. */
static inline int64_t bundles_relay(int from, int64_t n) { return from % n; }

/* List the bundles of all ranks in groups of `group` ranks: hop 0 as step 0 and hop 1 as
 * step 1, each in the order of ranks. In step 1 a rank sends to neighbours its own data
 * and all that it received in step 0. Elements that stay are left out. `*any`: some two
 * messages share a bundle. The input has a grid and ranks; the ends of pieces are ranks.
 * O(messages log messages). MEMORY. */
redist_err bundles_list(const struct schedule_input *input, int group,
                        struct readout *out, bool *any);

#endif
