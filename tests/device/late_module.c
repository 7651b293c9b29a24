/* SPDX-License-Identifier: MIT
 *
 * tests/device/late_module.c - the late device as a module, in place of libredist_cuda.
 * With REDIST_TEST_VERSION it is of another version.
 */
#include "device/late_device.h"

const struct device_driver *redist_device_driver(void);
const struct device_driver *redist_device_driver(void)
{
#ifdef REDIST_TEST_VERSION
    static struct device_driver other;
    other = late_device;
    other.version++;
    return &other;
#else
    return &late_device;
#endif
}
