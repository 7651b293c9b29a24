/* SPDX-License-Identifier: MIT
 *
 * schedule/network/bundles.h - messages that go by way of a third process, many in one
 * (Guo, Yamashita and Nakata, section 4.3.3; move/relay/aggregation.h has the picture).
 *
 * Ranks are in groups of neighbours. What a process has for those of another group goes
 * first to one of them as one bundle; what has come to it for a neighbour, from all, goes
 * on as one.
 */
#ifndef REDIST_SCHEDULE_NETWORK_BUNDLES_H
#define REDIST_SCHEDULE_NETWORK_BUNDLES_H

#include "schedule/core/readout.h"

enum { HOPS = 2 };

/* How many ranks are a group, if no number is given: the least number whose square is
 * that of all ranks, or more, so that there are about as many groups as members. */
int bundles_group(int nranks);

/* The index, from 0, of the member to which all goes that `from` has for n > 0 members of
 * another group, in ascending order: processes in a row choose one after the other. */
static inline int64_t bundles_via(int from, int64_t n) { return from % n; }

/* List the bundles of all ranks in groups of so many, hop 0 as step 0 and hop 1 as step
 * 1, in each in the order of ranks: of step 1 are those that ranks have for neighbours,
 * of their own and of what has come to them in step 0. What stays is left out. `*any`:
 * some two messages go as one. The input has a grid and ranks, which are the ends of the
 * pieces. O(messages log messages). MEMORY. */
redist_err bundles_list(const struct schedule_input *input, int group,
                        struct readout *out, bool *any);

#endif
