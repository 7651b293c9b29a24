/* SPDX-License-Identifier: MIT
 *
 * schedule/coloring/edge_coloring.h - colour the edges of a bipartite multigraph so that
 * the sum over the colours of the heaviest edge is small: max-edge-colouring, which is
 * NP-hard (Kesselman and Kogan 2007).
 *
 * The colours are bisected. Of the divisions of the edges into two halves (multigraph.h),
 * it takes the one whose lighter half has the lightest heaviest edge, and then bisects
 * each half. With two colours this is optimal. Finally a few colours at a time are merged
 * and coloured anew, with equal edges in another order; the result is kept if it costs no
 * more.
 */
#ifndef REDIST_SCHEDULE_COLORING_EDGE_COLORING_H
#define REDIST_SCHEDULE_COLORING_EDGE_COLORING_H

#include "schedule/coloring/multigraph.h"

/* A colour of some of an edge's copies. */
struct edge_color {
    int edge;
    int64_t color; /* 0 .. colors - 1 */
    int64_t count; /* of the edge's multiplicity, >= 1 */
};

struct edge_coloring {
    int64_t n, room;
    struct edge_color *entry; /* [n] ascending by color */
    int64_t colors;
    int64_t cost;  /* the sum over colours of the weight of the heaviest edge */
    int64_t bound; /* no colouring with so many colours costs less */
};

/* Colour each edge e, of multiplicity count[e] >= 0, with `colors` colours, which must
 * suffice. A known colouring may be given, which is used if it costs less: known[e] is
 * the colour of edge e, of multiplicity 1; or NULL. Stops when the cost is at the bound,
 * or when about `effort` edges have been examined since the first colouring. The result
 * is the same on every process.
 * O(edges log weights log colors) and `effort`. MEMORY. */
redist_err edge_coloring_make(const struct multigraph *graph, const int64_t count[],
                              int64_t colors, const int64_t known[], int64_t effort,
                              struct edge_coloring *coloring);
void edge_coloring_free(struct edge_coloring *coloring);

#endif
