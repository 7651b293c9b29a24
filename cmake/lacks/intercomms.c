/* SPDX-License-Identifier: MIT
 *
 * intercomms.c - two processes, one on each side of an intercommunicator.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, came = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm inter;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &inter);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &came, 1, MPI_INT, 0, 0, inter,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    if (came == 1 - rank) printf("PASS %d\n", rank);
    MPI_Finalize();
    return 0;
}
