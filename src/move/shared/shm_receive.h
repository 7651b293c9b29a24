/* SPDX-License-Identifier: MIT
 *
 * move/shared/shm_receive.h - receive from peers of the node, and move the elements that
 * stay on the process. Both are interleaved (interleave.h) into the target as they
 * arrive, in ring slots or in arrays offered by their senders. Elements that stay are
 * read shortly after their neighbours have been packed for others, so that the source
 * passes through the cache once, too.
 */
#ifndef REDIST_MOVE_SHARED_SHM_RECEIVE_H
#define REDIST_MOVE_SHARED_SHM_RECEIVE_H

#include "move/shared/shm_peers.h"
#include "move/interleave/run_table.h"
#include "move/interleave/interleave.h"

struct shm_receive {
    struct interleave whole; /* empty if they cannot be interleaved */
    struct input *inputs;    /* [incoming + 1] room */
    struct run_table table;  /* of the inputs, if they can be interleaved by table */
    /* in a run */
    bool interleaving;
    struct interleave interleave;
    int64_t vain; /* consecutive attempts without progress */
};

/* Find out whether the messages from peers and the elements that stay fill the target
 * together. `receiving` needs shm_receive_free in any case.
 * O(n dims), and the cost of run_table_make. MEMORY. */
redist_err shm_receive_make(const struct move *move, const struct shm_peers *peers,
                            struct shm_receive *receiving);
void shm_receive_free(struct shm_receive *receiving);

/* Begin a run. It interleaves if that is possible and moved elements replace the target's
 * values. */
void shm_receive_start(const struct move *move, const struct shm_peers *peers,
                       struct shm_receive *receiving);

/* Interleave as far as all inputs have arrived. Every incoming message must have its
 * offer. Slots are returned to their senders. Returns whether anything was done. */
bool shm_receive_interleave(const struct move *move, struct shm_peers *peers,
                            struct shm_receive *receiving);

/* Move what has arrived of one message: a piece, or parts of the source. Returns whether
 * there was anything. */
bool shm_receive_take(const struct move *move, struct incoming *incoming);

/* Count an attempt without progress. After many, stop interleaving, so that what has
 * arrived is moved without waiting for the rest. */
void shm_receive_wait(struct shm_receive *receiving);

static inline bool shm_receive_is_over(const struct shm_receive *receiving)
{
    return receiving->interleave.at == receiving->interleave.end;
}

#endif
