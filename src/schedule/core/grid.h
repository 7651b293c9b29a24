/* SPDX-License-Identifier: MIT
 *
 * schedule/core/grid.h - the communication grid: the P x Q table of message lengths, as
 * the list of its non-empty entries (Desprez et al. 1998, section 2).
 */
#ifndef REDIST_SCHEDULE_CORE_GRID_H
#define REDIST_SCHEDULE_CORE_GRID_H

#include "intersect/overlap.h"
#include "schedule/problem/periods.h"

/* A message from source p to target q. */
struct edge {
    int p, q;
    int64_t weight; /* its length, > 0 */
};

/* The largest sum of all weights: the times of a schedule are sums of a few loads. */
#define GRID_MOST_WEIGHT (INT64_MAX / 4)

struct comm_grid {
    int P, Q;
    int64_t nedges;
    struct edge *edge;    /* [nedges] ascending by (p, q) */
    int64_t *by_source;   /* [P + 1]: edges of p begin at edge[by_source[p]] */
    int64_t *by_target;   /* [Q + 1]: those of q at edge[target_edge[by_target[q]]] */
    int64_t *target_edge; /* [nedges] ascending by (q, p) */
    int64_t degree;       /* Delta: the most edges of a process */
    int64_t load;         /* W: the largest sum of weights of a process */
};

/* Make the grid of any edges, given in any order, each (p, q) at most once.
 * O(edges log edges). ARG: p or q out of range, weight < 1, a pair twice, more than
 * GRID_MOST_WEIGHT. MEMORY. */
redist_err comm_grid_from_edges(int P, int Q, int64_t nedges, const struct edge edges[],
                                struct comm_grid *grid);

/* Make the grid of one dimension: of one period, with weights in units; or, if `periods`
 * is not NULL, of all these periods, with weights in elements.
 * O(n log n) of n edges and runs of the rest. ARG, MEMORY. */
redist_err comm_grid_from_classes(const struct classes *k, const struct periods *periods,
                                  struct comm_grid *grid);

/* Make the grid of several dimensions, the product of their grids (dims.h). If it has
 * more than `most` messages it is left empty, with grid->edge = NULL.
 * O(edges log edges). ARG, MEMORY. */
redist_err comm_grid_from_dims(int ndims, const struct classes dim[],
                               const struct periods periods[], int64_t most,
                               struct comm_grid *grid);

/* Make the grid of two views, of any dimensions and formats, weights in elements:
 * process p is at linear position p of the source's grid, q of the target's. If it has
 * more than `most` messages it is left empty, with grid->edge = NULL.
 * O(edges log edges). ARG, MEMORY. */
redist_err comm_grid_from_views(const redist_view *source, const redist_view *target,
                                int64_t most, struct comm_grid *grid);

void comm_grid_free(struct comm_grid *grid);

/* Return the edge from p to q, or -1. O(log edges of p). */
int64_t comm_grid_find(const struct comm_grid *grid, int64_t p, int64_t q);

/* SB: the sum over k of the largest k-th weight of a process. No schedule in steps that
 * splits no message costs less, whatever its number of steps.
 * O(edges log edges). MEMORY. */
redist_err comm_grid_step_bound(const struct comm_grid *grid, int64_t *bound);

#endif
