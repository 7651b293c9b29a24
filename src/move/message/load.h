/* SPDX-License-Identifier: MIT
 *
 * move/message/load.h - what there is to move, as far as the time that it takes depends
 * on it: the most of each number that any process has.
 */
#ifndef REDIST_MOVE_MESSAGE_LOAD_H
#define REDIST_MOVE_MESSAGE_LOAD_H

#include <stdbool.h>

#include "intersect/runs.h"

struct transfers;

/* Messages that go one way. */
struct flow {
    int64_t messages, bytes;
    int64_t packed;  /* bytes that are not contiguous in the buffer */
    int64_t largest; /* bytes of a message */
    int64_t blocks;  /* stretches of the buffer that MPI sees if nothing is packed */
};

struct load {
    /* Found: with all other processes; with those of the same node; with those beyond. */
    struct flow all[SIDES], near[SIDES], far[SIDES];
    int64_t unreached; /* others to which it sends nothing, or they to it */
    int64_t beside;    /* replicas of what it is to have on its node, with its own */
    int nranks;
    int64_t replicas; /* of the target, of one array */
    bool plain;       /* one array, of views, whose elements replace the target's */
    bool partial;     /* a process does not know what all others have */
    /* Chosen: staging memory in use, the grain and the longest piece (transfer_chunk) of
     * a message. */
    int64_t staging, grain, chunk;
};

/* Add what one process sends (own = REDIST_SOURCE) or receives to the load of its own.
 * O(their runs of one period). */
void load_add(struct load *load, const struct transfers *transfers, redist_side own);

/* Raise what is found to the most of both. */
void load_merge(struct load *load, const struct load *other);

/* What is found, as numbers: to find the most of any process in one reduction. */
enum { LOAD_NUMBERS = 3 * SIDES * (int)(sizeof(struct flow) / sizeof(int64_t)) + 2 };
int64_t *load_numbers(struct load *load);

#endif
