/* SPDX-License-Identifier: MIT
 *
 * hdf5/types.h - NumPy's text for a type of HDF5, and back, as h5py has them.
 *
 *   integers, floats, enumerations        <i4  >f8     an enumeration is its integers
 *   enumeration of FALSE = 0, TRUE = 1    |b1
 *   compound of r and i                   <c16
 *   other compounds                       [('a', '<f4'), ('b', '<i8', (3,))]
 *   strings of fixed length               |S10
 *   opaque, with the tag NUMPY:<M8[ns]    <M8[ns]
 *   opaque, arrays, compounds that NumPy has no text for     |V24
 */
#ifndef REDIST_HDF5_TYPES_H
#define REDIST_HDF5_TYPES_H

#include <hdf5.h>

#include <redist/describe.h>

/* The longest text, with its 0. */
enum { TYPES_TEXT_SIZE = 8192 };

/* Print a type; between hdf5_begin and hdf5_end, as all below. IO: elements of any
 * length, references, formats of numbers that NumPy does not have. */
redist_err types_print(hid_t type, char text[TYPES_TEXT_SIZE]);

/* Make the type for a text, which dtype_bytes accepts; the caller closes it. IO. */
redist_err types_make(const char *text, hid_t *type);

#endif
