/* SPDX-License-Identifier: MIT
 *
 * move/message/effort.h - what a run asks of a machine, counted: so many of each of a few
 * things that take time. Seconds are counts times the rates of a machine
 * (plan/choice/rates.h).
 *
 *   load of the busiest process -> exchange->effort -> effort x rates = seconds
 *
 * The machine is that of schedule/model/model.h, with a startup told apart from the
 * latency that messages under way at the same time share, and with what only some
 * exchanges do.
 */
#ifndef REDIST_MOVE_MESSAGE_EFFORT_H
#define REDIST_MOVE_MESSAGE_EFFORT_H

#include "move/message/load.h"

enum effort_term {
    EFFORT_STARTUPS,   /* messages, or pieces of them, sent and received: alpha */
    EFFORT_HANDSHAKES, /* of them, those too long to be sent before they are expected */
    EFFORT_WAITS,      /* times that nothing is left to do until a message has come */
    EFFORT_WIRE,       /* bytes sent: beta */
    EFFORT_PACKING,    /* bytes packed or unpacked: gamma */
    EFFORT_SPILL,  /* bytes packed or unpacked through staging memory past the cache */
    EFFORT_CALLS,  /* collective calls with a message for each process */
    EFFORT_VOTES,  /* small reductions, or barriers */
    EFFORT_BLOCKS, /* stretches of memory that MPI packs or unpacks, */
    EFFORT_TYPED,  /* and their bytes */
    EFFORT_GETS,   /* bytes read from memory that another process shows to MPI */
    EFFORT_FLAGS,  /* flags seen, in memory that processes share */
    EFFORT_RINGS,  /* bytes packed into such memory by one, unpacked by another */
    EFFORT_TERMS
};

/* Staging memory of a process, both ways together, that stays in its cache. */
enum { EFFORT_NEAR = 1 << 20 };

/* The longest message, in bytes, that needs no handshake: as in Open MPI's shared memory;
 * MPICH's, and networks, have some times more. */
enum { EFFORT_EAGER = 4 << 10 };

struct effort {
    double count[EFFORT_TERMS];
    int64_t staging; /* bytes of staging memory that a process takes at most */
};

#endif
