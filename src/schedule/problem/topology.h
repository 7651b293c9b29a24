/* SPDX-License-Identifier: MIT
 *
 * schedule/problem/topology.h - the links between processes (redist/topology.h).
 */
#ifndef REDIST_SCHEDULE_PROBLEM_TOPOLOGY_H
#define REDIST_SCHEDULE_PROBLEM_TOPOLOGY_H

#include <stdbool.h>

#include <redist/topology.h>

#include "base/mem.h"

enum topology_shape { TOPOLOGY_MESH, TOPOLOGY_TREE };

/* In a mesh, node n has links 2 (n ndims + d) + b along dimension d, backwards if b = 1.
 * In a tree, those below level k are numbered from first[k], two for each of links[k-1]
 * (level 0: one) of each unit there: up, then down. */
struct redist_topology {
    enum topology_shape shape;
    int nprocs;
    int *place;                  /* [nprocs] node, row-major, or place; NULL: the rank */
    int ndims;                   /* or levels */
    int extent[REDIST_MAX_DIMS]; /* or members */
    bool periodic[REDIST_MAX_DIMS];
    int links[REDIST_MAX_DIMS + 1]; /* of a unit at each level: links[0] = 1 of a place */
    int64_t first[REDIST_MAX_DIMS + 1];
    int64_t nlinks;
};

/* The most links of a route. */
int topology_longest(const redist_topology *topology);

/* Copy a topology, or NULL. `account` is charged, and must outlive the copy. MEMORY. */
redist_err topology_copy(struct mem_account *account, const redist_topology *topology,
                         redist_topology **copy);

/* Return a hash of its contents; NULL has a hash of its own. */
int64_t topology_hash(const redist_topology *topology);

#endif
