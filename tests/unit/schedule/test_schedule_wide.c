/* SPDX-License-Identifier: MIT
 *
 * All schedules over a wide range of parameters, checked message by message, and the
 * counts of the sweeps that docs/schedules.md and the proofs speak of.
 *
 * REDIST_TEST_LONG=1 runs the sweeps whole; REDIST_TEST_SEED=<seed> repeats the random
 * cases.
 */
#include <stdlib.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "intersect/partners.h"
#include "long.h"
#include "oracle.h"
#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"
#include "schedule_problem.h"
#include "seed.h"

/* ---- random problems --------------------------------------------------------------- */

/* What each schedule promises on top of sending everything. */
static void check_promises(const struct problem *problem,
                           const struct schedule_kind *kind, const struct cost *cost)
{
    const struct classes *k = &problem->classes;
    assert_int_equal(cost->delta, problem->grid.degree);
    assert_true(cost->w == k->least && cost->sb >= cost->w);
    if (kind->timed || !kind->loose) assert_true(cost->tc >= cost->w);
    if (!kind->timed && !kind->loose)
        assert_true(cost->tc >= cost->sb && cost->ns >= cost->delta);
    if (kind == &schedule_optimal || kind == &schedule_stepwise ||
        kind == &schedule_guo_pan_1 || kind == &schedule_staircase_steps)
        assert_int_equal(cost->ns, cost->delta);
    if (kind == &schedule_preemptive || kind == &schedule_staircase ||
        kind == &schedule_guo_pan_1 ||
        (kind == &schedule_timeline && timeline_applies(k)))
        assert_int_equal(cost->tc, cost->w);
    if (kind->timed && problem->grid.nedges > 0) assert_true(cost->tc < 2 * cost->w);
}

static void every_schedule_is_right_on_random_problems(void **unused)
{
    uint64_t seed = seed_or(1996);
    int problems = long_run() ? 2000 : 300, made = 0;
    for (int i = 0; i < problems; i++) {
        struct problem problem;
        int P = (int)random_in(&seed, 1, 64), Q = (int)random_in(&seed, 1, 64);
        int r = (int)random_in(&seed, 1, 24), s = (int)random_in(&seed, 1, 24);
        problem_make(&problem, P, r, Q, s);
        for (int k = 0; schedules[k]; k++) {
            struct cost cost;
            if (!problem_count(&problem, schedules[k], &cost)) continue;
            check_promises(&problem, schedules[k], &cost);
            made++;
        }
        problem_free(&problem);
    }
    print_message("%d problems, %d schedules\n", problems, made);
    assert_true(made > 10 * problems);
}

/* ---- sweeps ------------------------------------------------------------------------ */

typedef void visitor(int P, int r, int Q, int s);

/* Visit those of coprime blocks that `one_in` divides the number of; count them all. */
static int for_coprime(int P, int Q, int longest, int one_in, int count, visitor *visit)
{
    for (int r = 1; r <= longest; r++)
        for (int s = 1; s <= longest; s++)
            if (int_gcd(r, s) == 1 && count++ % one_in == 0) visit(P, r, Q, s);
    return count;
}

static void check_least_steps(int P, int r, int Q, int s)
{
    struct problem problem;
    struct cost cost;
    problem_make(&problem, P, r, Q, s);
    assert_true(problem_count(&problem, &schedule_optimal, &cost));
    if (cost.ns != cost.delta)
        fail_msg("(%d,%d)->(%d,%d): NS %d, Delta %d", P, r, Q, s, (int)cost.ns,
                 (int)cost.delta);
    problem_free(&problem);
}

/* The conjecture was verified on as many as these; now it is a theorem. */
static void least_steps_on_equal_numbers_of_processes(void **unused)
{
    int count = 0;
    for (int P = 2; P <= 64; P++)
        count = for_coprime(P, P, 24, long_run() ? 1 : 97, count, check_least_steps);
    print_message("P = Q <= 64, r, s <= 24: %d\n", count);
    assert_int_equal(count, 22617);
}

static void least_steps_on_all_numbers_of_processes(void **unused)
{
    int count = 0;
    for (int P = 1; P <= 16; P++)
        for (int Q = 1; Q <= 16; Q++)
            if (P * Q > 1)
                count =
                    for_coprime(P, Q, 12, long_run() ? 1 : 23, count, check_least_steps);
    print_message("P, Q <= 16, r, s <= 12, not one to one: %d\n", count);
    assert_int_equal(count, 23205);
}

static int cores_compared;

/* The steps of a core, against those that are searched in the whole grid. */
static void check_core_against_grid(int P, int r, int Q, int s)
{
    struct problem problem;
    struct cost core, grid;
    problem_make(&problem, P, r, Q, s);
    const struct classes *k = &problem.classes;
    assert_true(problem_count(&problem, &schedule_optimal, &core));
    if (k->g > k->u * k->t && core.tc > core.sb) {
        problem.input.by_grid = problem.input.is_part = true;
        assert_true(problem_count(&problem, &schedule_optimal, &grid));
        if (grid.tc < core.tc)
            fail_msg("(%d,%d)->(%d,%d): TC %d of the core, %d of the grid", P, r, Q, s,
                     (int)core.tc, (int)grid.tc);
        cores_compared++;
    }
    problem_free(&problem);
}

static void a_core_costs_no_more_than_its_grid(void **unused)
{
    int most = long_run() ? 24 : 16, longest = long_run() ? 12 : 9, count = 0;
    for (int P = 2; P <= most; P++)
        for (int Q = 2; Q <= most; Q++)
            count = for_coprime(P, Q, longest, 1, count, check_core_against_grid);
    print_message("P, Q <= %d, r, s <= %d, several copies of the core, TC > SB: %d\n",
                  most, longest, cores_compared);
    assert_int_equal(cores_compared, long_run() ? 976 : 218);
}

/* ---- timelines --------------------------------------------------------------------- */

static int exponent(int64_t n, int64_t l)
{
    int e = 0;
    for (; n % l == 0; n /= l) e++;
    return e;
}

static bool has_factors(int64_t most, int64_t least, int64_t n)
{
    for (int64_t l = 2; l <= n; l++)
        if (n % l == 0 && exponent(most, l) < exponent(least, l)) return false;
    return true;
}

static int qualified, closed;

static void check_timeline(int P, int r, int Q, int s)
{
    struct problem problem;
    struct cost cost;
    problem_make(&problem, P, r, Q, s);
    bool applies = timeline_applies(&problem.classes);
    if (has_factors(P, Q, (int64_t)r * s)) assert_true(applies);
    if (applies && (long_run() || closed % 11 == 0)) {
        assert_true(problem_count(&problem, &schedule_timeline, &cost));
        assert_int_equal(cost.tc, cost.w);
    }
    qualified += has_factors(P, Q, (int64_t)r * s);
    closed += applies;
    problem_free(&problem);
}

/* Of P >= Q: where P has all the factors that Q has of r s a closed form was known first;
 * the theorem goes further. */
static void timelines_end_at_w(void **unused)
{
    int count = 0;
    qualified = closed = 0;
    for (int P = 1; P <= 14; P++)
        for (int Q = 1; Q <= P; Q++)
            count = for_coprime(P, Q, 10, 1, count, check_timeline);
    print_message(
        "Q <= P <= 14, r, s <= 10: %d, of which %d have the factors, %d a closed "
        "form\n",
        count, qualified, closed);
    assert_int_equal(count, 6615);
    assert_int_equal(qualified, 4415);
    assert_true(closed > qualified);
}

/* ---- partners and runs ------------------------------------------------------------- */

static int64_t run_count;

/* Mark the elements of the runs of (p, q), which must be theirs. */
static void mark_runs(const struct runs *runs, int p, int q, int r, int s, int P, int Q,
                      char *met)
{
    for (int64_t j = 0; j < runs->nperiod + runs->ntail; j++) {
        const struct run *run = &runs->run[j];
        for (int64_t k = 0; k < run->count; k++, run_count++)
            for (int64_t i = 0; i < run->length; i++) {
                int64_t at = run->at + k * run->step + i;
                assert_true(at / r % P == p && at / s % Q == q);
                assert_int_equal(met[at], 0);
                met[at] = 1;
            }
    }
    assert_true(runs->repeats <= 1 || runs->nperiod == 0);
}

static void check_partners(int P, int r, int Q, int s)
{
    struct classes k;
    ok(classes_make(P, r, Q, s, &k));
    int64_t n = k.length;
    char *met = calloc((size_t)n, 1);
    const redist_format format[SIDES] = {redist_cyclic(r), redist_cyclic(s)};
    const int procs[SIDES] = {P, Q};
    struct dim dim[SIDES];
    struct side side[SIDES];
    assert_non_null(met);
    for (int i = 0; i < SIDES; i++) {
        ok(dim_make(0, n, &format[i], procs[i], 0, &dim[i]));
        side[i] = (struct side){&dim[i], 0, 1, n};
    }
    for (int p = 0; p < P; p++) {
        struct partners partners;
        ok(partners_make(NULL, side, REDIST_SOURCE, p, &partners));
        for (int64_t i = 0; i < partners.n; i++)
            mark_runs(&partners.partner[i].runs, p, partners.partner[i].coord, r, s, P, Q,
                      met);
        partners_free(&partners);
    }
    for (int64_t i = 0; i < n; i++) assert_int_equal(met[i], 1);
    for (int i = 0; i < SIDES; i++) dim_free(&dim[i]);
    free(met);
}

static void partners_and_runs_in_closed_form(void **unused)
{
    int count = 0;
    run_count = 0;
    for (int P = 1; P <= 12; P++)
        for (int Q = 1; Q <= 12; Q++)
            count = for_coprime(P, Q, 9, long_run() ? 1 : 7, count, check_partners);
    print_message("P, Q <= 12, r, s <= 9: %d, runs met %lld\n", count,
                  (long long)run_count);
    assert_int_equal(count, 7920);
    if (long_run()) assert_in_range(run_count, 1350000, 1450000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_is_right_on_random_problems),
        cmocka_unit_test(least_steps_on_equal_numbers_of_processes),
        cmocka_unit_test(least_steps_on_all_numbers_of_processes),
        cmocka_unit_test(a_core_costs_no_more_than_its_grid),
        cmocka_unit_test(timelines_end_at_w),
        cmocka_unit_test(partners_and_runs_in_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
