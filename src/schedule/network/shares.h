/* SPDX-License-Identifier: MIT
 *
 * schedule/network/shares.h - links that share their bandwidth among all messages on
 * them, in a simulation (netsim.h).
 */
#ifndef REDIST_SCHEDULE_NETWORK_SHARES_H
#define REDIST_SCHEDULE_NETWORK_SHARES_H

#include "schedule/network/netsim.h"

/* Share the links among the messages in progress, and find their rates. Messages on the
 * narrowest link share its bandwidth, then those on the next one share what is left.
 * O(their links x rounds). */
void shares_divide(struct netsim *netsim);

#endif
