/* SPDX-License-Identifier: MIT
 *
 * The orders of the schedules that need no search, and the names of all.
 */
#include <string.h>

#include "unit/unit.h"

#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"
#include "schedule_problem.h"

static void shifted_starts_with_the_own_rank(void **unused)
{
    struct problem problem;
    struct edge edge[6];
    for (int e = 0; e < 6; e++) edge[e] = (struct edge){e / 3, e % 3, 1};
    problem_of_edges(&problem, 2, 3, 6, edge);
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

static void schedules_are_found_by_name(void **unused)
{
    const struct schedule_kind *found = NULL;
    int seed = 1;
    for (int k = 0; schedules[k]; k++) {
        ok(schedule_find(schedules[k]->name, &found, &seed));
        assert_ptr_equal(found, schedules[k]);
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
        cmocka_unit_test(shifted_starts_with_the_own_rank),
        cmocka_unit_test(caterpillar_pairs_those_face_to_face),
        cmocka_unit_test(random_order_follows_from_the_seed),
        cmocka_unit_test(random_orders_are_equally_likely),
        cmocka_unit_test(schedules_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
