/* SPDX-License-Identifier: MIT
 *
 * tool/bench/moment.h - moments of an exact clock that is common to all processes,
 * MPI_Wtime.
 */
#ifndef REDIST_TOOL_BENCH_MOMENT_H
#define REDIST_TOOL_BENCH_MOMENT_H

/* Find a moment, at `earliest` or later, from which what takes place takes as long as
 * from any other. On a simulated machine, where a link may serve one message at a time
 * and two come at once, rounding decides: there it is a whole second, from 1,024 on,
 * as up to 2,048 numbers are equally far apart; runs that begin later may take some
 * nanoseconds more or less. */
double moment_after(double earliest);

/* Wait for a moment. */
void moment_await(double moment);

#endif
