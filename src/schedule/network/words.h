/* SPDX-License-Identifier: MIT
 *
 * schedule/network/words.h - the words by which processes hear, in a rush, that all are
 * well (plan/comm/vote.h): from each to all for whom it has no message; or in rounds, so
 * that in the end each has heard of all:
 *
 *   round   0          1          2          of 8 processes
 *           0 -> 1     0 -> 2     0 -> 4
 *
 * The former, and the first round, go behind a process's first messages; each other round
 * when it has heard the one before, for which it waits beside its messages. They pass
 * links as messages do, and though they are short, they may decide which of these comes
 * first.
 */
#ifndef REDIST_SCHEDULE_NETWORK_WORDS_H
#define REDIST_SCHEDULE_NETWORK_WORDS_H

#include "schedule/network/rush.h"

/* How many words there are. */
int64_t words_count(const struct rush *rush);

/* List them behind the messages, which lie in their lanes. MEMORY. */
redist_err words_make(struct rush *rush);

/* Post the first words of a process, to others and from them. */
void words_begin(struct rush *rush, int rank);

/* The word that a process waits for beside its messages, or NULL. */
struct passage *words_awaited(const struct rush *rush, int rank);

/* A process has taken that word in: post those of the next round, if there is one. */
void words_go_on(struct rush *rush, int rank);

/* When a process that has nothing else to do any more has taken all words in. */
double words_end(const struct rush *rush, int rank);

#endif
