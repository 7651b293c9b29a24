/* SPDX-License-Identifier: MIT
 *
 * move/device/device.h - arrays in device memory as a kind of memory
 * (move/walk/memory.h): nests, and elements by lists, are queued, and many begin in one
 * launch.
 *
 *   both sides reached by the device   one move
 *   one side in other host memory      a move to or from pinned memory, a bounce buffer;
 *                                      the host copies between that and its own
 *   arithmetic that it lacks           both operands are brought to pinned memory, where
 *                                      the host combines them
 */
#ifndef REDIST_MOVE_DEVICE_DEVICE_H
#define REDIST_MOVE_DEVICE_DEVICE_H

#include "move/driver/driver.h"
#include "move/walk/memory.h"

/* Return the kind of a driver's memory; the driver must live on. One driver at a time.
 * NULL: the driver is of another version. */
const struct memory_kind *device_kind(const struct device_driver *given);

#endif
