/* SPDX-License-Identifier: MIT
 *
 * What schedules of several dimensions cost, beside each other and the bounds.
 * REDIST_TEST_LONG=1 widens the sweeps; REDIST_TEST_SEED=<seed> repeats the random cases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "long.h"
#include "schedule/coloring/combine.h"
#include "schedule/core/kinds.h"
#include "schedule_problem.h"
#include "seed.h"

/* ---- costs ------------------------------------------------------------------------- */

/* NS and TC of `optimal` along each dimension, multiplied. */
static struct cost multiplied(const struct problem *x)
{
    struct cost product = {.ns = 1, .tc = 1};
    for (int j = 0; j < x->ndims; j++) {
        struct problem one;
        problem_along(&one, 1, &x->along[j]);
        struct cost cost = count(&one, &schedule_optimal);
        problem_free(&one);
        product.ns *= cost.ns;
        product.tc *= cost.tc;
    }
    return product;
}

/* Whether u = t = 1 along all dimensions. */
static bool is_aligned(const struct problem *x)
{
    bool aligned = true;
    for (int j = 0; j < x->ndims; j++)
        aligned = aligned && x->dim[j].u == 1 && x->dim[j].t == 1;
    return aligned;
}

static void check(int ndims, const struct along along[])
{
    struct problem x;
    problem_along(&x, ndims, along);
    struct cost parts = multiplied(&x), product = count(&x, &schedule_product);
    if (product.ns != parts.ns || product.tc != parts.tc)
        fail_at(&x, &schedule_product, "its costs are not the products");
    struct cost all = count(&x, &schedule_combination);
    if (all.ns != all.delta)
        fail_at(&x, &schedule_combination, "more steps than the largest degree");
    if (is_aligned(&x) && all.tc != all.w)
        fail_at(&x, &schedule_combination, "costs more than W though u = t = 1");
    if (product.ns == all.ns && product.tc < all.tc)
        fail_at(&x, &schedule_combination, "costs more than product");
    x.input.seed = 1 + (int)all.w;
    struct cost drawn = count(&x, &schedule_combination);
    if (drawn.ns != all.ns || drawn.tc != all.tc)
        fail_at(&x, &schedule_combination, "another order costs something else");
    x.input.seed = 0;
    int64_t instants = 1;
    for (int j = 0; j < ndims; j++) instants *= x.dim[j].least;
    if (count(&x, &schedule_product_timeline).tc != instants)
        fail_at(&x, &schedule_product_timeline, "does not end at the product of all W");
    assert_int_equal(all.delta, int_max(dims_degree(ndims, x.dim, REDIST_SOURCE),
                                        dims_degree(ndims, x.dim, REDIST_TARGET)));
    assert_int_equal(all.w, dims_least(ndims, x.dim));
    assert_int_equal(all.messages, dims_messages(ndims, x.dim));
    problem_free(&x);
}

/* ---- all small problems ------------------------------------------------------------ */

/* Exchanging the two dimensions changes nothing, so only one order is tried. */
static void small_problems_of_two_dimensions(void **unused)
{
    enum { MOST = 4 };
    struct along one[MOST * MOST * MOST * MOST];
    int n = 0;
    for (int P = 1; P <= MOST; P++)
        for (int Q = 1; Q <= MOST; Q++)
            for (int r = 1; r <= MOST; r++)
                for (int s = 1; s <= MOST; s++)
                    if (int_gcd(r, s) == 1) one[n++] = (struct along){P, r, Q, s};
    assert_int_equal(n, 16 * 11);
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            struct along both[2] = {one[i], one[k]};
            check(2, both);
        }
}

static void random_problems_of_up_to_four_dimensions(void **unused)
{
    uint64_t seed = seed_or(1999);
    static const int most[] = {0, 0, 8, 3, 2};
    for (int k = 0; k < (long_run() ? 3000 : 150); k++) {
        struct along along[MAX_NDIMS];
        int ndims = 2 + below(&seed, 3), procs = most[ndims], block = ndims == 2 ? 6 : 4;
        for (int j = 0; j < ndims; j++)
            along[j] = (struct along){1 + below(&seed, procs), 1 + below(&seed, block),
                                      1 + below(&seed, procs), 1 + below(&seed, block)};
        check(ndims, along);
    }
}

/* ---- known problems ---------------------------------------------------------------- */

/* Where sources have the largest degree along one dimension and targets along the other,
 * steps that multiply are too many. */
static void product_loses_fourfold_and_combination_nothing(void **unused)
{
    struct problem x;
    const struct along along[] = {{16, 1, 4, 1}, {4, 1, 16, 1}};
    problem_along(&x, 2, along);
    struct cost product = count(&x, &schedule_product);
    struct cost combination = count(&x, &schedule_combination);
    assert_int_equal(product.ns, 16);
    assert_int_equal(product.tc, 16);
    assert_int_equal(combination.ns, 4);
    assert_int_equal(combination.tc, 4);
    assert_int_equal(combination.w, 4);
    problem_free(&x);
}

/* The way that is taken, or -1 if there is none. */
static int way_of(const struct problem *x)
{
    void *state = NULL;
    const char *why = NULL;
    if (!schedule_combination.applicable(&x->input, &why)) return -1;
    ok(schedule_combination.make(&x->input, &state));
    int way = (int)((struct combined *)state)->way;
    schedule_combination.free(state);
    return way;
}

/* Each way is the cheapest of some problem; all are checked by `check`. */
static void combination_takes_the_cheapest_way(void **unused)
{
    bool taken[COMBINE_WAYS] = {false};
    uint64_t seed = 7;
    for (int k = 0; k < 2000; k++) {
        struct problem x;
        struct along along[2];
        for (int j = 0; j < 2; j++)
            along[j] = (struct along){1 + below(&seed, 6), 1 + below(&seed, 6),
                                      1 + below(&seed, 6), 1 + below(&seed, 6)};
        problem_along(&x, 2, along);
        taken[way_of(&x)] = true;
        problem_free(&x);
    }
    for (int way = 0; way < COMBINE_WAYS; way++) assert_true(taken[way]);
}

/* Joined, the pieces of product-timeline are the messages of the grid, whole, each at its
 * first start, which no two of a process share. */
static void pieces_join_to_whole_messages_in_order(void **unused)
{
    struct problem x;
    const struct along along[] = {{6, 2, 6, 3}, {3, 2, 2, 3}};
    void *state = NULL;
    problem_along(&x, 2, along);
    ok(schedule_product_timeline.make(&x.input, &state));
    int64_t pieces = 0;
    for (int p = 0; p < x.grid.P; p++) {
        struct own_list cut = {0}, whole = {0};
        ok(schedule_product_timeline.own(state, REDIST_SOURCE, p, &cut));
        ok(schedule_product_timeline.own(state, REDIST_SOURCE, p, &whole));
        own_list_join_pieces(&whole);
        pieces += cut.n;
        assert_int_equal(whole.n, x.grid.by_source[p + 1] - x.grid.by_source[p]);
        for (int64_t k = 0; k < whole.n; k++) {
            const struct own_message *message = &whole.message[k];
            int64_t weight = 0, first = INT64_MAX;
            if (k > 0) assert_true(message->step > message[-1].step);
            for (int64_t i = 0; i < cut.n; i++)
                if (cut.message[i].partner == message->partner) {
                    weight += cut.message[i].weight;
                    first = int_min(first, cut.message[i].step);
                }
            assert_int_equal(message->weight, weight);
            assert_int_equal(message->step, first);
        }
        own_list_free(&cut);
        own_list_free(&whole);
    }
    assert_true(pieces > x.grid.nedges);
    schedule_product_timeline.free(state);
    problem_free(&x);
}

/* Its dimensions cannot be coloured one by one, and its core has 89,600 pairs. */
static void large_cores_of_two_dimensions_have_the_fewest_steps(void **unused)
{
    const struct along along[] = {{32, 1, 25, 32}, {16, 28, 16, 32}};
    struct problem x;
    problem_along(&x, 2, along);
    struct cost cost = count(&x, &schedule_combination);
    assert_int_equal(cost.ns, cost.delta);
    problem_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_of_two_dimensions),
        cmocka_unit_test(random_problems_of_up_to_four_dimensions),
        cmocka_unit_test(product_loses_fourfold_and_combination_nothing),
        cmocka_unit_test(combination_takes_the_cheapest_way),
        cmocka_unit_test(pieces_join_to_whole_messages_in_order),
        cmocka_unit_test(large_cores_of_two_dimensions_have_the_fewest_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
