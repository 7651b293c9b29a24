/* SPDX-License-Identifier: MIT
 *
 * schedule/relay.h - the words by which processes hear, in a rush, that all are well: in
 * round k each tells the one 2^k further, so that in the end each has heard of all.
 *
 *   round   0          1          2          of 8 processes
 *           0 -> 1     0 -> 2     0 -> 4
 *
 * The first goes behind a process's first messages, each other one when it has heard the
 * one before, for which it waits beside its messages. They pass links as messages do, and
 * though they are short, they may decide which of these comes first.
 */
#ifndef REDIST_SCHEDULE_RELAY_H
#define REDIST_SCHEDULE_RELAY_H

#include "schedule/rush.h"

/* How many words there are. */
int64_t relay_words(const struct rush *rush);

/* List them behind the messages: of each round those of all processes. */
void relay_make(struct rush *rush);

/* Post the words of a process's present round, from one and to another. */
void relay_post(struct rush *rush, int rank);

/* The word that a process waits for, or NULL. */
struct passage *relay_awaited(const struct rush *rush, int rank);

/* A process has taken that word in: post those of the next round, if there is one. */
void relay_go_on(struct rush *rush, int rank);

#endif
