/* SPDX-License-Identifier: MIT
 *
 * hdf5/hdf5_error.h - calls of HDF5, and the errors that it reports.
 *
 *   hdf5_begin();
 *   hid_t file = H5Fopen(..);
 *   redist_err err = file < 0 ? hdf5_error(path) : REDIST_OK;
 *   hdf5_end();
 *
 * In between the thread is alone with HDF5, which may know no threads, and HDF5 prints no
 * errors; what the program has set for them is put back. Not nested.
 */
#ifndef REDIST_HDF5_HDF5_ERROR_H
#define REDIST_HDF5_HDF5_ERROR_H

#include <hdf5.h>

#include <redist/describe.h>

void hdf5_begin(void);
void hdf5_end(void);

/* Return IO with the sentence "<name>: HDF5: <where its last call first failed>". */
redist_err hdf5_error(const char *name);

#endif
