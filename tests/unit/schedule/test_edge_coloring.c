/* SPDX-License-Identifier: MIT
 *
 * Colourings of random multigraphs: no node has more edges of a colour than its capacity,
 * the cost is what it is said to be, and of small graphs nearly always the least. Steps
 * of random cores, which are made of them, are matchings. REDIST_TEST_SEED=<seed> repeats
 * the cases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "long.h"
#include "schedule/coloring/fewest.h"
#include "seed.h"
#include "unit/starve.h"

enum { MOST_EDGES = 60, MOST_NODES = 8, EFFORT = 1 << 14 };

struct drawn {
    struct multigraph graph;
    int left[MOST_EDGES], right[MOST_EDGES];
    int64_t weight[MOST_EDGES], count[MOST_EDGES], colors;
};

/* The colours that suffice: those of the node with the most edges. */
static int64_t count_colors(const struct drawn *x)
{
    int64_t degree[2][MOST_NODES] = {{0}}, colors = 1;
    for (int e = 0; e < x->graph.n; e++) {
        degree[0][x->left[e]] += x->count[e];
        degree[1][x->right[e]] += x->count[e];
    }
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < MOST_NODES; v++)
            colors =
                int_max(colors, int_ceil_div(degree[side][v], x->graph.capacity[side]));
    return colors;
}

static void draw(uint64_t *seed, int most_edges, int most_count, struct drawn *x)
{
    int heaviest = 1 + below(seed, 9);
    x->graph = (struct multigraph){
        .n = 1 + below(seed, most_edges),
        .left = x->left,
        .right = x->right,
        .weight = x->weight,
        .lefts = 1 + below(seed, MOST_NODES),
        .rights = 1 + below(seed, MOST_NODES),
        .capacity = {1 + below(seed, most_count), 1 + below(seed, most_count)}};
    for (int e = 0; e < x->graph.n; e++) {
        x->left[e] = below(seed, x->graph.lefts);
        x->right[e] = below(seed, x->graph.rights);
        x->weight[e] = 1 + below(seed, heaviest);
        x->count[e] = 1 + below(seed, most_count);
    }
    x->colors = count_colors(x);
}

/* Check one color of a coloring, whose entries begin at *at; returns its cost. */
static int64_t check_color(const struct drawn *x, const struct edge_coloring *coloring,
                           int64_t c, int64_t *at, int64_t left[])
{
    int64_t degree[2][MOST_NODES] = {{0}}, heaviest = 0;
    for (; *at < coloring->n && coloring->entry[*at].color == c; ++*at) {
        const struct edge_color *entry = &coloring->entry[*at];
        assert_in_range(entry->count, 1, left[entry->edge]);
        left[entry->edge] -= entry->count;
        degree[0][x->left[entry->edge]] += entry->count;
        degree[1][x->right[entry->edge]] += entry->count;
        heaviest = int_max(heaviest, x->weight[entry->edge]);
    }
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < MOST_NODES; v++)
            assert_in_range(degree[side][v], 0, x->graph.capacity[side]);
    return heaviest;
}

static void check_coloring(const struct drawn *x, const struct edge_coloring *coloring)
{
    int64_t left[MOST_EDGES], cost = 0, at = 0;
    memcpy(left, x->count, sizeof left);
    for (int64_t c = 0; c < x->colors; c++)
        cost += check_color(x, coloring, c, &at, left);
    assert_int_equal(at, coloring->n);
    assert_int_equal(cost, coloring->cost);
    assert_true(coloring->bound <= cost);
    for (int e = 0; e < x->graph.n; e++) assert_int_equal(left[e], 0);
}

static void no_node_has_more_edges_of_a_color_than_its_capacity(void **unused)
{
    uint64_t seed = seed_or(1994);
    for (int k = 0; k < usual_cases(1000, 1000); k++) {
        struct drawn x;
        struct edge_coloring coloring;
        draw(&seed, MOST_EDGES, 1 + k % 5, &x);
        ok(edge_coloring_make(&x.graph, x.count, x.colors, NULL, EFFORT, &coloring));
        check_coloring(&x, &coloring);
        edge_coloring_free(&coloring);
    }
}

/* The least cost, by trying all colourings of the edges from e on; each has multiplicity
 * 1, and each node capacity 1. */
static int64_t least_cost(const struct drawn *x, int e, int color[])
{
    int64_t least = INT64_MAX;
    if (e == x->graph.n) {
        int64_t heaviest[MOST_EDGES] = {0}, sum = 0;
        for (int i = 0; i < e; i++)
            heaviest[color[i]] = int_max(heaviest[color[i]], x->weight[i]);
        for (int c = 0; c < x->colors; c++) sum += heaviest[c];
        return sum;
    }
    for (int c = 0; c < x->colors; c++) {
        bool free = true;
        for (int i = 0; i < e; i++)
            free &=
                color[i] != c || (x->left[i] != x->left[e] && x->right[i] != x->right[e]);
        if (!free) continue;
        color[e] = c;
        least = int_min(least, least_cost(x, e + 1, color));
    }
    return least;
}

/* With two colours the cost is the least; with more it is a search. */
static void cost_is_the_least_of_small_graphs(void **unused)
{
    uint64_t seed = seed_or(1994);
    int graphs = 0, least = 0, bounded = 0;
    for (int k = 0; k < usual_cases(1000, 1000); k++) {
        struct drawn x;
        struct edge_coloring coloring;
        int color[MOST_EDGES];
        draw(&seed, 8, 1, &x);
        if (x.colors > 5) continue; /* too many colourings to try them all */
        ok(edge_coloring_make(&x.graph, x.count, x.colors, NULL, EFFORT, &coloring));
        int64_t best = least_cost(&x, 0, color);
        assert_true(coloring.bound <= best && best <= coloring.cost);
        if (x.colors <= 2) assert_int_equal(coloring.cost, best);
        graphs++;
        least += coloring.cost == best;
        bounded += coloring.cost == coloring.bound;
        edge_coloring_free(&coloring);
    }
    print_message("%d of %d small graphs at the least cost, %d at the bound\n", least,
                  graphs, bounded);
    assert_int_equal(least, graphs);
}

/* Steps of a core with any lengths, and that each step is a matching of it. */
static void check_core(const struct core *core, const int64_t weight[])
{
    struct fewest fewest;
    int64_t steps = int_max(core->b * core->dr, core->a * core->dc), cost = 0;
    ok(fewest_find(core, weight, &fewest));
    bool *left = calloc((size_t)(core->u * core->a * steps), sizeof *left);
    bool *right = calloc((size_t)(core->t * core->b * steps), sizeof *right);
    int64_t *longest = calloc((size_t)steps, sizeof *longest);
    assert_true(left && right && longest);
    for (int64_t z = 0; z < core->n; z++)
        for (int64_t A = 0; A < core->a; A++)
            for (int64_t B = 0; B < core->b; B++) {
                int64_t step = fewest_step(&fewest, z, A, B);
                assert_in_range(step, 0, steps - 1);
                bool *x = &left[(core_left(core, z) * core->a + A) * steps + step];
                bool *y = &right[(core_right(core, z) * core->b + B) * steps + step];
                assert_false(*x || *y);
                *x = *y = true;
                longest[step] = int_max(longest[step], weight[z]);
            }
    for (int64_t k = 0; k < steps; k++) cost += longest[k];
    assert_true(fewest.bound <= cost && cost <= fewest.tc);
    free(left);
    free(right);
    free(longest);
    fewest_free(&fewest);
}

static void steps_of_a_core_are_matchings(void **unused)
{
    uint64_t seed = seed_or(1998);
    for (int k = 0; k < usual_cases(1500, 1500); k++) {
        struct core core = {.u = 1 + below(&seed, 7),
                            .t = 1 + below(&seed, 7),
                            .a = 1 + below(&seed, k % 10 ? 6 : 60),
                            .b = 1 + below(&seed, k % 10 ? 6 : 60)};
        int64_t weight[MOST_EDGES];
        core.n = 1 + below(&seed, (int)int_min(MOST_EDGES, 2 * core.u * core.t));
        core.dr = int_ceil_div(core.n, core.u);
        core.dc = int_ceil_div(core.n, core.t);
        for (int z = 0; z < core.n; z++) weight[z] = 1 + below(&seed, 20);
        check_core(&core, weight);
    }
}

static redist_err find_steps(const void *given)
{
    static const int64_t weight[] = {5, 1, 4, 2, 3, 6, 2, 5};
    struct fewest fewest;
    redist_err err = fewest_find(given, weight, &fewest);
    if (!err) fewest_free(&fewest);
    return err;
}

static void failed_allocations_leave_nothing_behind(void **unused)
{
    const struct core core = {.n = 8, .u = 3, .t = 2, .a = 3, .b = 2, .dr = 3, .dc = 4};
    assert_true(each_allocation_fails_once(find_steps, &core) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_node_has_more_edges_of_a_color_than_its_capacity),
        cmocka_unit_test(cost_is_the_least_of_small_graphs),
        cmocka_unit_test(steps_of_a_core_are_matchings),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
