/* SPDX-License-Identifier: MIT
 *
 * files/store/stores.h - the formats that there are.
 */
#ifndef REDIST_FILES_STORE_STORES_H
#define REDIST_FILES_STORE_STORES_H

#include "files/format/format.h"

extern const struct file_format store_npy, store_raw, store_hdf5, store_zarr;

#endif
