/* SPDX-License-Identifier: MIT
 *
 * Classes and communication grids against a count of the elements of one period, for
 * all small parameters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/core/grid.h"
#include "schedule/problem/periods.h"
#include "unit/starve.h"

enum { MAX_PROCS = 12, MAX_BLOCK = 10 };

/* The communication grid of cyclic(r) onto P -> cyclic(s) onto Q, element by element. */
struct counted {
    int P, r, Q, s;
    int64_t period, messages;
    int64_t elements[MAX_PROCS][MAX_PROCS];
};

static void count_elements(int P, int r, int Q, int s, struct counted *counted)
{
    *counted = (struct counted){.P = P, .r = r, .Q = Q, .s = s};
    int at_p = 0, at_q = 0, p = 0, q = 0;
    do {
        if (counted->elements[p][q]++ == 0) counted->messages++;
        counted->period++;
        if (++at_p == r) at_p = 0, p = (p + 1) % P;
        if (++at_q == s) at_q = 0, q = (q + 1) % Q;
    } while (at_p || at_q || p || q);
}

static void for_all_small_problems(void (*check)(const struct counted *counted))
{
    static struct counted counted;
    for (int P = 1; P <= MAX_PROCS; P++)
        for (int Q = 1; Q <= MAX_PROCS; Q++)
            for (int r = 1; r <= MAX_BLOCK; r++)
                for (int s = 1; s <= MAX_BLOCK; s++) {
                    count_elements(P, r, Q, s, &counted);
                    check(&counted);
                }
}

static struct classes classes_of(const struct counted *c)
{
    struct classes k;
    ok(classes_make(c->P, c->r, c->Q, c->s, &k));
    return k;
}

static bool has_messages(const struct classes *k, int64_t z)
{
    return int_mod(z - k->first, k->g) < k->n;
}

static void check_weights(const struct counted *c)
{
    struct classes k = classes_of(c);
    assert_int_equal(k.length * k.d, c->period);
    assert_int_equal(k.least, k.length / (c->P < c->Q ? c->P : c->Q));
    int64_t ends_at = 0; /* W: the most of a process */
    for (int p = 0; p < c->P; p++)
        for (int q = 0; q < c->Q; q++) {
            int64_t z = p * k.r - q * k.s;
            assert_int_equal(c->elements[p][q] > 0, has_messages(&k, z));
            assert_int_equal(classes_weight(&k, z) * k.d, c->elements[p][q]);
        }
    for (int p = 0; p < c->P; p++) {
        int64_t sum = 0;
        for (int q = 0; q < c->Q; q++) sum += c->elements[p][q];
        ends_at = int_max(ends_at, sum);
    }
    for (int q = 0; q < c->Q; q++) {
        int64_t sum = 0;
        for (int p = 0; p < c->P; p++) sum += c->elements[p][q];
        ends_at = int_max(ends_at, sum);
    }
    assert_int_equal(k.least * k.d, ends_at);
}

static void class_fixes_the_length_of_a_message(void **unused)
{
    for_all_small_problems(check_weights);
}

/* Walk the partners of every coordinate of a side; mark the messages. */
static void check_partners_of(const struct counted *c, redist_side side)
{
    struct classes k = classes_of(c);
    bool source = side == REDIST_SOURCE, met[MAX_PROCS][MAX_PROCS] = {{false}};
    int64_t messages = 0, next_class = source ? k.u : k.t;
    int64_t copies = source ? k.b : k.a, next_copy = k.g / next_class;
    for (int own = 0; own < (source ? c->P : c->Q); own++) {
        int64_t z = classes_first_of(&k, side, own);
        assert_in_range(z - k.first, 0, next_class - 1);
        for (; z < k.first + k.n; z += next_class) {
            int64_t partner = classes_partner(&k, side, own, z);
            assert_in_range(partner, 0, next_copy - 1);
            for (int64_t copy = 0; copy < copies; copy++, partner += next_copy) {
                int64_t p = source ? own : partner, q = source ? partner : own;
                assert_int_equal(int_mod(p * k.r - q * k.s - z, k.g), 0);
                assert_true(c->elements[p][q] > 0);
                assert_false(met[p][q]);
                met[p][q] = true;
                messages++;
                assert_int_equal(classes_copy(&k, 1 - side, partner), copy);
            }
        }
    }
    assert_int_equal(messages, c->messages);
}

static void check_partners(const struct counted *c)
{
    struct classes k = classes_of(c);
    assert_int_equal(k.a * (k.g / k.t), c->P);
    assert_int_equal(k.b * (k.g / k.u), c->Q);
    check_partners_of(c, REDIST_SOURCE);
    check_partners_of(c, REDIST_TARGET);
}

static void partners_of_both_sides_are_the_messages(void **unused)
{
    for_all_small_problems(check_partners);
}

/* SB from the table: sort each row and column descending, take the maxima by position. */
static int64_t step_bound(const struct counted *c)
{
    int64_t largest[MAX_PROCS] = {0}, bound = 0;
    for (int node = 0; node < c->P + c->Q; node++) {
        int n = node < c->P ? c->Q : c->P;
        int64_t sorted[MAX_PROCS];
        for (int k = 0; k < n; k++) {
            int64_t w = node < c->P ? c->elements[node][k] : c->elements[k][node - c->P];
            int at = k;
            for (; at > 0 && sorted[at - 1] < w; at--) sorted[at] = sorted[at - 1];
            sorted[at] = w;
        }
        for (int k = 0; k < n; k++) largest[k] = int_max(largest[k], sorted[k]);
    }
    for (int k = 0; k < MAX_PROCS; k++) bound += largest[k];
    return bound;
}

static void check_index(const struct comm_grid *grid)
{
    assert_int_equal(grid->by_source[0], 0);
    assert_int_equal(grid->by_source[grid->P], grid->nedges);
    for (int p = 0; p < grid->P; p++)
        for (int64_t e = grid->by_source[p]; e < grid->by_source[p + 1]; e++) {
            assert_int_equal(grid->edge[e].p, p);
            if (e > grid->by_source[p])
                assert_true(grid->edge[e].q > grid->edge[e - 1].q);
        }
    assert_int_equal(grid->by_target[0], 0);
    assert_int_equal(grid->by_target[grid->Q], grid->nedges);
    for (int q = 0; q < grid->Q; q++)
        for (int64_t k = grid->by_target[q]; k < grid->by_target[q + 1]; k++) {
            const struct edge *edge = &grid->edge[grid->target_edge[k]];
            assert_int_equal(edge->q, q);
            if (k > grid->by_target[q])
                assert_true(edge->p > grid->edge[grid->target_edge[k - 1]].p);
        }
}

static void check_grid(const struct counted *c)
{
    struct classes k = classes_of(c);
    struct comm_grid grid;
    ok(comm_grid_from_classes(&k, NULL, &grid));
    assert_int_equal(grid.P, c->P);
    assert_int_equal(grid.Q, c->Q);
    assert_int_equal(grid.nedges, c->messages);
    check_index(&grid);
    int64_t degree[2 * MAX_PROCS] = {0}, most = 0, bound = 0;
    for (int64_t e = 0; e < grid.nedges; e++) {
        const struct edge *edge = &grid.edge[e];
        assert_int_equal(edge->weight * k.d, c->elements[edge->p][edge->q]);
        most = int_max(most, ++degree[edge->p]);
        most = int_max(most, ++degree[MAX_PROCS + edge->q]);
    }
    assert_int_equal(grid.degree, most);
    assert_int_equal(grid.load, k.least);
    ok(comm_grid_step_bound(&grid, &bound));
    assert_int_equal(bound * k.d, step_bound(c));
    comm_grid_free(&grid);
}

static void grid_of_classes_is_the_count(void **unused)
{
    for_all_small_problems(check_grid);
}

static void grid_of_two_dimensions_is_their_product(void **unused)
{
    redist_dist *dist[2];
    redist_view view[2];
    ok(redist_dist_parse("[4,6] (cyclic(1),block) onto 2x3", &dist[0]));
    ok(redist_dist_parse("[4,6] (block,*) onto 4 ranks 3:6", &dist[1]));
    for (int k = 0; k < 2; k++) ok(redist_view_init(dist[k], &view[k]));
    struct comm_grid grid;
    ok(comm_grid_from_views(&view[0], &view[1], INT64_MAX, &grid));
    assert_int_equal(grid.P, 6);
    assert_int_equal(grid.Q, 4);
    assert_int_equal(grid.nedges, 12);
    for (int64_t e = 0; e < grid.nedges; e++) { /* row q is of grid rows q mod 2 */
        assert_int_equal(grid.edge[e].p / 3, grid.edge[e].q % 2);
        assert_int_equal(grid.edge[e].weight, 2);
    }
    comm_grid_free(&grid);
    for (int k = 0; k < 2; k++) redist_dist_destroy(&dist[k]);
}

/* Far beyond what can be counted, both sides must still name each other. */
static void large_problems_agree_on_both_sides(void **unused)
{
    static const int64_t problem[][4] = {{1000000, 3, 1000000, 5},
                                         {720720, 64, 720720, 63},
                                         {1 << 20, 15, 3 << 18, 1 << 10},
                                         {2147483647, 3, 65536, 35},
                                         {INT64_C(1) << 40, 9, 510510, 14}};
    for (size_t n = 0; n < sizeof problem / sizeof problem[0]; n++) {
        const int64_t *x = problem[n];
        struct classes k;
        ok(classes_make(x[0], x[1], x[2], x[3], &k));
        for (int64_t p = 0; p < k.P; p += k.P / 7) {
            int64_t z = classes_first_of(&k, REDIST_SOURCE, p), last = k.first + k.n;
            for (; z < last; z += k.u) {
                int64_t q =
                    classes_partner(&k, REDIST_SOURCE, p, z) + (k.b - 1) * (k.g / k.u);
                assert_in_range(q, 0, k.Q - 1);
                int128 diagonal = (int128)p * k.r - (int128)q * k.s;
                assert_true((diagonal - z) % k.g == 0);
                int64_t of_q = classes_first_of(&k, REDIST_TARGET, q);
                assert_int_equal(int_mod(z - of_q, k.t), 0);
                int64_t A = classes_copy(&k, REDIST_SOURCE, p);
                assert_int_equal(
                    classes_partner(&k, REDIST_TARGET, q, z) + A * (k.g / k.t), p);
            }
        }
    }
}

static void period_beyond_64_bits_is_an_error(void **unused)
{
    struct classes k;
    int64_t huge = INT64_MAX / 2;
    assert_int_equal(classes_make(huge, 3, 1, 1, &k), REDIST_ERR_ARG);
    assert_non_null(strstr(redist_error_message(), "exceeds 2^63"));
    assert_int_equal(classes_make(1, 1, 5, huge, &k), REDIST_ERR_ARG);
    assert_int_equal(classes_make(huge, 1, huge - 1, 1, &k), REDIST_ERR_ARG);
    ok(classes_make(huge, 1, huge, 1, &k));
}

static void more_processes_than_ranks_are_no_grid(void **unused)
{
    struct classes k;
    struct comm_grid grid;
    ok(classes_make(INT64_C(1) << 31, 1, 4, 1, &k));
    assert_int_equal(comm_grid_from_classes(&k, NULL, &grid), REDIST_ERR_ARG);
    assert_non_null(strstr(redist_error_message(), "2147483647"));
}

static void bad_edges_are_errors(void **unused)
{
    static const struct {
        struct edge edge;
        const char *message;
    } bad[] = {
        {{-1, 0, 1}, "(-1,0) lies outside the 3 x 2 grid"},
        {{3, 0, 1}, "(3,0) lies outside the 3 x 2 grid"},
        {{0, -1, 1}, "(0,-1) lies outside the 3 x 2 grid"},
        {{0, 2, 1}, "(0,2) lies outside the 3 x 2 grid"},
        {{1, 1, 0}, "(1,1) has length 0, must be >= 1"},
        {{1, 1, -7}, "(1,1) has length -7, must be >= 1"},
        {{2, 0, 4}, "(2,0) is given twice"},
        {{1, 1, GRID_MOST_WEIGHT - 5}, "sum to more than 2305843009213693951"},
        {{1, 1, INT64_MAX}, "sum to more than 2305843009213693951"},
    };
    int64_t live = mem_live_blocks();
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct edge edge[3] = {{2, 0, 1}, bad[k].edge, {0, 0, 5}};
        struct comm_grid grid;
        assert_int_equal(comm_grid_from_edges(3, 2, 3, edge, &grid), REDIST_ERR_ARG);
        assert_non_null(strstr(redist_error_message(), bad[k].message));
        assert_int_equal(mem_live_blocks(), live);
    }
}

static void edges_come_in_any_order(void **unused)
{
    static const struct edge edge[] = {{2, 1, 3}, {0, 0, 5}, {2, 0, 1}, {0, 1, 4}};
    struct comm_grid grid;
    ok(comm_grid_from_edges(3, 2, 4, edge, &grid));
    check_index(&grid);
    assert_int_equal(grid.edge[0].weight, 5);
    assert_int_equal(grid.edge[3].weight, 3);
    assert_int_equal(grid.by_source[1], grid.by_source[2]); /* process 1 is idle */
    assert_int_equal(grid.degree, 2);
    assert_int_equal(grid.load, 9);
    int64_t bound = 0;
    ok(comm_grid_step_bound(&grid, &bound));
    assert_int_equal(bound, 5 + 4);
    comm_grid_free(&grid);
    ok(comm_grid_from_edges(3, 2, 0, NULL, &grid));
    assert_int_equal(grid.nedges, 0);
    ok(comm_grid_step_bound(&grid, &bound));
    assert_int_equal(bound, 0);
    comm_grid_free(&grid);
}

/* The grid of `classes`, or else of views, and its bound. */
static redist_err make_grid(const void *classes, const redist_view *view)
{
    struct comm_grid grid;
    int64_t bound = 0;
    redist_err err = classes ? comm_grid_from_classes(classes, NULL, &grid)
                             : comm_grid_from_views(&view[0], &view[1], INT64_MAX, &grid);
    if (err) return err;
    err = comm_grid_step_bound(&grid, &bound);
    comm_grid_free(&grid);
    return err;
}

static redist_err grid_of_classes(const void *given) { return make_grid(given, NULL); }

static redist_err grid_of_views(const void *given) { return make_grid(NULL, given); }

static void grids_survive_a_lack_of_memory(void **unused)
{
    struct classes k;
    redist_dist *dist[2];
    redist_view view[2];
    ok(redist_view_parse("[60] (cyclic(3)) onto 4 ranks 3:0:-1", &dist[0], &view[0]));
    ok(redist_view_parse("[60] (cyclic(5)) onto 3 ranks 4:2:-1", &dist[1], &view[1]));
    ok(classes_make(4, 3, 3, 5, &k));
    assert_true(each_allocation_fails_once(grid_of_classes, &k) > 0);
    assert_true(each_allocation_fails_once(grid_of_views, view) > 0);
    for (int side = 0; side < 2; side++) redist_dist_destroy(&dist[side]);
}

static void an_array_of_periods_near_64_bits_is_bounded(void **unused)
{
    const int64_t half = (INT64_C(1) << 62) + 1;
    struct classes k;
    ok(classes_make(2, 2, 2, 3, &k));
    const struct periods few = {.whole = 1, .rest = 2};
    assert_int_equal(periods_stretch(&k, &few), 2);
    assert_int_equal(periods_runs(&k, &few), 2);
    ok(classes_make(1, half, 1, half, &k));
    const struct periods long_one = {.whole = 1, .rest = half - 3};
    assert_true(periods_stretch(&k, &long_one) == INT64_MAX);
    ok(classes_make(2, 1, 3, 1, &k));
    const struct periods long_rest = {.rest = INT64_MAX};
    assert_true(periods_runs(&k, &long_rest) == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(class_fixes_the_length_of_a_message),
        cmocka_unit_test(partners_of_both_sides_are_the_messages),
        cmocka_unit_test(grid_of_classes_is_the_count),
        cmocka_unit_test(grid_of_two_dimensions_is_their_product),
        cmocka_unit_test(large_problems_agree_on_both_sides),
        cmocka_unit_test(period_beyond_64_bits_is_an_error),
        cmocka_unit_test(an_array_of_periods_near_64_bits_is_bounded),
        cmocka_unit_test(more_processes_than_ranks_are_no_grid),
        cmocka_unit_test(bad_edges_are_errors),
        cmocka_unit_test(edges_come_in_any_order),
        cmocka_unit_test(grids_survive_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
