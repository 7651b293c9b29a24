/* SPDX-License-Identifier: MIT
 *
 * A module that brings ScaLAPACK along, as those of interpreters do; main.c loads it for
 * itself alone.
 */
#include "peers/blacs.h"
#include "peers/late/module.h"

enum { N = 9 };

c_gemr2d Cpdgemr2d;

/* Column j of N lies on process j % P; or row i on process i % P. */
void move_columns_to_rows(c_gemr2d **called)
{
    int P = world_size(), me = world_rank(), map[64];
    double a[N * N] = {0}, b[N * N] = {0};
    CHECK(P <= 64, "%d processes", P);
    for (int k = 0; k < P; k++) map[k] = k;
    int by_columns = make_grid(MPI_COMM_WORLD, map, 1, P);
    int by_rows = make_grid(MPI_COMM_WORLD, map, P, 1);
    int desc_a[9] = {1, by_columns, N, N, 1, 1, 0, 0, N};
    int desc_b[9] = {1, by_rows, N, N, 1, 1, 0, 0, N};
    for (int j = me; j < N; j += P)
        for (int i = 0; i < N; i++) a[i + j / P * N] = i * 100 + j;
    Cpdgemr2d(N, N, a, 1, 1, desc_a, b, 1, 1, desc_b, by_columns);
    for (int i = me; i < N; i += P)
        for (int j = 0; j < N; j++) {
            double found = b[i / P + j * N];
            CHECK(found == i * 100 + j, "(%d, %d) is %g", i, j, found);
        }
    Cblacs_gridexit(by_rows);
    Cblacs_gridexit(by_columns);
    *called = Cpdgemr2d;
}
