/* SPDX-License-Identifier: MIT
 *
 * The optimal schedule: beside the others of as few steps, and each of the parts that it
 * is made of by itself.
 * REDIST_TEST_LONG=1 widens the sweeps; REDIST_TEST_SEED=<seed> repeats the random cases.
 */
#include <stdio.h>
#include <stdlib.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "long.h"
#include "schedule/coloring/coloring.h"
#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"
#include "schedule_problem.h"
#include "seed.h"

static struct cost cost_of(int P, int r, int Q, int s)
{
    struct problem problem;
    problem_make(&problem, P, r, Q, s);
    struct cost cost = count(&problem, &schedule_optimal);
    problem_free(&problem);
    return cost;
}

/* Compare with each other schedule in steps that has as few of them. */
static void compare(int P, int r, int Q, int s)
{
    struct problem problem;
    struct cost other;
    problem_make(&problem, P, r, Q, s);
    struct cost own = count(&problem, &schedule_optimal);
    for (int k = 0; schedules[k]; k++) {
        if (schedules[k]->timed || schedules[k]->loose ||
            !problem_count(&problem, schedules[k], &other) || other.ns > own.ns)
            continue;
        if (other.tc < own.tc)
            fail_msg("(%d,%d)->(%d,%d): TC %d, but %d by %s", P, r, Q, s, (int)own.tc,
                     (int)other.tc, schedules[k]->name);
    }
    problem_free(&problem);
}

static void no_schedule_of_as_few_steps_costs_less(void **unused)
{
    uint64_t seed = seed_or(1994);
    compare(27, 32, 26, 27);
    compare(57, 20, 64, 51);
    for (int k = 0; k < usual_cases(300, 20000); k++) {
        int most = k % 2 ? 12 : 40;
        int P = 1 + below(&seed, most), Q = 1 + below(&seed, most);
        int r = 1 + below(&seed, most), s = 1 + below(&seed, most);
        compare(P, r, Q, s);
    }
}

/* (k, k+1) -> (k+1, k): the core is one path, so that two steps can be had in one way
 * alone, and each has a message of length k. W is k + 1. */
static void least_steps_may_force_twice_the_lower_bound(void **unused)
{
    for (int k = 1; k <= 20; k++) {
        struct cost cost = cost_of(k, k + 1, k + 1, k);
        assert_int_equal(cost.w, k + 1);
        assert_int_equal(cost.delta, 2);
        assert_int_equal(cost.ns, 2);
        assert_int_equal(cost.tc, 2 * k);
    }
}

/* ---- colourings -------------------------------------------------------------------- */

static bool coloring_of(const struct classes *k, bool mirrored, struct coloring *c)
{
    struct core core = core_of_classes(k);
    return coloring_begin(&core, mirrored, c);
}

/* Whether the steps of a colouring are matchings of the core, a dc in number. */
static bool is_schedule(const struct classes *k, const struct coloring *c)
{
    int64_t steps = c->core.a * c->colors;
    bool ok = true;
    char *left = calloc((size_t)(k->u * k->a * steps), 1);
    char *right = calloc((size_t)(k->t * k->b * steps), 1);
    assert_true(left && right);
    for (int64_t z = 0; ok && z < k->n; z++)
        for (int64_t A = 0; ok && A < k->a; A++)
            for (int64_t B = 0; ok && B < k->b; B++) {
                int64_t step = coloring_step(c, z, A, B);
                assert_in_range(step, 0, steps - 1);
                char *x = &left[(z % k->u * k->a + A) * steps + step];
                char *y = &right[(z % k->t * k->b + B) * steps + step];
                ok = !*x && !*y;
                *x = *y = 1;
            }
    free(left);
    free(right);
    return ok;
}

typedef void visitor(const struct classes *k);

static void for_all_problems(int most, int longest, visitor *visit)
{
    for (int P = 1; P <= most; P++)
        for (int Q = 1; Q <= most; Q++)
            for (int r = 1; r <= longest; r++)
                for (int s = 1; s <= longest; s++) {
                    struct classes k;
                    if (int_gcd(r, s) > 1) continue;
                    ok(classes_make(P, r, Q, s, &k));
                    visit(&k);
                }
}

/* The closed form is a schedule where it says so; and it says so if P = Q or if every
 * residue has a message. */
static void check_closed(const struct classes *k)
{
    int closed = 0;
    for (int mirrored = 0; mirrored <= 1; mirrored++) {
        struct coloring c;
        if (!coloring_of(k, mirrored, &c) || !coloring_closed(&c)) continue;
        closed++;
        if (!is_schedule(k, &c))
            fail_msg("(%d,%d)->(%d,%d): the closed form fails", (int)k->P, (int)k->r,
                     (int)k->Q, (int)k->s);
    }
    if (k->P == k->Q || k->n == k->g) assert_true(closed > 0);
}

static void closed_form_holds_where_it_is_proved(void **unused)
{
    if (long_run())
        for_all_problems(32, 20, check_closed);
    else
        for_all_problems(14, 12, check_closed);
}

/* All cores there can be up to a size, whatever P, Q, r and s they are of. */
static void closed_form_holds_for_all_small_cores(void **unused)
{
    int most = long_run() ? 9 : 6, checked = 0;
    for (int u = 1; u <= most; u++)
        for (int t = 1; t <= most; t++)
            for (int a = 1; a <= most; a++)
                for (int b = 1; b * t <= a * u && b <= most; b++)
                    for (int n = 1; n <= 2 * u * t; n++) {
                        struct classes k = {.u = u, .t = t, .a = a, .b = b, .n = n};
                        struct coloring c;
                        (void)coloring_of(&k, false, &c);
                        if (int_gcd(u, t) > 1 || !coloring_closed(&c)) continue;
                        assert_true(is_schedule(&k, &c));
                        checked++;
                    }
    print_message("%d cores\n", checked);
    assert_true(checked > 1000);
}

static int by_formula, others;

/* Count where the closed form applies, to either side. */
static void count_formula(const struct classes *k)
{
    bool closed = false;
    for (int mirrored = 0; mirrored <= 1; mirrored++) {
        struct coloring c;
        closed |= coloring_of(k, mirrored, &c) && coloring_closed(&c);
    }
    by_formula += closed;
    others += !closed;
}

static void the_formula_applies_to_most_problems(void **unused)
{
    by_formula = others = 0;
    for_all_problems(16, 12, count_formula);
    print_message("%d by the formula\n", by_formula);
    assert_int_equal(by_formula, 22692);
    assert_int_equal(others, 604);
    if (!long_run()) return;
    by_formula = others = 0;
    for_all_problems(40, 20, count_formula);
    print_message("%d by the formula\n", by_formula);
    assert_int_equal(by_formula, 396350);
    assert_int_equal(others, 11650);
}

static void the_formula_applies_to_all_square_problems(void **unused)
{
    int most = long_run() ? 64 : 16, longest = long_run() ? 24 : 12;
    others = 0;
    for (int P = 2; P <= most; P++)
        for (int r = 1; r <= longest; r++)
            for (int s = 1; s <= longest; s++) {
                struct classes k;
                if (int_gcd(r, s) > 1) continue;
                ok(classes_make(P, r, P, s, &k));
                count_formula(&k);
            }
    assert_int_equal(others, 0);
}

/* ---- equal messages ---------------------------------------------------------------- */

/* Check that in `kind` a source first has the target of its own number, alone at that
 * time, where g divides r or s; and that just then all lengths are the same. */
static void check_ring(const struct schedule_kind *kind, int P, int r, int Q, int s)
{
    struct problem problem;
    struct cost cost;
    void *state = NULL;
    problem_make(&problem, P, r, Q, s);
    const struct comm_grid *grid = &problem.grid;
    int64_t length = grid->edge[0].weight, same = 0;
    for (int64_t e = 0; e < grid->nedges; e++) same += grid->edge[e].weight == length;
    assert_int_equal(classes_are_alike(&problem.dim[0]), same == (int64_t)P * Q);
    if (classes_are_alike(&problem.dim[0])) {
        assert_true(problem_count(&problem, kind, &cost));
        assert_int_equal(cost.ns, int_max(P, Q));
        assert_int_equal(cost.tc, cost.w);
        ok(kind->make(&problem.input, &state));
        for (int p = 0; p < P; p++) {
            struct own_list own = {0};
            ok(kind->own(state, REDIST_SOURCE, p, &own));
            for (int64_t k = 0; k < own.n; k++)
                assert_int_equal(own.message[k].step == 0, own.message[k].partner == p);
            own_list_free(&own);
        }
        kind->free(state);
    }
    problem_free(&problem);
}

static void who_send_as_much_to_all_keep_their_own_in_one_step(void **unused)
{
    for (int i = 0; i < 8 * 8 * 16 * 16; i++) {
        int P = i % 8 + 1, Q = i / 8 % 8 + 1, r = i / 64 % 16 + 1, s = i / 1024 + 1;
        if (int_gcd(r, s) > 1) continue;
        check_ring(&schedule_optimal, P, r, Q, s);
        check_ring(&schedule_timeline, P, r, Q, s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_schedule_of_as_few_steps_costs_less),
        cmocka_unit_test(least_steps_may_force_twice_the_lower_bound),
        cmocka_unit_test(closed_form_holds_where_it_is_proved),
        cmocka_unit_test(closed_form_holds_for_all_small_cores),
        cmocka_unit_test(the_formula_applies_to_most_problems),
        cmocka_unit_test(the_formula_applies_to_all_square_problems),
        cmocka_unit_test(who_send_as_much_to_all_keep_their_own_in_one_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
