/* SPDX-License-Identifier: MIT
 *
 * Threads (move/kernel/threads.h): how many there are; and what several of them move,
 * walk by walk and interleaved, against what one does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "move/arith/combine.h"
#include "move/kernel/threads.h"
#include "unit/bundles.h"

enum { MIB = 1 << 20 };

#ifdef REDIST_OPENMP
enum { BUILT = 1 };
#else
enum { BUILT = 0 };
#endif

static void ask(const char *variable, const char *value)
{
    if (value)
        assert_int_equal(setenv(variable, value, 1), 0);
    else
        assert_int_equal(unsetenv(variable), 0);
}

static void there_are_as_many_threads_as_are_asked_for(void **state)
{
    static const struct {
        const char *own, *openmp;
        int threads;
    } cases[] = {{NULL, NULL, 1}, {"3", NULL, 3},   {"3", "5", 3},
                 {NULL, "5", 5},  {"", "5", 5},     {"0", "5", 1},
                 {"-2", "5", 1},  {"many", "5", 1}, {NULL, "2,4", 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ask("REDIST_THREADS", cases[k].own);
        ask("OMP_NUM_THREADS", cases[k].openmp);
        assert_int_equal(threads_for(64 * MIB), BUILT ? cases[k].threads : 1);
    }
    ask("OMP_NUM_THREADS", NULL);
    ask("REDIST_THREADS", "1000000");
    assert_int_equal(threads_for(MIB - 1), 1);
    assert_in_range(threads_for(4 * MIB), 1, 8); /* a part of some size for each */
}

/* How often a share was called, and how many threads it could begin. */
struct called {
    int times, threads;
};

static void count_share(void *context, int k, int n)
{
    struct called *called = context;
    called[k].times += n;
    called[k].threads = threads_for(64 * MIB);
}

static void each_share_is_called_once_and_begins_no_other(void **state)
{
    struct called called[5] = {0};
    ask("REDIST_THREADS", "4");
    threads_run(5, count_share, called);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(called[k].times, 5);
        assert_int_equal(called[k].threads, 1);
    }
}

static void make_problem(const char *const text[SIDES], struct problem *problem)
{
    ask("REDIST_THREADS", "1");
    parse_problem(1, text[0], text[1], problem);
    make_bundles(problem);
}

/* Move grains lo .. hi - 1 with so many threads, into a fresh array. */
static double *moved(struct walk *walk, enum way way, const struct combine *combine,
                     const double *from, int64_t span, const char *threads, int64_t lo,
                     int64_t hi)
{
    double *to = numbers(span, -1e6);
    ask("REDIST_THREADS", threads);
    walk_seek(walk, lo);
    walk_combine(walk, way, combine, from, to, hi - lo);
    assert_int_equal(walk->done, hi);
    return to;
}

static void check_walk(const struct problem *problem, struct bundle *bundle, enum way way,
                       const struct combine *combine)
{
    struct walk *walk = &bundle->walk[way];
    int64_t n = walk->total, lo = n / 7 + 1, span = way == WAY_GATHER ? n : problem->span;
    const double *from = way == WAY_SCATTER ? bundle->packed : bundle->array;
    assert_true((n - lo) * walk->grain > 2 * MIB); /* else there is but one thread */
    for (int whole = 0; whole < 2; whole++) {
        if (whole) lo = 0;
        double *should = moved(walk, way, combine, from, span, "1", lo, n - 1);
        double *is = moved(walk, way, combine, from, span, "3", lo, n - 1);
        assert_memory_equal(is, should, (size_t)span * sizeof *is);
        free(is), free(should);
    }
}

static const char *const texts[][SIDES] = {
    {"[1000003] (cyclic(3)) onto 2", "[1000003] (cyclic(5)) onto 1"},
    {"[900001] (cyclic(64)) onto 2", "[900001] (cyclic(100)) onto 1"},
    {"[701,1009] (block,cyclic(32)) onto 1x2", "[701,1009] (block,block) onto 1x1"},
    {"[701,609] (*,*) onto 1", "[701,609] (*,*) onto 1 order column-major"},
    {"[3,200000] (*,*) onto 1", "[3,200000] (*,*) onto 1 order column-major"},
};

static void walks_apart_share_no_place(void **state)
{
    struct problem problem;
    struct axis axes[REDIST_MAX_DIMS];
    make_problem(texts[2], &problem);
    struct walk *walk = &problem.bundle[0].walk[WAY_COPY];
    struct walk apart = walk_apart(walk, axes);
    assert_ptr_equal(apart.axis, axes);
    assert_memory_equal(axes, walk->axis, (size_t)walk->naxes * sizeof *axes);
    free_problem(&problem);
}

static void several_threads_move_what_one_does(void **state)
{
    static const double half = 0.5, two = 2;
    struct combine add;
    assert_true(combine_make(NUMBER_F8, false, &half, &two, &add));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct problem problem;
        make_problem(texts[k], &problem);
        for (int way = WAY_GATHER; way <= WAY_COPY; way++)
            check_walk(&problem, &problem.bundle[problem.n - 1], (enum way)way, NULL);
        check_walk(&problem, &problem.bundle[0], WAY_SCATTER, &add);
        check_walk(&problem, &problem.bundle[0], WAY_COPY, &add);
        free_problem(&problem);
    }
}

/* Interleave all sources, every second one from its packed message, into a fresh array
 * that begins at byte `first` of a cache line; first a part, then the rest. */
static double *interleaved(struct problem *problem, const char *threads, int64_t first)
{
    struct input inputs[SOURCES];
    struct interleave interleave;
    double *to = numbers(problem->span + 8, -1e6);
    ask("REDIST_THREADS", threads);
    for (int p = 0; p < problem->n; p++) {
        inputs[p] = input_of(&problem->bundle[p], p % 2);
        inputs[p].ready = inputs[p].walk->total;
    }
    assert_true(interleave_make(inputs, problem->n, &interleave));
    inputs[0].ready -= inputs[0].walk->total / 3;
    assert_true(
        interleave_advance(&interleave, inputs, problem->n, NULL, (char *)to + first));
    assert_true(interleave.at < interleave.end);
    inputs[0].ready = inputs[0].walk->total;
    assert_true(
        interleave_advance(&interleave, inputs, problem->n, NULL, (char *)to + first));
    assert_int_equal(interleave.at, interleave.end);
    for (int p = 0; p < problem->n; p++)
        assert_int_equal(inputs[p].walk->done, inputs[p].walk->total);
    return to;
}

static void several_threads_interleave_what_one_does(void **state)
{
    static const char *const interleaved_texts[][SIDES] = {
        {"[600003] (cyclic(3)) onto 3", "[600003] (cyclic(5)) onto 2"},
        {"[401,809] (cyclic(2),cyclic(3)) onto 1x3",
         "[401,809] (cyclic(7),block) onto 1x1"}};
    for (size_t k = 0; k < 2; k++) {
        struct problem problem;
        make_problem(interleaved_texts[k], &problem);
        for (int64_t first = 0; first < 64; first += 21) {
            double *should = interleaved(&problem, "1", first);
            double *is = interleaved(&problem, "3", first);
            assert_memory_equal(is, should, (size_t)(problem.span + 8) * sizeof *is);
            free(is), free(should);
        }
        free_problem(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_as_many_threads_as_are_asked_for),
        cmocka_unit_test(each_share_is_called_once_and_begins_no_other),
        cmocka_unit_test(walks_apart_share_no_place),
        cmocka_unit_test(several_threads_move_what_one_does),
        cmocka_unit_test(several_threads_interleave_what_one_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
