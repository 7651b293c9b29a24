/* SPDX-License-Identifier: MIT
 *
 * move/relay/relay_stages.h - exchanges of several consecutive stages. Each stage works
 * as the exchange nonblocking, with messages and staging memory of its own.
 *
 * A process enters its next stage when its own messages of the present one are complete.
 * Messages of a pair of processes don't overtake each other, so stages are not confused.
 */
#ifndef REDIST_MOVE_RELAY_RELAY_STAGES_H
#define REDIST_MOVE_RELAY_RELAY_STAGES_H

#include "move/p2p/pipeline.h"

struct relay_stage {
    struct move move;
    void *pipeline;
};

/* The state of an exchange in stages begins with this. */
struct relay_stages {
    int n;
    struct relay_stage *stage; /* [n] */
    bool with_kept;            /* each stage also moves the elements that stay on the
                                  process */
    int at;                    /* the stage under way; n: none */
};

/* Make n stages of a move, with `staging` bytes each and no messages. The caller then
 * makes the messages and all else that differs from the move's, and calls
 * relay_stages_ready. The caller frees with relay_stages_free, after a failure too.
 * MEMORY. */
redist_err relay_stages_make(const struct move *move, int n, int64_t staging,
                             struct relay_stages *stages);
void relay_stages_free(struct relay_stages *stages);

/* Allocate all that a run needs. ARG, MEMORY: as pipeline_make. */
redist_err relay_stages_ready(struct relay_stages *stages);

/* Begin a run. */
redist_err relay_stages_start(const struct move *move, struct relay_stages *stages);

/* Functions of an exchange (exchange.h): count the messages of all stages; advance a
 * run. */
void relay_stages_usage(const void *state, struct usage *usage);
redist_err relay_stages_progress(struct move *move, void *state, bool wait, bool *done);

#endif
