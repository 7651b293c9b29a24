/* SPDX-License-Identifier: MIT
 *
 * move/shared/shm_send.h - send to peers of the node: pack pieces into their rings, or
 * copy the source into a window for all of them (source_window.h).
 */
#ifndef REDIST_MOVE_SHARED_SHM_SEND_H
#define REDIST_MOVE_SHARED_SHM_SEND_H

#include "move/shared/shm_peers.h"

/* Read the receivers' answers and send the pieces there is room for, of each message no
 * further than `limit` (throttle.h). Returns whether anything was done; `*open` decreases
 * by the messages completed. */
bool shm_send_pieces(const struct move *move, struct shm_peers *peers, double limit,
                     int64_t *open);

#endif
