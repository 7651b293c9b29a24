/* SPDX-License-Identifier: MIT
 *
 * plan/comm/agree.h - agreement on errors: all processes of a collective call end with
 * the same error, or with none.
 */
#ifndef REDIST_PLAN_COMM_AGREE_H
#define REDIST_PLAN_COMM_AGREE_H

#include <mpi.h>
#include <stdint.h>

#include "base/error.h"

/* The result of agree_vote if no process failed. */
#define AGREE_NO_FAILURE INT64_MAX

/* Return this process's contribution to the minimum of the ranks that failed. */
static inline int64_t agree_vote(redist_err err, int rank)
{
    return err ? rank : AGREE_NO_FAILURE;
}

/* An error sent from its rank to all others. */
struct agree_error {
    int err;
    char text[ERROR_MESSAGE_SIZE];
};

/* Pack `err` and this thread's current message. */
void agree_pack(redist_err err, struct agree_error *failure);

/* Start to broadcast the failure of rank `failed`; it has arrived when `*request` is
 * complete.
 * Collective; does not block. MPI. */
redist_err agree_start_spread(MPI_Comm comm, int64_t failed, struct agree_error *failure,
                              MPI_Request *request);

/* Return the error of a failure received from rank `failed`: "rank 3: ..". */
redist_err agree_unpack(const struct agree_error *failure, int64_t failed);

/* Return the error of the lowest rank that has one, on every process.
 * Collective. One reduction if there is none. Returns the common error. */
redist_err agree(MPI_Comm comm, redist_err err);

/* As agree, and set `*number` to the minimum over all processes.
 * Collective. One reduction if there is no error. */
redist_err agree_least(MPI_Comm comm, redist_err err, int64_t *number);

/* As agree, and check that `n` numbers (at most AGREE_NUMBERS) are the same everywhere;
 * `names`[n] describes them. MISMATCH names the lowest rank that differs from rank 0.
 * Collective. One reduction if there is no error. */
enum { AGREE_NUMBERS = 8 };
redist_err agree_equal(MPI_Comm comm, redist_err err, int n, const int64_t numbers[],
                       const char *const names[]);

#endif
