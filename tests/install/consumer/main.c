/* SPDX-License-Identifier: MIT
 *
 * A stranger's program: redistribute 10 numbers from blocks to cyclic and check them.
 */
#include <stdio.h>

#include <redist/files.h>
#include <redist/redist.h>

enum { N = 10, MOST = N };

static int failed(const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", what, redist_error_message());
    return 1;
}

static int redistribute(int rank, int nprocs)
{
    char text[2][64];
    (void)snprintf(text[0], sizeof text[0], "[%d] (block) onto %d", N, nprocs);
    (void)snprintf(text[1], sizeof text[1], "[%d] (cyclic(1)) onto %d", N, nprocs);
    redist_dist *dist[2];
    redist_view view[2];
    for (int i = 0; i < 2; i++)
        if (redist_view_parse(text[i], &dist[i], &view[i])) return failed(text[i]);
    redist_plan *plan;
    if (redist_plan_create(MPI_COMM_WORLD, MPI_INT64_T, &view[0], &view[1], NULL, &plan))
        return failed("plan");

    int64_t held[2], source[MOST], target[MOST];
    for (int i = 0; i < 2; i++)
        if (redist_dist_local_extents(dist[i], rank, &held[i])) return failed("extents");
    for (int64_t k = 0; k < held[0]; k++)
        if (redist_dist_index(dist[0], rank, &k, &source[k])) return failed("index");
    for (int64_t k = 0; k < MOST; k++) target[k] = -1;
    if (redist_execute(plan, source, target)) return failed("execute");
    int wrong = held[1] == 0;
    for (int64_t k = 0; k < held[1]; k++) wrong += target[k] != rank + k * nprocs;

    if (redist_plan_destroy(&plan)) return failed("destroy");
    for (int i = 0; i < 2; i++) redist_dist_destroy(&dist[i]);
    return wrong;
}

/* Files need libraries of their own, which the static one must bring. */
static int finds_files(void)
{
    redist_file *file = NULL;
    redist_err err =
        redist_file_open(MPI_COMM_WORLD, "missing.zarr", REDIST_FILE_READ, NULL, &file);
    return err == REDIST_ERR_IO && !file;
}

int main(int argc, char **argv)
{
    int rank, nprocs, wrong, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    wrong = redistribute(rank, nprocs) || !finds_files();
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d processes, %d wrong\n", nprocs, all);
    MPI_Finalize();
    return all != 0;
}
