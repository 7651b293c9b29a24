/* SPDX-License-Identifier: MIT */
#include "tool/bench/moment.h"

#include <math.h>

#ifdef REDIST_SIMULATED

#include <simgrid/actor.h>

double moment_after(double earliest)
{
    static const double first = 1024;
    return fmax(ceil(earliest), first);
}

/* A single long wait would be off by a rounding error. */
void moment_await(double moment)
{
    sg_actor_sleep_until(moment - 0.5);
    sg_actor_sleep_until(moment);
}

#else

#include <mpi.h>
#include <time.h>

double moment_after(double earliest) { return earliest; }

void moment_await(double moment)
{
    double left = moment - MPI_Wtime();
    if (left <= 0) return;
    const struct timespec nap = {.tv_sec = (time_t)left,
                                 .tv_nsec = (long)(1e9 * (left - floor(left)))};
    (void)nanosleep(&nap, NULL);
}

#endif
