/* SPDX-License-Identifier: MIT
 *
 * hdf5/dataset.h - what rank 0 finds in a file, before others open it.
 */
#ifndef REDIST_HDF5_DATASET_H
#define REDIST_HDF5_DATASET_H

#include <hdf5.h>

#include "files/format/format.h"

/* How a data set lies in a file; a block of memory for all processes. */
struct dataset {
    int ndims;
    int64_t shape[REDIST_MAX_DIMS], chunk[REDIST_MAX_DIMS];
    bool filtered; /* the chunks are compressed: filtered.h */
    bool alone;    /* only one process may write to it */
    char codec[32];
    int64_t type_length; /* of the type in `texts`, with its 0; the name follows */
    char texts[];
};

/* Open a file by this process alone. IO. */
redist_err dataset_open_file(const char *path, const char *name, bool write, hid_t *file);

/* Find the data set `inner` of the file `path`, or the only one of it if that is empty,
 * and describe it; services_free frees the block. `name` is for messages. `write`: it
 * will be written to. IO, MEMORY. */
redist_err dataset_find(const char *path, const char *name, const char *inner, bool write,
                        char **block, int64_t *size);

/* Its path within the file. */
const char *dataset_name(const struct dataset *dataset);

/* Visit the data sets of numbers of the file `path`: those below the group `inner`, or
 * that data set. IO, and what the visitor returns. */
redist_err dataset_visit(const char *path, const char *inner, file_visitor *visitor,
                         void *context);

#endif
