/* SPDX-License-Identifier: MIT
 *
 * schedule/coloring/multigraph.h - a bipartite multigraph whose nodes have capacities,
 * and its division into two.
 *
 * An edge joins a left node to a right node and has a weight and a multiplicity. A node
 * of capacity c may have c edges of each colour. So `colors` colours suffice for all
 * edges if no node has more than c * colors of them (Konig). A division gives some of the
 * colours to one half, with edges for which they suffice, and the rest to the other half.
 */
#ifndef REDIST_SCHEDULE_COLORING_MULTIGRAPH_H
#define REDIST_SCHEDULE_COLORING_MULTIGRAPH_H

#include <stdbool.h>

#include <redist/describe.h>

struct multigraph {
    int64_t n;             /* edges */
    const int *left;       /* [n] its left node, 0 .. lefts - 1 */
    const int *right;      /* [n] its right node, 0 .. rights - 1 */
    const int64_t *weight; /* [n] */
    int lefts, rights;
    int64_t capacity[2]; /* of each left node, and of each right node */
};

/* Some edges of a multigraph with their multiplicities. */
struct edge_list {
    int64_t n;
    int *edge;      /* [n] */
    int64_t *count; /* [n] multiplicity, >= 1 */
};
redist_err edge_list_make(int64_t room, struct edge_list *list);
void edge_list_free(struct edge_list *list);

/* Work space for divisions of one multigraph. */
struct division {
    const struct multigraph *graph;
    int64_t *total, *taken, *least, *most; /* [nodes] */
    int64_t *first;                        /* [nodes + 2] */
    int64_t *incident;                     /* [2 n] positions in the list */
    int64_t *via, *next;                   /* [nodes] */
    int *layer, *queue;                    /* [nodes] */
    int64_t
        start; /* preferred edges: from this one on after the forced ones, cyclically */
    int64_t effort; /* edges examined so far: the same on every process */
};
redist_err division_make(const struct multigraph *graph, struct division *division);
void division_free(struct division *division);

/* Divide a list of edges, for which `colors` colours suffice: taken[i] of the i-th edge,
 * for which `part` colours suffice, and the rest, for which colors - part do. All of the
 * first `forced` edges are taken, and as many others as possible, by preference. Returns
 * false if there is no such division; with nothing forced there always is. A flow is
 * found by augmenting paths: O(edges) each. */
bool division_find(struct division *division, const struct edge_list *list,
                   int64_t colors, int64_t part, int64_t forced, int64_t taken[]);

#endif
