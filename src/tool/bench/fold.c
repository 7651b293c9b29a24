/* SPDX-License-Identifier: MIT */
#include "tool/bench/fold.h"

#ifdef REDIST_SIMULATED
#include <mpi.h>
#include <unistd.h>

#include "base/mem.h"

/* The first page stays private to the block. */
static void *take(size_t bytes)
{
    const size_t folded[2] = {(size_t)sysconf(_SC_PAGESIZE), bytes};
    return SMPI_PARTIAL_SHARED_MALLOC(bytes, folded, 1);
}

void fold_elements(void)
{
    static const struct mem_source source = {1 << 16, take, smpi_shared_free};
    mem_take_elements_from(&source);
}
#else
void fold_elements(void) {}
#endif
