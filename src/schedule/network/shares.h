/* SPDX-License-Identifier: MIT
 *
 * schedule/network/shares.h - links that serve all messages that come to them, in a
 * netsim: what each of these gets of them.
 */
#ifndef REDIST_SCHEDULE_NETWORK_SHARES_H
#define REDIST_SCHEDULE_NETWORK_SHARES_H

#include "schedule/network/netsim.h"

/* Share the links among the messages under way, and find their rates: those of the
 * narrowest link get what it has, then those of the next one what is left.
 * O(their links x rounds). */
void shares_divide(struct netsim *netsim);

#endif
