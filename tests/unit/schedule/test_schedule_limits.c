/* SPDX-License-Identifier: MIT
 *
 * The limits of all schedules: the lists of very many processes, which are found without
 * a grid; problems that are refused; a lack of memory.
 */
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"
#include "schedule_problem.h"
#include "unit/schedule/promises.h"
#include "unit/starve.h"

/* ---- many processes ---------------------------------------------------------------- */

/* Check that a process of the other side has a message, once. */
static void check_at_partner(const struct schedule_kind *kind, const void *state,
                             redist_side side, int64_t c, const struct own_message *own)
{
    struct own_list list = {0};
    int64_t found = 0;
    ok(kind->own(state, !side, own->partner, &list));
    for (int64_t k = 0; k < list.n; k++)
        found += list.message[k].partner == c && list.message[k].step == own->step &&
                 list.message[k].weight == own->weight;
    assert_int_equal(found, 1);
    own_list_free(&list);
}

/* Check the list of one process, which in `nsteps` steps has all its elements, and that
 * partners' lists agree. */
static void check_own(const struct schedule_kind *kind, const void *state,
                      const struct schedule_input *input, redist_side side, int64_t c,
                      int64_t nsteps)
{
    struct own_list own = {0};
    int64_t elements = 0;
    ok(kind->own(state, side, c, &own));
    assert_true(own.n > 0);
    for (int64_t k = 0; k < own.n; k++) {
        const struct own_message *m = &own.message[k];
        elements += m->weight;
        if (k > 0) assert_true(m->step >= m[-1].step + (kind->timed ? m[-1].weight : 1));
        if (nsteps > 0) assert_in_range(m->step, 0, nsteps - 1);
        if (k % (own.n / 4 + 1) == 0) check_at_partner(kind, state, side, c, m);
    }
    int64_t processes = dims_processes(input->ndims, input->dim, side);
    assert_int_equal(elements, dims_length(input->ndims, input->dim) / processes);
    own_list_free(&own);
}

static void check_large(const struct schedule_kind *kind,
                        const struct schedule_input *input)
{
    int64_t delta = int_max(dims_degree(input->ndims, input->dim, REDIST_SOURCE),
                            dims_degree(input->ndims, input->dim, REDIST_TARGET));
    bool least = promise_of(kind) & LEAST_STEPS && !kind->cut;
    void *state = NULL;
    ok(kind->make(input, &state));
    for (int side = 0; side < SIDES; side++) {
        int64_t n = dims_processes(input->ndims, input->dim, (redist_side)side);
        for (int i = 0; i < 5; i++)
            check_own(kind, state, input, (redist_side)side, n / 5 * i + i,
                      least ? delta : 0);
        check_own(kind, state, input, (redist_side)side, n - 2, least ? delta : 0);
    }
    kind->free(state);
}

static const struct schedule_kind *const without_grid[] = {
    &schedule_walker_otto, &schedule_walker_otto_b,   &schedule_guo_pan_1,
    &schedule_optimal,     &schedule_timeline,        &schedule_product,
    &schedule_combination, &schedule_product_timeline};
enum { WITHOUT_GRID = sizeof without_grid / sizeof *without_grid };

/* The last two of one dimension have more pairs than a table may have. */
static void own_lists_agree_among_many_processes(void **unused)
{
    static const struct {
        int ndims;
        struct along along[3];
    } problems[] = {
        {1, {{1000000, 3, 1000000, 5}}},
        {1, {{1000000, 4, 1000000, 80}}},
        {1, {{720720, 64, 720720, 63}}},
        {1, {{1000000, 3, 500000, 5}}},
        {1, {{999999, 16, 333333, 9}}},
        {1, {{500000, 7, 1500000, 10}}},
        {1, {{1 << 20, 12, 1 << 18, 35}}},
        {1, {{INT32_MAX, 6, INT32_MAX, 35}}},
        {1, {{1000000, 1500, 1000000, 1501}}},
        {1, {{3000, 7, 2999, 11}}},
        {1, {{10403, 6180, 10403, 6161}}},
        {1, {{41612, 15450, 41612, 15251}}},
        {2, {{20000, 3, 30000, 5}, {30000, 2, 20000, 7}}},
        {3, {{1000, 3, 300, 4}, {100, 2, 1000, 1}, {40, 5, 60, 2}}},
    };
    int applied[WITHOUT_GRID] = {0};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        struct classes dim[3];
        const char *why = NULL;
        struct schedule_input input = {.ndims = problems[i].ndims, .dim = dim};
        for (int j = 0; j < input.ndims; j++) {
            const struct along *x = &problems[i].along[j];
            ok(classes_make(x->P, x->r, x->Q, x->s, &dim[j]));
        }
        for (int k = 0; k < WITHOUT_GRID; k++) {
            if (!without_grid[k]->applicable(&input, &why)) continue;
            for (int drawn = 0; drawn <= (without_grid[k]->drawn ? 1 : 0); drawn++) {
                input.seed = 4 * drawn;
                check_large(without_grid[k], &input);
            }
            applied[k]++;
        }
    }
    for (int k = 0; k < WITHOUT_GRID; k++)
        if (applied[k] == 0) fail_msg("%s: never", without_grid[k]->name);
}

/* A start for each of a million runs would take seconds to find. */
static void messages_of_very_many_runs_have_one_start(void **unused)
{
    struct classes k;
    struct own_list own = {0};
    void *state = NULL;
    const struct schedule_input input = {.ndims = 1, .dim = &k};
    ok(classes_make(4, 1, 4, 1000001, &k));
    ok(schedule_timeline.make(&input, &state));
    ok(schedule_timeline.own(state, REDIST_SOURCE, 1, &own));
    assert_int_equal(own.n, 4);
    assert_int_equal(schedule_timeline.pieces(&input), 0);
    own_list_free(&own);
    schedule_timeline.free(state);
}

/* ---- problems that are refused ----------------------------------------------------- */

#define ONE_DIMENSION "needs one whole dimension"
#define GRID "needs the whole communication grid"
#define SEVERAL "needs several dimensions, regular on both sides"

/* Without a grid; of no dimension: messages that do not keep the order of processes. */
static const struct {
    const struct schedule_kind *kind;
    int ndims;
    struct along along; /* each of them */
    const char *why;
} refused[] = {
    {&schedule_optimal, 2, {16, 3, 16, 5}, "combination is the same of several"},
    {&schedule_timeline, 2, {16, 3, 16, 5}, "product-timeline is the same of several"},
    {&schedule_guo_pan_1, 2, {16, 3, 16, 5}, ONE_DIMENSION},
    {&schedule_guo_pan_2, 2, {16, 3, 16, 5}, ONE_DIMENSION},
    {&schedule_guo_pan_2_diagonal, 2, {16, 3, 16, 5}, ONE_DIMENSION},
    {&schedule_contention_free, 2, {16, 3, 16, 5}, ONE_DIMENSION},
    {&schedule_walker_otto, 2, {16, 3, 16, 5}, ONE_DIMENSION},
    {&schedule_walker_otto_b, 2, {16, 3, 16, 5}, ONE_DIMENSION},
    {&schedule_product_timeline, 2, {1025, 1024, 1024, 1025}, "more than 2^20"},
    {&schedule_product, 1, {16, 3, 16, 5}, SEVERAL},
    {&schedule_combination, 1, {16, 3, 16, 5}, SEVERAL},
    {&schedule_product_timeline, 1, {16, 3, 16, 5}, SEVERAL},
    {&schedule_guo_pan_1, 1, {15, 3, 15, 5}, "gcd(r, Q) = 1 and gcd(s, P) = 1"},
    {&schedule_guo_pan_2, 1, {15, 3, 15, 5}, GRID},
    {&schedule_stepwise, 1, {15, 3, 15, 5}, GRID},
    {&schedule_timeline, 1, {3003, 2018, 2026, 3}, "needs a closed form"},
    {&schedule_walker_otto, 1, {4, 1, 5, 3}, "as many targets as sources"},
    {&schedule_walker_otto, 1, {4, 2, 4, 3}, "one block to divide the other"},
    {&schedule_walker_otto, 1, {4, 10, 4, 4}, "one block to divide the other"},
    {&schedule_walker_otto, 1, {4, 1, 4, (1 << 16) + 1}, "at most 2^16 times as long"},
    {&schedule_walker_otto_b, 1, {4, 1 << 17, 4, 1}, "at most 2^16 times as long"},
    {&schedule_walker_otto, 0, {0}, ONE_DIMENSION ", block-cyclic on both sides"},
    {&schedule_guo_pan_1, 0, {0}, ONE_DIMENSION ", block-cyclic on both sides"},
    {&schedule_guo_pan_2, 0, {0}, ONE_DIMENSION ", block-cyclic on both sides"},
    {&schedule_guo_pan_2_diagonal, 0, {0}, ONE_DIMENSION},
    {&schedule_contention_free, 0, {0}, ONE_DIMENSION},
    {&schedule_product, 0, {0}, SEVERAL},
    {&schedule_staircase, 0, {0}, "keep the order of the processes"},
    {&schedule_staircase_steps, 0, {0}, "keep the order of the processes"},
    {&schedule_links, 0, {0}, "needs a topology"},
};

static void why_not_is_said_in_a_sentence(void **unused)
{
    static const struct edge crossing[] = {{0, 1, 2}, {1, 0, 3}};
    struct problem grid;
    problem_of_edges(&grid, 2, 2, 2, crossing);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        const struct along *x = &refused[k].along;
        struct classes dim[2];
        struct schedule_input input = {.ndims = refused[k].ndims, .dim = dim};
        for (int j = 0; j < input.ndims; j++)
            ok(classes_make(x->P, x->r, x->Q, x->s, &dim[j]));
        if (input.ndims == 0) input.grid = &grid.grid;
        const char *why = "nothing";
        if (refused[k].kind->applicable(&input, &why) || !strstr(why, refused[k].why))
            fail_msg("%s, row %zu: %s", refused[k].kind->name, k, why);
    }
    problem_free(&grid);
}

static void dimensions_that_do_not_fit_are_refused(void **unused)
{
    static const struct along large[] = {{70000, 1, 1, 1},      /* sources */
                                         {1, 1, 70000, 1},      /* targets */
                                         {2, 70000, 2, 69999}}; /* elements */
    for (int k = 0; k < 3; k++) {
        const struct along *x = &large[k];
        struct classes dim[2];
        struct comm_grid grid;
        for (int j = 0; j < 2; j++) ok(classes_make(x->P, x->r, x->Q, x->s, &dim[j]));
        assert_true(dims_fit(1, dim));
        assert_int_equal(dims_fit(2, dim), false);
        assert_int_equal(comm_grid_from_dims(2, dim, NULL, INT64_MAX, &grid),
                         REDIST_ERR_ARG);
    }
}

/* ---- memory ------------------------------------------------------------------------ */

/* Let each allocation of making a schedule and of reading it fail in turn. */
static void schedules_survive_a_lack_of_memory(void **unused)
{
    static const struct {
        int ndims;
        struct along along[2];
    } problems[] = {
        {1, {{15, 3, 15, 5}}},
        {1, {{16, 3, 16, 5}}},
        {1, {{3, 2, 2, 3}}},
        {1, {{10, 5, 15, 2}}},
        {1, {{6, 1, 6, 4}}},
        {2, {{16, 1, 4, 1}, {4, 1, 16, 1}}},
        {2, {{3, 2, 2, 3}, {6, 2, 4, 3}}},
        {2, {{5, 4, 5, 3}, {6, 2, 6, 3}}},
        {0, {{0}}},
    };
    static const struct edge edge[] = {{0, 0, 5}, {1, 0, 2}, {1, 1, 4}, {1, 2, 3}};
    bool starved[PROMISES] = {false};
    redist_topology *network = NULL;
    ok(redist_topology_parse("mesh(4,4)", 16, &network));
    static const int rank[] = {0, 1, 2};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        struct problem x;
        if (problems[i].ndims > 0)
            problem_along(&x, problems[i].ndims, problems[i].along);
        else {
            problem_of_edges(&x, 2, 3, 4, edge);
            x.input.topology = network;
            for (int s = 0; s < SIDES; s++) x.input.rank[s] = rank;
        }
        for (int k = 0; schedules[k]; k++) {
            const char *why = NULL;
            if (!schedules[k]->applicable(&x.input, &why)) continue;
            assert_true(schedule_starve(schedules[k], &x.input) > 0);
            starved[k] = true;
        }
        problem_free(&x);
    }
    for (int k = 0; k < PROMISES; k++) assert_true(starved[k]);
    redist_topology_destroy(&network);
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
    problem_along(&x, 2, along);
    assert_true(each_allocation_fails_once(make_grid, x.dim) > 0);
    problem_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_lists_agree_among_many_processes),
        cmocka_unit_test(messages_of_very_many_runs_have_one_start),
        cmocka_unit_test(why_not_is_said_in_a_sentence),
        cmocka_unit_test(dimensions_that_do_not_fit_are_refused),
        cmocka_unit_test(schedules_survive_a_lack_of_memory),
        cmocka_unit_test(grids_survive_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
