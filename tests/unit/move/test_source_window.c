/* SPDX-License-Identifier: MIT
 *
 * A source window (move/shared/source_window.h): it is made where many get short runs of
 * a source that they need in its order, from a window that holds what they are apart; its
 * stretches are the source.
 */
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/shared/source_window.h"

enum { KIB = 1 << 10, MIB = 1 << 20, LINE = 64 };

struct problem {
    redist_dist *dist[SIDES];
    redist_view view[SIDES];
    struct order order;
    struct array array;
    struct move move;
};

static void make_problem(const char *const text[SIDES], int rank, struct problem *problem)
{
    static const struct sizes sizes = {8, 8, 0};
    memset(problem, 0, sizeof *problem);
    for (int s = 0; s < SIDES; s++)
        ok(redist_view_parse(text[s], &problem->dist[s], &problem->view[s]));
    ok(order_make(NULL, 0, &problem->view[0], &problem->view[1], NULL, 16,
                  &problem->order));
    ok(array_make(NULL, problem->view, sizes, rank, &problem->array));
    problem->move = (struct move){
        .narrays = 1, .array = &problem->array, .staging = MIB, .most = 8 * MIB};
    ok(transfers_make(NULL, &problem->order, 1, &problem->array, REDIST_SOURCE, true,
                      &problem->move.send));
}

static void free_problem(struct problem *problem)
{
    transfers_free(&problem->move.send);
    order_free(&problem->order);
    array_free(&problem->array);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&problem->dist[s]);
}

static const struct {
    const char *text[SIDES];
    int64_t window; /* bytes; 0: not worth it */
} cases[] = {
    {{"[1048576] (cyclic(3)) onto 4", "[1048576] (cyclic(5)) onto 4"}, 512 * KIB},
    {{"[1024,1024] (cyclic(3),cyclic(3)) onto 4x4",
      "[1024,1024] (cyclic(5),cyclic(5)) onto 4x4"},
     512 * KIB},
    {{"[4096,4096] (cyclic(32),cyclic(32)) onto 4x4",
      "[4096,4096] (cyclic(100),cyclic(100)) onto 4x4"},
     MIB},
    /* some are ahead by rows of more than most windows */
    {{"[4096,8192] (cyclic(32),cyclic(32)) onto 4x4",
      "[4096,8192] (cyclic(100),cyclic(100)) onto 4x4"},
     2 * MIB},
    {{"[4096,16384] (cyclic(32),cyclic(32)) onto 4x4",
      "[4096,16384] (cyclic(100),cyclic(100)) onto 4x4"},
     4 * MIB},
    {{"[4096,32768] (cyclic(32),cyclic(32)) onto 4x4",
      "[4096,32768] (cyclic(100),cyclic(100)) onto 4x4"},
     0},
    {{"[4194304] (cyclic(1)) onto 4", "[4194304] (block) onto 4"}, 0}, /* parts of it */
    {{"[1048576] (cyclic(3)) onto 2", "[1048576] (cyclic(5)) onto 2"}, 0}, /* to one */
    {{"[1048576] (cyclic(128)) onto 4", "[1048576] (cyclic(200)) onto 4"}, 0}, /* long */
    {{"[1048576] (cyclic(3)) onto 4 section [9:999999]", "[999991] (cyclic(5)) onto 4"},
     512 * KIB},
    {{"[1048576] (cyclic(3)) onto 4 section [9:999999:3]", "[333331] (cyclic(5)) onto 4"},
     0}, /* not all of it */
    {{"[1024,1024] (cyclic(3),*) onto 4", "[1024,1024] (*,cyclic(5)) onto 4"}, 512 * KIB},
    {{"[2048,1024] (*,cyclic(3)) onto 4", "[2048,1024] (block,*) onto 4"}, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static void windows_are_made_where_targets_go_along(void **state)
{
    for (int k = 0; k < CASES; k++)
        for (int rank = 0; rank < 2; rank++) {
            struct problem problem;
            struct source_window window;
            make_problem(cases[k].text, rank, &problem);
            bool made = source_window_make(&problem.move, MIB, &window);
            if (made != (cases[k].window > 0)) fail_msg("case %d: %d", k, made);
            int64_t bytes = made ? window.slot * window.nslots : 0;
            assert_in_range(bytes, LENGTH(cases[k].window / 4 * 3, 0), cases[k].window);
            free_problem(&problem);
        }
}

/* A window has room in the staging memory, and is not much larger than a cache. */
static void windows_are_limited(void **state)
{
    static const char *const text[SIDES] = {
        "[4096,8192] (cyclic(32),cyclic(32)) onto 4x4",
        "[4096,8192] (cyclic(100),cyclic(100)) onto 4x4"};
    struct problem problem;
    struct source_window window;
    make_problem(text, 0, &problem);
    assert_true(source_window_make(&problem.move, INT64_MAX, &window));
    assert_true(source_window_make(&problem.move, 512 * KIB, &window));
    assert_false(source_window_make(&problem.move, 256 * KIB, &window));
    problem.move.most = 2 * MIB;
    assert_true(source_window_make(&problem.move, MIB, &window));
    problem.move.most = MIB;
    assert_false(source_window_make(&problem.move, MIB, &window));
    free_problem(&problem);
}

/* One after the other they are what the array holds, and as many as fill whole laps. */
static void stretches_are_the_source(void **state)
{
    for (int k = 0; k < CASES; k++) {
        struct problem problem;
        struct source_window window;
        make_problem(cases[k].text, 1, &problem);
        if (source_window_make(&problem.move, MIB, &window)) {
            size_t all = (size_t)(window.begin + window.bytes);
            char *source = malloc(all), *is = aligned_alloc(LINE, (size_t)window.slot);
            const void *const sources[] = {source};
            assert_true(source && is);
            problem.move.sources = sources;
            problem.move.memory = &memory_host;
            for (size_t b = 0; b < all; b++) source[b] = (char)(b * 2654435761u >> 13);
            assert_int_equal(window.slot % LINE, 0);
            assert_int_equal(window.n % window.nslots, 0);
            assert_true(source_window_end(&window, window.n) >= (int64_t)all);
            for (int64_t j = 0; j < window.n; j++) {
                int64_t at = source_window_end(&window, j);
                source_window_copy(&window, j, j % 2, &problem.move, is);
                if (at < (int64_t)all)
                    assert_memory_equal(is, source + at,
                                        (size_t)int_min(window.slot, (int64_t)all - at));
            }
            free(source);
            free(is);
        }
        free_problem(&problem);
    }
}

/* Who only receives goes along with the others. */
static void who_sends_nothing_does_not_mind(void **state)
{
    static const char *const text[SIDES] = {"[4096] (cyclic(3)) onto 4",
                                            "[4096] (cyclic(5)) onto 8"};
    struct problem problem;
    struct source_window window;
    make_problem(text, 7, &problem);
    assert_true(source_window_make(&problem.move, INT64_MAX, &window));
    assert_int_equal(window.n, 0);
    free_problem(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_made_where_targets_go_along),
        cmocka_unit_test(windows_are_limited),
        cmocka_unit_test(stretches_are_the_source),
        cmocka_unit_test(who_sends_nothing_does_not_mind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
