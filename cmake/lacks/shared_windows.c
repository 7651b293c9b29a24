/* SPDX-License-Identifier: MIT
 *
 * shared_windows.c - two processes of a node, each of which reads what the other has
 * written.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, nranks = 0, unit = 0, *own = NULL, *others = NULL;
    MPI_Aint bytes = 0;
    MPI_Comm node;
    MPI_Win win;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &nranks);
    MPI_Comm_rank(node, &rank);
    MPI_Win_allocate_shared(sizeof *own, 1, MPI_INFO_NULL, node, (void *)&own, &win);
    MPI_Win_lock_all(0, win);
    *own = rank;
    MPI_Win_sync(win);
    MPI_Barrier(node);
    MPI_Win_sync(win);
    int other = nranks - 1 - rank;
    MPI_Win_shared_query(win, other, &bytes, &unit, (void *)&others);
    int came = *others;
    MPI_Barrier(node);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
    if (nranks == 2 && came == other) printf("PASS %d\n", rank);
    MPI_Finalize();
    return 0;
}
