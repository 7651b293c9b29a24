/* SPDX-License-Identifier: MIT
 *
 * Local arrays of more than 2^31 bytes, and of more than 2^31 elements: few of them are
 * in use, as the columns are far apart, so that little memory is. The first call's leading
 * dimension is the plan's; others go through memory of the plan's shape.
 */
#include <sys/mman.h>

#include "peers/matrices.h"

enum { N = 9, BLOCK = 2, FAR = 1 << 29, NEAR = N };

/* A local array of N columns that takes memory where it is written alone. */
static double *reserve(int lld)
{
    void *memory = mmap(NULL, (size_t)lld * N * sizeof(double), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(memory != MAP_FAILED, "no address space");
    return memory;
}

/* The element (i, j) of this process, in blocks dealt out to the columns of a grid, or
 * to its rows; what it holds of N. */
static int held(int procs, int mine)
{
    return count_local(N, BLOCK, BLOCK, 0, procs, mine);
}

static int global_of(int local, int procs, int mine)
{
    return (local / BLOCK * procs + mine) * BLOCK + local % BLOCK;
}

/* Copy from columns to rows, and check each element. */
static void copy_with(int all, int by_columns, int by_rows, const int lld[2])
{
    int size = world_size(), rank = world_rank(), one = 1, n = N;
    int desc_a[9] = {1, by_columns, N, N, BLOCK, BLOCK, 0, 0, lld[0]};
    int desc_b[9] = {1, by_rows, N, N, BLOCK, BLOCK, 0, 0, lld[1]};
    double *a = reserve(lld[0]), *b = reserve(lld[1]);
    gemr2d *copy;
    find_routine(OURS, "p", 'd', "gemr2d_", &copy);
    for (int j = 0; j < held(size, rank); j++)
        for (int i = 0; i < N; i++)
            a[i + (int64_t)j * lld[0]] = i * 100 + global_of(j, size, rank);
    copy(&n, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &all);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < held(size, rank); i++) {
            double found = b[i + (int64_t)j * lld[1]];
            CHECK(found == global_of(i, size, rank) * 100 + j, "(%d, %d) is %g", i, j,
                  found);
        }
    munmap(a, (size_t)lld[0] * N * sizeof *a);
    munmap(b, (size_t)lld[1] * N * sizeof *b);
}

int main(int argc, char **argv)
{
    static const int lld[][2] = {{NEAR, FAR}, {FAR, FAR}, {NEAR, NEAR}, {FAR, NEAR}};
    int map[64];
    MPI_Init(&argc, &argv);
    for (int k = 0; k < world_size(); k++) map[k] = k;
    int all = make_grid(MPI_COMM_WORLD, map, 1, world_size());
    int by_rows = make_grid(MPI_COMM_WORLD, map, world_size(), 1);
    for (size_t k = 0; k < sizeof lld / sizeof *lld; k++)
        copy_with(all, all, by_rows, lld[k]);
    Cblacs_gridexit(by_rows);
    Cblacs_gridexit(all);
    if (world_rank() == 0) puts("PASS: columns 4 GiB apart");
    MPI_Finalize();
    return 0;
}
