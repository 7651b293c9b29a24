/* SPDX-License-Identifier: MIT
 *
 * move/walk/memory_place.h - where an array lies in memory that other processes of the
 * node can reach, as one process tells another.
 */
#ifndef REDIST_MOVE_WALK_MEMORY_PLACE_H
#define REDIST_MOVE_WALK_MEMORY_PLACE_H

#include <stdint.h>

struct memory_place {
    char handle[64]; /* of an allocation */
    uint64_t id;     /* of the same: a handle may come again when it has been freed */
    int64_t offset;  /* bytes from its begin */
};

#endif
