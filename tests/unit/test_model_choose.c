/* SPDX-License-Identifier: MIT
 *
 * What the model chooses: the least of all schedules, at any size, and the least of all
 * ways to go in phases.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"
#include "random_model.h"
#include "schedule/kinds.h"
#include "schedule_problem.h"

static void ok(redist_err err)
{
    if (err) fail_msg("%s", redist_error_message());
}

/* ---- at any size ------------------------------------------------------------------- */

static void many_processes_need_no_grid(void **unused)
{
    (void)unused;
    struct classes classes;
    struct model_choice choice;
    ok(classes_make(1000000, 3, 1000000, 5, &classes));
    struct schedule_input input = {.ndims = 1, .dim = &classes};
    struct model cheap = {0, 1, 0, 1}, dear = {1000, 1, 0, 1};
    /* u = 5, t = 1: the targets hold 7 classes; 5 of them cannot be one step. */
    ok(model_choose(&input, &cheap, &choice));
    assert_int_equal(choice.basis, MODEL_BY_SOME);
    assert_ptr_equal(choice.kind, &schedule_timeline);
    assert_true(choice.seconds == 15);
    assert_true(model_bound(&input, &cheap) == 15);
    ok(model_choose(&input, &dear, &choice));
    assert_int_equal(choice.basis, MODEL_BY_SOME);
    assert_true(choice.seconds >= model_bound(&input, &dear));
    assert_true(choice.seconds < 1.01 * model_bound(&input, &dear));
}

static void a_core_that_is_too_large_is_chosen_for_by_rule(void **unused)
{
    (void)unused;
    struct classes classes;
    struct model_choice choice;
    ok(classes_make(2000, 1, 1999, 1, &classes));
    struct schedule_input full = {.ndims = 1, .dim = &classes};
    struct model model = {0, 1, 0, 1};
    ok(model_choose(&full, &model, &choice));
    assert_int_equal(choice.basis, MODEL_BY_RULE);
    assert_ptr_equal(choice.kind, &schedule_optimal);
    assert_true(choice.seconds == model_bound(&full, &model));
    ok(classes_make(1 << 20, 1024, 1 << 20, 1025, &classes));
    struct schedule_input sparse = {.ndims = 1, .dim = &classes};
    assert_true(classes.n < classes.g);
    ok(model_choose(&sparse, &model, &choice));
    assert_int_equal(choice.basis, MODEL_BY_RULE);
    assert_ptr_equal(choice.kind, &schedule_timeline);
    model.alpha = 1e6;
    ok(model_choose(&sparse, &model, &choice));
    assert_ptr_equal(choice.kind, &schedule_optimal);
}

/* ---- the choice -------------------------------------------------------------------- */

static void check_choice(const struct schedule_input *input, const struct model *model)
{
    struct model_choice choice, again;
    double least = INFINITY;
    ok(model_choose(input, model, &choice));
    ok(model_choose(input, model, &again));
    assert_ptr_equal(choice.kind, again.kind);
    assert_int_equal(choice.pace, again.pace);
    assert_true(choice.seconds == again.seconds);
    assert_int_equal(choice.basis, MODEL_BY_ALL);
    for (int i = 0; schedules[i]; i++) {
        const char *why = NULL;
        void *state = NULL;
        double seconds[MODEL_PACES];
        if (!schedules[i]->applicable(input, &why)) continue;
        ok(schedules[i]->make(input, &state));
        ok(model_times(schedules[i], state, input, model, seconds));
        schedules[i]->free(state);
        for (int pace = 0; pace < MODEL_PACES; pace++) least = fmin(least, seconds[pace]);
        if (schedules[i] == choice.kind)
            assert_true(seconds[choice.pace] == choice.seconds);
    }
    assert_true(choice.seconds == least); /* exact sums: nothing to round */
    assert_true(least >= model_bound(input, model));
}

static void the_choice_is_the_least_of_all(void **unused)
{
    (void)unused;
    uint64_t seed = 2005;
    int timed_ones = 0, stepped = 0;
    for (int k = 0; k < 100; k++) {
        struct problem problem;
        int P = (int)random_in(&seed, 1, 16), Q = (int)random_in(&seed, 1, 16);
        struct model model = random_model(&seed);
        struct model_choice choice;
        problem_make(&problem, P, (int)random_in(&seed, 1, 12), Q,
                     (int)random_in(&seed, 1, 12));
        check_choice(&problem.input, &model);
        ok(model_choose(&problem.input, &model, &choice));
        timed_ones += choice.kind->timed;
        stepped += !choice.kind->timed;
        struct schedule_input irregular = {.grid = &problem.grid};
        check_choice(&irregular, &model);
        problem_free(&problem);
    }
    assert_true(timed_ones > 0 && stepped > 0);
}

/* (3,2)->(2,3): in two steps TC is 4, but W is 3, which is reached without steps where
 * startups cost nothing; of equal ones optimal is preferred. */
static void start_times_win_until_startups_cost(void **unused)
{
    (void)unused;
    struct problem problem;
    struct model_choice choice;
    struct model model = {0, 1, 0, 1};
    problem_make(&problem, 16, 3, 16, 5);
    ok(model_choose(&problem.input, &model, &choice));
    assert_ptr_equal(choice.kind, &schedule_optimal);
    assert_true(choice.seconds == 15);
    problem_free(&problem);
    problem_make(&problem, 15, 3, 15, 5);
    ok(model_choose(&problem.input, &model, &choice));
    assert_ptr_equal(choice.kind, &schedule_timeline);
    assert_true(choice.seconds == 15);
    model.alpha = 1000;
    ok(model_choose(&problem.input, &model, &choice));
    assert_false(choice.kind->timed);
    problem_free(&problem);
}

static void large_grids_are_chosen_for_all_the_same(void **unused)
{
    (void)unused;
    struct problem problem;
    struct model_choice choice;
    struct model model = {1, 1, 0, 1};
    problem_make(&problem, 100, 50, 100, 51);
    assert_true(problem.grid.nedges > MODEL_MOST_MESSAGES);
    ok(model_choose(&problem.input, &model, &choice));
    assert_int_equal(choice.basis, MODEL_BY_SOME);
    assert_true(choice.seconds >= model_bound(&problem.input, &model));
    assert_true(choice.seconds < 1.1 * model_bound(&problem.input, &model));
    struct schedule_input irregular = {.grid = &problem.grid};
    ok(model_choose(&irregular, &model, &choice));
    assert_int_equal(choice.basis, MODEL_BY_SOME);
    assert_true(choice.seconds >= model_bound(&irregular, &model));
    problem_free(&problem);
}

/* ---- phases ------------------------------------------------------------------------ */

/* The least over all ways to put dimensions i .. into `phases` groups so far or new. */
static double best_of(int n, const int64_t degree[], int64_t length,
                      const struct model *m, int i, int phases, double messages[])
{
    if (i == n) {
        double sum = 0;
        for (int k = 0; k < phases; k++)
            sum += m->alpha * messages[k] +
                   (m->beta + 2 * m->gamma) * m->unit * (double)length;
        return sum;
    }
    double least = INFINITY;
    for (int k = 0; k <= phases; k++) {
        double before = k < phases ? messages[k] : 1;
        messages[k] = before * (double)degree[i];
        least = fmin(least, best_of(n, degree, length, m, i + 1, phases + (k == phases),
                                    messages));
        messages[k] = before;
    }
    return least;
}

static void phases_are_the_best_of_all_splits(void **unused)
{
    (void)unused;
    uint64_t seed = 1997;
    int split = 0;
    for (int k = 0; k < 300; k++) {
        int n = (int)random_in(&seed, 1, 7), phase[7], seen = 0;
        int64_t degree[7], length = random_in(&seed, 0, 200);
        struct model model = random_model(&seed);
        double messages[7], seconds = 0, again = 0;
        for (int i = 0; i < n; i++) degree[i] = random_in(&seed, 1, 8);
        ok(model_phases(n, degree, length, &model, phase, &seconds));
        assert_true(seconds == best_of(n, degree, length, &model, 0, 0, messages));
        for (int i = 0; i < n; i++) { /* numbered as they come; and cost what is said */
            assert_true(phase[i] >= 0 && phase[i] <= seen);
            if (phase[i] == seen) messages[seen++] = 1;
            messages[phase[i]] *= (double)degree[i];
        }
        for (int j = 0; j < seen; j++)
            again += model.alpha * messages[j] +
                     (model.beta + 2 * model.gamma) * model.unit * (double)length;
        assert_true(again == seconds);
        split += seen > 1;
    }
    assert_true(split > 50);
}

/* 4 x 4: one exchange of 16 messages, or two of 4 that move everything twice. */
static void phases_follow_from_startups(void **unused)
{
    (void)unused;
    static const int64_t square[] = {4, 4}, mixed[] = {1, 9, 1, 9};
    struct model model = {1, 1, 0, 1};
    int phase[4];
    double seconds = 0;
    ok(model_phases(2, square, 7, &model, phase, &seconds));
    assert_true(phase[0] == 0 && phase[1] == 1 && seconds == 4 + 7 + 4 + 7);
    ok(model_phases(2, square, 8, &model, phase, &seconds)); /* equal: the fewest */
    assert_true(phase[0] == 0 && phase[1] == 0 && seconds == 16 + 8);
    model.gamma = 0.5;
    ok(model_phases(2, square, 7, &model, phase, &seconds));
    assert_true(phase[1] == 0 && seconds == 16 + 14);
    ok(model_phases(4, mixed, 1, &model, phase, &seconds));
    assert_true(phase[1] != phase[3] && seconds == 9 + 2 + 9 + 2);
    int64_t many[REDIST_MAX_DIMS];
    int each[REDIST_MAX_DIMS];
    for (int i = 0; i < REDIST_MAX_DIMS; i++) many[i] = 1000;
    ok(model_phases(REDIST_MAX_DIMS, many, 1, &model, each, &seconds));
    for (int i = 0; i < REDIST_MAX_DIMS; i++) assert_int_equal(each[i], i);
}

/* ---- memory ------------------------------------------------------------------------ */

static redist_err do_all(const struct schedule_input *input)
{
    struct model model = {1, 1, 1, 1};
    struct model_choice choice;
    static const int64_t degree[] = {2, 3};
    int phase[2];
    double seconds = 0;
    redist_err err = model_choose(input, &model, &choice);
    return err ? err : model_phases(2, degree, 5, &model, phase, &seconds);
}

static void running_out_of_memory_leaks_nothing(void **unused)
{
    (void)unused;
    for (int what = 0; what < 2; what++) {
        struct problem problem;
        problem_make(&problem, 3, 2, 2, 3);
        if (what == 1) problem.input.grid = NULL;
        int64_t live = mem_live_blocks();
        redist_err err = REDIST_ERR_MEMORY;
        for (int64_t at = 1; err; at++) {
            mem_fail_at(at);
            err = do_all(&problem.input);
            mem_fail_at(0);
            assert_true(err == REDIST_OK || err == REDIST_ERR_MEMORY);
            assert_int_equal(mem_live_blocks(), live);
        }
        problem_free(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_processes_need_no_grid),
        cmocka_unit_test(a_core_that_is_too_large_is_chosen_for_by_rule),
        cmocka_unit_test(the_choice_is_the_least_of_all),
        cmocka_unit_test(start_times_win_until_startups_cost),
        cmocka_unit_test(large_grids_are_chosen_for_all_the_same),
        cmocka_unit_test(phases_are_the_best_of_all_splits),
        cmocka_unit_test(phases_follow_from_startups),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
