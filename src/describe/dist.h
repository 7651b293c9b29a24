/* SPDX-License-Identifier: MIT
 *
 * describe/dist.h - a distribution: dimensions over a process grid.
 */
#ifndef REDIST_DESCRIBE_DIST_H
#define REDIST_DESCRIBE_DIST_H

#include "describe/dim.h"
#include "describe/grid.h"

struct redist_dist {
    int ndims;
    redist_grid *grid;
    int nreplica_axes;                 /* axes of the grid that no dimension uses */
    int replica_axes[REDIST_MAX_DIMS]; /* ascending */
    int64_t nreplicas;                 /* product of their shapes */
    struct dim dim[];                  /* [ndims] */
};

/* Copy a dist, with its own copy of irregular blocks. `account`, which may be NULL, is
 * charged, and must outlive the copy. With a rank list O(P), irregular O(blocks) more.
 * MEMORY. */
redist_err dist_copy(struct mem_account *account, const redist_dist *dist,
                     redist_dist **copy);

/* Create the dist of one INDIRECT dimension of `n` blocks (dim_from_blocks), over `procs`
 * coordinates. Coordinate c is rank ranks[c], or c if `ranks` is NULL. The caller owns
 * the dist.
 * O(n + procs log procs). MEMORY. */
redist_err dist_from_blocks(int64_t extent, int procs, const int ranks[], int64_t n,
                            const struct block blocks[], redist_dist **dist);

/* Create the dist of one replica alone, over its own processes. The caller owns it.
 * O(its processes log processes), irregular O(blocks) more. ARG, MEMORY. */
redist_err dist_of_replica(const redist_dist *dist, int64_t replica, redist_dist **made);

/* Return the number of elements of the whole array. */
int64_t dist_elements(const redist_dist *dist);

/* The coordinate of a process along dimension i, from its grid coordinates; 0 if
 * collapsed. */
int dist_coord(const redist_dist *dist, int i, const int grid_coords[]);

/* The replica of the process at these grid coordinates, 0 .. nreplicas - 1. */
int64_t dist_replica(const redist_dist *dist, const int grid_coords[]);

/* The rank of replica `replica` at the coordinates `coords`[ndims] along the
 * dimensions. */
int dist_rank(const redist_dist *dist, const int coords[], int64_t replica);

/* Return a 64-bit hash of the formats and the grid as given.
 * O(1), irregular O(blocks). */
uint64_t dist_hash(const redist_dist *dist);

#endif
