/* SPDX-License-Identifier: MIT
 *
 * The schedules of the papers that need no search: every one checked on all small
 * problems, and the reference values of their costs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"
#include "schedule_ratios.h"
#include "unit/starve.h"

static const struct schedule_kind *const papers[] = {
    &schedule_naive,        &schedule_shifted,          &schedule_random,
    &schedule_caterpillar,  &schedule_caterpillar_full, &schedule_walker_otto,
    &schedule_walker_otto_b};
enum { NPAPERS = sizeof papers / sizeof papers[0] };

/* What any schedule of (P,r)->(Q,s) is measured against. */
static const struct {
    int P, r, Q, s, messages, delta, w, sb, ns, tc; /* the last two: caterpillar */
} reference[] = {
    {16, 3, 16, 5, 112, 7, 15, 15, 16, 30},   {16, 7, 16, 11, 256, 16, 77, 77, 16, 112},
    {15, 3, 15, 5, 105, 10, 15, 21, 15, 45},  {12, 4, 8, 3, 24, 4, 6, 8, 12, 30},
    {5, 4, 5, 3, 25, 5, 12, 12, 5, 15},       {6, 2, 6, 3, 24, 6, 6, 9, 6, 12},
    {16, 1, 16, 12, 192, 12, 12, 12, 16, 16}, {3, 2, 2, 3, 4, 2, 3, 3, 3, 4},
    {15, 2, 6, 3, 60, 10, 15, 15, 15, 30},    {10, 3, 14, 5, 98, 14, 21, 28, 14, 42},
    {12, 3, 12, 8, 120, 12, 24, 29, 12, 36},
};

static void bounds_and_caterpillar_are_the_reference_values(void **unused)
{
    for (size_t k = 0; k < sizeof reference / sizeof reference[0]; k++) {
        struct problem problem;
        problem_make(&problem, reference[k].P, reference[k].r, reference[k].Q,
                     reference[k].s);
        struct cost cost;
        assert_true(problem_count(&problem, &schedule_caterpillar_full, &cost));
        assert_int_equal(cost.messages, reference[k].messages);
        assert_int_equal(cost.delta, reference[k].delta);
        assert_int_equal(cost.w, reference[k].w);
        assert_int_equal(cost.sb, reference[k].sb);
        assert_int_equal(cost.ns, reference[k].ns);
        assert_int_equal(cost.tc, reference[k].tc);
        int64_t bound = 0;
        ok(comm_grid_step_bound(&problem.grid, &bound));
        assert_int_equal(bound, reference[k].sb);
        problem_free(&problem);
    }
}

static void mean_costs_are_the_reference_values(void **unused)
{
    static const struct schedule_kind *const kinds[2] = {&schedule_caterpillar,
                                                         &schedule_shifted};
    struct ratios ratios[2];
    int n = ratios_of(kinds, several_processes, ratios);
    assert_int_equal(n, 23205);
    assert_ratio(&ratios[0].ns, n, 1.084, 15);
    assert_ratio(&ratios[0].tc, n, 1.157, 15);
    assert_ratio(&ratios[1].ns, n, 1.059, 8);
    assert_ratio(&ratios[1].tc, n, 1.131, 8);
}

/* cost_count checks that each message is sent once, that steps are matchings and that
 * both ends agree. */
static void every_schedule_is_one_on_all_small_problems(void **unused)
{
    for (int P = 1; P <= 12; P++)
        for (int Q = 1; Q <= 12; Q++)
            for (int r = 1; r <= 10; r++)
                for (int s = 1; s <= 10; s++) {
                    struct problem problem;
                    problem_make(&problem, P, r, Q, s);
                    for (int k = 0; k < NPAPERS; k++) {
                        struct cost cost;
                        if (!problem_count(&problem, papers[k], &cost)) continue;
                        assert_int_equal(cost.messages, problem.grid.nedges);
                        assert_true(cost.tc >= cost.w);
                        if (papers[k]->cut) assert_int_equal(cost.tc, cost.w);
                        if (papers[k]->loose || papers[k]->cut) continue;
                        assert_in_range(cost.ns, cost.delta, P > Q ? P : Q);
                        assert_true(cost.tc >= cost.sb);
                        if (papers[k] == &schedule_caterpillar_full)
                            assert_int_equal(cost.ns, P > Q ? P : Q);
                    }
                    problem_free(&problem);
                }
}

static void shifted_starts_with_the_own_rank(void **unused)
{
    struct problem problem;
    struct edge edge[6];
    for (int e = 0; e < 6; e++) edge[e] = (struct edge){e / 3, e % 3, 1};
    ok(comm_grid_from_edges(2, 3, 6, edge, &problem.grid));
    problem.input = (struct schedule_input){.grid = &problem.grid};
    void *state = NULL;
    ok(schedule_shifted.make(&problem.input, &state));
    static const int partner[2][3] = {{0, 1, 2}, {1, 2, 0}};
    for (int p = 0; p < 2; p++) {
        struct own_list list = {0};
        ok(schedule_shifted.own(state, REDIST_SOURCE, p, &list));
        assert_int_equal(list.n, 3);
        for (int k = 0; k < 3; k++)
            assert_int_equal(list.message[k].partner, partner[p][k]);
        own_list_free(&list);
    }
    schedule_shifted.free(state);
    problem_free(&problem);
}

/* As ScaLAPACK walks: those that face each other in the folded ring, which turns. */
static void caterpillar_pairs_those_face_to_face(void **unused)
{
    static const int partner[3][8] = {
        {7, 6, 5, 4, 3, 2, 1, 0}, {6, 5, 4, 3, 2, 1, 0, 7}, {5, 4, 3, 2, 1, 0, 7, 6}};
    struct problem problem;
    problem_make(&problem, 8, 1, 8, 8); /* a total exchange */
    void *state = NULL;
    ok(schedule_caterpillar_full.make(&problem.input, &state));
    for (int p = 0; p < 8; p++) {
        struct own_list list = {0};
        ok(schedule_caterpillar_full.own(state, REDIST_SOURCE, p, &list));
        assert_int_equal(list.n, 8);
        for (int k = 0; k < 3; k++)
            assert_int_equal(list.message[k].partner, partner[k][p]);
        own_list_free(&list);
    }
    schedule_caterpillar_full.free(state);
    problem_free(&problem);
}

/* The order in which source p meets its targets, as digits. */
static void random_order(const struct schedule_input *input, int p, char digits[11])
{
    void *state = NULL;
    struct own_list list = {0};
    ok(schedule_random.make(input, &state));
    ok(schedule_random.own(state, REDIST_SOURCE, p, &list));
    assert_int_equal(list.n, 10);
    for (int k = 0; k < 10; k++) {
        assert_int_equal(list.message[k].step, k);
        digits[k] = (char)('0' + list.message[k].partner);
    }
    digits[10] = 0;
    own_list_free(&list);
    schedule_random.free(state);
}

static void random_order_follows_from_the_seed(void **unused)
{
    struct problem problem;
    problem_make(&problem, 10, 1, 10, 10);
    char first[11], again[11], other_source[11], other_seed[11];
    random_order(&problem.input, 3, first);
    random_order(&problem.input, 3, again);
    random_order(&problem.input, 4, other_source);
    problem.input.seed++;
    random_order(&problem.input, 3, other_seed);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other_source);
    assert_string_not_equal(first, other_seed);
    problem_free(&problem);
}

/* Of all orders of 4, each comes up about as often: 24,000 draws, 1,000 each, standard
 * deviation 31. */
static void random_orders_are_equally_likely(void **unused)
{
    struct problem problem;
    problem_make(&problem, 4, 1, 4, 4);
    int times[4 * 4 * 4 * 4] = {0}, orders = 0;
    for (int seed = 0; seed < 24000; seed++) {
        problem.input.seed = seed;
        void *state = NULL;
        struct own_list list = {0};
        ok(schedule_random.make(&problem.input, &state));
        ok(schedule_random.own(state, REDIST_SOURCE, 2, &list));
        int number = 0;
        for (int k = 0; k < 4; k++) number = 4 * number + list.message[k].partner;
        times[number]++;
        own_list_free(&list);
        schedule_random.free(state);
    }
    for (int k = 0; k < 4 * 4 * 4 * 4; k++) {
        if (times[k] == 0) continue;
        orders++;
        assert_in_range(times[k], 850, 1150);
    }
    assert_int_equal(orders, 24);
    problem_free(&problem);
}

/* Let each allocation of making a schedule and of reading it fail in turn. */
static void schedules_survive_a_lack_of_memory(void **unused)
{
    struct problem problem;
    problem_make(&problem, 6, 1, 6, 4);
    for (int k = 0; k < NPAPERS; k++)
        assert_true(schedule_starve(papers[k], &problem.input) > 0);
    problem_free(&problem);
}

static void schedules_are_found_by_name(void **unused)
{
    const struct schedule_kind *found = NULL;
    int seed = 1;
    for (int k = 0; k < NPAPERS; k++) {
        ok(schedule_find(papers[k]->name, &found, &seed));
        assert_ptr_equal(found, papers[k]);
        assert_int_equal(seed, 0);
    }
    ok(schedule_find("random(7)", &found, &seed));
    assert_ptr_equal(found, &schedule_random);
    assert_int_equal(seed, 7);
    static const char *const wrong[] = {"random(0)", "random(7", "random(7)x",
                                        "random()"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(schedule_find(wrong[k], &found, &seed), REDIST_ERR_ARG);
    assert_int_equal(schedule_find("stepwise(7)", &found, &seed), REDIST_ERR_ARG);
    assert_non_null(strstr(redist_error_message(), "stepwise takes no number"));
    assert_int_equal(schedule_find("zigzag", &found, &seed), REDIST_ERR_ARG);
    assert_non_null(strstr(redist_error_message(), "zigzag"));
    assert_non_null(strstr(redist_error_message(), "caterpillar-full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_and_caterpillar_are_the_reference_values),
        cmocka_unit_test(mean_costs_are_the_reference_values),
        cmocka_unit_test(every_schedule_is_one_on_all_small_problems),
        cmocka_unit_test(shifted_starts_with_the_own_rank),
        cmocka_unit_test(caterpillar_pairs_those_face_to_face),
        cmocka_unit_test(random_order_follows_from_the_seed),
        cmocka_unit_test(random_orders_are_equally_likely),
        cmocka_unit_test(schedules_survive_a_lack_of_memory),
        cmocka_unit_test(schedules_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
