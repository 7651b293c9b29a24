/* SPDX-License-Identifier: MIT */
#include "move/mpi/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

redist_err mpi_check(int code, const char *call)
{
    if (code == MPI_SUCCESS) return REDIST_OK;
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, words, &length) != MPI_SUCCESS)
        (void)snprintf(words, sizeof words, "error code %d", code);
    return error_set(REDIST_ERR_MPI, "%.*s: %s", (int)strcspn(call, "("), call, words);
}

redist_err mpi_complete(MPI_Request *request, bool wait, int *done)
{
    *done = 1;
    int code = wait ? MPI_Wait(request, MPI_STATUS_IGNORE)
                    : MPI_Test(request, done, MPI_STATUS_IGNORE);
    return mpi_check(code, wait ? "MPI_Wait" : "MPI_Test");
}

redist_err mpi_complete_all(int n, MPI_Request request[], MPI_Status status[], bool wait,
                            int *done)
{
    *done = 1;
    int code =
        wait ? MPI_Waitall(n, request, status) : MPI_Testall(n, request, done, status);
    return mpi_check(code, wait ? "MPI_Waitall" : "MPI_Testall");
}

redist_err mpi_complete_some(int n, MPI_Request request[], MPI_Status status[], bool wait,
                             int which[], int *n_complete)
{
    int code = wait ? MPI_Waitsome(n, request, n_complete, which, status)
                    : MPI_Testsome(n, request, n_complete, which, status);
    return mpi_check(code, wait ? "MPI_Waitsome" : "MPI_Testsome");
}

bool mpi_waits_too_long(struct wait_time *wait, double limit)
{
    double now = MPI_Wtime();
    if (wait->last > 0) wait->seconds += fmin(now - wait->last, limit / 16);
    wait->last = now;
    return wait->seconds >= limit;
}

redist_err mpi_all_well(MPI_Comm comm, redist_err err, bool *well)
{
    int all = !err;
    *well = false;
    TRY(mpi_call(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm)));
    *well = all;
    return err;
}
