/* SPDX-License-Identifier: MIT
 *
 * Weaving (move/interleave/interleave.h), and interleaving by table
 * (move/interleave/run_table.h), against copying one walk after the other: random
 * distributions, from arrays and from what has been packed, all at once and bit by bit;
 * and the places of grains, both ways. REDIST_TEST_SEED=<seed> repeats the cases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "intersect/overlap.h"
#include "long.h"
#include "move/arith/combine.h"
#include "move/interleave/interleave.h"
#include "move/interleave/run_table.h"
#include "seed.h"
#include "unit/nests.h"

enum { SOURCES = 12, TURNS = 300 / CASES_SHARE, GUARD = 64 };

/* What one process of the source has for the target. */
struct bundle {
    struct overlap overlap;
    struct walk copy, gather, scatter;
    struct axis axes[3][REDIST_MAX_DIMS];
    double *array, *packed;
};

struct problem {
    redist_dist *dist[SIDES];
    redist_view view[SIDES];
    int rank;  /* of the target */
    int width; /* doubles of an element */
    int n;
    struct bundle bundle[SOURCES];
    int64_t span;                /* doubles of the target */
    double *should, *is, *whole; /* whole: with guards around is */
};

/* Of up to three dimensions, so long that some rows can be interleaved by table. */
static void draw_problem(uint64_t *seed, struct problem *problem)
{
    char text[SIDES][128];
    int ndims = (int)draw(seed, 1, 3);
    const long most[3] = {40000, 3000, 1000};
    long planes = (long)draw(seed, 1, 5), rows = (long)draw(seed, 1, ndims == 3 ? 9 : 60);
    long columns = (long)draw(seed, 1, most[ndims - 1] / problem->width);
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
        ok(redist_view_parse(text[s], &problem->dist[s], &problem->view[s]));
    }
    int64_t targets = redist_grid_size(redist_dist_grid(problem->dist[1]));
    problem->rank = (int)draw(seed, 0, targets - 1);
}

static void make_bundle(struct problem *problem, int p, struct bundle *bundle)
{
    const int64_t bytes = problem->width * (int64_t)sizeof(double);
    const struct sizes sizes = {bytes, bytes, 0};
    const redist_view *view = problem->view;
    struct memory_side sides[SIDES] = {{.view = &view[0]}, {.view = &view[1]}};
    ok(view_layout(&view[0], p, &sides[0].layout));
    ok(view_layout(&view[1], problem->rank, &sides[1].layout));
    ok(overlap_make(NULL, &view[0], &view[1], REDIST_SOURCE, p, &bundle->overlap));
    problem->span = sides[1].layout.span * problem->width;
    bundle->copy.total = 0;
    for (int64_t k = 0; k < bundle->overlap.nmessages; k++) {
        const struct message *message = &bundle->overlap.message[k];
        if (message->rank != problem->rank) continue;
        walk_make(&bundle->overlap, message, sides, sizes, WAY_COPY, bundle->axes[0],
                  &bundle->copy);
        walk_make(&bundle->overlap, message, sides, sizes, WAY_GATHER, bundle->axes[1],
                  &bundle->gather);
        walk_make(&bundle->overlap, message, sides, sizes, WAY_SCATTER, bundle->axes[2],
                  &bundle->scatter);
    }
    int64_t n = sides[0].layout.span * problem->width;
    bundle->array = malloc((size_t)(n + 1) * sizeof(double));
    bundle->packed = malloc((size_t)((bundle->copy.total + 1) * bytes));
    assert_true(bundle->array && bundle->packed);
    for (int64_t k = 0; k < n; k++) bundle->array[k] = (double)(1000000 * p + k);
    if (bundle->copy.total > 0)
        walk_move(&bundle->gather, WAY_GATHER, bundle->array, bundle->packed,
                  bundle->copy.total);
}

/* The target begins anywhere in a cache line. */
static void fill_problem(uint64_t *seed, struct problem *problem)
{
    int64_t sources = redist_grid_size(redist_dist_grid(problem->dist[0]));
    for (int p = 0; p < sources; p++) {
        struct bundle *bundle = &problem->bundle[problem->n];
        make_bundle(problem, p, bundle);
        if (bundle->copy.total > 0) {
            problem->n++;
        } else {
            overlap_free(&bundle->overlap);
            free(bundle->array), free(bundle->packed);
        }
    }
    int64_t n = problem->span + 2 * GUARD;
    problem->should = malloc((size_t)(problem->span + 1) * sizeof(double));
    problem->whole = malloc((size_t)n * sizeof(double));
    assert_true(problem->should && problem->whole);
    problem->is = problem->whole + GUARD - draw(seed, 0, 8);
    for (int64_t k = 0; k < n; k++) problem->whole[k] = -1;
    for (int p = 0; p < problem->n; p++)
        walk_move(&problem->bundle[p].copy, WAY_COPY, problem->bundle[p].array,
                  problem->should, problem->bundle[p].copy.total);
}

static void make_problem(uint64_t *seed, struct problem *problem)
{
    static const int widths[] = {1, 1, 3, 5, 11};
    *problem = (struct problem){.width = widths[draw(seed, 0, 4)]};
    draw_problem(seed, problem);
    fill_problem(seed, problem);
}

static void free_problem(struct problem *problem)
{
    for (int p = 0; p < problem->n; p++) {
        overlap_free(&problem->bundle[p].overlap);
        free(problem->bundle[p].array), free(problem->bundle[p].packed);
    }
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&problem->dist[s]);
    free(problem->should), free(problem->whole);
}

/* Some inputs from arrays, some from what has been packed. */
static void draw_inputs(uint64_t *seed, struct problem *problem,
                        struct input inputs[SOURCES])
{
    for (int p = 0; p < problem->n; p++) {
        struct bundle *bundle = &problem->bundle[p];
        if (draw(seed, 0, 1))
            inputs[p] = (struct input){.walk = &bundle->copy,
                                       .way = WAY_COPY,
                                       .from = (const char *)bundle->array,
                                       .ready = bundle->copy.total};
        else
            inputs[p] = (struct input){.walk = &bundle->scatter,
                                       .way = WAY_SCATTER,
                                       .from = (const char *)bundle->packed};
        walk_seek(inputs[p].walk, 0);
    }
}

/* Find out whether the inputs, whatever of them is packed, can be interleaved by
 * table. */
static void try_run_table(struct mem_account *account, const struct problem *problem,
                          struct interleave *interleave, struct run_table *table)
{
    struct table_input table_inputs[SOURCES];
    for (int p = 0; p < problem->n; p++)
        table_inputs[p] =
            (struct table_input){&problem->bundle[p].copy, &problem->bundle[p].scatter};
    ok(run_table_make(account, table_inputs, problem->n, table));
    interleave->table = table->piece ? table : NULL;
}

/* Weave, more of what has been packed being ready each time. */
static void interleave_bit_by_bit(uint64_t *seed, struct problem *problem,
                                  struct interleave *interleave,
                                  struct input inputs[SOURCES],
                                  const struct combine *combine)
{
    int64_t most = draw(seed, 0, 1) ? 50 : 5000;
    while (interleave->at < interleave->end) {
        bool all = true;
        for (int p = 0; p < problem->n; p++) {
            int64_t more = inputs[p].ready + draw(seed, 0, most);
            inputs[p].ready = int_min(more, inputs[p].walk->total);
            all = all && inputs[p].ready == inputs[p].walk->total;
        }
        bool moved = interleave_advance(interleave, inputs, problem->n, combine,
                                        (char *)problem->is);
        assert_true(moved || !all);
    }
    assert_false(
        interleave_advance(interleave, inputs, problem->n, combine, (char *)problem->is));
}

static void check(const struct problem *problem, double factor)
{
    for (int64_t k = 0; k < problem->span; k++)
        if (problem->is[k] != factor * problem->should[k])
            fail_msg("element %ld of %ld is %g, not %g", (long)k, (long)problem->span,
                     problem->is[k], factor * problem->should[k]);
    for (const double *at = problem->whole; at < problem->is; at++)
        assert_true(*at == -1);
    const double *end = problem->whole + problem->span + 2 * GUARD;
    for (const double *at = problem->is + problem->span; at < end; at++)
        assert_true(*at == -1);
}

static void interleaved_is_what_is_copied(void **state)
{
    uint64_t seed = seed_or(20261121);
    int interleaved = 0, by_table = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        struct problem problem;
        struct input inputs[SOURCES];
        struct interleave interleave;
        const double two = 2;
        struct combine twice;
        bool combines = draw(&seed, 0, 3) == 0;
        assert_true(combine_make(NUMBER_F8, false, &two, NULL, &twice));
        make_problem(&seed, &problem);
        draw_inputs(&seed, &problem, inputs);
        if (interleave_make(inputs, problem.n, &interleave)) {
            assert_int_equal(interleave.end - interleave.begin,
                             problem.span * (int64_t)sizeof(double));
            struct run_table table = {0};
            struct mem_account account = {0, 0};
            if (draw(&seed, 0, 3) > 0)
                try_run_table(&account, &problem, &interleave, &table);
            interleave_bit_by_bit(&seed, &problem, &interleave, inputs,
                                  combines ? &twice : NULL);
            check(&problem, combines ? 2 : 1);
            interleaved++;
            by_table += interleave.table && !combines;
            run_table_free(&table);
            assert_int_equal(account.bytes, 0);
        }
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
        struct problem problem = {.width = width};
        struct input inputs[SOURCES];
        struct interleave interleave;
        for (int s = 0; s < SIDES; s++)
            ok(redist_view_parse(text[s], &problem.dist[s], &problem.view[s]));
        fill_problem(&seed, &problem);
        draw_inputs(&seed, &problem, inputs);
        for (int p = 0; p < problem.n; p++) inputs[p].ready = inputs[p].walk->total;
        assert_true(interleave_make(inputs, problem.n, &interleave));
        assert_true(
            interleave_advance(&interleave, inputs, problem.n, NULL, (char *)problem.is));
        check(&problem, 1);
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
        make_problem(&seed, &problem);
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
    uint64_t seed = seed_or(20261121);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem = {.width = 1};
        struct input inputs[SOURCES];
        struct interleave interleave;
        for (int s = 0; s < SIDES; s++)
            ok(redist_view_parse(cases[k].text[s], &problem.dist[s], &problem.view[s]));
        fill_problem(&seed, &problem);
        for (int p = 0; p < problem.n; p++)
            inputs[p] = (struct input){.walk = &problem.bundle[p].copy};
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
        make_problem(&seed, &problem);
        for (int p = 0; p < problem.n; p++) {
            struct walk *walk = &problem.bundle[p].copy;
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
