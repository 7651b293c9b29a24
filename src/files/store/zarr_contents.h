/* SPDX-License-Identifier: MIT
 *
 * files/store/zarr_contents.h - which arrays there are in a group; by one process.
 */
#ifndef REDIST_FILES_STORE_ZARR_CONTENTS_H
#define REDIST_FILES_STORE_ZARR_CONTENTS_H

#include "files/format/format.h"

/* Visit the array `inner` of `path`, or all arrays below that group, by name, but those
 * that are not supported. Links below it are not followed. IO: what cannot be read.
 * MEMORY. */
redist_err zarr_contents_visit(const char *path, const char *inner, file_visitor *visitor,
                               void *context);

#endif
