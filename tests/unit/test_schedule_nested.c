/* SPDX-License-Identifier: MIT
 *
 * Nested stepwise on small graphs: its steps are matchings, as few as the largest
 * degree, and their cost is compared with the least there is. REDIST_TEST_SEED=<seed>
 * repeats the cases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/intmath.h"
#include "intersect/runs.h"
#include "schedule/nested.h"
#include "seed.h"
enum { MOST_EDGES = 60 };

static void draw_graph(uint64_t *seed, struct nested_graph *graph)
{
    graph->lefts = 1 + below(seed, 8);
    graph->rights = 1 + below(seed, 8);
    graph->nedges = 1 + below(seed, MOST_EDGES);
    int heaviest = 1 + below(seed, 9);
    for (int e = 0; e < graph->nedges; e++)
        graph->edge[e] =
            (struct nested_edge){below(seed, graph->lefts), below(seed, graph->rights),
                                 1 + below(seed, heaviest)};
}

static void nested_steps_are_matchings_of_the_largest_degree(void **unused)
{
    uint64_t seed = seed_or(1994);
    for (int k = 0; k < 2000; k++) {
        struct nested_edge edges[MOST_EDGES];
        struct nested_graph graph = {.edge = edges};
        int step[MOST_EDGES], degree[SIDES][8] = {{0}}, delta = 0;
        bool busy[SIDES][8][MOST_EDGES] = {{{false}}};
        int64_t heaviest[MOST_EDGES] = {0}, cost = 0, sum = 0;
        draw_graph(&seed, &graph);
        ok(nested_color(&graph, 1 + k % 4, 0, step, &cost));
        for (int e = 0; e < graph.nedges; e++) {
            int end[SIDES] = {edges[e].left, edges[e].right};
            for (int side = 0; side < SIDES; side++) {
                assert_false(busy[side][end[side]][step[e]]);
                busy[side][end[side]][step[e]] = true;
                delta = (int)int_max(delta, ++degree[side][end[side]]);
            }
            heaviest[step[e]] = int_max(heaviest[step[e]], edges[e].weight);
        }
        for (int e = 0; e < graph.nedges; e++) {
            assert_in_range(step[e], 0, delta - 1);
            sum += heaviest[e];
        }
        assert_int_equal(sum, cost);
    }
}

/* The least cost of graphs with up to 8 edges, by trying all assignments. */
static int64_t least_cost(const struct nested_graph *graph, int delta, int e, int step[])
{
    int64_t least = INT64_MAX;
    if (e == graph->nedges) {
        int64_t heaviest[MOST_EDGES] = {0}, sum = 0;
        for (int i = 0; i < e; i++)
            heaviest[step[i]] = int_max(heaviest[step[i]], graph->edge[i].weight);
        for (int c = 0; c < delta; c++) sum += heaviest[c];
        return sum;
    }
    for (int c = 0; c < delta; c++) {
        bool free = true;
        for (int i = 0; i < e; i++)
            free &= step[i] != c || (graph->edge[i].left != graph->edge[e].left &&
                                     graph->edge[i].right != graph->edge[e].right);
        if (!free) continue;
        step[e] = c;
        least = int_min(least, least_cost(graph, delta, e + 1, step));
    }
    return least;
}

/* Two steps can be exchanged only along paths and cycles, so that there the cost is
 * the least; with more steps it is a search, which misses it in less than one graph of
 * a hundred. */
static void nested_cost_is_least_for_two_steps(void **unused)
{
    uint64_t seed = seed_or(1994);
    int graphs = 0, least = 0;
    for (int k = 0; k < 1000; k++) {
        struct nested_edge edges[MOST_EDGES];
        struct nested_graph graph = {.edge = edges};
        int step[MOST_EDGES], degree[SIDES][8] = {{0}}, delta = 0;
        int64_t cost = 0;
        draw_graph(&seed, &graph);
        graph.nedges = (int)int_min(graph.nedges, 8);
        for (int e = 0; e < graph.nedges; e++) {
            delta = (int)int_max(delta, ++degree[0][edges[e].left]);
            delta = (int)int_max(delta, ++degree[1][edges[e].right]);
        }
        if (delta > 5) continue; /* too many assignments to try them all */
        ok(nested_color(&graph, 16, 0, step, &cost));
        int64_t best = least_cost(&graph, delta, 0, step);
        assert_true(cost >= best);
        if (delta <= 2) assert_int_equal(cost, best);
        graphs++;
        least += cost == best;
    }
    print_message("%d of %d tiny graphs at the least cost\n", least, graphs);
    assert_true(100 * least >= 99 * graphs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_steps_are_matchings_of_the_largest_degree),
        cmocka_unit_test(nested_cost_is_least_for_two_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
