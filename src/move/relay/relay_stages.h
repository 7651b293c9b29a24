/* SPDX-License-Identifier: MIT
 *
 * move/relay/relay_stages.h - what exchanges in several legs have in common: each leg is
 * as nonblocking, with messages and staging memory of its own, and one follows the other.
 *
 * A process goes on to its next leg when its own messages of one have travelled:
 * messages of a pair don't overtake each other, so nobody takes one of a later leg for
 * one of this.
 */
#ifndef REDIST_MOVE_RELAY_RELAY_STAGES_H
#define REDIST_MOVE_RELAY_RELAY_STAGES_H

#include "move/p2p/pipeline.h"

struct leg {
    struct move move;
    void *lanes;
};

/* The state of such an exchange begins with this. */
struct legs {
    int n;
    struct leg *leg; /* [n] */
    bool with_kept;  /* each moves what stays on the process, too */
    int at;          /* the leg under way; n: none */
};

/* Make n legs of a move, each with `staging` bytes and without messages, which the caller
 * then makes, as what else is another than the move's. Then legs_ready. The caller frees
 * with legs_free, after a failure too. MEMORY. */
redist_err legs_make(const struct move *move, int n, int64_t staging, struct legs *legs);
void legs_free(struct legs *legs);

/* Allocate what a run needs. ARG, MEMORY: as lanes_make. */
redist_err legs_ready(struct legs *legs);

/* Begin a run. */
redist_err legs_start(const struct move *move, struct legs *legs);

/* What an exchange (exchange.h) does: count the messages of all legs; drive a run on. */
void legs_usage(const void *state, struct usage *usage);
redist_err legs_progress(struct move *move, void *state, bool wait, bool *done);

#endif
