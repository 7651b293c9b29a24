/* SPDX-License-Identifier: MIT
 *
 * The schedules without barriers. Who sends what to whom, and in how many runs, is
 * counted here element by element; that no process is at two messages at a time is
 * checked instant by instant. REDIST_TEST_LONG=1 widens the sweeps.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "unit/schedule/grid_cost.h"

#include "base/error.h"
#include "base/intmath.h"
#include "long.h"
#include "oracle.h"
#include "schedule/core/kinds.h"
#include "schedule/model/cost.h"
#include "schedule_problem.h"
#include "unit/starve.h"

/* ---- an instance, by hand ---------------------------------------------------------- */

enum { MAX_PROCS = 16 };

struct instance {
    int64_t P, r, Q, s;
    struct classes classes;
    struct comm_grid grid;
    struct schedule_input input;
    int64_t weight[MAX_PROCS][MAX_PROCS], runs[MAX_PROCS][MAX_PROCS];
};

static struct instance instance_make(int64_t P, int64_t r, int64_t Q, int64_t s)
{
    struct instance x = {.P = P, .r = r, .Q = Q, .s = s};
    ok(classes_make(P, r, Q, s, &x.classes));
    ok(comm_grid_from_classes(&x.classes, NULL, &x.grid));
    for (int64_t i = 0; i < x.classes.length; i++) {
        int64_t p = i / x.classes.r % P, q = i / x.classes.s % Q;
        x.weight[p][q]++;
        if (i % x.classes.r == 0 || i % x.classes.s == 0) x.runs[p][q]++;
    }
    return x;
}

/* Make a schedule of an instance; its input must not move afterwards. */
static void *instance_schedule(struct instance *x, const struct schedule_kind *kind)
{
    void *state = NULL;
    const char *why = NULL;
    x->input = (struct schedule_input){.ndims = 1, .dim = &x->classes, .grid = &x->grid};
    assert_true(kind->applicable(&x->input, &why));
    ok(kind->make(&x->input, &state));
    return state;
}

/* Check the own list of one process against the counts; returns when it ends. A run is
 * one piece, but for the one in progress at W, which goes on at 0. */
static int64_t check_instants(const struct instance *x, const struct schedule_kind *kind,
                              const void *state, redist_side side, int64_t c,
                              bool whole_runs)
{
    int64_t n = side == REDIST_SOURCE ? x->Q : x->P, end = 0, runs = 0;
    int64_t weight[MAX_PROCS] = {0};
    struct own_list own = {0};
    ok(kind->own(state, side, c, &own));
    bool *busy = calloc((size_t)x->classes.length + 1, sizeof *busy);
    for (int64_t k = 0; k < own.n; k++) {
        const struct own_message *piece = &own.message[k];
        weight[piece->partner] += piece->weight;
        for (int64_t t = piece->step; t < piece->step + piece->weight; t++) {
            assert_true(t >= 0 && t < x->classes.length);
            if (busy[t]) fail_msg("process %d is at two messages at %d", (int)c, (int)t);
            busy[t] = true;
            end = int_max(end, t + 1);
        }
    }
    for (int64_t other = 0; other < n; other++) {
        bool sends = side == REDIST_SOURCE;
        assert_int_equal(weight[other],
                         sends ? x->weight[c][other] : x->weight[other][c]);
        runs += sends ? x->runs[c][other] : x->runs[other][c];
    }
    if (whole_runs) assert_true(own.n == runs || own.n == runs + 1);
    free(busy);
    own_list_free(&own);
    return end;
}

/* The makespan of one schedule of P, r, Q, s, checked instant by instant and by cost.h,
 * and how often it cuts a run (in closed form) or a message (elsewhere). */
static int64_t makespan(int64_t P, int64_t r, int64_t Q, int64_t s,
                        const struct schedule_kind *kind, int64_t *W, int64_t *cuts)
{
    struct instance x = instance_make(P, r, Q, s);
    void *state = instance_schedule(&x, kind);
    bool whole_runs = kind == &schedule_timeline && timeline_applies(&x.classes) &&
                      !classes_are_alike(&x.classes);
    int64_t end = 0;
    for (int64_t p = 0; p < P; p++)
        end = int_max(end, check_instants(&x, kind, state, REDIST_SOURCE, p, whole_runs));
    for (int64_t q = 0; q < Q; q++)
        end = int_max(end, check_instants(&x, kind, state, REDIST_TARGET, q, whole_runs));
    struct cost cost;
    ok(cost_count(kind, state, &x.input, &cost));
    assert_int_equal(cost.tc, end);
    assert_int_equal(cost.w, x.classes.least);
    *W = cost.w;
    *cuts = 0;
    struct own_list own = {0};
    for (int64_t p = 0; p < P; p++) {
        ok(kind->own(state, REDIST_SOURCE, p, &own));
        for (int64_t q = 0; q < Q; q++)
            *cuts -= whole_runs ? x.runs[p][q] : x.runs[p][q] > 0;
        *cuts += own.n;
        own.n = 0;
    }
    own_list_free(&own);
    kind->free(state);
    comm_grid_free(&x.grid);
    return end;
}

/* ---- timeline ---------------------------------------------------------------------- */

static void timeline_ends_at_w_wherever_it_applies(void **unused)
{
    int64_t procs = long_run() ? 12 : 8, blocks = long_run() ? 10 : 7;
    int64_t n = 0, closed = 0, listed = 0, whole = 0;
    for (int64_t P = 1; P <= procs; P++)
        for (int64_t Q = 1; Q <= procs; Q++)
            for (int64_t r = 1; r <= blocks; r++)
                for (int64_t s = 1; s <= blocks; s++) {
                    int64_t W = 0, cuts = 0;
                    struct classes k;
                    ok(classes_make(P, r, Q, s, &k));
                    int64_t end = makespan(P, r, Q, s, &schedule_timeline, &W, &cuts);
                    if (P % Q == 0 || Q % P == 0) assert_true(timeline_applies(&k));
                    if (timeline_applies(&k)) assert_int_equal(end, W);
                    assert_true(end < 2 * W);
                    n++;
                    closed += timeline_applies(&k);
                    listed += !timeline_applies(&k) && end == W;
                    whole += end == W && cuts == 0;
                }
    print_message("timeline: of %d instances %d in closed form, %d more listed at W; "
                  "%d at W without a cut round W\n",
                  (int)n, (int)closed, (int)listed, (int)whole);
}

static void timeline_applies_to_nine_in_ten_of_unequal_process_counts(void **unused)
{
    int64_t n = 0, applies = 0;
    for (int64_t P = 1; P <= 16; P++)
        for (int64_t Q = 1; Q <= 16; Q++)
            for (int64_t r = 1; r <= 12; r++)
                for (int64_t s = 1; s <= 12; s++) {
                    if (int_gcd(r, s) > 1) continue;
                    struct classes k;
                    ok(classes_make(P, r, Q, s, &k));
                    if (P == Q) assert_true(timeline_applies(&k));
                    n += P != Q;
                    applies += P != Q && timeline_applies(&k);
                }
    print_message("timeline: closed form for %d of %d with P != Q\n", (int)applies,
                  (int)n);
    assert_true(10 * applies >= 9 * n);
}

static int64_t random_smooth(uint64_t *seed, int64_t most)
{
    for (;;) {
        int64_t n = random_in(seed, 1, most), left = n;
        for (int64_t l = 2; l <= 5; l++)
            while (left % l == 0) left /= l;
        if (left == 1) return n;
    }
}

/* Sizes as machines and programs have them: 2^i 3^j 5^k. */
static void timeline_is_local_at_practical_sizes(void **unused)
{
    int cases = long_run() ? 1000 : 100, closed = 0, at_w = 0;
    double sum = 0, worst = 0;
    uint64_t seed = 1;
    for (int n = 0; n < cases; n++) {
        int64_t P = random_smooth(&seed, 256), Q = random_smooth(&seed, 256);
        int64_t r = random_smooth(&seed, 64), s = random_smooth(&seed, 64);
        struct problem x;
        struct cost cost;
        problem_make(&x, (int)P, (int)r, (int)Q, (int)s);
        assert_true(timeline_applies(&x.classes) || classes_core_is_small(&x.classes));
        assert_true(problem_count(&x, &schedule_timeline, &cost));
        assert_true(cost.tc < 2 * cost.w);
        closed += timeline_applies(&x.classes);
        at_w += cost.tc == cost.w;
        sum += (double)cost.tc / (double)cost.w;
        worst = fmax(worst, (double)cost.tc / (double)cost.w);
        problem_free(&x);
    }
    print_message("timeline: of %d at random, P, Q <= 256, r, s <= 64, with no prime "
                  "above 5: %d in closed form, %d at W; TC/W %.4f, worst %.4f\n",
                  cases, closed, at_w, sum / cases, worst);
}

/* Both ends of every message that two far-apart processes have, from their own lists
 * alone: the grid would be far too large. */
static void timeline_agrees_at_both_ends_at_any_size(void **unused)
{
    static const int64_t cases[][4] = {
        {1000000, 3, 1000000, 5},       {720720, 64, 720720, 63},
        {1000000, 3, 500000, 5},        {999999, 16, 333333, 9},
        {500000, 7, 1500000, 10},       {1 << 20, 12, 1 << 18, 35},
        {2147483647, 6, 2147483647, 35}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *c = cases[i];
        struct classes k;
        const char *why = NULL;
        void *state = NULL;
        ok(classes_make(c[0], c[1], c[2], c[3], &k));
        struct schedule_input input = {.ndims = 1, .dim = &k};
        assert_true(schedule_timeline.applicable(&input, &why));
        ok(schedule_timeline.make(&input, &state));
        struct own_list sends = {0}, receives = {0};
        ok(schedule_timeline.own(state, REDIST_SOURCE, c[0] - 2, &sends));
        int64_t sent = 0;
        for (int64_t m = 0; m < sends.n; m++) {
            const struct own_message *message = &sends.message[m];
            sent += message->weight;
            if (m > 0)
                assert_true(message->step >= message[-1].step + message[-1].weight);
            receives.n = 0;
            ok(schedule_timeline.own(state, REDIST_TARGET, message->partner, &receives));
            int64_t found = 0;
            for (int64_t j = 0; j < receives.n; j++)
                found += receives.message[j].partner == c[0] - 2 &&
                         receives.message[j].step == message->step &&
                         receives.message[j].weight == message->weight;
            assert_int_equal(found, 1);
        }
        assert_int_equal(sent, k.length / k.P);
        own_list_free(&sends);
        own_list_free(&receives);
        schedule_timeline.free(state);
    }
}

/* The reference instances: where W lies, and that it is reached. */
static void timeline_reaches_the_reference_values(void **unused)
{
    static const int64_t reference[][5] = {
        {16, 3, 16, 5, 15}, {16, 7, 16, 11, 77}, {15, 3, 15, 5, 15},  {12, 4, 8, 3, 6},
        {5, 4, 5, 3, 12},   {6, 2, 6, 3, 6},     {16, 1, 16, 12, 12}, {3, 2, 2, 3, 3},
        {15, 2, 6, 3, 15},  {10, 3, 14, 5, 21},  {12, 3, 12, 8, 24}};
    for (size_t i = 0; i < sizeof reference / sizeof *reference; i++) {
        const int64_t *c = reference[i];
        int64_t W = 0, cuts = 0;
        int64_t end = makespan(c[0], c[1], c[2], c[3], &schedule_timeline, &W, &cuts);
        assert_int_equal(W, c[4]);
        assert_int_equal(end, c[4]);
    }
}

static void timeline_says_where_it_is_the_list_schedule(void **unused)
{
    struct instance x = instance_make(3, 2, 2, 3);
    void *state = instance_schedule(&x, &schedule_timeline);
    assert_non_null(schedule_timeline.note(state));
    schedule_timeline.free(state);
    const char *why = NULL;
    x.input.grid = NULL; /* the core is small */
    assert_true(schedule_timeline.applicable(&x.input, &why));
    struct classes large;
    ok(classes_make(3003, 2018, 2026, 3, &large));
    assert_false(timeline_applies(&large));
    x.input.dim = &large;
    assert_false(schedule_timeline.applicable(&x.input, &why));
    assert_non_null(why);
    x.input = (struct schedule_input){.grid = &x.grid}; /* as of any other array */
    state = instance_schedule(&x, &schedule_timeline);
    assert_non_null(schedule_timeline.note(state));
    schedule_timeline.free(state);
    x.input.ndims = 2;
    assert_false(schedule_timeline.applicable(&x.input, &why));
    comm_grid_free(&x.grid);

    x = instance_make(4, 3, 4, 5);
    state = instance_schedule(&x, &schedule_timeline);
    assert_null(schedule_timeline.note(state));
    schedule_timeline.free(state);
    comm_grid_free(&x.grid);
}

/* ---- any grid ---------------------------------------------------------------------- */

static struct comm_grid random_grid(uint64_t *seed)
{
    int P = (int)random_in(seed, 1, 12), Q = (int)random_in(seed, 1, 12);
    int64_t density = random_in(seed, 1, 10), longest = random_in(seed, 1, 50), n = 0;
    struct edge edge[144];
    for (int p = 0; p < P; p++)
        for (int q = 0; q < Q; q++)
            if (random_in(seed, 1, 10) <= density)
                edge[n++] = (struct edge){p, q, random_in(seed, 1, longest)};
    struct comm_grid grid;
    ok(comm_grid_from_edges(P, Q, n, edge, &grid));
    return grid;
}

static void dense_ends_before_twice_the_bound(void **unused)
{
    uint64_t seed = 20240229;
    int64_t n = long_run() ? 20000 : 400, at_w = 0;
    for (int64_t i = 0; i < n; i++) {
        struct comm_grid grid = random_grid(&seed);
        int64_t pieces = 0;
        struct cost cost = count(&schedule_dense, &grid, &pieces);
        assert_int_equal(pieces, grid.nedges);
        if (grid.nedges > 0) assert_true(cost.tc >= cost.w && cost.tc < 2 * cost.w);
        at_w += cost.tc == cost.w;
        comm_grid_free(&grid);
    }
    print_message("dense: %d of %d random grids end at W\n", (int)at_w, (int)n);
}

static void preemptive_ends_at_w_on_any_grid(void **unused)
{
    uint64_t seed = 577215664;
    int64_t n = long_run() ? 20000 : 400, messages = 0, extra = 0;
    for (int64_t i = 0; i < n; i++) {
        struct comm_grid grid = random_grid(&seed);
        int64_t pieces = 0;
        struct cost cost = count(&schedule_preemptive, &grid, &pieces);
        assert_int_equal(cost.tc, cost.w);
        messages += grid.nedges;
        extra += pieces - grid.nedges;
        comm_grid_free(&grid);
    }
    print_message("preemptive: %d messages in %d pieces\n", (int)messages,
                  (int)(messages + extra));
}

/* Where the closed form ends, cutting messages always reaches W. */
static void preemptive_ends_at_w_where_timeline_has_no_closed_form(void **unused)
{
    int64_t procs = long_run() ? 12 : 8, n = 0, listed = 0, extra = 0;
    for (int64_t P = 1; P <= procs; P++)
        for (int64_t Q = 1; Q <= procs; Q++)
            for (int64_t r = 1; r <= 9; r++)
                for (int64_t s = 1; s <= 9; s++) {
                    struct classes k;
                    int64_t W = 0, more = 0;
                    ok(classes_make(P, r, Q, s, &k));
                    if (timeline_applies(&k) || int_gcd(r, s) > 1) continue;
                    n++;
                    listed += makespan(P, r, Q, s, &schedule_dense, &W, &more) == W;
                    int64_t end = makespan(P, r, Q, s, &schedule_preemptive, &W, &more);
                    assert_int_equal(end, W);
                    extra += more;
                }
    print_message("no closed form: %d instances, %d listed at W whole; all at W with %d "
                  "cuts\n",
                  (int)n, (int)listed, (int)extra);
}

/* ---- memory ------------------------------------------------------------------------ */

static void running_out_of_memory_anywhere_leaks_nothing(void **unused)
{
    static const struct schedule_kind *const kinds[] = {
        &schedule_timeline, &schedule_dense, &schedule_preemptive};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct instance x = instance_make(3, 2, 2, 3);
        x.input = (struct schedule_input){.ndims = 1, .dim = &x.classes, .grid = &x.grid};
        assert_true(schedule_starve(kinds[i], &x.input) > 0);
        comm_grid_free(&x.grid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeline_ends_at_w_wherever_it_applies),
        cmocka_unit_test(timeline_applies_to_nine_in_ten_of_unequal_process_counts),
        cmocka_unit_test(timeline_is_local_at_practical_sizes),
        cmocka_unit_test(timeline_agrees_at_both_ends_at_any_size),
        cmocka_unit_test(timeline_reaches_the_reference_values),
        cmocka_unit_test(timeline_says_where_it_is_the_list_schedule),
        cmocka_unit_test(dense_ends_before_twice_the_bound),
        cmocka_unit_test(preemptive_ends_at_w_on_any_grid),
        cmocka_unit_test(preemptive_ends_at_w_where_timeline_has_no_closed_form),
        cmocka_unit_test(running_out_of_memory_anywhere_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
