/* SPDX-License-Identifier: MIT
 *
 * move/kernel/threads.h - several threads of a process that go over a large local part
 * together, where it has idle cores beside its own: if the library is built with
 * REDIST_OPENMP, and somebody asks for them. They call nothing of MPI.
 */
#ifndef REDIST_MOVE_KERNEL_THREADS_H
#define REDIST_MOVE_KERNEL_THREADS_H

#include <stdint.h>

/* Find how many threads are to go over so many bytes: as many as REDIST_THREADS in the
 * environment says, or else OMP_NUM_THREADS, as long as each has half a MiB. 1 where
 * nobody asks, and in a thread of several.
 * Local. O(1). */
int threads_for(int64_t bytes);

/* Call `share` for each k of n, each in a thread if there are so many. */
void threads_run(int n, void (*share)(void *context, int k, int n), void *context);

#endif
