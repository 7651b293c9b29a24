/* SPDX-License-Identifier: MIT
 *
 * files/store/hdf5.h - what the library and its module for HDF5, libredist_hdf5, offer
 * each other. Both are of one build, or the version differs.
 */
#ifndef REDIST_FILES_STORE_HDF5_H
#define REDIST_FILES_STORE_HDF5_H

#include <stddef.h>

#include "files/format/format.h"

enum { HDF5_MODULE_VERSION = 4 };

/* Functions of the library, by their names. */
struct hdf5_services {
    redist_err (*error_set)(redist_err err, const char *format, ...);
    redist_err (*error_prefix)(redist_err err, const char *format, ...);
    redist_err (*collective_agree)(MPI_Comm comm, redist_err err);
    redist_err (*collective_share)(MPI_Comm comm, redist_err err, char **block,
                                   int64_t *size);
    redist_err (*file_set_layout)(redist_file *file, int ndims, const int64_t shape[],
                                  const char *type, redist_order order);
    redist_err (*file_set_codec)(redist_file *file, const char *codec);
    int64_t (*box_elements)(const redist_file *file, const struct box *box);
    void *(*alloc)(int64_t count, size_t size);
    void *(*resize)(void *block, int64_t count, size_t size);
    void (*free)(void *block);
};

/* `create` takes the place of that of the format, and makes the data set in the file
 * `path`: a `fresh` one, which is empty, or file->path. */
struct hdf5_module {
    int version;
    struct file_format format;
    redist_err (*create)(redist_file *file, const char *path, bool fresh);
};

/* Load the module, once. IO: there is none, or one that does not fit; the sentence begins
 * with `path`. Thread-safe. */
redist_err hdf5_load(const char *path);

/* The module's only symbol, of type hdf5_module_function. NULL: it cannot be
 * used, with an error that is set. */
#define HDF5_MODULE_SYMBOL "redist_hdf5_module"
typedef const struct hdf5_module *hdf5_module_function(const struct hdf5_services *);

#endif
