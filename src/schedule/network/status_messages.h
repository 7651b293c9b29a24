/* SPDX-License-Identifier: MIT
 *
 * schedule/network/status_messages.h - the messages of the vote (plan/comm/vote.h) in a
 * simulation (netsim.h). Each process reports to all without a message from it; or by
 * rounds, so that in the end each has heard of all:
 *
 *   round   0          1          2          of 8 processes
 *           0 -> 1     0 -> 2     0 -> 4
 *
 * The former, and the first round, follow a process's first messages. Each other round
 * begins when the previous one has been received, for which a process waits beside its
 * messages. They use links as messages do. Though short, they may decide which message is
 * first.
 */
#ifndef REDIST_SCHEDULE_NETWORK_STATUS_MESSAGES_H
#define REDIST_SCHEDULE_NETWORK_STATUS_MESSAGES_H

#include "schedule/network/netsim.h"

/* Count the status messages. */
int64_t status_messages_count(const struct netsim *netsim);

/* Append them to the messages, which are in their lanes. MEMORY. */
redist_err status_messages_make(struct netsim *netsim);

/* Post the first status messages of a process, sends and receives. */
void status_messages_begin(struct netsim *netsim, int rank);

/* Return the status message that a process waits for beside its messages, or NULL. */
struct sim_message *status_messages_awaited(const struct netsim *netsim, int rank);

/* Handle that message: post those of the next round, if any. */
void status_messages_go_on(struct netsim *netsim, int rank);

/* Return the time at which a process with nothing else to do has received all. */
double status_messages_end(const struct netsim *netsim, int rank);

#endif
