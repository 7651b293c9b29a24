/* SPDX-License-Identifier: MIT
 *
 * hdf5/make.h - a new data set, made by rank 0 alone. In a file that exists it has
 * another name until it is complete.
 */
#ifndef REDIST_HDF5_MAKE_H
#define REDIST_HDF5_MAKE_H

#include "files/format/format.h"

/* Check that the layout can be made, fill in the chunks where they are 0, and make a data
 * set whose elements all have their place in the file. ARG, IO. */
redist_err make_dataset(redist_file *file, const char *path, bool fresh);

/* Check that the file may become as long as all elements take. HDF5 notes a new length
 * before the file has it: if it can't have it, the file can't be opened any more. IO. */
redist_err make_check_growth(const redist_file *file, const char *path);

/* The name of the data set while it is written; services_free frees it. NULL: MEMORY. */
char *make_name(const redist_file *file, bool fresh);

/* Give the data set its name in file->path, in place of one that has it; or remove it, if
 * `failed`. IO. */
redist_err make_keep(const redist_file *file, bool failed);

#endif
