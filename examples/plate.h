/* SPDX-License-Identifier: MIT
 *
 * plate.h - heat on a square plate that lies in blocks on a grid of processes. A step of
 * the computation takes heat from the four neighbours of each point; the edge is cold.
 */
#ifndef REDIST_EXAMPLES_PLATE_H
#define REDIST_EXAMPLES_PLATE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <redist/redist.h>

enum { NOBODY = -1 }; /* the rank of who has no part of a plate */

/* What a process has of a plate: u[rows + 2][columns + 2], of which the edge is halo. */
struct plate {
    redist_dist *dist;
    redist_view view;
    int64_t rows, columns;
    double *u;
};

static inline int rank_in(MPI_Comm comm)
{
    int rank = NOBODY;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

/* End the run if the library has failed, which it has on all processes. */
static inline void check(redist_err err)
{
    if (!err) return;
    if (rank_in(MPI_COMM_WORLD) == 0) fprintf(stderr, "%s\n", redist_error_message());
    MPI_Finalize();
    exit(EXIT_FAILURE);
}

static inline redist_view with_halo(const redist_dist *dist)
{
    redist_view view;
    check(redist_view_init(dist, &view));
    for (int i = 0; i < 2; i++) view.halo_low[i] = view.halo_high[i] = 1;
    return view;
}

static inline redist_dist *blocks(int n, int rows, int columns)
{
    char text[64];
    redist_dist *dist;
    (void)snprintf(text, sizeof text, "[%d,%d] (block,block) onto %dx%d", n, n, rows,
                   columns);
    check(redist_dist_parse(text, &dist));
    return dist;
}

static inline double *allocate(const struct plate *plate)
{
    double *u = calloc((size_t)((plate->rows + 2) * (plate->columns + 2)), sizeof *u);
    if (!u) MPI_Abort(MPI_COMM_WORLD, 1);
    return u;
}

/* Make the part of `rank`, which is cold. The plate takes the dist over. */
static inline struct plate make_plate(redist_dist *dist, int rank)
{
    struct plate plate = {.dist = dist, .view = with_halo(dist)};
    int64_t local[2] = {0};
    if (rank == NOBODY) return plate;
    check(redist_dist_local_extents(dist, rank, local));
    plate.rows = local[0];
    plate.columns = local[1];
    plate.u = allocate(&plate);
    return plate;
}

static inline void free_plate(struct plate *plate)
{
    redist_dist_destroy(&plate->dist);
    free(plate->u);
}

static inline double *point(const struct plate *plate, int64_t i, int64_t j)
{
    return plate->u + (i + 1) * (plate->columns + 2) + j + 1;
}

/* Heat the middle of a plate, more towards one corner. */
static inline void heat(struct plate *plate, int rank)
{
    int64_t n = redist_dist_extent(plate->dist, 0), at[2];
    for (int64_t i = 0; i < plate->rows; i++) {
        for (int64_t j = 0; j < plate->columns; j++) {
            check(redist_dist_index(plate->dist, rank, (int64_t[2]){i, j}, at));
            int inside = 1;
            for (int axis = 0; axis < 2; axis++)
                inside = inside && at[axis] >= n / 4 && at[axis] < n - n / 4;
            if (inside) *point(plate, i, j) = 1 + (double)(at[0] + 2 * at[1]) / (double)n;
        }
    }
}

/* ---- the computation --------------------------------------------------------------- */

/* Find who has the blocks below and above along each axis: at the edge of the plate
 * nobody. */
static inline void find_neighbors(const struct plate *plate, int rank, int neighbor[2][2])
{
    const redist_grid *grid = redist_dist_grid(plate->dist);
    int coords[2];
    (void)redist_grid_coords(grid, rank, coords);
    for (int axis = 0; axis < 2; axis++) {
        for (int above = 0; above < 2; above++) {
            int next[2] = {coords[0], coords[1]};
            next[axis] += above ? 1 : -1;
            int there = redist_grid_rank(grid, next);
            neighbor[axis][above] = there < 0 ? MPI_PROC_NULL : there;
        }
    }
}

/* Bring the neighbours' points into the halo. */
static inline void update_halo(MPI_Comm comm, const struct plate *plate,
                               int neighbor[2][2])
{
    const int64_t extent[2] = {plate->rows, plate->columns};
    MPI_Datatype line[2]; /* a row, a column */
    MPI_Type_contiguous((int)extent[1], MPI_DOUBLE, &line[0]);
    MPI_Type_vector((int)extent[0], 1, (int)extent[1] + 2, MPI_DOUBLE, &line[1]);
    for (int axis = 0; axis < 2; axis++) {
        MPI_Type_commit(&line[axis]);
        for (int above = 0; above < 2; above++) {
            int64_t out[2] = {0}, in[2] = {0};
            out[axis] = above ? extent[axis] - 1 : 0;
            in[axis] = above ? -1 : extent[axis];
            MPI_Sendrecv(point(plate, out[0], out[1]), 1, line[axis],
                         neighbor[axis][above], 0, point(plate, in[0], in[1]), 1,
                         line[axis], neighbor[axis][!above], 0, comm, MPI_STATUS_IGNORE);
        }
        MPI_Type_free(&line[axis]);
    }
}

/* Compute a step from u to `next`. */
static inline void step(const struct plate *plate, double *next)
{
    int64_t lead = plate->columns + 2;
    for (int64_t i = 1; i <= plate->rows; i++) {
        const double *u = plate->u + i * lead;
        double *v = next + i * lead;
        for (int64_t j = 1; j <= plate->columns; j++)
            v[j] =
                u[j] + 0.2 * (u[j - lead] + u[j + lead] + u[j - 1] + u[j + 1] - 4 * u[j]);
    }
}

static inline void compute(MPI_Comm comm, struct plate *plate, int steps)
{
    int neighbor[2][2];
    find_neighbors(plate, rank_in(comm), neighbor);
    double *spare = allocate(plate);
    for (int k = 0; k < steps; k++) {
        update_halo(comm, plate, neighbor);
        step(plate, spare);
        double *u = plate->u;
        plate->u = spare;
        spare = u;
    }
    free(spare);
}

#endif
