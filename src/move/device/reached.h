/* SPDX-License-Identifier: MIT
 *
 * move/device/reached.h - allocations of other processes' devices that this process has
 * opened. To open one takes longer than to read a small array, so it stays open from run
 * to run.
 */
#ifndef REDIST_MOVE_DEVICE_REACHED_H
#define REDIST_MOVE_DEVICE_REACHED_H

#include "move/driver/driver.h"

/* Find the address here of a place in another process, for `owner`; NULL: it cannot be
 * reached. Thread-safe. O(allocations that are open). */
const char *reached_find(const struct device_driver *driver, const void *owner,
                         const struct memory_place *place);

/* Close all allocations of an owner. Thread-safe. */
void reached_leave(const struct device_driver *driver, const void *owner);

#endif
