/* SPDX-License-Identifier: MIT
 *
 * Walker and Otto's figures cell for cell, the conditions that they prove, and where
 * their schedule applies.
 */
#include "unit/unit.h"

#include "base/intmath.h"
#include "schedule/core/kinds.h"
#include "schedule/published/walker_otto.h"
#include "schedule_problem.h"
#include "unit/schedule/walker_otto_figures.h"

static void reduced_system_is_figure_6(void **unused)
{
    struct walker_otto w = walker_otto_make(FIGURE6_P, FIGURE6_K, WALKER_OTTO_DIAGONAL);
    for (int k = 0; k < FIGURE6_K; k++)
        for (int p = 0; p < FIGURE6_P; p++)
            assert_int_equal(walker_otto_send_block(&w, k, p), figure6_block[k][p]);
}

static void both_schedules_are_figures_8_and_9(void **unused)
{
    struct walker_otto w = walker_otto_make(FIGURE8_P, FIGURE8_K, WALKER_OTTO_DIAGONAL);
    for (int k = 0; k < FIGURE8_K; k++)
        for (int c = 0; c < FIGURE8_P; c++) {
            assert_int_equal(walker_otto_send_block(&w, k, c), figure8_block[k][c]);
            assert_int_equal(walker_otto_receive_block(&w, k, c), figure9_block[k][c]);
        }
}

/* The own lists are the processes of these blocks, growing and shrinking. */
static void own_lists_are_the_columns_of_figures_8_and_9(void **unused)
{
    for (int shrink = 0; shrink <= 1; shrink++) {
        struct problem problem;
        problem_make(&problem, FIGURE8_P, shrink ? 5 * FIGURE8_K : 5, FIGURE8_P,
                     shrink ? 5 : 5 * FIGURE8_K);
        void *state = NULL;
        const struct schedule_kind *kind = &schedule_walker_otto;
        ok(kind->make(&problem.input, &state));
        for (int c = 0; c < FIGURE8_P; c++) {
            struct own_list small = {0}, large = {0}; /* the end of the small blocks */
            redist_side side = shrink ? REDIST_TARGET : REDIST_SOURCE;
            ok(kind->own(state, side, c, &small));
            ok(kind->own(state, 1 - side, c, &large));
            assert_int_equal(small.n, FIGURE8_K);
            assert_int_equal(large.n, FIGURE8_K);
            for (int k = 0; k < FIGURE8_K; k++) {
                assert_int_equal(small.message[k].step, k);
                assert_int_equal(small.message[k].partner,
                                 figure8_block[k][c] / FIGURE8_K);
                assert_int_equal(large.message[k].step, k);
                assert_int_equal(large.message[k].partner,
                                 figure9_block[k][c] % FIGURE8_P);
            }
            own_list_free(&small);
            own_list_free(&large);
        }
        kind->free(state);
        problem_free(&problem);
    }
}

/* Each row of q(k,p) is a permutation of the processes; B and C are inverse to each
 * other (eq. 12); each block of the superblock is sent. For K > P too. */
static void check_layout(int P, int K, enum walker_otto_layout layout)
{
    struct walker_otto w = walker_otto_make(P, K, layout);
    bool sent[20 * 20] = {false};
    for (int k = 0; k < K; k++) {
        bool met[20] = {false};
        for (int p = 0; p < P; p++) {
            int64_t block = walker_otto_send_block(&w, k, p), q = block / K;
            assert_in_range(block, 0, P * K - 1);
            assert_int_equal(block % P, p);
            assert_false(met[q]);
            assert_false(sent[block]);
            met[q] = sent[block] = true;
            assert_int_equal(walker_otto_receive_block(&w, k, q), block);
        }
    }
}

static void permutation_conditions_hold_in_both_layouts(void **unused)
{
    for (int P = 1; P <= 20; P++)
        for (int K = 1; K <= 20; K++) {
            check_layout(P, K, WALKER_OTTO_DIAGONAL);
            check_layout(P, K, WALKER_OTTO_ANTIDIAGONAL);
        }
}

/* Where K exceeds P a pair has several blocks: K steps, each with one of them. */
static void walker_otto_has_a_step_for_each_block(void **unused)
{
    for (int P = 1; P <= 12; P++)
        for (int K = 1; K <= 14; K++)
            for (int shrink = 0; shrink <= 1; shrink++) {
                struct problem problem;
                problem_make(&problem, P, shrink ? 3 * K : 3, P, shrink ? 3 : 3 * K);
                struct cost a, b;
                assert_true(problem_count(&problem, &schedule_walker_otto, &a));
                assert_true(problem_count(&problem, &schedule_walker_otto_b, &b));
                assert_int_equal(a.ns, K);
                assert_int_equal(a.tc, a.w);
                assert_int_equal(a.tc, K);
                assert_int_equal(a.delta, K < P ? K : P);
                assert_memory_equal(&a, &b, sizeof a);
                problem_free(&problem);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduced_system_is_figure_6),
        cmocka_unit_test(both_schedules_are_figures_8_and_9),
        cmocka_unit_test(own_lists_are_the_columns_of_figures_8_and_9),
        cmocka_unit_test(permutation_conditions_hold_in_both_layouts),
        cmocka_unit_test(walker_otto_has_a_step_for_each_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
