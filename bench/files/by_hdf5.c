/* SPDX-License-Identifier: MIT
 *
 * files/by_hdf5.c - HDF5 itself: one collective call, with a hyperslab of all blocks.
 */
#include <hdf5.h>

#include "base/error.h"
#include "files/files.h"

/* What a process has of the matrix: whole blocks. */
static hid_t select_blocks(const struct matrix *m)
{
    hsize_t side[2], start[2], stride[2], count[2], block[2];
    for (int i = 0; i < 2; i++) {
        side[i] = (hsize_t)m->side;
        block[i] = (hsize_t)m->block[i];
        start[i] = (hsize_t)m->at[i] * block[i];
        stride[i] = (hsize_t)m->grid[i] * block[i];
        count[i] = side[i] / stride[i];
    }
    hid_t space = H5Screate_simple(2, side, NULL);
    (void)H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);
    return space;
}

static redist_err use(const struct job *job)
{
    const struct matrix *m = job->matrix;
    hsize_t span = (hsize_t)m->span;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
    (void)H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    (void)H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    hid_t blocks = select_blocks(m), memory = H5Screate_simple(1, &span, NULL);
    hid_t file = job->reads ? H5Fopen(job->name, H5F_ACC_RDONLY, access)
                            : H5Fcreate(job->name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t set = job->reads ? H5Dopen2(file, "t", H5P_DEFAULT)
                           : H5Dcreate2(file, "t", H5T_IEEE_F64LE, blocks, H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT);
    herr_t moved =
        job->reads
            ? H5Dread(set, H5T_NATIVE_DOUBLE, memory, blocks, transfer, m->elements)
            : H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, blocks, transfer, m->elements);
    if (set >= 0) (void)H5Dclose(set);
    herr_t closed = file < 0 ? -1 : H5Fclose(file);
    (void)H5Sclose(memory);
    (void)H5Sclose(blocks);
    (void)H5Pclose(transfer);
    (void)H5Pclose(access);
    if (moved >= 0 && closed >= 0) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%s: HDF5 failed", job->name);
}

const struct contender by_hdf5 = {"HDF5, hyperslab", "h5", use};
