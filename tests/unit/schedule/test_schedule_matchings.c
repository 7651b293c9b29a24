/* SPDX-License-Identifier: MIT
 *
 * Maximum-weight matchings against brute force.
 * REDIST_TEST_LONG=1 widens the sweeps; REDIST_TEST_SEED=<seed> repeats the random cases.
 */
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "long.h"
#include "schedule/coloring/matching.h"
#include "schedule/core/kinds.h"
#include "schedule/model/cost.h"
#include "seed.h"

enum { MOST = 6 }; /* processes of a side in the random cases */

/* The weights of a small graph, 0: no edge, and who must be covered. */
struct small {
    int P, Q;
    int64_t weight[MOST][MOST];
    bool must[SIDES][MOST];
};

static void draw_small(uint64_t *seed, struct small *small)
{
    *small = (struct small){.P = 1 + below(seed, MOST), .Q = 1 + below(seed, MOST)};
    int percent = 20 + below(seed, 81), most = below(seed, 2) ? 3 : 1000;
    for (int p = 0; p < small->P; p++)
        for (int q = 0; q < small->Q; q++)
            if (below(seed, 100) < percent) small->weight[p][q] = 1 + below(seed, most);
}

static void grid_of_small(const struct small *small, struct comm_grid *grid)
{
    struct edge edge[MOST * MOST];
    int n = 0;
    for (int p = 0; p < small->P; p++)
        for (int q = 0; q < small->Q; q++)
            if (small->weight[p][q]) edge[n++] = (struct edge){p, q, small->weight[p][q]};
    ok(comm_grid_from_edges(small->P, small->Q, n, edge, grid));
}

/* The most that sources p, p + 1, .. can be matched for with the targets that are not in
 * `used`; -1: no matching covers all that must be covered. Tries everything. */
static int64_t best_weight(const struct small *small, int p, unsigned used)
{
    if (p == small->P) {
        for (int q = 0; q < small->Q; q++)
            if (small->must[REDIST_TARGET][q] && !(used >> q & 1)) return -1;
        return 0;
    }
    int64_t best = -1;
    if (!small->must[REDIST_SOURCE][p]) best = best_weight(small, p + 1, used);
    for (int q = 0; q < small->Q; q++) {
        if (!small->weight[p][q] || used >> q & 1) continue;
        int64_t rest = best_weight(small, p + 1, used | 1u << q);
        if (rest >= 0) best = int_max(best, small->weight[p][q] + rest);
    }
    return best;
}

/* Solve and check that it is a matching of the edges left, that it covers what must be
 * covered, and that none weighs more. */
static void check_solution(struct matching *m, const struct small *small)
{
    for (int p = 0; p < small->P; p++) m->must[p] = small->must[REDIST_SOURCE][p];
    for (int q = 0; q < small->Q; q++)
        m->must[small->P + q] = small->must[REDIST_TARGET][q];
    int64_t best = best_weight(small, 0, 0), weight = 0;
    redist_err err = matching_solve(m);
    assert_int_equal(err, best < 0 ? REDIST_ERR_ARG : REDIST_OK);
    if (err) {
        assert_non_null(strstr(redist_error_message(), "no matching covers"));
        return;
    }
    for (int v = 0; v < small->P + small->Q; v++) {
        if (m->mate[v] < 0) {
            assert_false(m->must[v]);
            continue;
        }
        assert_int_equal(m->mate[m->mate[v]], v);
        if (v >= small->P) continue;
        assert_in_range(m->mate[v], small->P, small->P + small->Q - 1);
        int64_t length = small->weight[v][m->mate[v] - small->P];
        assert_true(length > 0);
        weight += length;
    }
    assert_int_equal(weight, best);
}

static void a_matching_is_the_heaviest_of_all_that_cover(void **unused)
{
    uint64_t seed = seed_or(1998);
    int impossible = 0, ncases = long_run() ? 200000 : 5000;
    for (int k = 0; k < ncases; k++) {
        struct small small;
        draw_small(&seed, &small);
        int percent = below(&seed, 60);
        for (int p = 0; p < small.P; p++)
            small.must[REDIST_SOURCE][p] = below(&seed, 100) < percent;
        for (int q = 0; q < small.Q; q++)
            small.must[REDIST_TARGET][q] = below(&seed, 100) < percent;
        struct comm_grid grid;
        struct matching matching;
        grid_of_small(&small, &grid);
        ok(matching_create(&grid, &matching));
        check_solution(&matching, &small);
        impossible += best_weight(&small, 0, 0) < 0;
        matching_free(&matching);
        comm_grid_free(&grid);
    }
    assert_in_range(impossible, ncases / 10, ncases / 2); /* both kinds are well tried */
}

/* Mark the nodes of maximum degree. Returns the number of edges. */
static int mark_busiest(struct small *small)
{
    int degree[SIDES][MOST] = {{0}}, most = 0, n = 0;
    for (int p = 0; p < small->P; p++)
        for (int q = 0; q < small->Q; q++) {
            if (!small->weight[p][q]) continue;
            degree[REDIST_SOURCE][p]++;
            degree[REDIST_TARGET][q]++;
            n++;
        }
    for (int s = 0; s < SIDES; s++)
        for (int v = 0; v < MOST; v++) most = degree[s][v] > most ? degree[s][v] : most;
    for (int s = 0; s < SIDES; s++)
        for (int v = 0; v < MOST; v++)
            small->must[s][v] = most > 0 && degree[s][v] == most;
    return n;
}

/* From the prices of the matching before, too. */
static void matchings_peeled_one_after_the_other_are_heaviest(void **unused)
{
    uint64_t seed = seed_or(1998);
    for (int k = 0; k < (long_run() ? 40000 : 1000); k++) {
        struct small small;
        draw_small(&seed, &small);
        bool cover = below(&seed, 2);
        struct comm_grid grid;
        struct matching matching;
        grid_of_small(&small, &grid);
        ok(matching_create(&grid, &matching));
        int64_t step_of[MOST * MOST];
        int left = mark_busiest(&small);
        for (int step = 0; left > 0; step++) {
            if (!cover) memset(small.must, 0, sizeof small.must);
            check_solution(&matching, &small);
            for (int e = 0; e < MOST * MOST; e++) step_of[e] = -1;
            matching_remove(&matching, step, step_of);
            for (int e = 0; e < grid.nedges; e++) {
                const struct edge *edge = &grid.edge[e];
                bool matched = matching.mate[edge->p] == small.P + edge->q;
                bool taken = matched && small.weight[edge->p][edge->q];
                assert_int_equal(step_of[e], taken ? step : -1);
                if (taken) small.weight[edge->p][edge->q] = 0;
            }
            left = mark_busiest(&small);
            assert_int_equal(matching.nleft, left);
        }
        matching_free(&matching);
        comm_grid_free(&grid);
    }
}

static void lengths_that_could_overflow_are_refused(void **unused)
{
    const int64_t longest = INT64_MAX / 64 / 6;
    struct edge edge[] = {{0, 0, longest}, {0, 1, longest - 1}, {1, 0, longest - 1},
                          {1, 1, 1},       {2, 1, longest - 5}, {2, 2, 3}};
    struct comm_grid grid;
    struct matching matching;
    ok(comm_grid_from_edges(3, 3, 6, edge, &grid));
    ok(matching_create(&grid, &matching));
    for (int v = 0; v < 6; v++) matching.must[v] = true; /* (0,1) (1,0) (2,2) */
    ok(matching_solve(&matching));
    assert_int_equal(matching.mate[0], 3 + 1);
    assert_int_equal(matching.mate[1], 3 + 0);
    assert_int_equal(matching.mate[2], 3 + 2);
    /* Prices far off, as many steps might lead to, are not started from. */
    for (int v = 0; v < 6; v++) matching.price[v] = INT64_MAX / 2 - v;
    ok(matching_solve(&matching));
    assert_int_equal(matching.mate[0], 3 + 1);
    assert_int_equal(matching.mate[2], 3 + 2);
    for (int v = 0; v < 6; v++) assert_true(matching.price[v] <= 4 * matching.bound);
    matching_free(&matching);
    comm_grid_free(&grid);

    edge[0].weight++;
    ok(comm_grid_from_edges(3, 3, 6, edge, &grid));
    const struct schedule_input input = {.grid = &grid};
    const char *why = NULL;
    assert_false(matching_applicable(&input, &why));
    assert_non_null(strstr(why, "at most 2^57 / (P + Q)"));
    /* which begins with matchings, where there can be any */
    struct cost cost;
    void *state = NULL;
    ok(schedule_optimal.make(&input, &state));
    ok(cost_count(&schedule_optimal, state, &input, &cost));
    assert_int_equal(cost.ns, cost.delta);
    schedule_optimal.free(state);
    comm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matching_is_the_heaviest_of_all_that_cover),
        cmocka_unit_test(matchings_peeled_one_after_the_other_are_heaviest),
        cmocka_unit_test(lengths_that_could_overflow_are_refused),
    };
    return cmocka_run_group_tests_name("schedule matchings", tests, NULL, NULL);
}
