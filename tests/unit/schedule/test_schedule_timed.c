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

#include "base/intmath.h"
#include "long.h"
#include "oracle.h"
#include "schedule/core/kinds.h"
#include "schedule/model/cost.h"
#include "schedule_problem.h"

/* ---- an instance, by hand ---------------------------------------------------------- */

enum { MAX_PROCS = 16 };

struct instance {
    struct problem problem;
    int64_t weight[MAX_PROCS][MAX_PROCS], runs[MAX_PROCS][MAX_PROCS];
};

/* The schedule's input points into it, so it must not move. */
static void instance_make(struct instance *x, int P, int r, int Q, int s)
{
    *x = (struct instance){.problem = {0}};
    problem_make(&x->problem, P, r, Q, s);
    const struct classes *k = &x->problem.dim[0];
    for (int64_t i = 0; i < k->length; i++) {
        int64_t p = i / k->r % P, q = i / k->s % Q;
        x->weight[p][q]++;
        if (i % k->r == 0 || i % k->s == 0) x->runs[p][q]++;
    }
}

/* Check the own list of one process against the counts; returns when it ends. A run is
 * one piece, but for the one in progress at W, which goes on at 0. */
static int64_t check_instants(const struct instance *x, const struct schedule_kind *kind,
                              const void *state, redist_side side, int64_t c,
                              bool whole_runs)
{
    const struct comm_grid *grid = &x->problem.grid;
    int64_t n = side == REDIST_SOURCE ? grid->Q : grid->P, end = 0, runs = 0;
    int64_t weight[MAX_PROCS] = {0};
    struct own_list own = {0};
    ok(kind->own(state, side, c, &own));
    int64_t length = x->problem.dim[0].length;
    bool *busy = calloc((size_t)length + 1, sizeof *busy);
    for (int64_t k = 0; k < own.n; k++) {
        const struct own_message *piece = &own.message[k];
        weight[piece->partner] += piece->weight;
        for (int64_t t = piece->step; t < piece->step + piece->weight; t++) {
            assert_true(t >= 0 && t < length);
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
static int64_t makespan(int P, int r, int Q, int s, const struct schedule_kind *kind,
                        int64_t *W, int64_t *cuts)
{
    struct instance x;
    instance_make(&x, P, r, Q, s);
    const struct classes *k = &x.problem.dim[0];
    void *state = NULL;
    ok(kind->make(&x.problem.input, &state));
    bool whole_runs =
        kind == &schedule_timeline && timeline_applies(k) && !classes_are_alike(k);
    int64_t end = 0;
    for (int64_t p = 0; p < P; p++)
        end = int_max(end, check_instants(&x, kind, state, REDIST_SOURCE, p, whole_runs));
    for (int64_t q = 0; q < Q; q++)
        end = int_max(end, check_instants(&x, kind, state, REDIST_TARGET, q, whole_runs));
    struct cost cost = count(&x.problem, kind);
    assert_int_equal(cost.tc, end);
    assert_int_equal(cost.w, k->least);
    *W = cost.w;
    *cuts = count_pieces(&x.problem, kind, state);
    for (int p = 0; p < P; p++)
        for (int q = 0; q < Q; q++) *cuts -= whole_runs ? x.runs[p][q] : x.runs[p][q] > 0;
    kind->free(state);
    problem_free(&x.problem);
    return end;
}

/* ---- timeline ---------------------------------------------------------------------- */

static void timeline_ends_at_w_wherever_it_applies(void **unused)
{
    int procs = long_run() ? 12 : 8, blocks = long_run() ? 10 : 7;
    int64_t n = 0, closed = 0, listed = 0, whole = 0;
    for (int P = 1; P <= procs; P++)
        for (int Q = 1; Q <= procs; Q++)
            for (int r = 1; r <= blocks; r++)
                for (int s = 1; s <= blocks; s++) {
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
    for (int P = 1; P <= 16; P++)
        for (int Q = 1; Q <= 16; Q++)
            for (int r = 1; r <= 12; r++)
                for (int s = 1; s <= 12; s++) {
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
        problem_make(&x, (int)P, (int)r, (int)Q, (int)s);
        assert_true(timeline_applies(&x.dim[0]) || classes_core_is_small(&x.dim[0]));
        struct cost cost = count(&x, &schedule_timeline);
        assert_true(cost.tc < 2 * cost.w);
        closed += timeline_applies(&x.dim[0]);
        at_w += cost.tc == cost.w;
        sum += (double)cost.tc / (double)cost.w;
        worst = fmax(worst, (double)cost.tc / (double)cost.w);
        problem_free(&x);
    }
    print_message("timeline: of %d at random, P, Q <= 256, r, s <= 64, with no prime "
                  "above 5: %d in closed form, %d at W; TC/W %.4f, worst %.4f\n",
                  cases, closed, at_w, sum / cases, worst);
}

/* Whether the schedule of a problem says that it is the list schedule. */
static bool has_note(const struct problem *x)
{
    void *state = NULL;
    const char *why = NULL;
    assert_true(schedule_timeline.applicable(&x->input, &why));
    ok(schedule_timeline.make(&x->input, &state));
    bool noted = schedule_timeline.note(state) != NULL;
    schedule_timeline.free(state);
    return noted;
}

static void timeline_says_where_it_is_the_list_schedule(void **unused)
{
    struct problem x;
    problem_make(&x, 3, 2, 2, 3);
    assert_true(has_note(&x));
    x.input.grid = NULL; /* the core is small */
    assert_true(has_note(&x));
    x.input = (struct schedule_input){.grid = &x.grid}; /* as of any other array */
    assert_true(has_note(&x));
    problem_free(&x);
    problem_make(&x, 4, 3, 4, 5);
    assert_false(has_note(&x));
    problem_free(&x);
}

/* ---- any grid ---------------------------------------------------------------------- */

static void random_grid(uint64_t *seed, struct problem *x)
{
    int P = (int)random_in(seed, 1, 12), Q = (int)random_in(seed, 1, 12);
    int64_t density = random_in(seed, 1, 10), longest = random_in(seed, 1, 50), n = 0;
    struct edge edge[144];
    for (int p = 0; p < P; p++)
        for (int q = 0; q < Q; q++)
            if (random_in(seed, 1, 10) <= density)
                edge[n++] = (struct edge){p, q, random_in(seed, 1, longest)};
    problem_of_edges(x, P, Q, n, edge);
}

static void dense_ends_before_twice_the_bound(void **unused)
{
    uint64_t seed = 20240229;
    int64_t n = long_run() ? 20000 : 400, at_w = 0;
    for (int64_t i = 0; i < n; i++) {
        struct problem x;
        random_grid(&seed, &x);
        struct cost cost = count(&x, &schedule_dense);
        if (cost.messages > 0) assert_true(cost.tc >= cost.w && cost.tc < 2 * cost.w);
        at_w += cost.tc == cost.w;
        problem_free(&x);
    }
    print_message("dense: %d of %d random grids end at W\n", (int)at_w, (int)n);
}

static void preemptive_ends_at_w_on_any_grid(void **unused)
{
    uint64_t seed = 577215664;
    int64_t n = long_run() ? 20000 : 400, messages = 0, extra = 0;
    for (int64_t i = 0; i < n; i++) {
        struct problem x;
        struct cost cost;
        int64_t pieces = 0;
        random_grid(&seed, &x);
        assert_true(problem_measure(&x, &schedule_preemptive, &cost, &pieces));
        assert_int_equal(cost.tc, cost.w);
        messages += cost.messages;
        extra += pieces - cost.messages;
        problem_free(&x);
    }
    print_message("preemptive: %d messages in %d pieces\n", (int)messages,
                  (int)(messages + extra));
}

/* Where the closed form ends, cutting messages always reaches W. */
static void preemptive_ends_at_w_where_timeline_has_no_closed_form(void **unused)
{
    int procs = long_run() ? 12 : 8;
    int64_t n = 0, listed = 0, extra = 0;
    for (int P = 1; P <= procs; P++)
        for (int Q = 1; Q <= procs; Q++)
            for (int r = 1; r <= 9; r++)
                for (int s = 1; s <= 9; s++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeline_ends_at_w_wherever_it_applies),
        cmocka_unit_test(timeline_applies_to_nine_in_ten_of_unequal_process_counts),
        cmocka_unit_test(timeline_is_local_at_practical_sizes),
        cmocka_unit_test(timeline_says_where_it_is_the_list_schedule),
        cmocka_unit_test(dense_ends_before_twice_the_bound),
        cmocka_unit_test(preemptive_ends_at_w_on_any_grid),
        cmocka_unit_test(preemptive_ends_at_w_where_timeline_has_no_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
