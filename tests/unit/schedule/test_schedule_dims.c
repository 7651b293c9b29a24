/* SPDX-License-Identifier: MIT
 *
 * Schedules of several dimensions. Grids are checked against those of real arrays, whose
 * messages are found by other means. REDIST_TEST_LONG=1 widens the sweeps;
 * REDIST_TEST_SEED=<seed> repeats the random cases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "dims_problem.h"
#include "long.h"
#include "schedule/coloring/combine.h"
#include "schedule/core/kinds.h"
#include "seed.h"
#include "unit/starve.h"

/* ---- costs ------------------------------------------------------------------------- */

/* NS and TC of `optimal` along each dimension, multiplied. */
static struct cost multiplied(const struct problem *x)
{
    struct cost product = {.ns = 1, .tc = 1};
    for (int j = 0; j < x->ndims; j++) {
        struct comm_grid grid;
        struct cost cost;
        void *state = NULL;
        ok(comm_grid_from_classes(&x->dim[j], NULL, &grid));
        struct schedule_input input = {.ndims = 1, .dim = &x->dim[j], .grid = &grid};
        ok(schedule_optimal.make(&input, &state));
        ok(cost_count(&schedule_optimal, state, &input, &cost));
        schedule_optimal.free(state);
        comm_grid_free(&grid);
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
    problem_make(&x, ndims, along);
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

/* ---- the communication grid -------------------------------------------------------- */

/* The view of an array of one period of each dimension, on one side. */
static redist_view view_of(const struct problem *x, redist_side side, redist_dist **dist)
{
    int64_t extents[MAX_NDIMS];
    redist_format formats[MAX_NDIMS];
    int shape[MAX_NDIMS];
    redist_grid *grid = NULL;
    redist_view view;
    for (int j = 0; j < x->ndims; j++) {
        const struct along *along = &x->along[j];
        extents[j] = x->dim[j].length * x->dim[j].d;
        formats[j] = redist_cyclic(side == REDIST_SOURCE ? along->r : along->s);
        shape[j] = side == REDIST_SOURCE ? along->P : along->Q;
    }
    ok(redist_grid_create(x->ndims, shape, REDIST_ROW_MAJOR, NULL, &grid));
    ok(redist_dist_create(x->ndims, extents, formats, grid, dist));
    ok(redist_view_init(*dist, &view));
    redist_grid_destroy(&grid);
    return view;
}

static void check_grid(int ndims, const struct along along[])
{
    struct problem x;
    redist_dist *dist[SIDES];
    struct comm_grid real;
    int64_t unit = 1;
    problem_make(&x, ndims, along);
    redist_view source = view_of(&x, REDIST_SOURCE, &dist[0]);
    redist_view target = view_of(&x, REDIST_TARGET, &dist[1]);
    ok(comm_grid_from_views(&source, &target, INT64_MAX, &real));
    for (int j = 0; j < ndims; j++) unit *= x.dim[j].d;
    assert_int_equal(x.grid.P, real.P);
    assert_int_equal(x.grid.Q, real.Q);
    assert_int_equal(x.grid.nedges, real.nedges);
    for (int64_t e = 0; e < real.nedges; e++) {
        assert_int_equal(x.grid.edge[e].p, real.edge[e].p);
        assert_int_equal(x.grid.edge[e].q, real.edge[e].q);
        assert_int_equal(x.grid.edge[e].weight * unit, real.edge[e].weight);
    }
    comm_grid_free(&real);
    redist_dist_destroy(&dist[0]);
    redist_dist_destroy(&dist[1]);
    problem_free(&x);
}

static void grids_are_those_of_arrays_of_one_period(void **unused)
{
    uint64_t seed = 6;
    for (int k = 0; k < 300; k++) {
        struct along along[3];
        int ndims = 1 + k % 3, most = ndims == 3 ? 4 : 6;
        for (int j = 0; j < ndims; j++)
            along[j] = (struct along){1 + below(&seed, most), 1 + below(&seed, most),
                                      1 + below(&seed, most), 1 + below(&seed, most)};
        check_grid(ndims, along);
    }
}

static void what_does_not_fit_is_refused(void **unused)
{
    struct classes dim[4];
    struct comm_grid grid;
    for (int j = 0; j < 4; j++) ok(classes_make(70000, 1, 1, 1, &dim[j]));
    assert_true(dims_fit(1, dim));
    assert_false(dims_fit(2, dim)); /* too many processes */
    assert_int_equal(comm_grid_from_dims(2, dim, NULL, INT64_MAX, &grid), REDIST_ERR_ARG);
    for (int j = 0; j < 4; j++) ok(classes_make(2, 70000, 2, 69999, &dim[j]));
    assert_true(dims_fit(1, dim));
    assert_false(dims_fit(2, dim)); /* too many elements */
    assert_int_equal(comm_grid_from_dims(2, dim, NULL, INT64_MAX, &grid), REDIST_ERR_ARG);
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
    problem_make(&x, 2, along);
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
        problem_make(&x, 2, along);
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
    problem_make(&x, 2, along);
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

/* ---- large and broken -------------------------------------------------------------- */

static void lists_agree(const struct schedule_input *input,
                        const struct schedule_kind *kind)
{
    const char *why = NULL;
    void *state = NULL;
    if (!kind->applicable(input, &why)) fail_msg("%s: %s", kind->name, why);
    ok(kind->make(input, &state));
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < 5; i++) {
            struct own_list own = {0}, theirs = {0};
            int64_t n = dims_processes(input->ndims, input->dim, (redist_side)side);
            int64_t c = n / 5 * i + i;
            ok(kind->own(state, (redist_side)side, c, &own));
            assert_true(own.n > 0);
            for (int64_t k = 0; k < own.n; k++) {
                const struct own_message *m = &own.message[k];
                if (k > 0) assert_true(m->step > m[-1].step);
                if (k % (own.n / 4 + 1)) continue;
                theirs.n = 0;
                ok(kind->own(state, (redist_side)!side, m->partner, &theirs));
                int64_t at = 0;
                while (at < theirs.n && (theirs.message[at].step != m->step)) at++;
                assert_true(at < theirs.n);
                assert_int_equal(theirs.message[at].partner, c);
                assert_int_equal(theirs.message[at].weight, m->weight);
            }
            own_list_free(&own);
            own_list_free(&theirs);
        }
    kind->free(state);
}

static void own_lists_agree_among_many_processes(void **unused)
{
    struct classes dim[3];
    struct schedule_input input = {.ndims = 2, .dim = dim};
    ok(classes_make(20000, 3, 30000, 5, &dim[0]));
    ok(classes_make(30000, 2, 20000, 7, &dim[1]));
    lists_agree(&input, &schedule_product);
    lists_agree(&input, &schedule_combination);
    lists_agree(&input, &schedule_product_timeline);
    input.ndims = 3;
    ok(classes_make(1000, 3, 300, 4, &dim[0]));
    ok(classes_make(100, 2, 1000, 1, &dim[1]));
    ok(classes_make(40, 5, 60, 2, &dim[2]));
    lists_agree(&input, &schedule_product);
    lists_agree(&input, &schedule_combination);
}

static void failed_allocations_leave_nothing_behind(void **unused)
{
    static const struct along problems[][2] = {{{16, 1, 4, 1}, {4, 1, 16, 1}},
                                               {{3, 2, 2, 3}, {6, 2, 4, 3}},
                                               {{5, 4, 5, 3}, {6, 2, 6, 3}}};
    static const struct schedule_kind *const kinds[] = {
        &schedule_product, &schedule_combination, &schedule_product_timeline};
    for (int i = 0; i < 9; i++) {
        struct problem x;
        problem_make(&x, 2, problems[i / 3]);
        assert_true(schedule_starve(kinds[i % 3], &x.input) > 0);
        problem_free(&x);
    }
}

static redist_err make_grid(const void *given)
{
    struct comm_grid grid;
    redist_err err = comm_grid_from_dims(2, given, NULL, INT64_MAX, &grid);
    if (!err) comm_grid_free(&grid);
    return err;
}

static void grids_survive_a_lack_of_memory(void **unused)
{
    struct problem x;
    const struct along along[] = {{3, 2, 2, 3}, {2, 1, 3, 1}};
    problem_make(&x, 2, along);
    assert_true(each_allocation_fails_once(make_grid, x.dim) > 0);
    problem_free(&x);
}

/* Its dimensions cannot be coloured one by one, and its core has 89,600 pairs. */
static void large_cores_of_two_dimensions_have_the_fewest_steps(void **unused)
{
    const struct along along[] = {{32, 1, 25, 32}, {16, 28, 16, 32}};
    struct problem x;
    struct cost cost;
    void *state = NULL;
    problem_make(&x, 2, along);
    ok(schedule_combination.make(&x.input, &state));
    ok(cost_count(&schedule_combination, state, &x.input, &cost));
    assert_int_equal(cost.ns, cost.delta);
    schedule_combination.free(state);
    problem_free(&x);
}

static void what_cannot_be_had_is_said(void **unused)
{
    const char *why = NULL;
    struct classes dim[2];
    struct schedule_input input = {.ndims = 1, .dim = dim};
    ok(classes_make(16, 3, 16, 5, &dim[0]));
    static const struct schedule_kind *const kinds[] = {
        &schedule_product, &schedule_combination, &schedule_product_timeline};
    for (int i = 0; i < 3; i++) {
        assert_false(kinds[i]->applicable(&input, &why));
        assert_string_equal(why, "needs several dimensions, regular on both sides");
    }
    static const struct schedule_kind *const single[] = {
        &schedule_optimal,           &schedule_timeline,    &schedule_guo_pan_1,
        &schedule_guo_pan_2,         &schedule_walker_otto, &schedule_walker_otto_b,
        &schedule_guo_pan_2_diagonal};
    dim[1] = dim[0];
    input.ndims = 2;
    for (int i = 0; i < 7; i++) {
        why = NULL;
        assert_false(single[i]->applicable(&input, &why));
        assert_non_null(strstr(why, "one whole dimension"));
    }
    ok(classes_make(1025, 1024, 1024, 1025, &dim[0]));
    ok(classes_make(1025, 1024, 1024, 1025, &dim[1]));
    assert_false(schedule_product_timeline.applicable(&input, &why));
    assert_non_null(strstr(why, "more than 2^20"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_those_of_arrays_of_one_period),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(small_problems_of_two_dimensions),
        cmocka_unit_test(random_problems_of_up_to_four_dimensions),
        cmocka_unit_test(product_loses_fourfold_and_combination_nothing),
        cmocka_unit_test(combination_takes_the_cheapest_way),
        cmocka_unit_test(pieces_join_to_whole_messages_in_order),
        cmocka_unit_test(own_lists_agree_among_many_processes),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(grids_survive_a_lack_of_memory),
        cmocka_unit_test(large_cores_of_two_dimensions_have_the_fewest_steps),
        cmocka_unit_test(what_cannot_be_had_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
