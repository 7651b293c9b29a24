/* SPDX-License-Identifier: MIT
 *
 * move/message/load.h - the amounts to move that determine the time of a run. Each number
 * is the maximum over all processes.
 */
#ifndef REDIST_MOVE_MESSAGE_LOAD_H
#define REDIST_MOVE_MESSAGE_LOAD_H

#include <stdbool.h>

#include "intersect/runs.h"

struct transfers;

/* Messages of one direction. */
struct flow {
    int64_t messages, bytes;
    int64_t packed;  /* bytes that are not contiguous in the buffer */
    int64_t largest; /* bytes of a message */
    int64_t blocks;  /* contiguous blocks of the buffer, which MPI sees if nothing is
                        packed */
};

/* The maximum of both directions. */
struct flow flow_most(const struct flow flows[SIDES]);

struct load {
    /* Found: with all other processes; with those of the same node; with those of other
     * nodes. */
    struct flow all[SIDES], near[SIDES], far[SIDES];
    int64_t unreached; /* processes with which it exchanges nothing */
    int64_t beside;    /* replicas on its node of what it receives, with its own */
    int64_t kinds;     /* 1: arrays may lie in other than host memory (memory.h) */
    int nranks;
    int64_t replicas; /* of the target, of one array */
    bool plain;       /* one array, of views, whose elements replace the target's */
    bool partial;     /* a process does not know the messages of all others */
    /* Chosen: bytes of staging memory, grain, and longest piece (transfer_chunk). */
    int64_t staging, grain, chunk;
};

/* Add what one process sends (own = REDIST_SOURCE) or receives to its load.
 * O(their runs of one period). */
void load_add(struct load *load, const struct transfers *transfers, redist_side own);

/* Raise the found numbers to the maximum of both. */
void load_merge(struct load *load, const struct load *other);

/* The found numbers as an array, for a reduction by maximum over all processes. */
enum { LOAD_NUMBERS = 3 * SIDES * (int)(sizeof(struct flow) / sizeof(int64_t)) + 3 };
int64_t *load_numbers(struct load *load);

#endif
