/* SPDX-License-Identifier: MIT */
#include "tool/bench/simulated.h"

#include <math.h>
#include <mpi.h>

#ifdef REDIST_SIMULATED
#include <simgrid/actor.h>
#include <unistd.h>

#include "base/mem.h"

/* The first page stays private to the block. */
static void *take(size_t bytes)
{
    const size_t folded[2] = {(size_t)sysconf(_SC_PAGESIZE), bytes};
    return SMPI_PARTIAL_SHARED_MALLOC(bytes, folded, 1);
}

void simulated_fold_elements(void)
{
    static const struct mem_source source = {1 << 16, take, smpi_shared_free};
    mem_take_elements_from(&source);
}

double simulated_moment(double earliest)
{
    static const double first = 1024;
    return fmax(ceil(earliest), first);
}

/* A single long wait would be off by a rounding error. */
void simulated_await(double moment)
{
    sg_actor_sleep_until(moment - 0.5);
    sg_actor_sleep_until(moment);
}

#else
#include <time.h>

void simulated_fold_elements(void) {}

double simulated_moment(double earliest) { return earliest; }

void simulated_await(double moment)
{
    double left = moment - MPI_Wtime();
    if (left <= 0) return;
    const struct timespec nap = {.tv_sec = (time_t)left,
                                 .tv_nsec = (long)(1e9 * (left - floor(left)))};
    (void)nanosleep(&nap, NULL);
}
#endif
