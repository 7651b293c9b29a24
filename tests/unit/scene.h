/* SPDX-License-Identifier: MIT
 *
 * tests/unit/scene.h - a few messages between ranks of a network, of which what they take
 * can be worked out by hand.
 */
#ifndef REDIST_TESTS_SCENE_H
#define REDIST_TESTS_SCENE_H

#include <math.h>

#include "schedule/model/model.h"
#include "unit/unit.h"

/* A second a byte, and nothing else. */
static const struct model bytes = {.beta = 1, .unit = 1};

/* Processes begin some nanoseconds apart, and what is expected is in whole seconds. */
static inline void assert_about(double seconds, double expected)
{
    assert_true(fabs(seconds - expected) < 1e-6);
}

/* Messages between ranks of a network. */
struct scene {
    struct comm_grid grid;
    redist_topology *topology;
    struct schedule_input input;
};

static inline void scene_make(int P, const int source[], int Q, const int target[],
                              int64_t n, const struct edge edges[], const char *network,
                              struct scene *scene)
{
    int nranks = 0;
    for (int p = 0; p < P; p++) nranks = source[p] >= nranks ? source[p] + 1 : nranks;
    for (int q = 0; q < Q; q++) nranks = target[q] >= nranks ? target[q] + 1 : nranks;
    ok(comm_grid_from_edges(P, Q, n, edges, &scene->grid));
    ok(redist_topology_parse(network, nranks, &scene->topology));
    scene->input = (struct schedule_input){
        .grid = &scene->grid, .rank = {source, target}, .topology = scene->topology};
}

static inline void scene_free(struct scene *scene)
{
    redist_topology_destroy(&scene->topology);
    comm_grid_free(&scene->grid);
}

#endif
