/* SPDX-License-Identifier: MIT
 *
 * move/relay/relay_stages.h - what exchanges in several stages have in common: each stage
 * is as nonblocking, with messages and staging memory of its own, and one follows the
 * other.
 *
 * A process goes on to its next stage when its own messages of one have travelled:
 * messages of a pair don't overtake each other, so nobody takes one of a later stage for
 * one of this.
 */
#ifndef REDIST_MOVE_RELAY_RELAY_STAGES_H
#define REDIST_MOVE_RELAY_RELAY_STAGES_H

#include "move/p2p/pipeline.h"

struct relay_stage {
    struct move move;
    void *pipeline;
};

/* The state of such an exchange begins with this. */
struct relay_stages {
    int n;
    struct relay_stage *stage; /* [n] */
    bool with_kept;            /* each moves what stays on the process, too */
    int at;                    /* the stage under way; n: none */
};

/* Make n stages of a move, each with `staging` bytes and without messages, which the
 * caller then makes, as what else is another than the move's. Then relay_stages_ready.
 * The caller frees with relay_stages_free, after a failure too. MEMORY. */
redist_err relay_stages_make(const struct move *move, int n, int64_t staging,
                             struct relay_stages *stages);
void relay_stages_free(struct relay_stages *stages);

/* Allocate what a run needs. ARG, MEMORY: as pipeline_make. */
redist_err relay_stages_ready(struct relay_stages *stages);

/* Begin a run. */
redist_err relay_stages_start(const struct move *move, struct relay_stages *stages);

/* What an exchange (exchange.h) does: count the messages of all stages; drive a run
 * on. */
void relay_stages_usage(const void *state, struct usage *usage);
redist_err relay_stages_progress(struct move *move, void *state, bool wait, bool *done);

#endif
