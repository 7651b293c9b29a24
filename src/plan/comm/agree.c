/* SPDX-License-Identifier: MIT */
#include "plan/comm/agree.h"

#include <stdio.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"

static redist_err lowest(MPI_Comm comm, int64_t numbers[], int n)
{
    return mpi_call(MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_INT64_T, MPI_MIN, comm));
}

void agree_pack(redist_err err, struct agree_error *failure)
{
    *failure = (struct agree_error){.err = (int)err};
    (void)snprintf(failure->text, sizeof failure->text, "%s", redist_error_message());
}

redist_err agree_start_spread(MPI_Comm comm, int64_t failed, struct agree_error *failure,
                              MPI_Request *request)
{
    return mpi_call(
        MPI_Ibcast(failure, sizeof *failure, MPI_BYTE, (int)failed, comm, request));
}

redist_err agree_unpack(const struct agree_error *failure, int64_t failed)
{
    return error_set((redist_err)failure->err, "rank %" PRId64 ": %s", failed,
                     failure->text);
}

/* Broadcast the error of rank `failed`, and return it. */
static redist_err spread(MPI_Comm comm, redist_err err, int64_t failed)
{
    struct agree_error failure;
    MPI_Request request = MPI_REQUEST_NULL;
    agree_pack(err, &failure);
    TRY(agree_start_spread(comm, failed, &failure, &request));
    TRY(mpi_call(MPI_Wait(&request, MPI_STATUS_IGNORE)));
    return agree_unpack(&failure, failed);
}

redist_err agree(MPI_Comm comm, redist_err err)
{
    return agree_equal(comm, err, 0, NULL, NULL);
}

redist_err agree_least(MPI_Comm comm, redist_err err, int64_t *number)
{
    int rank = 0;
    TRY(mpi_call(MPI_Comm_rank(comm, &rank)));
    int64_t least[2] = {agree_vote(err, rank), *number};
    TRY(lowest(comm, least, 2));
    *number = least[1];
    return least[0] == AGREE_NO_FAILURE ? REDIST_OK : spread(comm, err, least[0]);
}

/* Find the lowest rank whose number differs from rank 0's. */
static redist_err name_mismatch(MPI_Comm comm, int64_t number, const char *name)
{
    int rank = 0;
    int64_t reference = number;
    TRY(mpi_call(MPI_Comm_rank(comm, &rank)));
    TRY(mpi_call(MPI_Bcast(&reference, 1, MPI_INT64_T, 0, comm)));
    int64_t differs = number == reference ? INT64_MAX : rank;
    TRY(lowest(comm, &differs, 1));
    return error_set(REDIST_ERR_MISMATCH,
                     "rank %" PRId64 " passed another %s than rank 0", differs, name);
}

redist_err agree_equal(MPI_Comm comm, redist_err err, int n, const int64_t numbers[],
                       const char *const names[])
{
    int rank = 0;
    redist_err refused = error_take_refusal();
    if (refused) err = refused;
    TRY(mpi_call(MPI_Comm_rank(comm, &rank)));
    /* the minimum of x, and of -1 - x, which is -1 - the maximum of x, without
     * overflow */
    int64_t least[1 + 2 * AGREE_NUMBERS] = {agree_vote(err, rank)};
    for (int k = 0; k < n; k++) {
        least[1 + 2 * k] = numbers[k];
        least[2 + 2 * k] = -1 - numbers[k];
    }
    TRY(lowest(comm, least, 1 + 2 * n));
    if (least[0] != AGREE_NO_FAILURE) return spread(comm, err, least[0]);
    for (int k = 0; k < n; k++)
        if (least[1 + 2 * k] != -1 - least[2 + 2 * k])
            return name_mismatch(comm, numbers[k], names[k]);
    return REDIST_OK;
}
