/* SPDX-License-Identifier: MIT
 *
 * The program of the README in C++: the rows of a matrix on all processes become 64 x 64
 * blocks on 2 x 2 of them.
 */
#include <cstdio>
#include <vector>

#include <redist/redist.hpp>

/* Move the rows, and return whether each element is where it belongs. */
static bool move(int rank)
{
    redist::plan<double> plan(MPI_COMM_WORLD, "[4096,4096] (block,*) onto 4",
                              "[4096,4096] (cyclic(64),cyclic(64)) onto 2x2");
    std::vector<double> a(1024 * 4096, rank), b(2048 * 2048);
    plan(a, b); // as often as you like, on any such arrays

    /* Local row i is row i/64*128 + i%64 + 64 (rank/2), of 1024 a process. */
    for (int i = 0; i < 2048; i++) {
        const int owner = (i / 64 * 128 + i % 64 + 64 * (rank / 2)) / 1024;
        for (int j = 0; j < 2048; j++)
            if (static_cast<int>(b[static_cast<std::size_t>(i * 2048 + j)]) != owner)
                return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    int rank, status = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        status = move(rank) ? 0 : 1;
    } catch (const redist::error &error) { // all processes have the same error
        if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
    }
    MPI_Finalize();
    return status;
}
