/* SPDX-License-Identifier: MIT
 *
 * Schedules of staircases: the bounds that they promise, and the steps against the best
 * of all colourings.
 */
#include "unit/unit.h"

#include "base/intmath.h"
#include "long.h"
#include "oracle.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"
#include "schedule_problem.h"
#include "unit/published/published.h"

enum { MAX_PROCS = 200 };

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

static void gen_block_grid_of(uint64_t *seed, int P, int Q, int64_t n, struct problem *x)
{
    int64_t sizes[MAX_PROCS];
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
    problem_of_grid(x, grid);
}

static void gen_block_grid(uint64_t *seed, struct problem *x)
{
    int P = (int)random_in(seed, 1, 12), Q = (int)random_in(seed, 1, 12);
    gen_block_grid_of(seed, P, Q, random_in(seed, 1, 60), x);
}

/* Count one that sends each message whole. */
static struct cost count_whole(const struct problem *x, const struct schedule_kind *kind)
{
    struct cost cost;
    int64_t pieces = 0;
    assert_true(problem_measure(x, kind, &cost, &pieces));
    assert_int_equal(pieces, x->grid.nedges);
    return cost;
}

static void staircase_ends_at_w_whole_and_takes_delta_steps(void **unused)
{
    uint64_t seed = 161803398;
    for (int64_t i = 0; i < (long_run() ? 100000 : 2000); i++) {
        struct problem x;
        gen_block_grid(&seed, &x);
        struct cost cost = count_whole(&x, &schedule_staircase);
        assert_int_equal(cost.tc, cost.w);
        cost = count_whole(&x, &schedule_staircase_steps);
        assert_int_equal(cost.ns, cost.delta);
        problem_free(&x);
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

/* ---- beside published ones --------------------------------------------------------- */

static redist_err make_published(const struct schedule_input *input, void **state,
                                 published_steps *find)
{
    struct table *table = NULL;
    redist_err err = table_make(input, &table);
    if (!err) find(input->grid, table->step);
    return table_give(table, err, state);
}

static redist_err make_relocation(const struct schedule_input *input, void **state)
{
    return make_published(input, state, published_relocation);
}

static redist_err make_divide(const struct schedule_input *input, void **state)
{
    return make_published(input, state, published_divide);
}

static redist_err make_reduction(const struct schedule_input *input, void **state)
{
    return make_published(input, state, published_reduction);
}

#define PUBLISHED(text, function)                                                        \
    {                                                                                    \
        .name = (text), .applicable = table_applicable, .make = (function),              \
        .own = table_own, .free = table_free                                             \
    }
static const struct schedule_kind relocation = PUBLISHED("relocation", make_relocation),
                                  divide = PUBLISHED("divide and conquer", make_divide),
                                  reduction = PUBLISHED("TPDR", make_reduction);
static const struct schedule_kind *const contenders[] = {
    &schedule_staircase_steps,
    &schedule_optimal,
    &schedule_stepwise,
    &relocation,
    &divide,
    &reduction,
};
enum { CONTENDERS = sizeof contenders / sizeof *contenders, OWN = 0, OPTIMAL, STEPWISE };

struct scores {
    int64_t problems;
    struct score {
        int64_t least;
        double sum, worst;
    } of[CONTENDERS];
};

/* Count all contenders on one grid, and compare them with `least`: no sum of Delta steps
 * is smaller. */
static void scores_add(struct scores *scores, const struct problem *x, int64_t least)
{
    int64_t tc[CONTENDERS];
    for (int i = 0; i < CONTENDERS; i++) {
        struct cost cost = count_whole(x, contenders[i]);
        assert_int_equal(cost.ns, cost.delta);
        assert_true(cost.tc >= least);
        tc[i] = cost.tc;
        double ratio = (double)cost.tc / (double)least;
        struct score *score = &scores->of[i];
        score->least += cost.tc == least;
        score->sum += ratio;
        score->worst = ratio > score->worst ? ratio : score->worst;
    }
    assert_true(tc[OPTIMAL] <= tc[OWN]);
    scores->problems++;
}

static void scores_print(const struct scores *scores, const char *least)
{
    print_message("%" PRId64 " problems     TC / %-5s mean   worst   %s in\n",
                  scores->problems, least, least);
    for (int i = 0; i < CONTENDERS; i++) {
        const struct score *score = &scores->of[i];
        print_message("%-20s %14.4f %7.3f %7" PRId64 "\n", contenders[i]->name,
                      score->sum / (double)scores->problems, score->worst, score->least);
    }
}

static void staircase_steps_against_all_colorings(void **unused)
{
    uint64_t seed = 141421356;
    struct scores scores = {0};
    for (int64_t i = 0; i < (long_run() ? 20000 : 4000); i++) {
        struct problem x;
        gen_block_grid(&seed, &x);
        if (x.grid.degree > 1 && x.grid.nedges <= FEW_MESSAGES) {
            int64_t least = least_of_all(&x.grid);
            scores_add(&scores, &x, least);
            if (x.grid.degree == 2)
                assert_int_equal(count(&x, &schedule_staircase_steps).tc, least);
        }
        problem_free(&x);
    }
    scores_print(&scores, "least");
    for (int i = STEPWISE; i < CONTENDERS; i++)
        assert_true(scores.of[OWN].sum <= scores.of[i].sum &&
                    scores.of[OWN].worst <= scores.of[i].worst);
}

/* Of problems too large to know the least: beside SB, which no schedule undercuts. */
static void staircase_steps_of_many_processes(void **unused)
{
    uint64_t seed = 173205080;
    struct scores scores = {0};
    for (int64_t i = 0; i < (long_run() ? 300 : 60); i++) {
        int P = (int)random_in(&seed, 8, MAX_PROCS),
            Q = (int)random_in(&seed, 8, MAX_PROCS);
        struct problem x;
        int64_t bound = 0;
        gen_block_grid_of(&seed, P, Q, 100000, &x);
        ok(comm_grid_step_bound(&x.grid, &bound));
        scores_add(&scores, &x, bound);
        problem_free(&x);
    }
    scores_print(&scores, "SB");
    for (int i = STEPWISE; i < CONTENDERS; i++)
        assert_true(scores.of[OWN].sum <= scores.of[i].sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(staircase_ends_at_w_whole_and_takes_delta_steps),
        cmocka_unit_test(staircase_steps_against_all_colorings),
        cmocka_unit_test(staircase_steps_of_many_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
