/* SPDX-License-Identifier: MIT
 *
 * move/device/device_places.h - elements that lie by lists, where a side is in memory of
 * the device. A list travels there when it is first moved by, and stays for later runs.
 */
#ifndef REDIST_MOVE_DEVICE_DEVICE_PLACES_H
#define REDIST_MOVE_DEVICE_DEVICE_PLACES_H

#include "move/driver/driver.h"
#include "move/walk/memory.h"

/* Move them: move_places of struct memory_kind. O(1) launches where the device reaches
 * both sides; else through the bounce buffer. */
void device_move_places(struct memory *memory, const struct places *places, char *to,
                        const char *from);

/* Free a list there. Thread-safe. */
void device_places_leave(const struct device_driver *driver, const void *list);

#endif
