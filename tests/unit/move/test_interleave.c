/* SPDX-License-Identifier: MIT
 *
 * Interleaving (move/interleave/interleave.h), also by table
 * (move/interleave/run_table.h), gives what copying one walk after the other gives. The
 * distributions are random; inputs are arrays or packed messages, which are there at
 * once or come in parts. The places of grains are tested both ways.
 * REDIST_TEST_SEED=<seed> repeats the cases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "long.h"
#include "move/arith/combine.h"
#include "move/interleave/run_table.h"
#include "seed.h"
#include "unit/bundles.h"
#include "unit/nests.h"

enum { TURNS = 300 / CASES_SHARE, GUARD = 64 };

/* Of up to three dimensions, so long that some rows can be interleaved by table. */
static void draw_problem(uint64_t *seed, struct problem *problem)
{
    static const int widths[] = {1, 1, 3, 5, 11};
    char text[SIDES][128];
    int width = widths[draw(seed, 0, 4)];
    int ndims = (int)draw(seed, 1, 3);
    const long most[3] = {40000, 3000, 1000};
    long planes = (long)draw(seed, 1, 5), rows = (long)draw(seed, 1, ndims == 3 ? 9 : 60);
    long columns = (long)draw(seed, 1, most[ndims - 1] / width);
    bool both_short = draw(seed, 0, 1);
    for (int s = 0; s < SIDES; s++) {
        long block[3] = {(long)draw(seed, 1, 2), (long)draw(seed, 1, 9),
                         (long)draw(seed, 1, 200)};
        int shape[3] = {(int)draw(seed, 1, 2), (int)draw(seed, 1, 2),
                        (int)draw(seed, 1, 3)};
        if (both_short || draw(seed, 0, 2) == 0) block[2] = (long)draw(seed, 1, 7);
        if (ndims == 1)
            (void)snprintf(text[s], sizeof text[s], "[%ld] (cyclic(%ld)) onto %d",
                           columns, block[2], shape[2]);
        else if (ndims == 2)
            (void)snprintf(text[s], sizeof text[s],
                           "[%ld,%ld] (cyclic(%ld),cyclic(%ld)) onto %dx%d", rows,
                           columns, block[1], block[2], shape[1], shape[2]);
        else
            (void)snprintf(text[s], sizeof text[s],
                           "[%ld,%ld,%ld] (cyclic(%ld),cyclic(%ld),cyclic(%ld)) onto "
                           "%dx%dx%d",
                           planes, rows, columns, block[0], block[1], block[2], shape[0],
                           shape[1], shape[2]);
    }
    parse_problem(width, text[0], text[1], problem);
    int64_t targets = redist_grid_size(redist_dist_grid(problem->dist[1]));
    problem->rank = (int)draw(seed, 0, targets - 1);
    make_bundles(problem);
}

/* The expected elements of the target, and the actual ones between guards. */
struct target {
    double *should, *is, *whole;
};

/* Make a target that begins anywhere in a cache line. */
static void make_target(uint64_t *seed, struct problem *problem, struct target *target)
{
    int64_t n = problem->span + 2 * GUARD;
    target->should = numbers(problem->span, 0);
    target->whole = numbers(n, 0);
    target->is = target->whole + GUARD - draw(seed, 0, 8);
    for (int64_t k = 0; k < n; k++) target->whole[k] = -1;
    for (int p = 0; p < problem->n; p++) {
        struct input input = input_of(&problem->bundle[p], false);
        walk_move(input.walk, WAY_COPY, input.from, target->should, input.ready);
    }
}

/* Check that each element is the expected one times a factor, and the guards. */
static void check_target(const struct problem *problem, const struct target *target,
                         double factor)
{
    for (int64_t k = 0; k < problem->span; k++)
        if (target->is[k] != factor * target->should[k])
            fail_msg("element %ld of %ld is %g, not %g", (long)k, (long)problem->span,
                     target->is[k], factor * target->should[k]);
    for (const double *at = target->whole; at < target->is; at++) assert_true(*at == -1);
    const double *end = target->whole + problem->span + 2 * GUARD;
    for (const double *at = target->is + problem->span; at < end; at++)
        assert_true(*at == -1);
}

static void free_target(const struct target *target)
{
    free(target->should), free(target->whole);
}

/* Some inputs from arrays, some from what has been packed. */
static void draw_inputs(uint64_t *seed, struct problem *problem,
                        struct input inputs[SOURCES])
{
    for (int p = 0; p < problem->n; p++)
        inputs[p] = input_of(&problem->bundle[p], !draw(seed, 0, 1));
}

/* Find out whether the inputs, whatever of them is packed, can be interleaved by
 * table. */
static void try_run_table(struct mem_account *account, struct problem *problem,
                          struct interleave *interleave, struct run_table *table)
{
    struct table_input table_inputs[SOURCES];
    for (int p = 0; p < problem->n; p++)
        table_inputs[p] = (struct table_input){&problem->bundle[p].walk[WAY_COPY],
                                               &problem->bundle[p].walk[WAY_SCATTER]};
    ok(run_table_make(account, table_inputs, problem->n, table));
    interleave->table = table->piece ? table : NULL;
}

/* Move the data of a packed message elsewhere, as if none had come yet. Returns them, for
 * the caller to free; NULL if the input is an array. */
static double *take_packed(const struct problem *problem, struct bundle *bundle,
                           const struct input *input)
{
    const int64_t n = input->walk->total * problem->width;
    if (input->way != WAY_SCATTER) return NULL;
    double *packed = numbers(n, 0);
    memcpy(packed, bundle->packed, (size_t)n * sizeof *packed);
    for (int64_t k = 0; k < n; k++) bundle->packed[k] = -2;
    return packed;
}

/* Interleave in several calls. Before each, more of the packed messages comes. */
static void interleave_bit_by_bit(uint64_t *seed, struct problem *problem,
                                  struct interleave *interleave,
                                  struct input inputs[SOURCES],
                                  const struct combine *combine, double *to)
{
    int64_t most = draw(seed, 0, 1) ? 50 : 5000;
    double *packed[SOURCES] = {0};
    for (int p = 0; p < problem->n; p++)
        packed[p] = take_packed(problem, &problem->bundle[p], &inputs[p]);
    while (interleave->at < interleave->end) {
        bool all = true;
        for (int p = 0; p < problem->n; p++) {
            const int64_t first = inputs[p].ready, width = problem->width;
            inputs[p].ready = int_min(first + draw(seed, 0, most), inputs[p].walk->total);
            if (packed[p])
                memcpy(problem->bundle[p].packed + first * width,
                       packed[p] + first * width,
                       (size_t)((inputs[p].ready - first) * width) * sizeof *packed[p]);
            all = all && inputs[p].ready == inputs[p].walk->total;
        }
        bool moved =
            interleave_advance(interleave, inputs, problem->n, combine, (char *)to);
        assert_true(moved || !all);
    }
    assert_false(interleave_advance(interleave, inputs, problem->n, combine, (char *)to));
    for (int p = 0; p < problem->n; p++) free(packed[p]);
}

static void interleaved_is_what_is_copied(void **state)
{
    uint64_t seed = seed_or(20261121);
    int interleaved = 0, by_table = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        struct problem problem;
        struct target target;
        struct input inputs[SOURCES];
        struct interleave interleave;
        const double two = 2;
        struct combine twice;
        bool combines = draw(&seed, 0, 3) == 0;
        assert_true(combine_make(NUMBER_F8, false, &two, NULL, &twice));
        draw_problem(&seed, &problem);
        make_target(&seed, &problem, &target);
        draw_inputs(&seed, &problem, inputs);
        if (interleave_make(inputs, problem.n, &interleave)) {
            assert_int_equal(interleave.end - interleave.begin,
                             problem.span * (int64_t)sizeof(double));
            struct run_table table = {0};
            struct mem_account account = {0, 0};
            if (draw(&seed, 0, 3) > 0)
                try_run_table(&account, &problem, &interleave, &table);
            interleave_bit_by_bit(&seed, &problem, &interleave, inputs,
                                  combines ? &twice : NULL, target.is);
            check_target(&problem, &target, combines ? 2 : 1);
            interleaved++;
            by_table += interleave.table && !combines;
            run_table_free(&table);
            assert_int_equal(account.bytes, 0);
        }
        free_target(&target);
        free_problem(&problem);
    }
    print_message("%d of %d problems could be interleaved, %d of them by table\n",
                  interleaved, TURNS, by_table);
    assert_true(interleaved > TURNS / 3 && by_table > TURNS / 15);
}

/* Of more than a MiB, and elements that fill no power of two. */
static void a_turn_ends_between_grains(void **state)
{
    static const char *const text[SIDES] = {"[60000] (cyclic(1)) onto 2",
                                            "[60000] (block) onto 1"};
    uint64_t seed = seed_or(20261121);
    for (int width = 1; width <= 7; width++) {
        struct problem problem;
        struct target target;
        struct input inputs[SOURCES];
        struct interleave interleave;
        parse_problem(width, text[0], text[1], &problem);
        make_bundles(&problem);
        make_target(&seed, &problem, &target);
        draw_inputs(&seed, &problem, inputs);
        for (int p = 0; p < problem.n; p++) inputs[p].ready = inputs[p].walk->total;
        assert_true(interleave_make(inputs, problem.n, &interleave));
        assert_true(
            interleave_advance(&interleave, inputs, problem.n, NULL, (char *)target.is));
        check_target(&problem, &target, 1);
        free_target(&target);
        free_problem(&problem);
    }
}

static void a_target_with_gaps_is_not_interleaved(void **state)
{
    uint64_t seed = seed_or(20261121);
    int refused = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        struct problem problem;
        struct input inputs[SOURCES];
        struct interleave interleave;
        draw_problem(&seed, &problem);
        draw_inputs(&seed, &problem, inputs);
        if (problem.n > 2 && interleave_make(inputs, problem.n, &interleave)) {
            struct interleave whole = interleave;
            int64_t lo = 0, hi = 0;
            assert_true(walk_bounds(inputs[1].walk, REDIST_TARGET, &lo, &hi));
            inputs[1] = inputs[--problem.n];
            bool inside = lo > whole.begin && hi < whole.end;
            assert_false(inside && interleave_make(inputs, problem.n, &interleave));
            refused += inside;
            problem.n++;
        }
        free_problem(&problem);
    }
    assert_true(refused > 0);
}

static void runs_that_write_whole_lines_are_not_interleaved(void **state)
{
    static const struct {
        const char *text[SIDES];
        bool interleaved;
    } cases[] = {
        {{"[25600] (cyclic(64)) onto 2", "[25600] (cyclic(100)) onto 2"}, true},
        {{"[25600] (cyclic(64)) onto 4", "[25600] (cyclic(100)) onto 4"}, true},
        {{"[25600] (cyclic(128)) onto 4", "[25600] (cyclic(200)) onto 4"}, true},
        {{"[25600] (cyclic(256)) onto 4", "[25600] (cyclic(400)) onto 4"}, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        struct input inputs[SOURCES];
        struct interleave interleave;
        parse_problem(1, cases[k].text[0], cases[k].text[1], &problem);
        make_bundles(&problem);
        for (int p = 0; p < problem.n; p++)
            inputs[p] = input_of(&problem.bundle[p], false);
        assert_int_equal(interleave_make(inputs, problem.n, &interleave),
                         cases[k].interleaved);
        free_problem(&problem);
    }
}

static void grains_before_a_place_are_counted(void **state)
{
    uint64_t seed = seed_or(20261121);
    for (int turn = 0; turn < TURNS; turn++) {
        struct problem problem;
        draw_problem(&seed, &problem);
        for (int p = 0; p < problem.n; p++) {
            struct walk *walk = &problem.bundle[p].walk[WAY_COPY];
            for (int s = 0; s < SIDES; s++) {
                redist_side side = (redist_side)s;
                int64_t lo = 0, hi = 0;
                assert_true(walk_bounds(walk, side, &lo, &hi));
                assert_int_equal(walk_before(walk, side, lo), 0);
                assert_int_equal(walk_before(walk, side, lo + 1), 1);
                assert_int_equal(walk_before(walk, side, hi), walk->total);
            }
            for (int k = 0; k < 50; k++) {
                int64_t grain = draw(&seed, 0, walk->total - 1);
                struct place place = walk_place(walk, WAY_COPY, grain);
                const int64_t at[SIDES] = {place.source, place.target};
                for (int s = 0; s < SIDES; s++) {
                    redist_side side = (redist_side)s;
                    assert_int_equal(walk_before(walk, side, at[s]), grain);
                    assert_int_equal(walk_before(walk, side, at[s] + 1), grain + 1);
                }
                double moved = 0;
                memcpy(&moved, (char *)problem.bundle[p].array + place.source,
                       sizeof moved);
                assert_true(moved == problem.bundle[p].packed[grain * problem.width]);
            }
        }
        free_problem(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleaved_is_what_is_copied),
        cmocka_unit_test(a_turn_ends_between_grains),
        cmocka_unit_test(a_target_with_gaps_is_not_interleaved),
        cmocka_unit_test(runs_that_write_whole_lines_are_not_interleaved),
        cmocka_unit_test(grains_before_a_place_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
