/* SPDX-License-Identifier: MIT
 *
 * The schedules of Guo and Pan 2005: their figures 1 and 2 cell for cell, and what the
 * paper says of their steps.
 *
 * Figures 1(a) to (c) and 2(a) to (c) are typed in from the paper. In the copy at hand
 * one digit of column Q3 of 1(a) cannot be read, and of 1(c) a few are doubled; there the
 * text stands in: CS_0 = <0,1,2,3,4> and CS_1 = <3,4,0,1,2>, and that each row and each
 * column of 1(a) has the same sum, 12.
 */
#include "unit/unit.h"

#include "base/intmath.h"
#include "schedule/core/kinds.h"
#include "schedule_problem.h"

enum { MOST = 6, NONE = -1 };

/* Tables of P rows, one a source. */
typedef int figure[MOST][MOST];

/* The communication table of a grid: what p sends q, in units. */
static void assert_grid(const struct comm_grid *grid, const figure expected)
{
    figure found = {{0}};
    for (int64_t e = 0; e < grid->nedges; e++)
        found[grid->edge[e].p][grid->edge[e].q] = (int)grid->edge[e].weight;
    for (int p = 0; p < grid->P; p++)
        for (int q = 0; q < grid->Q; q++)
            if (found[p][q] != expected[p][q])
                fail_msg("M(%d,%d) is %d, must be %d", p, q, found[p][q], expected[p][q]);
}

/* The scheduling table: whom p sends to at a step. */
static void assert_steps(const struct problem *problem, const struct schedule_kind *kind,
                         int nsteps, const figure expected)
{
    void *state = NULL;
    ok(kind->make(&problem->input, &state));
    for (int p = 0; p < problem->grid.P; p++) {
        int found[MOST] = {NONE, NONE, NONE, NONE, NONE, NONE};
        struct own_list list = {0};
        ok(kind->own(state, REDIST_SOURCE, p, &list));
        for (int64_t k = 0; k < list.n; k++) {
            assert_in_range(list.message[k].step, 0, nsteps - 1);
            found[list.message[k].step] = list.message[k].partner;
        }
        for (int k = 0; k < nsteps; k++)
            if (found[k] != expected[p][k])
                fail_msg("%s: CS(%d,%d) is %d, must be %d", kind->name, p, k, found[k],
                         expected[p][k]);
        own_list_free(&list);
    }
    kind->free(state);
}

static void figure_1_comes_out_cell_for_cell(void **unused)
{
    static const figure lengths = {{3, 2, 3, 2, 2},
                                   {3, 2, 2, 3, 2},
                                   {2, 3, 2, 3, 2},
                                   {2, 3, 2, 2, 3},
                                   {2, 2, 3, 2, 3}};
    static const figure targets = {{0, 1, 2, 3, 4},
                                   {3, 4, 0, 1, 2},
                                   {1, 2, 3, 4, 0},
                                   {4, 0, 1, 2, 3},
                                   {2, 3, 4, 0, 1}};
    struct problem problem;
    problem_make(&problem, 5, 4, 5, 3);
    assert_grid(&problem.grid, lengths);
    assert_steps(&problem, &schedule_guo_pan_1, 5, targets);
    static const figure shifted = {{0, 1, 2, 3, 4},
                                   {1, 2, 3, 4, 0},
                                   {2, 3, 4, 0, 1},
                                   {3, 4, 0, 1, 2},
                                   {4, 0, 1, 2, 3}};
    assert_steps(&problem, &schedule_contention_free, 5, shifted); /* figure 1(b) */
    problem_free(&problem);
}

/* Figure 2(b) has a column for each small step, 2(c) one for each two, a large step. */
static void figure_2_comes_out_cell_for_cell(void **unused)
{
    static const figure lengths = {{2, 0, 2, 0, 2, 0}, {1, 1, 1, 1, 1, 1},
                                   {0, 2, 0, 2, 0, 2}, {2, 0, 2, 0, 2, 0},
                                   {1, 1, 1, 1, 1, 1}, {0, 2, 0, 2, 0, 2}};
    static const figure targets = {
        {0, NONE, 2, NONE, 4, NONE}, {4, 5, 0, 1, 2, 3}, {1, NONE, 3, NONE, 5, NONE},
        {2, NONE, 4, NONE, 0, NONE}, {5, 4, 1, 0, 3, 2}, {3, NONE, 5, NONE, 1, NONE}};
    struct problem problem;
    problem_make(&problem, 6, 2, 6, 3);
    assert_grid(&problem.grid, lengths);
    assert_steps(&problem, &schedule_guo_pan_2, 6, targets);
    assert_steps(&problem, &schedule_contention_free, 6, targets);
    problem_free(&problem);
}

/* The units that the paper gives: 15 of figure 1(b), 9 of figure 2(b) and, where blocks
 * shrink as in figure 5, 9 too. */
static void contention_free_steps_cost_what_the_paper_says(void **unused)
{
    static const int problems[][6] = {
        {5, 4, 5, 3, 5, 15}, {6, 2, 6, 3, 6, 9}, {6, 3, 6, 2, 6, 9}};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const int *k = problems[i];
        struct problem problem;
        struct cost cost;
        problem_make(&problem, k[0], k[1], k[2], k[3]);
        assert_true(problem_count(&problem, &schedule_contention_free, &cost));
        assert_int_equal(cost.ns, k[4]);
        assert_int_equal(cost.tc, k[5]);
        problem_free(&problem);
    }
}

/* Why theorem 2 needs gcd(P/u, Q/t) = 1: blocks of 3 x 2 messages that are not alike. */
static void theorem_2_fails_where_diagonals_differ(void **unused)
{
    struct problem problem;
    struct cost cost;
    problem_make(&problem, 12, 2, 12, 3);
    const struct comm_grid *grid = &problem.grid;
    assert_int_equal(problem.dim[0].u, 3);
    assert_int_equal(problem.dim[0].t, 2);
    assert_int_equal(grid->edge[0].p, 0);
    assert_int_equal(grid->edge[0].q, 0);
    assert_int_equal(grid->edge[0].weight, 2);
    for (int64_t e = grid->by_source[3]; e < grid->by_source[4]; e++)
        assert_int_not_equal(grid->edge[e].q, 0);
    assert_true(problem_count(&problem, &schedule_guo_pan_2, &cost));
    assert_int_equal(cost.messages, grid->nedges);
    problem_free(&problem);
}

/* All messages of a step have one length, as they are of one class of Desprez et al.:
 * p r - q s is the same modulo gcd(P r, Q s). It is their schedule of the simple case. */
static void algorithm_1_goes_class_by_class(void **unused)
{
    static const int problems[][4] = {
        {16, 3, 16, 5}, {16, 7, 16, 11}, {9, 4, 15, 7}, {22, 4, 9, 5}, {7, 6, 1, 4}};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        struct problem problem;
        void *state = NULL;
        problem_make(&problem, problems[i][0], problems[i][1], problems[i][2],
                     problems[i][3]);
        ok(schedule_guo_pan_1.make(&problem.input, &state));
        int64_t length[64] = {0}, class[64];
        int64_t r = problems[i][1], s = problems[i][3];
        int64_t g = int_gcd(problem.grid.P * r, problem.grid.Q * s);
        for (int p = 0; p < problem.grid.P; p++) {
            struct own_list list = {0};
            ok(schedule_guo_pan_1.own(state, REDIST_SOURCE, p, &list));
            for (int64_t k = 0; k < list.n; k++) {
                assert_in_range(list.message[k].step, 0, 63);
                int64_t *first = &length[list.message[k].step];
                int64_t own = int_mod(p * r - list.message[k].partner * s, g);
                if (!*first) {
                    *first = list.message[k].weight;
                    class[list.message[k].step] = own;
                }
                assert_int_equal(list.message[k].weight, *first);
                assert_int_equal(own, class[list.message[k].step]);
            }
            own_list_free(&list);
        }
        schedule_guo_pan_1.free(state);
        problem_free(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_comes_out_cell_for_cell),
        cmocka_unit_test(figure_2_comes_out_cell_for_cell),
        cmocka_unit_test(contention_free_steps_cost_what_the_paper_says),
        cmocka_unit_test(theorem_2_fails_where_diagonals_differ),
        cmocka_unit_test(algorithm_1_goes_class_by_class),
    };
    return cmocka_run_group_tests_name("guo and pan", tests, NULL, NULL);
}
