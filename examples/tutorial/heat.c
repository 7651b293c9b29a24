/* SPDX-License-Identifier: MIT
 *
 * docs/tutorial/checkpoint.md: heat spreads along a rod. The program goes on from its
 * last checkpoint, with as many processes as there are now.
 *
 *   mpirun -n 4 heat rod 300
 *   mpirun -n 3 heat rod 300
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <redist/checkpoint.h>

enum { POINTS = 1000, EVERY = 100 /* steps a checkpoint */ };

static int rank, nranks;

static void check(redist_err err)
{
    if (!err) return;
    if (rank == 0) fprintf(stderr, "%s\n", redist_error_message());
    MPI_Finalize(); /* the error is one of all processes */
    exit(EXIT_FAILURE);
}

/* Read the last checkpoint, if there is one. Returns its step, or 0. */
static int64_t restart(const char *folder, const redist_view *view, double u[])
{
    struct stat status;
    int there = rank == 0 && stat(folder, &status) == 0;
    redist_checkpoint *checkpoint;
    MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!there) return 0;
    check(redist_checkpoint_open(MPI_COMM_WORLD, folder, -1, &checkpoint));
    int64_t step = redist_checkpoint_step(checkpoint);
    check(redist_checkpoint_read(checkpoint, "rod", view, MPI_DOUBLE, u));
    check(redist_checkpoint_close(&checkpoint));
    return step;
}

static void save(const char *folder, int64_t step, const redist_view *view,
                 const double u[])
{
    redist_checkpoint *checkpoint;
    check(redist_checkpoint_create(MPI_COMM_WORLD, folder, step, &checkpoint));
    check(redist_checkpoint_write(checkpoint, "rod", view, MPI_DOUBLE, u));
    check(redist_checkpoint_commit(&checkpoint, 2)); /* keep the last two */
}

/* One step. The ends of the rod are kept at 1 and 0. u[0] and u[n + 1] are the
 * neighbours' points, and next has the same room. */
static void advance(int64_t n, double u[], double next[])
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank < nranks - 1 ? rank + 1 : MPI_PROC_NULL;
    u[0] = 1;
    u[n + 1] = 0;
    MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[n + 1], 1, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int64_t k = 1; k <= n; k++) next[k] = (u[k - 1] + 2 * u[k] + u[k + 1]) / 4;
    for (int64_t k = 1; k <= n; k++) u[k] = next[k];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (argc != 3) {
        if (rank == 0) fprintf(stderr, "usage: heat FOLDER STEPS\n");
        MPI_Finalize();
        return 2;
    }

    char text[64];
    redist_dist *dist;
    redist_view view;
    int64_t n;
    (void)snprintf(text, sizeof text, "[%d] (block) onto %d halo (1)", POINTS, nranks);
    check(redist_view_parse(text, &dist, &view));
    check(redist_dist_local_extents(dist, rank, &n));
    double *u = calloc((size_t)n + 2, sizeof *u),
           *next = calloc((size_t)n + 2, sizeof *u);
    if (!u || !next) MPI_Abort(MPI_COMM_WORLD, 1);

    int64_t step = restart(argv[1], &view, u), end = step + atoi(argv[2]);
    while (step < end) {
        advance(n, u, next);
        step++;
        if (step % EVERY == 0) save(argv[1], step, &view, u);
    }

    double heat = 0;
    for (int64_t k = 1; k <= n; k++) heat += u[k];
    MPI_Allreduce(MPI_IN_PLACE, &heat, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("step %lld on %d processes: heat %.9f\n", (long long)step, nranks, heat);
    redist_dist_destroy(&dist);
    free(u), free(next);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
