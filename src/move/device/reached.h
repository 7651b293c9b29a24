/* SPDX-License-Identifier: MIT
 *
 * move/device/reached.h - allocations of other processes' devices that this process has
 * opened. To open one takes longer than to read a small array, so those of a run, and
 * some that were used before, stay open.
 */
#ifndef REDIST_MOVE_DEVICE_REACHED_H
#define REDIST_MOVE_DEVICE_REACHED_H

#include "move/driver/driver.h"

/* Find the address here of a place in another process, for a run of `owner`; NULL: it
 * cannot be reached. It stays open in this run. Thread-safe. O(allocations that are
 * open). */
const char *reached_find(const struct device_driver *driver, const void *owner,
                         int64_t run, const struct memory_place *place);

/* Close all allocations of an owner. Thread-safe. */
void reached_leave(const struct device_driver *driver, const void *owner);

#endif
