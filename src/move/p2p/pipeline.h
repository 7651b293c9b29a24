/* SPDX-License-Identifier: MIT
 *
 * move/p2p/pipeline.h - messages from process to process, in pieces, through bounded
 * staging memory: what all point-to-point exchanges have in common.
 *
 * There is a direction each way. Messages longer than a chunk travel in chunks. Pieces
 * are posted in the order of the steps, and their staging memory is taken from a ring.
 * What is contiguous in the caller's buffer travels from and to there. While pieces
 * travel, the next are packed and those that have come are unpacked:
 *
 *   messages  | A | B       | C |..         to be posted: B from its third chunk on
 *               *   * *|. .   .
 *             landed  posted
 *
 * No order of messages that both ends share can deadlock: of all messages under way the
 * first has both its ends ready, as what is before it at either end is done.
 */
#ifndef REDIST_MOVE_P2P_PIPELINE_H
#define REDIST_MOVE_P2P_PIPELINE_H

#include "move/message/exchange.h"

/* Bytes that are unpacked in the nanoseconds that MPI takes to look at a request: if of
 * the last n pieces of a run no more than n n times so many are to be unpacked, all are
 * waited for at a time. */
enum { PIPELINE_LOOK = 64 };

/* How an exchange differs from posting everything as early as the memory allows. */
struct pipeline_policy {
    int64_t window;  /* the most pieces outstanding each way */
    bool stepwise;   /* what belongs to a step is done before the next step begins */
    bool any_source; /* receive from whoever sends; the message tells who it was */
    bool ready;      /* send in ready mode, when all have posted all their receives */
};

/* Allocate all that a run needs. ARG: the staging memory cannot do what the policy asks
 * for. MEMORY. */
redist_err pipeline_make(const struct move *move, const struct pipeline_policy *policy,
                         void **opaque);

/* Count what a run asks of a machine (effort.h). Pure. */
bool pipeline_effort(const struct load *load, const struct pipeline_policy *policy,
                     struct effort *effort);

/* The rest of what an exchange (exchange.h) does. */
redist_err pipeline_start(struct move *move, void *opaque);
redist_err pipeline_progress(struct move *move, void *opaque, bool wait, bool *done);
void pipeline_destroy(void *opaque);

#endif
