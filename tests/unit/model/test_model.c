/* SPDX-License-Identifier: MIT
 *
 * The model of a machine: times worked out by hand, times against a simulation that
 * knows no order of steps, the core against the whole, and a table of reference values.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "random_model.h"
#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"
#include "schedule_given.h"
#include "schedule_problem.h"

/* ---- by hand ----------------------------------------------------------------------- */

/* Two sources, three targets:   5 3 .
 *                               . 2 4     */
static const struct edge edges[] = {{0, 0, 5}, {0, 1, 3}, {1, 1, 2}, {1, 2, 4}};

static const struct entry steps[] = {
    {0, 0, 5, 0, 0}, {1, 2, 4, 1, 1}, {0, 1, 3, 1, 1}, {1, 1, 2, 0, 0}};
static const struct entry hot_spot[] = {
    {0, 0, 5, 0, 0}, {1, 2, 4, 2, 2}, {0, 1, 3, 1, 1}, {1, 1, 2, 1, 1}};
static const struct entry timed[] = {
    {0, 0, 5, 3, 3}, {0, 1, 3, 0, 0}, {1, 1, 2, 4, 4}, {1, 2, 4, 0, 0}};
static const struct entry pieces[] = {
    {0, 0, 2, 0, 0}, {0, 1, 3, 2, 2}, {0, 0, 3, 6, 6}, {1, 1, 2, 0, 0}, {1, 2, 4, 2, 2}};

/* All numbers are small multiples of powers of two, so the sums are exact. */
static void times_follow_the_model(void **unused)
{
    static const struct {
        const struct schedule_kind *kind;
        size_t n;
        const struct entry *entry;
        struct model model;
        double seconds[MODEL_ISSUES]; /* free, whole, barriers */
    } cases[] = {
        /* Without barriers 1 is done with target 1 at 4.5 and then with 2 at 13; 0 needs
         * 10.5 and then 6.5 more. */
        {&in_steps, 4, steps, {0.5, 2, 0, 1}, {17, INFINITY, 10.5 + 8.5}},
        /* Half as many bytes of twice the time. */
        {&in_steps, 4, steps, {0.5, 4, 0, 0.5}, {17, INFINITY, 10.5 + 8.5}},
        /* 1 waits until target 1 has heard 0 out, at 10. */
        {&in_loose_steps, 4, hot_spot, {1, 1, 0, 1}, {18, INFINITY, 6 + (4 + 3) + 5}},
        {&in_time, 4, timed, {0, 1, 0, 1}, {8, 8, INFINITY}},
        {&in_time, 4, timed, {4, 1, 0, 1}, {7 + 9, 7 + 9, INFINITY}},
        /* 0 does 2, 3 and 3; 1 is done with 6. Or 5 and 3. */
        {&in_time, 5, pieces, {1, 1, 0, 1}, {3 + 4 + 4, 6 + 4, INFINITY}},
        /* Source 0 has packed at 5 and sent at 11, packed at 14 and sent at 18; target 1
         * has unpacked at 21. With barriers 5 + 6 + 5, then 4 + 5 + 4. */
        {&in_steps, 4, steps, {1, 1, 1, 1}, {21, INFINITY, 16 + 13}},
        /* Target 1 has unpacked 0's at 21 and 1's at 26; 1 has packed the last at 28.
         * With barriers step 1 begins at 16, ends at 26 + 3 + 2; the last takes 13. */
        {&in_loose_steps, 4, hot_spot, {1, 1, 1, 1}, {37, INFINITY, 31 + 13}},
    };
    struct comm_grid grid;
    ok(comm_grid_from_edges(2, 3, 4, edges, &grid));
    struct schedule_input input = {.grid = &grid};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct given given = {cases[k].n, cases[k].entry};
        double seconds[MODEL_ISSUES];
        ok(model_times(cases[k].kind, &given, &input, &cases[k].model, seconds));
        for (int issue = 0; issue < MODEL_ISSUES; issue++)
            if (seconds[issue] != cases[k].seconds[issue])
                fail_msg("case %d: %s takes %g, must take %g", (int)k,
                         model_issue_names[issue], seconds[issue],
                         cases[k].seconds[issue]);
    }
    comm_grid_free(&grid);
}

static void the_bound_is_the_busiest_process(void **unused)
{
    struct comm_grid grid;
    ok(comm_grid_from_edges(2, 3, 4, edges, &grid));
    struct schedule_input input = {.grid = &grid};
    struct model model = {16, 2, 0.5, 4};
    assert_true(model_bound(&input, &model) == 2 * 16 + 8 * 4 * 2.5);
    comm_grid_free(&grid);
}

/* The same, sources of ranks 0 and 1, targets of 0, 2 and 3: the 5 stay. On a switch
 * source 1 is busy all the time, 0 waits for target 1. On a line all three messages pass
 * the link from 1 to 2, 9 units where no process has more than 6. */
static void messages_wait_for_the_links_of_a_network(void **unused)
{
    static const struct {
        const char *topology; /* NULL: only the ranks are known */
        double seconds, strain;
    } cases[] = {{NULL, 13, 1}, {"tree(4)", 13, 1}, {"mesh(4)", 4.5 + 6.5 + 8, 1.5}};
    const int source[] = {0, 1}, target[] = {0, 2, 3};
    const struct model model = {0.5, 2, 0, 1};
    const struct given given = {4, steps};
    struct comm_grid grid;
    ok(comm_grid_from_edges(2, 3, 4, edges, &grid));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct schedule_input input = {.grid = &grid, .rank = {source, target}};
        redist_topology *topology = NULL;
        double seconds[MODEL_ISSUES], strain = 0;
        if (cases[k].topology) ok(redist_topology_parse(cases[k].topology, 4, &topology));
        input.topology = topology;
        ok(model_times(&in_steps, &given, &input, &model, seconds));
        ok(model_strain(&input, &strain));
        assert_true(seconds[MODEL_FREE] == cases[k].seconds);
        assert_true(strain == cases[k].strain);
        assert_true(model_bound(&input, &model) == 13);
        redist_topology_destroy(&topology);
    }
    comm_grid_free(&grid);
}

/* ---- against a simulation ---------------------------------------------------------- */

/* A message, its turn, and what it waits for: the one before at either end. */
struct event {
    int64_t p, q, weight, step;
    double start; /* of sending, once packed */
};

enum { MAX_EVENTS = 4096 };

static bool stands_before(const struct event *x, const struct event *y)
{
    if (x->step != y->step) return x->step < y->step;
    return x->p != y->p ? x->p < y->p : x->q < y->q;
}

/* Raise the starts until nothing has to wait any longer: the least times that fit. */
static double least_times(int n, struct event event[], const struct model *m,
                          bool barriers)
{
    double end = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < n; i++) {
            struct event *x = &event[i];
            double pack = m->gamma * m->unit * (double)x->weight;
            for (int j = 0; j < n; j++) {
                const struct event *y = &event[j];
                if (!stands_before(y, x)) continue;
                double bytes = m->unit * (double)y->weight;
                double sent = y->start + m->alpha + m->beta * bytes;
                double least = 0;
                if (y->p == x->p) least = sent + pack;
                if (y->q == x->q) least = fmax(least, sent + m->gamma * bytes);
                if (barriers && y->step < x->step)
                    least = fmax(least, sent + m->gamma * bytes + pack);
                if (x->start < least) x->start = least, changed = true;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        double bytes = m->unit * (double)event[i].weight;
        end = fmax(end, event[i].start + m->alpha + (m->beta + m->gamma) * bytes);
    }
    return end;
}

/* Collect what all sources send; whole: as one where the first piece is. */
static int collect(const struct problem *problem, const struct schedule_kind *kind,
                   const void *state, const struct model *m, bool whole,
                   struct event event[])
{
    int n = 0;
    for (int p = 0; p < problem->grid.P; p++) {
        struct own_list list = {0};
        ok(kind->own(state, REDIST_SOURCE, p, &list));
        int begin = n;
        for (int64_t k = 0; k < list.n; k++) {
            const struct own_message *own = &list.message[k];
            int same = begin;
            while (same < n && event[same].q != own->partner) same++;
            if (!whole || same == n) {
                same = n++;
                assert_true(n <= MAX_EVENTS);
                event[same] = (struct event){p, own->partner, 0, own->step, 0};
            }
            event[same].weight += own->weight;
        }
        for (int i = begin; i < n; i++)
            event[i].start = m->gamma * m->unit * (double)event[i].weight;
        own_list_free(&list);
    }
    return n;
}

static void check_times(const struct problem *problem, const struct schedule_kind *kind,
                        const struct model *model)
{
    static struct event event[MAX_EVENTS];
    const char *why = NULL;
    void *state = NULL;
    double seconds[MODEL_ISSUES];
    if (!kind->applicable(&problem->input, &why)) return;
    ok(kind->make(&problem->input, &state));
    ok(model_times(kind, state, &problem->input, model, seconds));
    for (int issue = 0; issue < MODEL_ISSUES; issue++) {
        double must = INFINITY;
        if (issue != (kind->timed ? MODEL_BARRIERS : MODEL_WHOLE)) {
            int n = collect(problem, kind, state, model, issue == MODEL_WHOLE, event);
            must = least_times(n, event, model, issue == MODEL_BARRIERS);
            assert_true(must >= model_bound(&problem->input, model));
        }
        if (seconds[issue] != must)
            fail_msg("%s, %s: %.17g seconds, must be %.17g", kind->name,
                     model_issue_names[issue], seconds[issue], must);
    }
    if (!kind->timed) assert_true(seconds[MODEL_FREE] <= seconds[MODEL_BARRIERS]);
    kind->free(state);
}

static void times_are_those_of_a_simulation(void **unused)
{
    uint64_t seed = 1998;
    for (int k = 0; k < 60; k++) {
        struct problem problem;
        int P = (int)random_in(&seed, 1, 7), Q = (int)random_in(&seed, 1, 7);
        int r = (int)random_in(&seed, 1, 7), s = (int)random_in(&seed, 1, 7);
        struct model model = random_model(&seed);
        problem_make(&problem, P, r, Q, s);
        for (int i = 0; schedules[i]; i++) check_times(&problem, schedules[i], &model);
        problem_free(&problem);
    }
}

/* ---- the core ---------------------------------------------------------------------- */

static void check_core(struct problem *problem, const struct schedule_kind *kind,
                       const struct model *model, int *checked)
{
    struct schedule_input local = problem->input;
    const char *why = NULL;
    void *state = NULL;
    double core[MODEL_ISSUES], whole[MODEL_ISSUES];
    local.grid = NULL;
    if (!kind->lifted || !kind->applicable(&local, &why)) return;
    ok(kind->make(&local, &state));
    ok(model_times(kind, state, &local, model, core));
    ok(model_times(kind, state, &problem->input, model, whole));
    assert_true(isfinite(core[MODEL_FREE]));
    bool same = true;
    for (int issue = 0; issue < MODEL_ISSUES; issue++)
        same &= core[issue] == whole[issue];
    if (!same)
        fail_msg("%s, (%d,%d)->(%d,%d): core %g %g %g, whole %g %g %g", kind->name,
                 (int)problem->dim[0].P, (int)problem->dim[0].r, (int)problem->dim[0].Q,
                 (int)problem->dim[0].s, core[0], core[1], core[2], whole[0], whole[1],
                 whole[2]);
    kind->free(state);
    ++*checked;
}

/* Where the grid is too large to be built, the core tells the same. */
static void the_core_takes_as_long_as_the_whole(void **unused)
{
    uint64_t seed = 1848;
    int checked = 0;
    for (int P = 1; P <= 16; P++)
        for (int Q = 1; Q <= 16; Q++)
            for (int k = 0; k < 12; k++) {
                struct problem problem;
                struct model model = random_model(&seed);
                problem_make(&problem, P, (int)random_in(&seed, 1, 12), Q,
                             (int)random_in(&seed, 1, 12));
                for (int i = 0; schedules[i]; i++)
                    check_core(&problem, schedules[i], &model, &checked);
                struct schedule_input local = problem.input;
                local.grid = NULL;
                assert_true(model_bound(&local, &model) ==
                            model_bound(&problem.input, &model));
                problem_free(&problem);
            }
    assert_true(checked > 16 * 16 * 12);
}

/* ---- a table of ratios ------------------------------------------------------------- */

/* Messages in order of their start times, whole, over the bound: computed by another
 * program from the formula alone. */
static void times_are_the_reference_values(void **unused)
{
    static const double startup[4] = {0, 0.1, 1, 10};
    static const double mean[4] = {1.006, 1.008, 1.014, 1.018};
    static const double worst[4] = {1.17, 1.15, 1.18, 1.30};
    double sum[4] = {0}, most[4] = {0};
    int problems = 0;
    for (int i = 0; i < 16 * 16 * 12 * 12; i++) {
        int P = i % 16 + 1, Q = i / 16 % 16 + 1, r = i / 256 % 12 + 1, s = i / 3072 + 1;
        struct problem problem;
        struct classes k;
        void *state = NULL;
        ok(classes_make(P, r, Q, s, &k));
        if (k.d > 1 || k.u * k.t == 1 || k.n == k.g || r + s - 1 >= k.g ||
            !has_factors(int_max(P, Q), int_min(P, Q), (int64_t)r * s))
            continue;
        problem_make(&problem, P, r, Q, s);
        ok(schedule_timeline.make(&problem.input, &state));
        for (int a = 0; a < 4; a++) {
            double length = (double)k.length / (double)problem.grid.nedges;
            double seconds[MODEL_ISSUES];
            struct model model = {startup[a] * length, 1, 0, 1};
            ok(model_times(&schedule_timeline, state, &problem.input, &model, seconds));
            double ratio = seconds[MODEL_WHOLE] / model_bound(&problem.input, &model);
            sum[a] += ratio;
            most[a] = fmax(most[a], ratio);
        }
        schedule_timeline.free(state);
        problem_free(&problem);
        problems++;
    }
    assert_int_equal(problems, 764);
    for (int a = 0; a < 4; a++) {
        assert_true(fabs(sum[a] / problems - mean[a]) < 0.0005);
        assert_true(fabs(most[a] - worst[a]) < 0.005);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_follow_the_model),
        cmocka_unit_test(the_bound_is_the_busiest_process),
        cmocka_unit_test(messages_wait_for_the_links_of_a_network),
        cmocka_unit_test(times_are_those_of_a_simulation),
        cmocka_unit_test(the_core_takes_as_long_as_the_whole),
        cmocka_unit_test(times_are_the_reference_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
