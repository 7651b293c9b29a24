/* SPDX-License-Identifier: MIT
 *
 * A program that has a function of another HDF5, to which calls of the module for HDF5
 * would go: no file of HDF5 is created or opened, and the error says why.
 */
#include <redist/files.h>

#include "mpi/check.h"

__attribute__((visibility("default"))) int
H5get_libversion(unsigned *major, unsigned *minor, unsigned *release);

static int calls;

int H5get_libversion(unsigned *major, unsigned *minor, unsigned *release)
{
    calls++;
    *major = 1;
    *minor = 2;
    *release = 3;
    return 0;
}

int main(int argc, char **argv)
{
    static const char name[] = "never.h5:/t";
    redist_file_layout layout = {
        .size = sizeof layout, .ndims = 1, .shape = {7}, .type = "<f8"};
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    redist_file *file = NULL;
    MPI_Init(&argc, &argv);
    for (int create = 0; create < 2; create++) {
        options.layout = create ? &layout : NULL;
        redist_err err = redist_file_open(MPI_COMM_WORLD, name,
                                          create ? REDIST_FILE_CREATE : REDIST_FILE_READ,
                                          &options, &file);
        CHECK(err == REDIST_ERR_IO && !file, "got %d", (int)err);
        CHECK(strstr(redist_error_message(), "has an HDF5 of its own, 1.2.3,"),
              "without the version");
    }
    CHECK(calls == 2, "called %d times", calls);
    return passed("%d calls", calls);
}
