/* SPDX-License-Identifier: MIT
 *
 * The program of the README: the rows of a matrix on all processes become 64 x 64
 * blocks on 2 x 2 of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <redist/redist.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    redist_dist *rows, *blocks;
    redist_view source, target;
    redist_plan *plan;
    redist_view_parse("[4096,4096] (block,*) onto 4", &rows, &source);
    redist_view_parse("[4096,4096] (cyclic(64),cyclic(64)) onto 2x2", &blocks, &target);
    if (redist_plan_create(MPI_COMM_WORLD, MPI_DOUBLE, &source, &target, NULL, &plan)) {
        if (rank == 0) fprintf(stderr, "%s\n", redist_error_message());
        return MPI_Finalize(), 1; /* all processes have the same error */
    }
    double *a = calloc(1024 * 4096, sizeof *a), *b = calloc(2048 * 2048, sizeof *b);
    redist_execute(plan, a, b); /* as often as you like, on any such buffers */
    redist_plan_destroy(&plan);
    redist_dist_destroy(&rows), redist_dist_destroy(&blocks);
    free(a), free(b);
    return MPI_Finalize();
}
