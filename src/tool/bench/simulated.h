/* SPDX-License-Identifier: MIT
 *
 * tool/bench/simulated.h - what differs where the machine is simulated: memory, and the
 * clock.
 */
#ifndef REDIST_TOOL_BENCH_SIMULATED_H
#define REDIST_TOOL_BENCH_SIMULATED_H

/* From now on share the pages of all memory for elements, if this MPI can: as all
 * processes are one, all of it is the same few pages, and thousands fit. Its contents are
 * then undefined.
 * Local. */
void simulated_fold_elements(void);

/* Find a moment on an exact clock common to all processes, MPI_Wtime, at `earliest` or
 * later, such that a run takes equally long from any of them. On a simulated machine
 * rounding decides between two messages that reach a link at the same time. There a
 * moment is a whole second, from 1,024 on, as floating-point numbers up to 2,048 are
 * equally far apart; later runs may take some nanoseconds more or less. */
double simulated_moment(double earliest);

/* Wait for a moment. */
void simulated_await(double moment);

#endif
