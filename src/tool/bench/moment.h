/* SPDX-License-Identifier: MIT
 *
 * tool/bench/moment.h - start times on an exact clock common to all processes, MPI_Wtime.
 */
#ifndef REDIST_TOOL_BENCH_MOMENT_H
#define REDIST_TOOL_BENCH_MOMENT_H

/* Find a moment, at `earliest` or later, such that a run takes equally long from any of
 * them. On a simulated machine rounding decides between two messages that reach a link at
 * the same time. There a moment is a whole second, from 1,024 on, as floating-point
 * numbers up to 2,048 are equally far apart; later runs may take some nanoseconds more or
 * less. */
double moment_after(double earliest);

/* Wait for a moment. */
void moment_await(double moment);

#endif
