/* SPDX-License-Identifier: MIT
 *
 * move/device/device_places.h - elements that lie by lists, where a side is in memory of
 * the device.
 */
#ifndef REDIST_MOVE_DEVICE_DEVICE_PLACES_H
#define REDIST_MOVE_DEVICE_DEVICE_PLACES_H

#include "move/walk/memory.h"

/* Move them: move_places of struct memory_kind. O(1) launches where the device reaches
 * both sides; else through the bounce buffer. */
void device_move_places(struct memory *memory, const struct places *places, char *to,
                        const char *from);

#endif
