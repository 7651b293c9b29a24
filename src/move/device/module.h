/* SPDX-License-Identifier: MIT
 *
 * move/device/module.h - the module for a make of device, which is loaded when the
 * process uses such: libredist_cuda.so beside the library or on the usual paths, or what
 * REDIST_CUDA_MODULE in the environment names. The library is linked to no CUDA.
 */
#ifndef REDIST_MOVE_DEVICE_MODULE_H
#define REDIST_MOVE_DEVICE_MODULE_H

/* Load the module if the process has loaded CUDA's driver, and add its memory as a kind
 * (memory.h), unless there is one. Without the module, or with one of another version,
 * the kind only knows CUDA's addresses: a run with such has an error that tells why.
 * Takes a fraction of a microsecond while no library was loaded since the last call.
 * Thread-safe. */
void module_find(void);

/* Return why arrays of CUDA are refused; NULL: they are not, as far as is known. */
const char *module_missing(void);

#endif
