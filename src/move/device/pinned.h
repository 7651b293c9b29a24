/* SPDX-License-Identifier: MIT
 *
 * move/device/pinned.h - staging memory that a device reaches. To pin memory takes longer
 * than to copy it once, and not all plans move arrays of the device: a block is pinned
 * when the device first packs into it, or unpacks from it.
 */
#ifndef REDIST_MOVE_DEVICE_PINNED_H
#define REDIST_MOVE_DEVICE_PINNED_H

#include "move/driver/driver.h"

/* From now on take long blocks of staging memory (mem_alloc_elements) from here, for this
 * driver to pin. */
void pinned_begin(const struct device_driver *given);

/* Find the block of an address, and pin it unless it is; false: it is in no block, or the
 * driver cannot. Thread-safe. O(blocks). */
bool pinned_find(const char *address, struct device_range *range);

#endif
