/* SPDX-License-Identifier: MIT
 *
 * persistent.c - requests that last, between two processes: each is done once a start,
 * and where none is started there is nothing to wait for.
 */
#include <mpi.h>
#include <stdio.h>

enum { REQUESTS = 2, STARTS = 3, MOST_CALLS = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, came = -1, done = 0, n = 0, which[REQUESTS], idle = 0;
    MPI_Request request[REQUESTS];
    MPI_Status status[REQUESTS];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv_init(&came, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    for (int start = 0; start < STARTS; start++) {
        MPI_Start(&request[0]);
        if (start > 0) MPI_Start(&request[1]); /* by turns with one that is not */
        if (start == 0) MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        for (int left = start > 0 ? 2 : 1, calls = 0; left > 0 && calls < MOST_CALLS;
             calls++) {
            MPI_Waitsome(REQUESTS, request, &n, which, status);
            if (n == MPI_UNDEFINED) break;
            done += n;
            left -= n;
        }
        MPI_Testsome(REQUESTS, request, &n, which, status);
        idle += n == MPI_UNDEFINED;
        MPI_Waitsome(REQUESTS, request, &n, which, status);
        idle += n == MPI_UNDEFINED;
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    if (done == 2 * STARTS - 1 && idle == 2 * STARTS && came == 1 - rank)
        printf("PASS %d\n", rank);
    MPI_Finalize();
    return 0;
}
