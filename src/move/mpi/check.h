/* SPDX-License-Identifier: MIT
 *
 * move/mpi/check.h - what MPI returns, as errors of this library.
 */
#ifndef REDIST_MOVE_MPI_CHECK_H
#define REDIST_MOVE_MPI_CHECK_H

#include <mpi.h>
#include <redist/describe.h>
#include <stdbool.h>

/* Turn an MPI return code into REDIST_OK or REDIST_ERR_MPI with the call's name and
 * MPI's words. */
redist_err mpi_check(int code, const char *call);

/* Complete a request; if not `wait`, only if that can be done now, as `*done` says.
 * MPI. */
redist_err mpi_complete(MPI_Request *request, bool wait, int *done);

/* Find out whether no process of `comm` has failed so far: only then may they go on to
 * what all must do together. Who has not failed itself returns OK all the same, and the
 * plan agrees on the error of those who have.
 * Collective over comm. One reduction. Returns `err`, or MPI. */
redist_err mpi_all_well(MPI_Comm comm, redist_err err, bool *well);

#endif
