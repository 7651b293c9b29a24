/* SPDX-License-Identifier: MIT
 *
 * move/shared/departures.h - what goes to neighbors: pieces that are packed into their
 * rings, or stretches of the source for all of them at a time (slide.h).
 */
#ifndef REDIST_MOVE_SHARED_DEPARTURES_H
#define REDIST_MOVE_SHARED_DEPARTURES_H

#include "move/shared/neighbors.h"

/* Take in what receivers have answered, and send what there is room for, of each no
 * further than `pace` (pace.h). Returns whether anything was done; `*open` becomes less
 * by the outlets that are over. */
bool departures_send(const struct move *move, struct neighbors *neighbors, double pace,
                     int64_t *open);

#endif
