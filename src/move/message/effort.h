/* SPDX-License-Identifier: MIT
 *
 * move/message/effort.h - what a run asks of a machine: counts of a few operations that
 * take time. Seconds are counts times the rates of a machine (plan/choice/rates.h).
 *
 *   load of the busiest process -> exchange->effort -> effort x rates = seconds
 *
 * The model is that of schedule/model/model.h. In addition it separates a message's
 * startup from the latency that concurrent messages share, and counts operations that
 * only some exchanges use.
 */
#ifndef REDIST_MOVE_MESSAGE_EFFORT_H
#define REDIST_MOVE_MESSAGE_EFFORT_H

#include "move/message/load.h"

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
