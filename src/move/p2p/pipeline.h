/* SPDX-License-Identifier: MIT
 *
 * move/p2p/pipeline.h - send messages from process to process, in pieces, through bounded
 * staging memory. All point-to-point exchanges use it.
 *
 * There are two directions. Messages longer than a chunk travel in chunks. Pieces are
 * posted in the order of the steps, and take their staging memory from a ring. Contiguous
 * messages are sent from, and received in, the caller's buffer. While pieces travel, the
 * next ones are packed and those that arrived are unpacked:
 *
 *   messages  | A | B       | C |..         to be posted: B from its third chunk on
 *               *   * *|. .   .
 *            arrived  posted
 *
 * It is free of deadlock if both ends order the messages alike: of all messages in
 * progress, the first has both its ends ready, as those before it at either end are done.
 */
#ifndef REDIST_MOVE_P2P_PIPELINE_H
#define REDIST_MOVE_P2P_PIPELINE_H

#include "move/message/exchange.h"

/* Bytes that are unpacked in the time that MPI takes to test a request. If the last n
 * pieces of a run have at most n * n times as many bytes to unpack, all are waited for at
 * once. */
enum { PIPELINE_LOOK = 64 };

/* How an exchange differs from posting all pieces as early as memory allows. */
struct pipeline_policy {
    int64_t window;  /* the most pieces outstanding each way */
    bool stepwise;   /* a step is completed before the next one begins */
    bool any_source; /* receive from any source; the message tells its sender */
    bool ready;      /* send in ready mode, after all processes have posted all
                        receives */
};

/* Allocate all that a run needs. Collective if the policy is `ready`, else local.
 * ARG: the staging memory is too small for the policy; MEMORY, MPI. */
redist_err pipeline_make(const struct move *move, const struct pipeline_policy *policy,
                         void **opaque);

/* Count what a run asks of a machine (load.h). Pure. */
bool pipeline_effort(const struct load *load, const struct pipeline_policy *policy,
                     struct effort *effort);

/* The other functions of an exchange (exchange.h). */
redist_err pipeline_start(struct move *move, void *opaque);
redist_err pipeline_progress(struct move *move, void *opaque, bool wait, bool *done);
void pipeline_destroy(void *opaque);

#endif
