/* SPDX-License-Identifier: MIT
 *
 * All schedules over a wide range of parameters, checked message by message: what each
 * promises, the reference values of its costs, and the counts of the sweeps that
 * docs/schedules.md and the proofs speak of.
 *
 * REDIST_TEST_LONG=1 runs the sweeps whole; REDIST_TEST_SEED=<seed> repeats the random
 * cases.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "long.h"
#include "oracle.h"
#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"
#include "schedule_problem.h"
#include "seed.h"
#include "unit/schedule/promises.h"
#include "unit/starve.h"

/* ---- promises ---------------------------------------------------------------------- */

static void keep(const struct problem *x, const struct schedule_kind *kind, bool kept,
                 const char *promise)
{
    if (!kept) fail_at(x, kind, promise);
}

/* Check what a schedule promises of a grid, of whose dimensions all are whole. */
static void check_kept(const struct problem *x, const struct schedule_kind *kind,
                       const struct cost *cost)
{
    int promised = promise_of(kind);
    const struct classes *k = x->ndims == 1 ? &x->dim[0] : NULL;
    bool unit = k && k->u == 1 && k->t == 1;
    int64_t ring = int_max(x->grid.P, x->grid.Q), ns = cost->ns, tc = cost->tc;
    if (promised & MOSTLY_LEAST)
        promised |= k && timeline_applies(k) ? LEAST_TIME : UNDER_TWICE;
    if (kind == &schedule_guo_pan_2 && unit) promised |= LEAST_STEPS | LEAST_TIME;
    assert_int_equal(cost->messages, x->grid.nedges);
    assert_int_equal(cost->delta, x->grid.degree);
    if (k) assert_int_equal(cost->w, k->least);
    assert_true(cost->sb >= cost->w);
    keep(x, kind, tc >= cost->w, "TC < W");
    keep(x, kind, kind->loose || ns >= cost->delta, "NS < Delta");
    keep(x, kind, kind->timed || kind->loose || kind->cut || tc >= cost->sb, "TC < SB");
    keep(x, kind, !(promised & LEAST_STEPS) || kind->cut || ns == cost->delta,
         "NS > Delta");
    keep(x, kind, !(promised & FEW_STEPS) || ns == 0 || ns < 2 * cost->delta,
         "NS >= 2 Delta");
    keep(x, kind, !(promised & LEAST_TIME) || tc == cost->w, "TC > W");
    keep(x, kind, !(promised & UNDER_TWICE) || tc == 0 || tc < 2 * cost->w, "TC >= 2 W");
    keep(x, kind, !(promised & RING) || ns <= ring, "NS > max(P, Q)");
    keep(x, kind, !(promised & TARGETS) || ns <= x->grid.Q, "NS > Q");
    if (kind == &schedule_caterpillar_full && k) assert_int_equal(ns, ring);
}

/* Whether it says that it is applicable where it is. */
static bool applies(const struct problem *x, const struct schedule_kind *kind)
{
    const struct along *k = &x->along[0];
    if (kind == &schedule_guo_pan_1) {
        int64_t d = int_gcd(k->r, k->s);
        return int_gcd(k->r / d, k->Q) == 1 && int_gcd(k->s / d, k->P) == 1;
    }
    const char *why = NULL;
    return promise_of(kind) & (ANY | CYCLIC) || kind == &schedule_optimal ||
           kind == &schedule_timeline || kind->applicable(&x->input, &why);
}

/* Make one schedule of a problem of one dimension and check it; false if it does not
 * apply. */
static bool check_schedule(struct problem *x, const struct schedule_kind *kind,
                           struct cost *cost)
{
    bool made = problem_count(x, kind, cost);
    assert_int_equal(made, applies(x, kind));
    if (!made) return false;
    check_kept(x, kind, cost);
    if (kind != &schedule_optimal) return true;
    x->input.seed = 1 + x->along[0].r; /* of the same cost in another order */
    struct cost drawn = count(x, kind);
    keep(x, kind, drawn.ns == cost->ns && drawn.tc == cost->tc, "its seed costs");
    x->input.seed = 0;
    return true;
}

/* ---- all small problems ------------------------------------------------------------ */

/* How far one is from its lower bounds on the problems of P, Q <= 16 and coprime r, s <=
 * 12, but those of one process alone. Reference values: where `other` choices among
 * heaviest matchings led to them, none may be above them. */
static struct measured {
    const struct schedule_kind *kind;
    int problems;
    struct ratio {
        double mean, worst, sum, found;
    } ns, tc; /* NS over Delta, TC over W */
    bool other;
    int met;
} measured[] = {
    {&schedule_caterpillar, 23205, {1.084, 15, 0, 0}, {1.157, 15, 0, 0}, false, 0},
    {&schedule_shifted, 23205, {1.059, 8, 0, 0}, {1.131, 8, 0, 0}, false, 0},
    {&schedule_stepwise, 23205, {1, 1, 0, 0}, {1.025, 1.875, 0, 0}, true, 0},
    {&schedule_greedy, 23205, {1.281, 1.875, 0, 0}, {1.299, 2, 0, 0}, true, 0},
    /* Where algorithm 1 does not apply: leaving the diagonal wins most of it back. */
    {&schedule_guo_pan_2_diagonal, 12166, {2.605, 12, 0, 0}, {2.646, 12, 0, 0}, false, 0},
    {&schedule_guo_pan_2, 12166, {1.132, 2.25, 0, 0}, {1.165, 8.0 / 3, 0, 0}, false, 0},
};
enum { MEASURED = sizeof measured / sizeof *measured };

static void ratio_add(struct ratio *ratio, int64_t value, int64_t bound)
{
    double x = (double)value / (double)bound;
    ratio->sum += x;
    ratio->found = fmax(ratio->found, x);
}

static void ratio_check(const struct ratio *ratio, const struct measured *m)
{
    double mean = ratio->sum / m->met, slack = 0.0005;
    bool right = m->other ? mean <= ratio->mean && ratio->found <= ratio->worst
                          : fabs(mean - ratio->mean) <= slack &&
                                fabs(ratio->found - ratio->worst) <= 1e-9;
    if (!right)
        fail_msg("%s: mean %.4f worst %.4f, must be %.3f and %g", m->kind->name, mean,
                 ratio->found, ratio->mean, ratio->worst);
}

static struct measured *measured_of(const struct problem *x,
                                    const struct schedule_kind *kind)
{
    if (x->along[0].P == 1 && x->along[0].Q == 1) return NULL;
    for (int k = 0; k < MEASURED; k++)
        if (measured[k].kind == kind &&
            (measured[k].problems == 23205 || !applies(x, &schedule_guo_pan_1)))
            return &measured[k];
    return NULL;
}

static void every_schedule_keeps_its_promises_on_all_small_problems(void **unused)
{
    int n = 0;
    for (int i = 0; i < 16 * 16 * 12 * 12; i++) {
        int P = i / 2304 + 1, Q = i / 144 % 16 + 1, r = i / 12 % 12 + 1, s = i % 12 + 1;
        if (int_gcd(r, s) > 1) continue;
        struct problem problem;
        problem_make(&problem, P, r, Q, s);
        bool small = P <= 12 && Q <= 12 && r <= 10 && s <= 10;
        bool all = long_run() || small || n++ % 23 == 0;
        for (int k = 0; schedules[k]; k++) {
            struct measured *m = measured_of(&problem, schedules[k]);
            struct cost cost;
            if ((!all && !m) || !check_schedule(&problem, schedules[k], &cost) || !m)
                continue;
            ratio_add(&m->ns, cost.ns, cost.delta);
            ratio_add(&m->tc, cost.tc, cost.w);
            m->met++;
        }
        problem_free(&problem);
    }
}

static void mean_costs_are_the_reference_values(void **unused)
{
    for (int k = 0; k < MEASURED; k++) {
        assert_int_equal(measured[k].met, measured[k].problems);
        ratio_check(&measured[k].ns, &measured[k]);
        ratio_check(&measured[k].tc, &measured[k]);
    }
}

/* ---- reference values -------------------------------------------------------------- */

/* (P,r)->(Q,s): what any schedule is measured against; NS and TC of `caterpillar`, of Guo
 * and Pan's algorithm 1 or, where that does not apply, algorithm 2 with every source in
 * its block on the diagonal; those of `stepwise` and `greedy`, which depend on which of
 * several heaviest matchings comes out; and the least TC of Delta steps, which an exact
 * search proved. 0: not known. */
static const struct reference {
    int P, r, Q, s;
    int messages, delta, w, sb;
    int caterpillar[2], guo_pan[2], stepwise[2], greedy[2];
    int least;
} references[] = {
    {16, 3, 16, 5, 112, 7, 15, 15, {16, 30}, {7, 15}, {7, 15}, {7, 15}, 15},
    {16, 7, 16, 11, 256, 16, 77, 77, {16, 112}, {16, 77}, {16, 77}, {16, 77}, 77},
    {15, 3, 15, 5, 105, 10, 15, 21, {15, 45}, {20, 35}, {10, 26}, {11, 26}, 25},
    {12, 4, 8, 3, 24, 4, 6, 8, {12, 30}, {6, 12}, {4, 8}, {4, 8}, 8},
    {5, 4, 5, 3, 25, 5, 12, 12, {5, 15}, {5, 12}, {5, 12}, {5, 12}, 12},
    {6, 2, 6, 3, 24, 6, 6, 9, {6, 12}, {9, 12}, {6, 9}, {6, 9}, 9},
    {16, 1, 16, 12, 192, 12, 12, 12, {16, 16}, {48, 48}, {12, 12}, {12, 12}, 12},
    {3, 2, 2, 3, 4, 2, 3, 3, {3, 4}, {3, 4}, {2, 4}, {3, 4}, 4},
    {15, 2, 6, 3, 60, 10, 15, 15, {15, 30}, {15, 20}, {10, 20}, {12, 19}, 20},
    {10, 3, 14, 5, 98, 14, 21, 28, {14, 42}, {49, 105}, {14, 33}, {14, 33}, 28},
    {12, 3, 12, 8, 120, 12, 24, 29, {12, 36}, {20, 40}, {12, 33}, {14, 33}, 32},
    {9, 7, 14, 6, 0, 8, 28, 33, {0}, {0}, {0}, {0}, 37},
    {8, 11, 11, 12, 0, 6, 33, 39, {0}, {0}, {0}, {0}, 44},
    {6, 9, 9, 8, 0, 8, 36, 40, {0}, {0}, {0}, {0}, 47},
    {4, 9, 9, 10, 0, 9, 45, 46, {0}, {0}, {0}, {0}, 51},
    {6, 11, 11, 8, 0, 9, 44, 45, {0}, {0}, {0}, {0}, 54},
    {9, 11, 11, 12, 0, 8, 44, 55, {0}, {0}, {0}, {0}, 63},
};

static void check_optimal(const struct reference *want, int P, int r, int Q, int s)
{
    struct problem problem;
    problem_make(&problem, P, r, Q, s);
    struct cost cost = count(&problem, &schedule_optimal);
    assert_int_equal(cost.ns, want->delta);
    assert_int_equal(cost.delta, want->delta);
    assert_int_equal(cost.w, want->w);
    assert_int_equal(cost.sb, want->sb);
    assert_int_equal(cost.tc, want->least);
    problem_free(&problem);
}

static void assert_cost(const struct problem *x, const struct schedule_kind *kind,
                        const int expected[2], int slack)
{
    struct cost cost = count(x, kind);
    if (cost.ns > expected[0] + slack || cost.tc > expected[1] + slack ||
        (!slack && (cost.ns != expected[0] || cost.tc != expected[1])))
        fail_at(x, kind, "NS or TC is not the reference value");
}

static void costs_are_the_reference_values(void **unused)
{
    for (size_t k = 0; k < sizeof references / sizeof *references; k++) {
        const struct reference *want = &references[k];
        check_optimal(want, want->P, want->r, want->Q, want->s);
        check_optimal(want, want->Q, want->s, want->P, want->r);
        if (want->messages == 0) continue;
        struct problem x;
        problem_make(&x, want->P, want->r, want->Q, want->s);
        assert_int_equal(x.grid.nedges, want->messages);
        assert_cost(&x, &schedule_caterpillar_full, want->caterpillar, 0);
        assert_cost(&x,
                    applies(&x, &schedule_guo_pan_1) ? &schedule_guo_pan_1
                                                     : &schedule_guo_pan_2_diagonal,
                    want->guo_pan, 0);
        assert_int_equal(count(&x, &schedule_stepwise).ns, want->stepwise[0]);
        assert_cost(&x, &schedule_stepwise, want->stepwise, 2);
        assert_cost(&x, &schedule_greedy, want->greedy, 2);
        assert_int_equal(count(&x, &schedule_timeline).tc, want->w);
        int64_t bound = 0;
        ok(comm_grid_step_bound(&x.grid, &bound));
        assert_int_equal(bound, want->sb);
        problem_free(&x);
    }
}

/* ---- random problems --------------------------------------------------------------- */

static void every_schedule_is_right_on_random_problems(void **unused)
{
    uint64_t seed = seed_or(1996);
    int problems = long_run() ? 5000 : 300, made = 0;
    for (int i = 0; i < problems; i++) {
        struct problem problem;
        int longest = i % 3 ? 24 : 64;
        int P = (int)random_in(&seed, 1, 64), Q = (int)random_in(&seed, 1, 64);
        int r = (int)random_in(&seed, 1, longest), s = (int)random_in(&seed, 1, longest);
        problem_make(&problem, P, r, Q, s);
        for (int k = 0; schedules[k]; k++) {
            struct cost cost;
            made += check_schedule(&problem, schedules[k], &cost);
        }
        problem_free(&problem);
    }
    print_message("%d problems, %d schedules\n", problems, made);
    assert_true(made > 10 * problems);
}

/* Messages of any lengths between any processes, as in no regular redistribution;
 * `stepwise` is never cheaper than `optimal`, and only `preemptive` cuts messages. */
static void every_schedule_is_right_on_random_grids(void **unused)
{
    uint64_t seed = seed_or(1998);
    for (int i = 0; i < usual_cases(500, 20000); i++) {
        enum { SIDE = 30 };
        int most = i % 4 ? 12 : SIDE, n = 0;
        int P = 1 + below(&seed, most), Q = 1 + below(&seed, most);
        int percent = below(&seed, 101); /* 0: there are no messages */
        int longest = 1 + below(&seed, i % 4 ? 50 : i + 1);
        struct edge edge[SIDE * SIDE];
        for (int p = 0; p < P; p++)
            for (int q = 0; q < Q; q++)
                if (below(&seed, 100) < percent)
                    edge[n++] = (struct edge){p, q, 1 + below(&seed, longest)};
        struct problem x;
        problem_of_edges(&x, P, Q, n, edge);
        for (int k = 0; schedules[k]; k++) {
            struct cost cost;
            int64_t pieces = 0;
            if (!problem_measure(&x, schedules[k], &cost, &pieces)) {
                assert_false(promise_of(schedules[k]) & ANY);
                continue;
            }
            check_kept(&x, schedules[k], &cost);
            if (schedules[k] != &schedule_preemptive) assert_int_equal(pieces, n);
        }
        assert_true(count(&x, &schedule_optimal).tc <= count(&x, &schedule_stepwise).tc);
        if (i < 3) (void)schedule_starve(&schedule_optimal, &x.input);
        problem_free(&x);
    }
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
    assert_true(check_schedule(&problem, &schedule_optimal, &cost));
    problem_free(&problem);
}

/* The conjecture was verified on as many as these; now it is a theorem. */
static void least_steps_on_equal_numbers_of_processes(void **unused)
{
    int n = 0;
    for (int P = 2; P <= 64; P++)
        n = for_coprime(P, P, 24, long_run() ? 1 : 97, n, check_least_steps);
    print_message("P = Q <= 64, r, s <= 24: %d\n", n);
    assert_int_equal(n, 22617);
}

static int cores_compared;

/* The steps of a core, against those that are searched in the whole grid. */
static void check_core_against_grid(int P, int r, int Q, int s)
{
    struct problem problem;
    problem_make(&problem, P, r, Q, s);
    const struct classes *k = &problem.dim[0];
    struct cost core = count(&problem, &schedule_optimal);
    if (k->g > k->u * k->t && core.tc > core.sb) {
        problem.input.by_grid = problem.input.is_part = true;
        struct cost grid = count(&problem, &schedule_optimal);
        if (grid.tc < core.tc)
            fail_at(&problem, &schedule_optimal, "its core costs more than the grid");
        cores_compared++;
    }
    problem_free(&problem);
}

static void a_core_costs_no_more_than_its_grid(void **unused)
{
    int most = long_run() ? 24 : 16, longest = long_run() ? 12 : 9, n = 0;
    for (int P = 2; P <= most; P++)
        for (int Q = 2; Q <= most; Q++)
            n = for_coprime(P, Q, longest, 1, n, check_core_against_grid);
    print_message("P, Q <= %d, r, s <= %d, several copies of the core, TC > SB: %d\n",
                  most, longest, cores_compared);
    assert_int_equal(cores_compared, long_run() ? 976 : 218);
}

static int qualified, closed;

static void check_timeline(int P, int r, int Q, int s)
{
    struct classes k;
    ok(classes_make(P, r, Q, s, &k));
    if (has_factors(P, Q, (int64_t)r * s)) assert_true(timeline_applies(&k));
    qualified += has_factors(P, Q, (int64_t)r * s);
    closed += timeline_applies(&k);
}

/* Of P >= Q: where P has all the factors that Q has of r s a closed form was known first;
 * the theorem goes further. */
static void timelines_have_a_closed_form(void **unused)
{
    int n = 0;
    for (int P = 1; P <= 14; P++)
        for (int Q = 1; Q <= P; Q++) n = for_coprime(P, Q, 10, 1, n, check_timeline);
    print_message("Q <= P <= 14, r, s <= 10: %d, of which %d have the factors, %d a "
                  "closed form\n",
                  n, qualified, closed);
    assert_int_equal(n, 6615);
    assert_int_equal(qualified, 4415);
    assert_true(closed > qualified);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_keeps_its_promises_on_all_small_problems),
        cmocka_unit_test(mean_costs_are_the_reference_values),
        cmocka_unit_test(costs_are_the_reference_values),
        cmocka_unit_test(every_schedule_is_right_on_random_problems),
        cmocka_unit_test(every_schedule_is_right_on_random_grids),
        cmocka_unit_test(least_steps_on_equal_numbers_of_processes),
        cmocka_unit_test(a_core_costs_no_more_than_its_grid),
        cmocka_unit_test(timelines_have_a_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
