/* SPDX-License-Identifier: MIT
 *
 * hdf5/filtered.h - read and write a data set whose chunks are compressed. Only rank 0
 * has its file open, but each writer compresses chunks of its own:
 *
 *   writer     chunk -> data set of one chunk, in a file in memory -> bytes -> rank 0
 *
 * For HDF5 can write such a data set by several processes only in collective calls, of
 * which one that fails on some processes does not end on the others.
 */
#ifndef REDIST_HDF5_FILTERED_H
#define REDIST_HDF5_FILTERED_H

#include <hdf5.h>

#include "files/format/format.h"

struct filtered;

/* Make what this writer compresses with, for the data set `name` of the file `path`,
 * which no process has open for writing. filtered_free frees it. IO, MEMORY. */
redist_err filtered_make(const redist_file *file, const char *path, const char *name,
                         struct filtered **made);
void filtered_free(struct filtered *filtered);

/* Read or write a box; `set` is rank 0's data set. Called by all writers, in the same
 * rounds. Errors may differ between processes: rank 0 has those of the file. */
redist_err filtered_read(const redist_file *file, struct filtered *filtered, hid_t set,
                         const struct box *box, void *elements);
redist_err filtered_write(const redist_file *file, struct filtered *filtered, hid_t set,
                          const struct box *box, const void *elements);

/* Read into `to`, or write `from`, a box of a data set that this process has open; not
 * between hdf5_begin and hdf5_end. IO. */
redist_err filtered_move(const redist_file *file, hid_t set, hid_t type,
                         const struct box *box, void *to, const void *from);

#endif
