/* SPDX-License-Identifier: MIT
 *
 * move/shared/shm_send.h - what goes to peers: pieces that are packed into their
 * rings, or stretches of the source for all of them at a time (source_window.h).
 */
#ifndef REDIST_MOVE_SHARED_SHM_SEND_H
#define REDIST_MOVE_SHARED_SHM_SEND_H

#include "move/shared/shm_peers.h"

/* Take in what receivers have answered, and send what there is room for, of each no
 * further than `limit` (throttle.h). Returns whether anything was done; `*open` becomes
 * less by the outgoing that are over. */
bool shm_send_pieces(const struct move *move, struct shm_peers *peers, double limit,
                     int64_t *open);

#endif
