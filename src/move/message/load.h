/* SPDX-License-Identifier: MIT
 *
 * move/message/load.h - what determines the time of a run: the load, which are amounts to
 * move, each the maximum over all processes; and the effort that they take.
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

/* What a run asks of a machine: counts of a few operations that take time. Seconds are
 * counts times the rates of a machine (plan/choice/rates.h).
 *
 *   load of the busiest process -> exchange->effort -> effort x rates = seconds
 *
 * The model is that of schedule/model/model.h. In addition it separates a message's
 * startup from the latency that concurrent messages share, and counts operations that
 * only some exchanges use. */
enum effort_term {
    EFFORT_STARTUPS,   /* messages, or pieces of them, sent and received: alpha */
    EFFORT_HANDSHAKES, /* those of them that are too long to be sent eagerly */
    EFFORT_WAITS,      /* times that no work is left until a message arrives */
    EFFORT_WIRE,       /* bytes sent: beta */
    EFFORT_PACKING,    /* bytes packed or unpacked: gamma */
    EFFORT_SPILL,      /* bytes packed or unpacked through staging memory larger than the
                          cache */
    EFFORT_CALLS,      /* collective calls with a message for each process */
    EFFORT_VOTES,      /* small reductions, or barriers */
    EFFORT_BLOCKS,     /* contiguous blocks of memory that MPI packs or unpacks, */
    EFFORT_TYPED,      /* and their bytes */
    EFFORT_GETS,       /* bytes read from another process through an MPI window */
    EFFORT_FLAGS,      /* flags seen in shared memory */
    EFFORT_RINGS,      /* bytes packed into shared memory by one process, unpacked by
                          another */
    EFFORT_TERMS
};

/* Bytes of staging memory, both ways together, that stay in a process's cache. */
enum { EFFORT_NEAR = 1 << 20 };

/* Bytes of the longest message sent without a handshake, as in Open MPI's shared memory.
 * MPICH and networks allow several times more. */
enum { EFFORT_EAGER = 4 << 10 };

struct effort {
    double count[EFFORT_TERMS];
    int64_t staging; /* bytes of staging memory that a process takes at most */
};

#endif
