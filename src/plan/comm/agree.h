/* SPDX-License-Identifier: MIT
 *
 * plan/comm/agree.h - all processes of a collective call end with the same error, or
 * none.
 */
#ifndef REDIST_PLAN_COMM_AGREE_H
#define REDIST_PLAN_COMM_AGREE_H

#include <mpi.h>
#include <stdint.h>

#include "base/error.h"

/* What agree_vote yields where no process failed. */
#define AGREE_NO_FAILURE INT64_MAX

/* Return this process's part in finding the lowest rank that failed by MPI_MIN. */
static inline int64_t agree_vote(redist_err err, int rank)
{
    return err ? rank : AGREE_NO_FAILURE;
}

/* An error on its way from the rank that has it to all others. */
struct agree_parcel {
    int err;
    char text[ERROR_MESSAGE_SIZE];
};

/* Pack `err` and this thread's present message. */
void agree_pack(redist_err err, struct agree_parcel *parcel);

/* Start to bring the parcel of rank `failed` to every process; complete `*request` to
 * have it.
 * Collective; waits for nobody. MPI. */
redist_err agree_start_spread(MPI_Comm comm, int64_t failed, struct agree_parcel *parcel,
                              MPI_Request *request);

/* Return the error of a parcel that has come from rank `failed`: "rank 3: ..". */
redist_err agree_unpack(const struct agree_parcel *parcel, int64_t failed);

/* Bring the error of the lowest rank that has one to every process.
 * Collective. One reduction if there is none. Returns the common error. */
redist_err agree(MPI_Comm comm, redist_err err);

/* As agree, and replace `*number` by the least of all processes'.
 * Collective. One reduction if all is well. */
redist_err agree_least(MPI_Comm comm, redist_err err, int64_t *number);

/* As agree, and check that `n` numbers (at most AGREE_NUMBERS) are the same
 * everywhere; `names`[n] says what they stand for. MISMATCH names the lowest rank that
 * differs from rank 0.
 * Collective. One reduction if all is well. */
enum { AGREE_NUMBERS = 8 };
redist_err agree_equal(MPI_Comm comm, redist_err err, int n, const int64_t numbers[],
                       const char *const names[]);

#endif
