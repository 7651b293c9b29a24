/* SPDX-License-Identifier: MIT
 *
 * hdf5/services.h - the library's functions for this module. Those that base/error.h,
 * files/format/collective.h and files/format/format.h declare are called by their names.
 */
#ifndef REDIST_HDF5_SERVICES_H
#define REDIST_HDF5_SERVICES_H

#include "files/store/hdf5.h"

/* Set the functions, before any of them is called. */
void services_set(const struct hdf5_services *services);

/* As mem_alloc and mem_resize without an account, and mem_free. */
void *services_alloc(int64_t count, size_t size);
void *services_resize(void *block, int64_t count, size_t size);
void services_free(void *block);

#endif
