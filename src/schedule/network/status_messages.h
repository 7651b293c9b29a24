/* SPDX-License-Identifier: MIT
 *
 * schedule/network/status_messages.h - the words by which processes hear, in a netsim,
 * that all are well (plan/comm/vote.h): from each to all for whom it has no message; or
 * in rounds, so that in the end each has heard of all:
 *
 *   round   0          1          2          of 8 processes
 *           0 -> 1     0 -> 2     0 -> 4
 *
 * The former, and the first round, go behind a process's first messages; each other round
 * when it has heard the one before, for which it waits beside its messages. They pass
 * links as messages do, and though they are short, they may decide which of these comes
 * first.
 */
#ifndef REDIST_SCHEDULE_NETWORK_STATUS_MESSAGES_H
#define REDIST_SCHEDULE_NETWORK_STATUS_MESSAGES_H

#include "schedule/network/netsim.h"

/* How many words there are. */
int64_t status_messages_count(const struct netsim *netsim);

/* List them behind the messages, which lie in their lanes. MEMORY. */
redist_err status_messages_make(struct netsim *netsim);

/* Post the first words of a process, to others and from them. */
void status_messages_begin(struct netsim *netsim, int rank);

/* The word that a process waits for beside its messages, or NULL. */
struct sim_message *status_messages_awaited(const struct netsim *netsim, int rank);

/* A process has taken that word in: post those of the next round, if there is one. */
void status_messages_go_on(struct netsim *netsim, int rank);

/* When a process that has nothing else to do any more has taken all words in. */
double status_messages_end(const struct netsim *netsim, int rank);

#endif
