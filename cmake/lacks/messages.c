/* SPDX-License-Identifier: MIT
 *
 * messages.c - what any MPI has: if this fails nothing can be said of the others.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, came = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &came, 1, MPI_INT, 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (came == 1 - rank) printf("PASS %d\n", rank);
    MPI_Finalize();
    return 0;
}
