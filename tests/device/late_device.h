/* SPDX-License-Identifier: MIT
 *
 * tests/device/late_device.h - a device without one: its memory is closed to the program,
 * so that any touch but by its moves ends the test; and its moves run as late as they
 * may, when someone waits, and in any order.
 */
#ifndef REDIST_TESTS_LATE_DEVICE_H
#define REDIST_TESTS_LATE_DEVICE_H

#include "move/driver/driver.h"

extern const struct device_driver late_device;

/* Allocate device memory, NULL: there is none left; and forget all of it at once. */
void *late_device_alloc(size_t bytes);
void late_device_reset(void);

/* Free what the driver has allocated. */
void late_device_free_pinned(void *memory);

/* Let the device reach all memory of the host, as some do. */
void late_device_reach_all(void);

/* Where the bytes of device memory are, for the test alone. */
char *late_device_bytes(const void *address);

/* Refuse an array that begins at this address; NULL: none. */
void late_device_refuse(const void *address);

/* Fail the n-th launch from now on, 1: the next one; 0: none. */
void late_device_fail(int n);

/* Launches so far, and what was in them. */
struct late_device_counts {
    int64_t launches, moves, windows, squares, linears;
    int64_t pinned;  /* parts of the host's memory that are so */
    int64_t lists;   /* lists in memory of the device */
    int64_t reached; /* allocations of other processes that are open */
};
struct late_device_counts late_device_counts(void);

#endif
