/* SPDX-License-Identifier: MIT
 *
 * move/kernel/threads.h - threads of a process that share a large local move, where the
 * process has idle cores. They are used if the library is built with REDIST_OPENMP and
 * the environment asks for them. They never call MPI.
 */
#ifndef REDIST_MOVE_KERNEL_THREADS_H
#define REDIST_MOVE_KERNEL_THREADS_H

#include <stdint.h>

/* Find the number of threads for a move of so many bytes: REDIST_THREADS of the
 * environment, or else OMP_NUM_THREADS, as long as each thread has half a MiB. 1 if
 * neither is set, and within a parallel region.
 * Local. O(1). */
int threads_for(int64_t bytes);

/* Call `share` for each k of n, in a thread each if there are as many. */
void threads_run(int n, void (*share)(void *context, int k, int n), void *context);

#endif
