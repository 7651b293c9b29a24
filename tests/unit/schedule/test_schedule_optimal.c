/* SPDX-License-Identifier: MIT
 *
 * The optimal schedule: as many steps as the largest degree for all parameters, the
 * reference values of its cost, and each of the parts that it is made of by itself.
 * REDIST_TEST_LONG=1 widens the sweeps; REDIST_TEST_SEED=<seed> repeats the random cases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "long.h"
#include "schedule/coloring/coloring.h"
#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"
#include "schedule_problem.h"
#include "seed.h"
#include "unit/starve.h"

static struct cost cost_by(int seed, int P, int r, int Q, int s)
{
    struct problem problem;
    struct cost cost;
    problem_make(&problem, P, r, Q, s);
    problem.input.seed = seed;
    assert_true(problem_count(&problem, &schedule_optimal, &cost));
    problem_free(&problem);
    return cost;
}

static struct cost cost_of(int P, int r, int Q, int s) { return cost_by(0, P, r, Q, s); }

static void check(int P, int r, int Q, int s)
{
    struct cost cost = cost_of(P, r, Q, s), drawn = cost_by(1 + r, P, r, Q, s);
    assert_true(drawn.ns == cost.ns && drawn.tc == cost.tc);
    if (cost.ns != cost.delta || cost.tc < cost.sb || cost.sb < cost.w)
        fail_msg("(%d,%d)->(%d,%d): NS %d, Delta %d, TC %d, SB %d, W %d", P, r, Q, s,
                 (int)cost.ns, (int)cost.delta, (int)cost.tc, (int)cost.sb, (int)cost.w);
}

static void steps_are_as_few_as_the_largest_degree(void **unused)
{
    for (int P = 1; P <= 12; P++)
        for (int Q = 1; Q <= 12; Q++)
            for (int r = 1; r <= 10; r++)
                for (int s = 1; s <= 10; s++) check(P, r, Q, s);
}

static void steps_are_as_few_on_random_problems(void **unused)
{
    uint64_t seed = seed_or(1994);
    for (int k = 0; k < usual_cases(100, 5000); k++) {
        int P = 1 + below(&seed, 64), Q = 1 + below(&seed, 64);
        int r = 1 + below(&seed, 64), s = 1 + below(&seed, 64);
        check(P, r, Q, s);
    }
}

/* The least cost at so many steps, which an exact search proved. */
static const struct reference {
    int P, r, Q, s;
    int delta, w, sb, least;
} references[] = {
    {16, 3, 16, 5, 7, 15, 15, 15},   {16, 7, 16, 11, 16, 77, 77, 77},
    {15, 3, 15, 5, 10, 15, 21, 25},  {12, 4, 8, 3, 4, 6, 8, 8},
    {5, 4, 5, 3, 5, 12, 12, 12},     {6, 2, 6, 3, 6, 6, 9, 9},
    {16, 1, 16, 12, 12, 12, 12, 12}, {3, 2, 2, 3, 2, 3, 3, 4},
    {15, 2, 6, 3, 10, 15, 15, 20},   {10, 3, 14, 5, 14, 21, 28, 28},
    {12, 3, 12, 8, 12, 24, 29, 32},  {9, 7, 14, 6, 8, 28, 33, 37},
    {8, 11, 11, 12, 6, 33, 39, 44},  {6, 9, 9, 8, 8, 36, 40, 47},
    {4, 9, 9, 10, 9, 45, 46, 51},    {6, 11, 11, 8, 9, 44, 45, 54},
    {9, 11, 11, 12, 8, 44, 55, 63},
};

static void costs_are_the_reference_values_both_ways(void **unused)
{
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        const struct reference *want = &references[i];
        for (int mirrored = 0; mirrored <= 1; mirrored++) {
            struct cost cost = mirrored ? cost_of(want->Q, want->s, want->P, want->r)
                                        : cost_of(want->P, want->r, want->Q, want->s);
            assert_int_equal(cost.ns, want->delta);
            assert_int_equal(cost.delta, want->delta);
            assert_int_equal(cost.w, want->w);
            assert_int_equal(cost.sb, want->sb);
            assert_int_equal(cost.tc, want->least);
        }
    }
}

/* Compare with each other schedule in steps that has as few of them. */
static void compare(int P, int r, int Q, int s)
{
    struct problem problem;
    struct cost own, other;
    problem_make(&problem, P, r, Q, s);
    assert_true(problem_count(&problem, &schedule_optimal, &own));
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

/* ---- large and broken -------------------------------------------------------------- */

static int64_t find_step(const struct own_list *list, int partner)
{
    for (int64_t i = 0; i < list->n; i++)
        if (list->message[i].partner == partner) return list->message[i].step;
    return -1;
}

/* The own lists of some processes, and that their partners' lists agree. */
static void check_large(int seed, int64_t P, int64_t r, int64_t Q, int64_t s,
                        int64_t delta)
{
    struct classes k;
    ok(classes_make(P, r, Q, s, &k));
    struct schedule_input input = {.ndims = 1, .dim = &k, .seed = seed};
    const char *why = NULL;
    void *state = NULL;
    assert_true(schedule_optimal.applicable(&input, &why));
    ok(schedule_optimal.make(&input, &state));
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < 5; i++) {
            struct own_list own = {0}, theirs = {0};
            int64_t c = (side == REDIST_SOURCE ? P : Q) * i / 5;
            ok(schedule_optimal.own(state, (redist_side)side, c, &own));
            assert_in_range(own.n, 1, delta);
            int64_t some = int_max(1, own.n / 4);
            for (int64_t m = 0; m < own.n; m++) {
                const struct own_message *message = &own.message[m];
                assert_in_range(message->step, 0, delta - 1);
                if (m > 0) assert_true(message->step > message[-1].step);
                if (m % some) continue;
                theirs.n = 0;
                ok(schedule_optimal.own(state, (redist_side)!side, message->partner,
                                        &theirs));
                assert_int_equal(find_step(&theirs, (int)c), message->step);
            }
            own_list_free(&own);
            own_list_free(&theirs);
        }
    schedule_optimal.free(state);
}

static void own_lists_agree_on_a_million_processes(void **unused)
{
    check_large(0, 1000000, 3, 1000000, 5, 10);
    check_large(4, 1000000, 3, 1000000, 5, 10);
    check_large(0, 720720, 64, 720720, 63, 128);
    check_large(0, 1000000, 1500, 1000000, 1501, 3000);
    check_large(0, 3000, 7, 2999, 11, 3000);
}

/* More pairs than a table may have. */
static void own_lists_agree_in_closed_form(void **unused)
{
    check_large(0, 10403, 6180, 10403, 6161, 10403);
    check_large(7, 41612, 15450, 41612, 15251, 30900);
}

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
    assert_int_equal(classes_are_alike(&problem.classes), same == (int64_t)P * Q);
    if (classes_are_alike(&problem.classes)) {
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

static void failed_allocations_leave_nothing_behind(void **unused)
{
    static const int problems[][4] = {{15, 3, 15, 5}, {3, 2, 2, 3}, {10, 5, 15, 2}};
    for (int i = 0; i < 3; i++) {
        struct problem problem;
        const int *x = problems[i];
        problem_make(&problem, x[0], x[1], x[2], x[3]);
        assert_true(schedule_starve(&schedule_optimal, &problem.input) > 0);
        problem_free(&problem);
    }
}

/* Any grid has as few steps as its largest degree; `stepwise` is never cheaper. */
static void grids_have_as_few_steps_as_the_largest_degree(void **unused)
{
    uint64_t seed = seed_or(2007);
    for (int k = 0; k < usual_cases(150, 3000); k++) {
        struct comm_grid grid;
        struct edge edges[400];
        struct cost own, other;
        int P = 1 + below(&seed, 20), Q = 1 + below(&seed, 20),
            density = below(&seed, 100);
        int64_t n = 0;
        for (int p = 0; p < P; p++)
            for (int q = 0; q < Q; q++)
                if (below(&seed, 100) <= density)
                    edges[n++] = (struct edge){p, q, 1 + below(&seed, 1 + k)};
        ok(comm_grid_from_edges(P, Q, n, edges, &grid));
        struct problem problem = {.input = {.grid = &grid}};
        assert_true(problem_count(&problem, &schedule_optimal, &own));
        assert_true(problem_count(&problem, &schedule_stepwise, &other));
        assert_int_equal(own.ns, own.delta);
        assert_true(own.sb <= own.tc && own.tc <= other.tc);
        if (k < 3) (void)schedule_starve(&schedule_optimal, &problem.input);
        comm_grid_free(&grid);
    }
}

static void several_whole_dimensions_are_refused_with_a_reason(void **unused)
{
    struct problem problem;
    problem_make(&problem, 4, 3, 4, 5);
    problem.input.ndims = 2;
    const char *why = NULL;
    assert_false(schedule_optimal.applicable(&problem.input, &why));
    assert_string_equal(why,
                        "needs one whole dimension; combination is the same of several");
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_as_few_as_the_largest_degree),
        cmocka_unit_test(steps_are_as_few_on_random_problems),
        cmocka_unit_test(costs_are_the_reference_values_both_ways),
        cmocka_unit_test(no_schedule_of_as_few_steps_costs_less),
        cmocka_unit_test(least_steps_may_force_twice_the_lower_bound),
        cmocka_unit_test(closed_form_holds_where_it_is_proved),
        cmocka_unit_test(closed_form_holds_for_all_small_cores),
        cmocka_unit_test(the_formula_applies_to_most_problems),
        cmocka_unit_test(the_formula_applies_to_all_square_problems),
        cmocka_unit_test(own_lists_agree_on_a_million_processes),
        cmocka_unit_test(own_lists_agree_in_closed_form),
        cmocka_unit_test(who_send_as_much_to_all_keep_their_own_in_one_step),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(grids_have_as_few_steps_as_the_largest_degree),
        cmocka_unit_test(several_whole_dimensions_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
