/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/blacs.h - calls to the BLACS and to ScaLAPACK, in whichever
 * version the program has loaded.
 *
 * The shared library depends on neither. So one file serves every ScaLAPACK, and it can
 * be preloaded into programs without one (a launcher, a shell) or that load one later (a
 * module of an interpreter, for itself alone). In its first call it searches all
 * libraries of the program, in their order, as the loader does for the program's own
 * references, so that a program's own error handler is called; then libraries that were
 * loaded locally. The static library refers to them directly.
 */
#ifndef REDIST_BIND_SCALAPACK_MATRIX_BLACS_H
#define REDIST_BIND_SCALAPACK_MATRIX_BLACS_H

#include <mpi.h>
#include <stdbool.h>

/* Return the communicator of a context, with the processes of the grid numbered row by
 * row; MPI_COMM_NULL if the context is negative. It belongs to the BLACS: nothing may be
 * sent on it. Local. */
MPI_Comm blacs_comm(int context);

/* Return the communicator of all processes of the BLACS. Local. */
MPI_Comm blacs_world(void);

/* Find the grid's shape and the own coordinates in it; false: this process is not in the
 * grid, or the context is invalid. Local. */
bool blacs_grid(int context, int shape[2], int mine[2]);

/* Report an illegal argument: `position` counts from 1, or is 100 times that of a
 * descriptor plus the entry's. pxerbla_ prints and returns; the PBLAS's own PB_Cabort
 * ends the program unless the program has replaced it. Local. */
void blacs_illegal(int context, const char *routine, int position);
void blacs_illegal_pblas(int context, const char *routine, int position);

#endif
