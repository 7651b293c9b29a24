/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/blacs.h - what the drop-in asks of the BLACS and of ScaLAPACK,
 * whichever the program has loaded.
 *
 * The shared library names no other: so one file serves every ScaLAPACK, and it can be
 * preloaded into programs that have none (a launcher, a shell), or load one later (a
 * module of an interpreter, for itself alone). It looks for what it needs in its first
 * call, through all libraries of the program, in their order, as the loader does for the
 * program's own references, so a program that brings its own handler of errors is heard;
 * then in those that were loaded for others alone. The static library refers to it
 * plainly.
 */
#ifndef REDIST_BIND_SCALAPACK_MATRIX_BLACS_H
#define REDIST_BIND_SCALAPACK_MATRIX_BLACS_H

#include <mpi.h>
#include <stdbool.h>

/* The communicator of a context, in which the processes of the grid are numbered row by
 * row; MPI_COMM_NULL if the context is negative. It is the BLACS's own: nothing may be
 * sent on it. Local. */
MPI_Comm blacs_comm(int context);

/* The communicator of all processes of the BLACS. Local. */
MPI_Comm blacs_world(void);

/* Find the grid's shape and the own coordinates in it; false: this process is not of the
 * grid, or the context is none. Local. */
bool blacs_grid(int context, int shape[2], int mine[2]);

/* Report an illegal argument: `position` counts from 1, or is 100 times that of a
 * descriptor plus the entry's. To pxerbla_, which prints and returns; or to the PBLAS's
 * own PB_Cabort, which ends the program unless that has another of its own. Local. */
void blacs_illegal(int context, const char *routine, int position);
void blacs_illegal_pblas(int context, const char *routine, int position);

#endif
