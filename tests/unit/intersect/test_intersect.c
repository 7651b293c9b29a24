/* SPDX-License-Identifier: MIT
 *
 * Runs of one dimension against the brute-force owner map: all small parameters, then
 * random ones.
 */
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "intersect/merge.h"
#include "intersect/overlap.h"
#include "intersect/partners.h"
#include "intersect/period.h"
#include "long.h"
#include "oracle.h"
#include "seed.h"

/* What is known of a pair of sides, and how often each section element was met. */
struct bench {
    struct side side[SIDES];
    const struct oracle *oracle[SIDES];
    unsigned char *met;
};

static int64_t mark_run(const struct bench *b, const int coord[SIDES],
                        const struct run *run, int64_t last, const int64_t moved[SIDES],
                        int64_t at_moved)
{
    for (int64_t j = 0; j < run->count; j++) {
        int64_t at = run->at + j * run->step + at_moved;
        if (at <= last)
            fail_msg("runs are not ascending: %ld after %ld", (long)at, (long)last);
        for (int64_t x = 0; x < run->length; x++) {
            b->met[at + x]++;
            for (int s = 0; s < SIDES; s++) {
                int64_t i = b->side[s].start + (at + x) * b->side[s].stride;
                int64_t local = run->local[s] + j * run->local_step[s] + moved[s] +
                                x * b->side[s].stride;
                if (b->oracle[s]->owner[i] != coord[s] || b->oracle[s]->local[i] != local)
                    fail_msg(
                        "side %d: element %ld is at (%d, %ld), the run says (%d, %ld)", s,
                        (long)i, b->oracle[s]->owner[i], (long)b->oracle[s]->local[i],
                        coord[s], (long)local);
            }
        }
        last = at + run->length - 1;
    }
    return last;
}

static void mark_runs(const struct bench *b, const int coord[SIDES],
                      const struct runs *runs, int64_t period)
{
    int64_t last = -1, elements = 0;
    for (int64_t rep = 0; rep < runs->repeats; rep++)
        for (int64_t j = 0; j < runs->nperiod; j++) {
            int64_t moved[SIDES] = {rep * runs->local_period[0],
                                    rep * runs->local_period[1]};
            last = mark_run(b, coord, &runs->run[j], last, moved, rep * period);
            elements += runs->run[j].length * runs->run[j].count;
        }
    for (int64_t j = 0; j < runs->ntail; j++) {
        const struct run *run = &runs->run[runs->nperiod + j];
        last = mark_run(b, coord, run, last, (int64_t[]){0, 0}, 0);
        elements += run->length * run->count;
    }
    assert_int_equal(elements, runs->elements);
    assert_true(elements > 0);
}

/* What is counted is what the runs add up to. */
static void check_counts(const struct side sides[SIDES], redist_side own, int c,
                         const struct partners *partners)
{
    int64_t elements = 0;
    for (int64_t k = 0; k < partners->n; k++)
        elements += partners->partner[k].runs.elements;
    for (int other = -1; other < sides[!own].dim->procs; other++) {
        struct partner_counts counts;
        ok(partners_count(sides, own, c, other, &counts));
        int64_t k = partners_find(partners, other);
        assert_int_equal(counts.partners, partners->n);
        assert_int_equal(counts.elements, elements);
        assert_int_equal(counts.with, k < 0 ? 0 : partners->partner[k].runs.elements);
    }
}

/* Everything one side's coordinates report covers each section element exactly once,
 * and where the owner map has it. Returns the number of runs kept. */
static int64_t check_side(struct bench *b, redist_side own)
{
    int64_t n = b->side[0].extent, period = n, kept = 0;
    int64_t x = side_period(&b->side[0]), y = side_period(&b->side[1]);
    if (x < INT64_MAX && y < INT64_MAX) (void)int_lcm(x, y, &period);
    memset(b->met, 0, (size_t)n + 1);
    for (int c = 0; c < b->side[own].dim->procs; c++) {
        struct partners partners;
        ok(partners_make(NULL, b->side, own, c, &partners));
        for (int64_t k = 0; k < partners.n; k++) {
            int coord[SIDES];
            coord[own] = c;
            coord[!own] = partners.partner[k].coord;
            if (k > 0) assert_true(coord[!own] > partners.partner[k - 1].coord);
            mark_runs(b, coord, &partners.partner[k].runs, period);
            kept += partners.partner[k].runs.nperiod + partners.partner[k].runs.ntail;
        }
        check_counts(b->side, own, c, &partners);
        partners_free(&partners);
    }
    for (int64_t k = 0; k < n; k++)
        if (b->met[k] != 1) fail_msg("element %ld was met %d times", (long)k, b->met[k]);
    return kept;
}

static void check_pair(int64_t n, const int procs[SIDES], const redist_format f[SIDES],
                       const int64_t extent[SIDES], const int64_t start[SIDES],
                       const int64_t stride[SIDES])
{
    struct dim dim[SIDES];
    struct oracle oracle[SIDES];
    struct bench b = {.met = calloc((size_t)n + 1, 1)};
    for (int s = 0; s < SIDES; s++) {
        ok(dim_make(0, extent[s], &f[s], procs[s], 0, &dim[s]));
        oracle[s] = oracle_make(extent[s], procs[s], &f[s]);
        b.side[s] = (struct side){&dim[s], start[s], stride[s], n};
        b.oracle[s] = &oracle[s];
    }
    check_side(&b, REDIST_SOURCE);
    check_side(&b, REDIST_TARGET);
    for (int s = 0; s < SIDES; s++) {
        dim_free(&dim[s]);
        oracle_free(&oracle[s]);
    }
    free(b.met);
}

static void runs_cover_each_element_once_for_all_small_parameters(void **state)
{
    const int most = long_run() ? 6 : 5;
    for (int P = 1; P <= most; P++)
        for (int Q = 1; Q <= most; Q++)
            for (int r = 1; r <= most; r++)
                for (int s = 1; s <= most; s++) {
                    int64_t L = 0;
                    int_lcm(P * r, Q * s, &L);
                    /* one owner map serves all extents: a prefix of it is that of a
                     * shorter */
                    redist_format f[SIDES] = {redist_cyclic(r), redist_cyclic(s)};
                    int procs[SIDES] = {P, Q};
                    struct oracle oracle[SIDES];
                    for (int k = 0; k < SIDES; k++)
                        oracle[k] = oracle_make(3 * L + 1, procs[k], &f[k]);
                    struct bench b = {.met = calloc((size_t)(3 * L + 2), 1)};
                    for (int64_t n = 0; n <= 3 * L + 1; n++) {
                        struct dim dim[SIDES];
                        for (int k = 0; k < SIDES; k++) {
                            assert_int_equal(dim_make(0, n, &f[k], procs[k], 0, &dim[k]),
                                             0);
                            b.side[k] = (struct side){&dim[k], 0, 1, n};
                            b.oracle[k] = &oracle[k];
                        }
                        check_side(&b, REDIST_SOURCE);
                        check_side(&b, REDIST_TARGET);
                    }
                    free(b.met);
                    for (int k = 0; k < SIDES; k++) oracle_free(&oracle[k]);
                }
}

static void
random_formats_sections_and_first_owners_agree_with_the_owner_map(void **state)
{
    uint64_t seed = seed_or(20260725);
    for (int trial = 0; trial < usual_cases(10000, 40000); trial++) {
        int64_t n = random_in(&seed, 0, 60), extent[SIDES], start[SIDES], stride[SIDES];
        int procs[SIDES];
        redist_format f[SIDES];
        int64_t sizes[SIDES][400];
        int owners[SIDES][400];
        for (int s = 0; s < SIDES; s++) {
            stride[s] = random_in(&seed, 0, 1) ? 1 : random_in(&seed, 1, 5);
            start[s] = random_in(&seed, 0, 7);
            extent[s] =
                start[s] + (n > 0 ? (n - 1) * stride[s] + 1 : 0) + random_in(&seed, 0, 5);
            procs[s] = (int)random_in(&seed, 1, 7);
            f[s] = random_format(&seed, extent[s], procs[s], sizes[s], owners[s]);
        }
        check_pair(n, procs, f, extent, start, stride);
    }
}

/* The closed form and the walk know nothing of each other. */
static void closed_form_and_walk_find_the_same_partners_and_elements(void **state)
{
    uint64_t seed = seed_or(20260725);
    int compared = 0;
    for (int trial = 0; trial < usual_cases(5000, 20000); trial++) {
        struct dim dim[SIDES];
        struct side side[SIDES];
        int64_t n = random_in(&seed, 1, 2000);
        for (int s = 0; s < SIDES; s++) {
            int procs = (int)random_in(&seed, 1, 9);
            redist_format f = redist_cyclic(random_in(&seed, 1, 12));
            f.first = (int)random_in(&seed, 0, procs - 1);
            int64_t start = random_in(&seed, 0, 50);
            assert_int_equal(dim_make(0, n + start, &f, procs, 0, &dim[s]), 0);
            side[s] = (struct side){&dim[s], start, 1, n};
        }
        struct period period;
        if (!period_applies(side, n, &period)) continue;
        compared++;
        redist_side own = random_in(&seed, 0, 1) ? REDIST_SOURCE : REDIST_TARGET;
        int c = (int)random_in(&seed, 0, dim[own].procs - 1);
        struct partners a = {0}, b = {0};
        assert_int_equal(period_partners(&period, side, own, c, &a), 0);
        assert_int_equal(merge_partners(side, own, c, &b), 0);
        assert_int_equal(a.n, b.n);
        for (int64_t k = 0; k < a.n; k++) {
            assert_int_equal(a.partner[k].coord, b.partner[k].coord);
            const struct runs *x = &a.partner[k].runs, *y = &b.partner[k].runs;
            assert_int_equal(x->elements, y->elements);
            assert_int_equal(x->repeats, y->repeats);
            assert_int_equal(x->nperiod, y->nperiod);
            assert_int_equal(x->ntail, y->ntail);
            assert_memory_equal(x->run, y->run,
                                (size_t)(x->nperiod + x->ntail) * sizeof *x->run);
        }
        partners_free(&a);
        partners_free(&b);
    }
    assert_true(compared > 1000 / CASES_SHARE);
}

static void million_processes_need_few_words(void **state)
{
    redist_format f[SIDES] = {redist_cyclic(3), redist_cyclic(5)};
    struct dim dim[SIDES];
    struct side side[SIDES];
    for (int s = 0; s < SIDES; s++) {
        assert_int_equal(dim_make(0, 30000000, &f[s], 1000000, 0, &dim[s]), 0);
        side[s] = (struct side){&dim[s], 0, 1, 30000000};
    }
    struct mem_account account = {0, 0};
    struct partners partners;
    assert_int_equal(partners_make(&account, side, REDIST_SOURCE, 777777, &partners), 0);
    assert_true(partners.n >= 5 && partners.n <= 7);
    int64_t elements = 0;
    for (int64_t k = 0; k < partners.n; k++)
        elements += partners.partner[k].runs.elements;
    assert_int_equal(elements, 30);
    assert_true(account.peak < 4096);
    partners_free(&partners);
    assert_int_equal(account.bytes, 0);
}

/* Share n elements of cyclic(m), each stride-th of the array, with block. */
static void cyclic_to_block(int64_t n, int64_t m, int64_t stride)
{
    redist_format f[SIDES] = {redist_cyclic(m), redist_block()};
    struct dim dim[SIDES];
    struct side side[SIDES];
    for (int s = 0; s < SIDES; s++) {
        int64_t step = s == REDIST_SOURCE ? stride : 1;
        assert_int_equal(dim_make(0, n * step, &f[s], 4, 0, &dim[s]), 0);
        side[s] = (struct side){&dim[s], 0, step, n};
    }
    for (int own = 0; own < SIDES; own++) {
        struct mem_account account = {0, 0};
        struct partners partners;
        assert_int_equal(partners_make(&account, side, (redist_side)own, 1, &partners),
                         0);
        assert_int_equal(partners.n, 4);
        int64_t elements = 0;
        for (int64_t k = 0; k < 4; k++) elements += partners.partner[k].runs.elements;
        assert_int_equal(elements, n / 4);
        assert_true(account.peak < 8192);
        partners_free(&partners);
    }
}

static void cyclic_to_block_takes_memory_independent_of_the_extent(void **state)
{
    for (int64_t n = 1000; n <= INT64_C(1000000000000); n *= 1000) {
        cyclic_to_block(n, 1, 1);
        cyclic_to_block(n, 1, 3);
        cyclic_to_block(n, 5, 5);
        cyclic_to_block(n, 10, 5);
        cyclic_to_block(n, 5, 25);
    }
}

/* Section elements of start, start + stride, .. below i. */
static int64_t count_below(const struct side *side, int64_t i)
{
    if (i <= side->start) return 0;
    return int_min((i - 1 - side->start) / side->stride + 1, side->extent);
}

/* Begin and end of the one block, of m elements, that a coordinate has of n. */
static void one_block(const struct side *side, int64_t n, int64_t m, int c, int64_t at[2])
{
    int64_t turn = (c - side->dim->first + side->dim->procs) % side->dim->procs;
    at[0] = turn > (n - 1) / m ? n : turn * m;
    at[1] = at[0] + int_min(m, n - at[0]);
    for (int e = 0; e < 2; e++) at[e] = count_below(side, at[e]);
}

static void blocks_beyond_the_largest_number_are_shared_right(void **state)
{
    uint64_t seed = seed_or(20261122);
    for (int turn = 0; turn < 2000; turn++) {
        int64_t n = INT64_MAX - below(&seed, 100), m[SIDES], at[SIDES][2];
        int64_t stride = below(&seed, 2) ? 1 : INT64_C(1) << (40 + below(&seed, 22));
        int64_t start = below(&seed, 3) ? 0 : n / (2 + below(&seed, 9));
        struct dim dim[SIDES];
        struct side side[SIDES];
        for (int s = 0; s < SIDES; s++) {
            int procs = 1 + below(&seed, 7);
            m[s] = (n - 1) / procs + 1;
            if (below(&seed, 2)) m[s] += below(&seed, 1 << 30) % (n - m[s] + 1);
            redist_format f =
                below(&seed, 2) ? redist_block_of(m[s]) : redist_cyclic(m[s]);
            f.first = below(&seed, procs);
            assert_int_equal(dim_make(0, n, &f, procs, 0, &dim[s]), 0);
            side[s] = (struct side){&dim[s], start, stride, (n - 1 - start) / stride + 1};
        }
        for (int own = 0; own < SIDES; own++) {
            struct partners partners;
            int c = below(&seed, dim[own].procs);
            assert_int_equal(partners_make(NULL, side, (redist_side)own, c, &partners),
                             0);
            one_block(&side[own], n, m[own], c, at[own]);
            for (int q = 0; q < dim[!own].procs; q++) {
                one_block(&side[!own], n, m[!own], q, at[!own]);
                int64_t shared =
                    int_min(at[0][1], at[1][1]) - int_max(at[0][0], at[1][0]);
                int64_t k = partners_find(&partners, q);
                int64_t found = k < 0 ? 0 : partners.partner[k].runs.elements;
                assert_int_equal(found, int_max(shared, 0));
            }
            partners_free(&partners);
        }
    }
}

/* Sums of all messages must fit, with all copies. */
static void copies_that_are_too_many_are_refused(void **unused)
{
    static const char one[] = "[4611686018427387904] (*) onto 1",
                      two[] = "[4611686018427387904] (*) onto 2";
    redist_dist *dist[2] = {NULL, NULL};
    redist_view view[2];
    ok(redist_view_parse(one, &dist[0], &view[0]));
    ok(redist_view_parse(two, &dist[1], &view[1]));
    ok(overlap_check(&view[0], &view[0]));
    for (int s = 0; s < 2; s++) {
        assert_int_equal(overlap_check(&view[s], &view[!s]), REDIST_ERR_ARG);
        assert_non_null(strstr(redist_error_message(), "4611686018427387904 elements in "
                                                       "2 copies, more than 2^63 - 1"));
    }
    for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_cover_each_element_once_for_all_small_parameters),
        cmocka_unit_test(
            random_formats_sections_and_first_owners_agree_with_the_owner_map),
        cmocka_unit_test(closed_form_and_walk_find_the_same_partners_and_elements),
        cmocka_unit_test(million_processes_need_few_words),
        cmocka_unit_test(cyclic_to_block_takes_memory_independent_of_the_extent),
        cmocka_unit_test(blocks_beyond_the_largest_number_are_shared_right),
        cmocka_unit_test(copies_that_are_too_many_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
