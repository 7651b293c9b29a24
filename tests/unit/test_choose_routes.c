/* SPDX-License-Identifier: MIT
 *
 * Messages by way of a third process: what they ask of a machine, and where that pays;
 * and how messages go where the links between processes are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "schedule/kinds.h"
#include "loads.h"

/* Of 64 ranks in groups of 8 each has 7 bundles for other groups and 7 in its own. */
static void bundles_are_counted_on_both_hops(void **unused)
{
    (void)unused;
    struct load load = load_of(64, 63, 1000);
    struct effort effort;
    load.staging = MIB, load.grain = 8;
    assert_true(exchange_aggregated.effort(&load, EXCHANGE_CHOOSES, &effort));
    assert_true(effort.count[EFFORT_STARTUPS] == 14 && effort.count[EFFORT_WAITS] == 2);
    assert_true(effort.count[EFFORT_HANDSHAKES] == 14);
    assert_true(effort.count[EFFORT_WIRE] == 2 * 63000);
    assert_true(effort.count[EFFORT_PACKING] == 3 * 63000);
    assert_true(effort.count[EFFORT_SPILL] == 0);
    assert_true(exchange_aggregated.effort(&load, 32, &effort));
    assert_true(effort.count[EFFORT_STARTUPS] == 1 + 31);
    load.staging = 4 * 63000; /* but for the words behind them */
    assert_true(exchange_aggregated.effort(&load, EXCHANGE_CHOOSES, &effort));
    assert_true(effort.count[EFFORT_STARTUPS] == 28 && effort.count[EFFORT_WAITS] == 3);
    struct load few = load_of(64, 3, 1000);
    few.staging = MIB, few.grain = 8;
    assert_true(exchange_aggregated.effort(&few, EXCHANGE_CHOOSES, &effort));
    assert_true(effort.count[EFFORT_STARTUPS] == 3 + 3);
    load.staging = 4 * 63 * 8; /* no room for an element of each */
    assert_false(exchange_aggregated.effort(&load, EXCHANGE_CHOOSES, &effort));
}

static void what_is_passed_on_pays_where_startups_take_longest(void **unused)
{
    (void)unused;
    struct rates rates = rates_default(256);
    struct load load = load_of(256, 255, 64), longer = load_of(256, 255, 64 * KIB);
    struct load few = load_of(256, 7, 64);
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "aggregated");
    assert_string_not_equal(choose(&longer, &rates, CAP).strategy.text, "aggregated");
    assert_string_not_equal(choose(&few, &rates, CAP).strategy.text, "aggregated");
}

/* ---- over a network ---------------------------------------------------------------- */

/* The course of doubles from cyclic(3) onto 16 to cyclic(5) onto 16, over `network`. */
static struct course course_of(int64_t elements, const char *network,
                               const struct rates *rates)
{
    redist_dist *dist[SIDES];
    redist_view view[SIDES];
    redist_topology *topology = NULL;
    struct course course;
    char text[SIDES][64];
    for (int s = 0; s < SIDES; s++) {
        (void)snprintf(text[s], sizeof text[s], "[%lld] (cyclic(%d)) onto 16",
                       (long long)elements, s ? 5 : 3);
        assert_int_equal(redist_view_parse(text[s], &dist[s], &view[s]), REDIST_OK);
    }
    assert_int_equal(redist_topology_parse(network, 16, &topology), REDIST_OK);
    const struct query query = {&view[0], &view[1], topology, 8, CAP, rates};
    assert_int_equal(choose_course(&query, NULL, REDIST_OK, &course), REDIST_OK);
    redist_topology_destroy(&topology);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&dist[s]);
    return course;
}

static void few_messages_at_a_time_go_where_they_meet_nobody(void **unused)
{
    (void)unused;
    struct rates rates = rates_assume(2e-6, 3e-9, 0, 16);
    struct course course = course_of(2400000, "tree(16)", &rates);
    assert_true(course.window == 1 && course.strain == 1);
    assert_ptr_equal(course.exchange, &exchange_window);
    /* on a line all messages pass the middle */
    course = course_of(2400000, "mesh(16)", &rates);
    assert_true(!course.exchange && course.strain > 2);
    /* who packs one after the other lets the wire wait */
    rates.seconds[EFFORT_PACKING] = 3e-9;
    assert_int_not_equal(course_of(2400000, "tree(16)", &rates).window, 1);
    /* and who waits for an answer each time */
    rates.seconds[EFFORT_PACKING] = 0;
    rates.seconds[EFFORT_WAITS] = 1e-3;
    assert_null(course_of(2400000, "tree(16)", &rates).exchange);
}

static void a_window_comes_before_all_that_go_by_the_same_order(void **unused)
{
    (void)unused;
    struct load load = load_of(16, 6, 64 * KIB), short_ones = load_of(256, 255, 64);
    struct rates rates = rates_assume(1e-4, 3e-9, 0, 16);
    struct course course = {&schedule_timeline, &exchange_window, 2, 1};
    struct candidate candidates[CHOOSE_MOST];
    assert_true(choose_rank(&load, &rates, CAP, 8, &course, candidates) > 1);
    assert_string_equal(candidates[0].strategy.text, "timeline/window(2)");
    assert_string_equal(candidates[1].strategy.text, "timeline/nonblocking");
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "nonblocking");
    /* but not before what sends fewer of them */
    rates = rates_default(256);
    assert_true(choose_rank(&short_ones, &rates, CAP, 8, &course, candidates) > 1);
    assert_string_equal(candidates[0].strategy.text, "aggregated");
}

/* All bytes count as many times as the busiest link has more of them. */
static void what_is_passed_on_pays_less_where_links_are_few(void **unused)
{
    (void)unused;
    struct rates rates = rates_assume(8e-7, 8e-11, 0, 16);
    struct load load = load_of(16, 15, 2400);
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "aggregated");
    rates.seconds[EFFORT_WIRE] *= course_of(2400000, "tree(4:1,4)", &rates).strain;
    assert_string_not_equal(choose(&load, &rates, CAP).strategy.text, "aggregated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundles_are_counted_on_both_hops),
        cmocka_unit_test(what_is_passed_on_pays_where_startups_take_longest),
        cmocka_unit_test(few_messages_at_a_time_go_where_they_meet_nobody),
        cmocka_unit_test(a_window_comes_before_all_that_go_by_the_same_order),
        cmocka_unit_test(what_is_passed_on_pays_less_where_links_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
