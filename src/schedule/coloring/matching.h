/* SPDX-License-Identifier: MIT
 *
 * schedule/coloring/matching.h - maximum-weight matchings on the communication grid, one
 * after the other. The messages of a matching can be sent in one step.
 *
 * The Hungarian method (Kuhn 1955) on a sparse graph, in its symmetric form: every
 * process v has a price y[v] >= 0 such that each edge obeys
 *
 *   y[p] + y[q] >= weight(p, q)
 *
 * and matched edges are tight, i.e. obey it with equality. If moreover every process with
 * a price > 0 is matched, no matching weighs more: all sum to at most the sum of the
 * prices. A process that must be covered may have a price < 0, and must be matched
 * whatever its price; then the same holds for the matchings that cover it.
 *
 * Prices stay valid when edges are removed. The next matching starts from them and finds
 * most of its edges tight already.
 */
#ifndef REDIST_SCHEDULE_COLORING_MATCHING_H
#define REDIST_SCHEDULE_COLORING_MATCHING_H

#include "base/intmath.h"
#include "schedule/core/schedule.h"

/* An edge as one of its nodes sees it. */
struct arc {
    int64_t edge; /* in the grid */
    int64_t to;   /* the node at its other end */
    int64_t weight;
};

/* Nodes are the sources 0 .. P - 1, then the targets P .. P + Q - 1. */
struct matching {
    const struct comm_grid *grid;
    int64_t nnodes;
    int64_t nleft;   /* edges of the grid that are not removed yet */
    struct arc *arc; /* [2 nedges] node v's are arc[first[v]] .. + degree[v] */
    int64_t *first;  /* [nnodes] */
    int64_t *degree; /* [nnodes] */
    int64_t *mate;   /* [nnodes] the node that a node is matched with, -1: none */
    bool *must;      /* [nnodes] set by the caller: nodes that must be matched */
    int64_t *price;  /* [nnodes] */
    int64_t bound;   /* nodes x longest message (matching_solve) */
    struct matching_search *search;
};

/* Return the longest message for which no price can overflow, with so many nodes. */
static inline int64_t matching_most(int64_t nnodes)
{
    return INT64_MAX / 64 / int_max(1, nnodes);
}

/* A schedule_kind's applicable, if it makes matchings: no message is longer.
 * O(messages). */
bool matching_applicable(const struct schedule_input *input, const char **why);

/* Start with all edges of the grid, which must live on and have no message longer than
 * matching_most, and no node that must be covered. O(edges). MEMORY. */
redist_err matching_create(const struct comm_grid *grid, struct matching *matching);

/* Find a matching of maximum weight among those that cover all nodes of `must`. A node in
 * `must` in one call must be there in all later calls.
 * O(nodes edges log edges) at worst, from good prices O(edges) a few times. ARG: no
 * matching covers them. */
redist_err matching_solve(struct matching *matching);

/* Remove the matched edges from the graph; step_of[e] = step for each edge e of them.
 * O(sum of the degrees of the matched nodes). */
void matching_remove(struct matching *matching, int64_t step, int64_t step_of[]);

void matching_free(struct matching *matching);

/* Remove one matching after the other from the grid until no message is left, and number
 * the messages by matching: step_of[nedges]. Before each, `cover` (may be NULL) sets
 * `must` for the processes that have to be covered. ARG: no matching covers them.
 * MEMORY. */
redist_err matching_peel(const struct comm_grid *grid, void (*cover)(struct matching *),
                         int64_t step_of[]);

#endif
