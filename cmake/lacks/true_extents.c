/* SPDX-License-Identifier: MIT
 *
 * true_extents.c - bytes with a gap behind each, of which the last is no part of what is
 * seen of them.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Count first = -1, extent = -1;
    MPI_Datatype spaced, three;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_resized(MPI_BYTE, 0, 4, &spaced);
    MPI_Type_contiguous(3, spaced, &three);
    MPI_Type_commit(&three);
    MPI_Type_get_true_extent_x(three, &first, &extent);
    MPI_Type_free(&spaced);
    MPI_Type_free(&three);
    if (first == 0 && extent == 9) printf("PASS %d\n", rank);
    MPI_Finalize();
    return 0;
}
