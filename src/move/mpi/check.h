/* SPDX-License-Identifier: MIT
 *
 * move/mpi/check.h - MPI's return codes as errors of this library, and waits that end.
 */
#ifndef REDIST_MOVE_MPI_CHECK_H
#define REDIST_MOVE_MPI_CHECK_H

#include <mpi.h>
#include <redist/describe.h>
#include <stdbool.h>

/* Turn an MPI return code into REDIST_OK or REDIST_ERR_MPI with MPI's message after the
 * call's name, which ends where its arguments begin. */
redist_err mpi_check(int code, const char *call);

/* Make a call of MPI and check it: mpi_call(MPI_Barrier(comm)). */
#define mpi_call(call) mpi_check(call, #call)

/* Complete a request. Without `wait`, only if it is complete now; `*done` tells. MPI. */
redist_err mpi_complete(MPI_Request *request, bool wait, int *done);

/* The same for all of n requests; and for some of them: with `wait` at least one, namely
 * number which[0], .., which[*n_complete - 1]. `status` is [n]. MPI. */
redist_err mpi_complete_all(int n, MPI_Request request[], MPI_Status status[], bool wait,
                            int *done);
redist_err mpi_complete_some(int n, MPI_Request request[], MPI_Status status[], bool wait,
                             int which[], int *n_complete);

/* A wait with a limit. Starts as {0}. */
struct wait_time {
    double last, seconds; /* the last look; how long the wait has lasted */
};

/* Look at the clock, after a poll in vain. Returns whether the wait has lasted `limit`
 * seconds. A look counts for a sixteenth of them at most: time in which the process
 * itself was stopped, perhaps with all others, does not end the wait. */
bool mpi_waits_too_long(struct wait_time *wait, double limit);

/* Find out whether no process of `comm` has failed so far: only then may they go on to a
 * collective step. A process that has not failed returns OK in any case; the plan later
 * agrees on the error of those that have.
 * Collective over comm. One reduction. Returns `err`, or MPI. */
redist_err mpi_all_well(MPI_Comm comm, redist_err err, bool *well);

#endif
