/* SPDX-License-Identifier: MIT
 *
 * graphs.c - a ring of two processes, as a distributed graph, and what goes round it.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, one = 1, zero = 0, came = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    MPI_Comm graph;
    MPI_Request request;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &one, 1, &other, &one,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Ineighbor_alltoallv(&rank, &one, &zero, MPI_INT, &came, &one, &zero, MPI_INT,
                            graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&graph);
    if (came == other) printf("PASS %d\n", rank);
    MPI_Finalize();
    return 0;
}
