/* SPDX-License-Identifier: MIT
 *
 * Schedules of staircases: the bounds that they promise, and the steps against the best
 * of all colourings.
 */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "grid_cost.h"

#include "base/error.h"
#include "base/intmath.h"
#include "long.h"
#include "oracle.h"
#include "schedule/cost.h"
#include "schedule/kinds.h"
#include "schedule_problem.h"
#include "starve.h"

enum { MAX_PROCS = 16 };

/* ---- any grid ---------------------------------------------------------------------- */

static void random_sizes(uint64_t *seed, int64_t n, int procs, int64_t sizes[])
{
    int64_t cut[MAX_PROCS + 1] = {0};
    for (int c = 1; c < procs; c++) {
        int64_t at = random_in(seed, 0, n);
        int k = c;
        for (; cut[k - 1] > at; k--) cut[k] = cut[k - 1];
        cut[k] = at;
    }
    cut[procs] = n;
    for (int c = 0; c < procs; c++) sizes[c] = cut[c + 1] - cut[c];
}

static redist_dist *gen_block_dist(int64_t n, int procs, const int64_t sizes[])
{
    redist_grid *grid = NULL;
    redist_dist *dist = NULL;
    redist_format format = redist_gen_block(sizes);
    ok(redist_grid_create(1, &procs, REDIST_ROW_MAJOR, NULL, &grid));
    ok(redist_dist_create(1, &n, &format, grid, &dist));
    redist_grid_destroy(&grid);
    return dist;
}

static struct comm_grid gen_block_grid(uint64_t *seed)
{
    int P = (int)random_in(seed, 1, 12), Q = (int)random_in(seed, 1, 12);
    int64_t n = random_in(seed, 1, 60), sizes[MAX_PROCS];
    redist_view source, target;
    random_sizes(seed, n, P, sizes);
    redist_dist *from = gen_block_dist(n, P, sizes);
    random_sizes(seed, n, Q, sizes);
    redist_dist *to = gen_block_dist(n, Q, sizes);
    ok(redist_view_init(from, &source));
    ok(redist_view_init(to, &target));
    struct comm_grid grid;
    ok(comm_grid_from_views(&source, &target, INT64_MAX, &grid));
    redist_dist_destroy(&from);
    redist_dist_destroy(&to);
    assert_true(grid.nedges <= P + Q - 1);
    return grid;
}

static void staircase_ends_at_w_whole_and_takes_delta_steps(void **unused)
{
    uint64_t seed = 161803398;
    for (int64_t i = 0; i < (long_run() ? 100000 : 2000); i++) {
        struct comm_grid grid = gen_block_grid(&seed);
        int64_t pieces = 0;
        struct cost cost = count(&schedule_staircase, &grid, &pieces);
        assert_int_equal(cost.tc, cost.w);
        assert_int_equal(pieces, grid.nedges);
        cost = count(&schedule_staircase_steps, &grid, &pieces);
        assert_int_equal(cost.ns, cost.delta);
        assert_int_equal(pieces, grid.nedges);
        comm_grid_free(&grid);
    }
}

/* ---- against all colourings -------------------------------------------------------- */

enum { FEW_MESSAGES = 11 };

struct every_coloring {
    const struct comm_grid *grid;
    int64_t color[FEW_MESSAGES], longest[FEW_MESSAGES], least;
};

/* Colour message e and those behind it in all ways in which the sum can become less. Of
 * colours without a message one is enough. */
static void color_from(struct every_coloring *x, int64_t e, int64_t sum)
{
    if (sum >= x->least) return;
    if (e == x->grid->nedges) {
        x->least = sum;
        return;
    }
    const struct edge *edge = x->grid->edge;
    for (int64_t c = 0; c < x->grid->degree; c++) {
        bool is_free = true;
        for (int64_t i = 0; i < e; i++)
            if (x->color[i] == c && (edge[i].p == edge[e].p || edge[i].q == edge[e].q))
                is_free = false;
        if (!is_free) continue;
        int64_t before = x->longest[c];
        x->color[e] = c;
        x->longest[c] = int_max(before, edge[e].weight);
        color_from(x, e + 1, sum + x->longest[c] - before);
        x->longest[c] = before;
        if (before == 0) return;
    }
}

static int64_t least_of_all(const struct comm_grid *grid)
{
    struct every_coloring x = {.grid = grid, .least = INT64_MAX};
    color_from(&x, 0, 0);
    return x.least;
}

struct score {
    int64_t least;
    double sum, worst;
};

static void score_add(struct score *score, int64_t tc, int64_t least)
{
    double ratio = (double)tc / (double)least;
    score->least += tc == least;
    score->sum += ratio;
    score->worst = ratio > score->worst ? ratio : score->worst;
}

static void score_print(const struct score *score, int64_t n, const char *name)
{
    print_message(
        "%s: TC %.4f of the least in the mean, %.3f at worst, the least in %d of "
        "%d\n",
        name, score->sum / (double)n, score->worst, (int)score->least, (int)n);
}

static void staircase_steps_against_all_colorings(void **unused)
{
    uint64_t seed = 141421356;
    struct score own = {0}, stepwise = {0};
    int64_t n = 0;
    for (int64_t i = 0; i < (long_run() ? 20000 : 4000); i++) {
        struct comm_grid grid = gen_block_grid(&seed);
        if (grid.degree > 1 && grid.nedges <= FEW_MESSAGES) {
            int64_t pieces = 0, least = least_of_all(&grid);
            struct cost cost = count(&schedule_staircase_steps, &grid, &pieces);
            assert_true(cost.tc >= least);
            if (grid.degree == 2) assert_int_equal(cost.tc, least);
            assert_true(count(&schedule_optimal, &grid, &pieces).tc <= cost.tc);
            score_add(&own, cost.tc, least);
            score_add(&stepwise, count(&schedule_stepwise, &grid, &pieces).tc, least);
            n++;
        }
        comm_grid_free(&grid);
    }
    score_print(&own, n, "staircase-steps");
    score_print(&stepwise, n, "stepwise");
    assert_true(own.sum <= stepwise.sum && own.worst <= stepwise.worst);
}

static void staircase_refuses_what_does_not_descend(void **unused)
{
    static const struct edge crossing[] = {{0, 1, 2}, {1, 0, 3}};
    struct comm_grid grid;
    const char *why = NULL;
    ok(comm_grid_from_edges(2, 2, 2, crossing, &grid));
    struct schedule_input input = {.grid = &grid};
    assert_false(schedule_staircase.applicable(&input, &why));
    assert_non_null(strstr(why, "order"));
    comm_grid_free(&grid);
}

static void running_out_of_memory_anywhere_leaks_nothing(void **unused)
{
    static const struct edge edge[] = {{0, 0, 5}, {1, 0, 2}, {1, 1, 4}, {1, 2, 3}};
    struct comm_grid grid;
    ok(comm_grid_from_edges(2, 3, 4, edge, &grid));
    struct schedule_input input = {.grid = &grid};
    assert_true(schedule_starve(&schedule_staircase, &input) > 0);
    assert_true(schedule_starve(&schedule_staircase_steps, &input) > 0);
    comm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(staircase_ends_at_w_whole_and_takes_delta_steps),
        cmocka_unit_test(staircase_steps_against_all_colorings),
        cmocka_unit_test(staircase_refuses_what_does_not_descend),
        cmocka_unit_test(running_out_of_memory_anywhere_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
