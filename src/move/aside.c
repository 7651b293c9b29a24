/* SPDX-License-Identifier: MIT */
#include "move/aside.h"

#include "move/exchange.h"

redist_err aside_complete(struct aside *aside, int n, MPI_Request request[], bool wait,
                          int *done)
{
    int left = 0;
    for (int k = 0; k < n; k++) left += request[k] != MPI_REQUEST_NULL;
    while (left > 0 && aside && aside->request) {
        int which = 0, come = 1;
        request[n] = *aside->request;
        int code = wait ? MPI_Waitany(n + 1, request, &which, MPI_STATUS_IGNORE)
                        : MPI_Testany(n + 1, request, &which, &come, MPI_STATUS_IGNORE);
        TRY(exchange_check(code, wait ? "MPI_Waitany" : "MPI_Testany"));
        *done = 0;
        if (!come) return REDIST_OK;
        if (which < n) {
            left--;
            continue;
        }
        *aside->request = request[n];
        TRY(aside->go_on(aside));
    }
    *done = 1;
    if (left == 0) return REDIST_OK;
    int code = wait ? MPI_Waitall(n, request, MPI_STATUSES_IGNORE)
                    : MPI_Testall(n, request, done, MPI_STATUSES_IGNORE);
    return exchange_check(code, wait ? "MPI_Waitall" : "MPI_Testall");
}
