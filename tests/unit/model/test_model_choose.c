/* SPDX-License-Identifier: MIT
 *
 * What the model chooses: the least of all schedules, at any size, and the least of all
 * ways to go in phases.
 */
#include <math.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "random_model.h"
#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"
#include "schedule_problem.h"
#include "unit/starve.h"

/* ---- at any size ------------------------------------------------------------------- */

static void many_processes_need_no_grid(void **unused)
{
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
    assert_int_equal(choice.issue, again.issue);
    assert_true(choice.seconds == again.seconds);
    assert_int_equal(choice.basis, MODEL_BY_ALL);
    for (int i = 0; schedules[i]; i++) {
        const char *why = NULL;
        void *state = NULL;
        double seconds[MODEL_ISSUES];
        if (!schedules[i]->applicable(input, &why)) continue;
        ok(schedules[i]->make(input, &state));
        ok(model_times(schedules[i], state, input, model, seconds));
        schedules[i]->free(state);
        for (int issue = 0; issue < MODEL_ISSUES; issue++)
            least = fmin(least, seconds[issue]);
        if (schedules[i] == choice.kind)
            assert_true(seconds[choice.issue] == choice.seconds);
    }
    assert_true(choice.seconds == least); /* exact sums: nothing to round */
    assert_true(least >= model_bound(input, model));
}

static void the_choice_is_the_least_of_all(void **unused)
{
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

enum { MOST_DIMS = 5 };

struct ways {
    struct model_ways in;
    int64_t held[1 << MOST_DIMS];
};

static struct ways random_ways(uint64_t *seed)
{
    struct ways w = {.in.ndims = (int)random_in(seed, 1, MOST_DIMS)};
    int sets = 1 << w.in.ndims;
    for (int s = 0; s < SIDES; s++)
        for (int i = 0; i < w.in.ndims; i++) w.in.degree[s][i] = random_in(seed, 1, 8);
    for (int set = 0; set < sets; set++) {
        bool possible = set == 0 || set == sets - 1 || random_in(seed, 0, 3) > 0;
        w.held[set] = possible ? random_in(seed, 0, 40) : -1;
    }
    w.in.room = random_in(seed, 0, 80);
    return w;
}

/* The seconds of the phase from one set of dimensions to a larger one; INFINITY where it
 * cannot be. */
static double phase_time(const struct ways *w, const struct model *m, int from, int to)
{
    double product[SIDES] = {1, 1}, room = 0;
    int all = (1 << w->in.ndims) - 1;
    for (int i = 0; i < w->in.ndims; i++)
        for (int s = 0; s < SIDES; s++)
            if ((to & ~from) >> i & 1) product[s] *= (double)w->in.degree[s][i];
    if (w->held[from] < 0 || w->held[to] < 0) return INFINITY;
    if (from != 0) room += (double)w->held[from];
    if (to != all) room += (double)w->held[to];
    if (room > (double)w->in.room) return INFINITY;
    return m->alpha * (fmax(product[0], product[1]) - 1) +
           (m->beta + 2 * m->gamma) * m->unit *
               (double)int_max(w->held[from], w->held[to]);
}

/* The least over all orders of all partitions of what is not in `from`; the fewest phases
 * that it takes. */
static double least_from(const struct ways *w, const struct model *m, int from,
                         int *phases)
{
    int all = (1 << w->in.ndims) - 1;
    double least = from == all ? 0 : INFINITY;
    *phases = 0;
    for (int to = from + 1; to <= all; to++) {
        int more = 0;
        if ((to & from) != from) continue;
        double seconds = phase_time(w, m, from, to) + least_from(w, m, to, &more);
        if (seconds < least || (seconds == least && more + 1 < *phases)) {
            least = seconds;
            *phases = more + 1;
        }
    }
    return least;
}

static void phases_are_the_best_of_all_ways(void **unused)
{
    uint64_t seed = 1997;
    int split = 0, tight = 0;
    for (int k = 0; k < 500; k++) {
        struct ways w = random_ways(&seed);
        struct model model = random_model(&seed);
        int phase[MOST_DIMS], fewest = 0, done = 0, all = (1 << w.in.ndims) - 1, n = 0;
        double seconds = 0, again = 0;
        w.in.held = w.held;
        ok(model_phases(&w.in, &model, phase, &seconds));
        assert_true(seconds == least_from(&w, &model, 0, &fewest));
        for (; done != all; n++) { /* they cost what is said */
            int next = done;
            for (int i = 0; i < w.in.ndims; i++) next |= (phase[i] == n) << i;
            assert_true(next != done);
            again += phase_time(&w, &model, done, next);
            done = next;
        }
        assert_true(again == seconds && n == fewest);
        split += n > 1;
        w.in.room = INT64_MAX;
        tight += least_from(&w, &model, 0, &fewest) < seconds;
    }
    assert_true(split > 50 && tight > 50);
}

/* 4 x 4: 15 messages, or 3 and 3 with everything moved twice, if the array between the
 * phases fits. */
static void phases_follow_from_startups(void **unused)
{
    static const int64_t even[] = {12, 12, 12, 12}, wide[] = {9, -1, 36, 9};
    struct model_ways ways = {2, {{4, 4}, {4, 4}}, even, 12};
    struct model model = {4, 3, 0, 1};
    int phase[2];
    double seconds = 0;
    ok(model_phases(&ways, &model, phase, &seconds)); /* equal: the fewest */
    assert_true(phase[0] == 0 && phase[1] == 0 && seconds == 15 * 4 + 36);
    model.beta = 2.75;
    ok(model_phases(&ways, &model, phase, &seconds));
    assert_true(phase[0] == 0 && phase[1] == 1 && seconds == (3 + 3) * 4 + 2 * 33);
    ways.room = 11;
    ok(model_phases(&ways, &model, phase, &seconds));
    assert_true(phase[0] == 0 && phase[1] == 0 && seconds == 15 * 4 + 33);
    model.beta = 0.25; /* where there are too few processes, the other one goes first */
    ways.held = wide;
    ways.room = 36;
    ok(model_phases(&ways, &model, phase, &seconds));
    assert_true(phase[0] == 1 && phase[1] == 0 && seconds == (3 + 3) * 4 + 2 * 9);
}

/* To gather on a process in between saves no messages where nobody has many. */
static void phases_look_at_both_ends(void **unused)
{
    static const int64_t held[] = {1, 4, 1, 1};
    struct model_ways ways = {2, {{1, 4}, {4, 1}}, held, INT64_MAX};
    struct model model = {1, 0, 0, 1};
    int phase[2];
    double seconds = 0;
    ok(model_phases(&ways, &model, phase, &seconds));
    assert_true(phase[0] == phase[1] && seconds == 3);
}

/* ---- memory ------------------------------------------------------------------------ */

static redist_err do_all(const void *input)
{
    struct model model = {1, 1, 1, 1};
    struct model_choice choice;
    static const int64_t held[] = {5, 5, 5, 5};
    const struct model_ways ways = {2, {{2, 3}, {2, 3}}, held, 5};
    int phase[2];
    double seconds = 0;
    redist_err err = model_choose(input, &model, &choice);
    return err ? err : model_phases(&ways, &model, phase, &seconds);
}

static void running_out_of_memory_leaks_nothing(void **unused)
{
    for (int what = 0; what < 2; what++) {
        struct problem problem;
        problem_make(&problem, 3, 2, 2, 3);
        if (what == 1) problem.input.grid = NULL;
        assert_true(each_allocation_fails_once(do_all, &problem.input) > 0);
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
        cmocka_unit_test(phases_are_the_best_of_all_ways),
        cmocka_unit_test(phases_follow_from_startups),
        cmocka_unit_test(phases_look_at_both_ends),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
