/* SPDX-License-Identifier: MIT
 *
 * move/shared/shm_places.h - where arrays lie that other processes of the node can read:
 * those of redist_alloc, and those of another kind of memory that can be shown.
 */
#ifndef REDIST_MOVE_SHARED_SHM_PLACES_H
#define REDIST_MOVE_SHARED_SHM_PLACES_H

#include "move/shared/shm_peers.h"

/* Show the places of the own sources of a run, but not of those of redist_alloc if
 * `hidden`. Returns whether others can read any of them. */
bool shm_places_show(const struct move *move, bool hidden, struct shown_place places[]);

/* Find the arrays that a sender has shown; false: one of them is not accessible. */
bool shm_places_find(const struct move *move, const struct shm_peers *peers,
                     struct incoming *incoming);

#endif
