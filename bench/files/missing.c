/* SPDX-License-Identifier: MIT
 *
 * files/missing.c - this build has no HDF5.
 */
#include "files/files.h"

const struct contender by_hdf5 = {"HDF5, hyperslab", "h5", NULL};
