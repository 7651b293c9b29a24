/* SPDX-License-Identifier: MIT
 *
 * files/zarr/consolidated.h - the metadata of a group that have those of all in it, too;
 * by one process.
 *
 *   .zmetadata                           version 2
 *   zarr.json: "consolidated_metadata"   version 3
 */
#ifndef REDIST_FILES_ZARR_CONSOLIDATED_H
#define REDIST_FILES_ZARR_CONSOLIDATED_H

#include <redist/describe.h>

/* If the group `folder` has consolidated metadata, put in those of the array
 * folder/inner, and of the groups between that they lack. What they had of an older array
 * goes. IO, MEMORY; the array stays. */
redist_err consolidated_update(const char *folder, const char *inner, int version,
                               const char *metadata, int64_t size);

#endif
