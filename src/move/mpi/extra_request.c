/* SPDX-License-Identifier: MIT */
#include "move/mpi/extra_request.h"

#include "move/mpi/check.h"

redist_err extra_request_complete(struct extra_request *extra, int n,
                                  MPI_Request request[], MPI_Status status[], bool wait,
                                  int *done)
{
    int left = 0;
    for (int k = 1; k <= n; k++) left += request[k] != MPI_REQUEST_NULL;
    while (left > 0 && extra && extra->request) {
        int which = 0, come = 1;
        request[0] = *extra->request;
        /* MPI_Testany of SMPI overlooks collective calls. */
        TRY(wait ? mpi_call(MPI_Waitany(1 + n, request, &which, MPI_STATUS_IGNORE))
                 : mpi_complete(request, false, &come));
        if (!come) break;
        if (which > 0) {
            left--;
            continue;
        }
        *extra->request = request[0];
        TRY(extra->go_on(extra));
    }
    *done = 1;
    if (left == 0) return REDIST_OK;
    /* MPI_Testall of MPICH fails with a persistent collective call. */
    return n == 1 ? mpi_complete(&request[1], wait, done)
                  : mpi_complete_all(n, request + 1, status, wait, done);
}
