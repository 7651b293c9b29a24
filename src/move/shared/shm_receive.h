/* SPDX-License-Identifier: MIT
 *
 * move/shared/shm_receive.h - what peers bring to an array, and what stays on the
 * process, interleaved into the target (interleave.h) as it arrives: pieces in their
 * rings, arrays that have been offered. The elements that stay are read shortly after
 * those between them have been packed for others, so that the source, too, goes through
 * the cache once.
 */
#ifndef REDIST_MOVE_SHARED_SHM_RECEIVE_H
#define REDIST_MOVE_SHARED_SHM_RECEIVE_H

#include "move/shared/shm_peers.h"
#include "move/interleave/run_table.h"
#include "move/interleave/interleave.h"

struct shm_receive {
    struct interleave whole; /* nothing, if they cannot be interleaved */
    struct input *inputs;    /* room for [incoming + 1] */
    struct run_table table;  /* of them, if they can be interleaved by table */
    /* in a run */
    bool interleaving;
    struct interleave interleave;
    int64_t vain; /* looks in vain */
};

/* Find out whether the messages from peers and what stays fill the target together.
 * `inputs` has room for all of them, and stays the caller's. `receiving` needs
 * shm_receive_free in any case.
 * O(n dims), and what run_table_make takes. MEMORY. */
redist_err shm_receive_make(const struct move *move, const struct shm_peers *peers,
                            struct input *inputs, struct shm_receive *receiving);
void shm_receive_free(struct shm_receive *receiving);

/* Begin a run: interleave, if they can be interleaved and what is moved replaces what is
 * there. */
void shm_receive_start(const struct move *move, const struct shm_peers *peers,
                       struct shm_receive *receiving);

/* Weave as far as all have come, when no incoming is listening any more. Slots are given
 * back to their senders. Returns whether anything was done. */
bool shm_receive_interleave(const struct move *move, struct shm_peers *peers,
                            struct shm_receive *receiving);

/* Move by itself what has come of a message: a piece, or stretches of the source. Returns
 * whether there was anything. */
bool shm_receive_take(const struct move *move, struct incoming *incoming);

/* Give up interleaving where some are late: what has come can be moved as if nothing had
 * been. Called after each look in vain. */
void shm_receive_wait(struct shm_receive *receiving);

static inline bool shm_receive_is_over(const struct shm_receive *receiving)
{
    return receiving->interleave.at == receiving->interleave.end;
}

#endif
