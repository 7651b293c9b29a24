/* SPDX-License-Identifier: MIT
 *
 * Local arrays of more than 2^31 bytes, and of more than 2^31 elements: few of them are
 * in use, as the columns are far apart, so that little memory is. Calls that find a plan
 * have another leading dimension, and go through memory of the plan's shape.
 */
#include <sys/mman.h>

#include "peers/matrices.h"

enum { N = 9, NEAR = N, APART = 1 << 24, FAR = 1 << 29 };

/* A local array of N columns that takes memory where it is written alone. */
static double *reserve(int lld)
{
    void *memory = mmap(NULL, (size_t)lld * N * sizeof(double), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(memory != MAP_FAILED, "no address space");
    return memory;
}

/* What this process holds of N in blocks that are dealt out to all. */
static int held(int block)
{
    return count_local(N, block, block, 0, world_size(), world_rank());
}

static int global_of(int local, int block)
{
    return (local / block * world_size() + world_rank()) * block + local % block;
}

/* Copy from columns to rows, and check each element. */
static void copy_with(int by_columns, int by_rows, int block, int lld)
{
    const int one = 1, n = N;
    int desc_a[9] = {1, by_columns, N, N, block, block, 0, 0, lld};
    int desc_b[9] = {1, by_rows, N, N, block, block, 0, 0, lld};
    double *a = reserve(lld), *b = reserve(lld);
    gemr2d *copy;
    find_routine(OURS, "p", 'd', "gemr2d_", &copy);
    for (int j = 0; j < held(block); j++)
        for (int i = 0; i < N; i++)
            a[i + (int64_t)j * lld] = i * 100 + global_of(j, block);
    copy(&n, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &by_columns);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < held(block); i++) {
            double found = b[i + (int64_t)j * lld];
            CHECK(found == global_of(i, block) * 100 + j, "(%d, %d) is %g", i, j, found);
        }
    munmap(a, (size_t)lld * N * sizeof *a);
    munmap(b, (size_t)lld * N * sizeof *b);
}

int main(int argc, char **argv)
{
    /* the block sizes tell plans apart */
    static const struct {
        int block, lld;
    } calls[] = {{1, NEAR}, {1, FAR}, {2, FAR}, {3, APART}, {3, NEAR}};
    int map[64];
    MPI_Init(&argc, &argv);
    for (int k = 0; k < world_size(); k++) map[k] = k;
    int by_columns = make_grid(MPI_COMM_WORLD, map, 1, world_size());
    int by_rows = make_grid(MPI_COMM_WORLD, map, world_size(), 1);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        copy_with(by_columns, by_rows, calls[k].block, calls[k].lld);
    Cblacs_gridexit(by_rows);
    Cblacs_gridexit(by_columns);
    if (world_rank() == 0) puts("PASS: columns 4 GiB apart");
    MPI_Finalize();
    return 0;
}
