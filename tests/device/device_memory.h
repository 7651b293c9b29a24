/* SPDX-License-Identifier: MIT
 *
 * tests/device/device_memory.h - the device memory of a test, by name:
 *
 *   late       that of the late device (late_device.h)
 *   coherent   the same, and the device reaches all memory of the host
 *   cuda       that of a CUDA device
 *   none       no device: the library knows host memory alone
 */
#ifndef REDIST_TESTS_DEVICE_MEMORY_H
#define REDIST_TESTS_DEVICE_MEMORY_H

#include <stddef.h>

struct memory_kind; /* move/walk/memory.h */

struct device_memory {
    const char *name;
    void *(*alloc)(size_t bytes); /* NULL: there is none left */
    void (*free)(void *device);
    void (*put)(void *device, const void *from, size_t bytes);
    void (*get)(void *to, const void *device, size_t bytes);
};

/* Add the memory `name` as a kind of the library's; NULL for "none". Ends the program if
 * there is no such device. */
const struct device_memory *device_memory_add(const char *name);

/* The same for what REDIST_TEST_DEVICE names, or "late"; *kind is its kind. */
const struct device_memory *device_memory_of_test(const struct memory_kind **kind);

#endif
