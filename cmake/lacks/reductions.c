/* SPDX-License-Identifier: MIT
 *
 * reductions.c - a nonblocking reduction takes about as long as a blocking one, on a machine
 * whose clock is exact.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, least = -1;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    MPI_Allreduce(&rank, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    double blocking = MPI_Wtime() - began;
    MPI_Barrier(MPI_COMM_WORLD);
    began = MPI_Wtime();
    MPI_Iallreduce(&rank, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    double nonblocking = MPI_Wtime() - began;
    if (least == 0 && nonblocking < 2 * blocking) printf("PASS %d\n", rank);
    MPI_Finalize();
    return 0;
}
