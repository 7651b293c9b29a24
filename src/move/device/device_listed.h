/* SPDX-License-Identifier: MIT
 *
 * move/device/device_listed.h - lists of places in memory of the device: a list travels
 * there when it is first moved by, and stays for later runs.
 */
#ifndef REDIST_MOVE_DEVICE_DEVICE_LISTED_H
#define REDIST_MOVE_DEVICE_DEVICE_LISTED_H

#include "move/driver/driver.h"
#include "move/walk/listed.h"

/* Find a list: *at is its first place there, of all. Returns 0, or a code of the driver;
 * DEVICE_LISTED_NOT: no memory, or a place of more than 32 bits.
 * Thread-safe. O(1), the first time O(elements). */
enum { DEVICE_LISTED_NOT = -1 };
int device_listed_find(const struct device_driver *driver, const struct listed *list,
                       const uint32_t **at);

/* Free a list. Thread-safe. */
void device_listed_leave(const struct device_driver *driver, const void *list);

#endif
