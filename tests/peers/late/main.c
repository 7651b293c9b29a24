/* SPDX-License-Identifier: MIT
 *
 * ScaLAPACK comes later than the drop-in, and for a module alone: so it is where the
 * drop-in is preloaded into an interpreter. REDIST_SCALAPACK is the drop-in, the argument
 * the module.
 */
#include <string.h>

#include "peers/late/module.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CHECK(argc == 2, "usage: %s module", argv[0]);
    void *drop_in = dlopen(getenv("REDIST_SCALAPACK"), RTLD_NOW | RTLD_GLOBAL);
    CHECK(drop_in, "REDIST_SCALAPACK must be libredist_scalapack.so: %s", dlerror());
    void *module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(module, "%s", dlerror());
    CHECK(!dlsym(RTLD_DEFAULT, "blacs_get_"), "the BLACS are there for all");
    void (*move)(c_gemr2d **);
    c_gemr2d *called;
    void *found = dlsym(module, "move_columns_to_rows");
    CHECK(found, "%s", dlerror());
    memcpy(&move, &found, sizeof move);
    move(&called);
    memcpy(&found, &called, sizeof found);
    CHECK(found == dlsym(drop_in, "Cpdgemr2d"), "it was not the drop-in");
    if (world_rank() == 0) puts("PASS: ScaLAPACK that a module has for itself");
    MPI_Finalize();
    return 0;
}
