/* SPDX-License-Identifier: MIT
 *
 * files/store/stores.h - the formats that there are.
 */
#ifndef REDIST_FILES_STORE_STORES_H
#define REDIST_FILES_STORE_STORES_H

#include "files/format/format.h"

extern const struct file_format store_npy, store_raw, store_hdf5, store_zarr;

/* Visit the array `inner` of `path`, or all arrays below that group, by name, but those
 * that are not supported. Links below it are not followed. IO: what cannot be read.
 * MEMORY. */
redist_err zarr_contents_visit(const char *path, const char *inner, file_visitor *visitor,
                               void *context);

#endif
