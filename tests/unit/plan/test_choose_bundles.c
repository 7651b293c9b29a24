/* SPDX-License-Identifier: MIT
 *
 * Messages by way of a third process: what they ask of a machine, and where that pays.
 */
#include <string.h>

#include "schedule/core/kinds.h"
#include "unit/over_network.h"

/* Of 64 ranks in groups of 8 each has 7 bundles for other groups and 7 in its own. */
static void bundles_are_counted_on_both_hops(void **unused)
{
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
    struct rates rates = rates_default(256);
    struct load load = load_of(256, 255, 64), longer = load_of(256, 255, 64 * KIB);
    struct load few = load_of(256, 7, 64);
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "aggregated");
    assert_string_not_equal(choose(&longer, &rates, CAP).strategy.text, "aggregated");
    assert_string_not_equal(choose(&few, &rates, CAP).strategy.text, "aggregated");
}

/* Nor does it pay where messages start while others are on the wire. */
static void what_starts_while_others_travel_costs_less(void **unused)
{
    struct rates rates = rates_assume(1e-4, 8e-8, 0, 64);
    struct load load = load_of(64, 63, 600), shorter = load_of(64, 63, 100);
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "aggregated");
    rates.overlaps = true;
    assert_string_not_equal(choose(&load, &rates, CAP).strategy.text, "aggregated");
    assert_string_equal(choose(&shorter, &rates, CAP).strategy.text, "aggregated");
}

/* ---- over a network ---------------------------------------------------------------- */

/* All bytes count as many times as the busiest link has more of them. */
static void what_is_passed_on_pays_less_where_links_are_few(void **unused)
{
    struct rates rates = rates_assume(8e-7, 8e-11, 0, 16);
    struct load load = load_of(16, 15, 2400);
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "aggregated");
    rates.seconds[EFFORT_WIRE] *= choice_of(2400000, "tree(4:1,4)", &rates).strain;
    assert_string_not_equal(choose(&load, &rates, CAP).strategy.text, "aggregated");
}

/* From cyclic(1) to block each has something for each other one. */
static struct choice choice_among(int nranks, int64_t each, const char *network,
                                  const char *stated)
{
    char text[SIDES][64];
    for (int s = 0; s < SIDES; s++)
        (void)snprintf(text[s], sizeof text[s], "[%lld] (%s) onto %d",
                       (long long)each * nranks, s ? "block" : "cyclic(1)", nranks);
    struct rates rates = rates_stated(stated, nranks);
    return choice_between(nranks, &rates, network, text[REDIST_SOURCE],
                          text[REDIST_TARGET]);
}

static const char *const quick = "8e-7,8e-11,0,1e-6,0"; /* a startup */
static const char *const slow = "1e-4,8e-11,0,1e-6,0";

/* Where a startup takes longer than all bytes they go in bundles, and where it does not
 * straight. The best order of those that go straight is known all the same. */
static void bundles_go_over_a_network_where_they_take_least(void **unused)
{
    struct choice choice = choice_among(16, 16 * 8, "mesh(4,4)", quick);
    assert_true(choice.bundled && choice.method.schedule);
    assert_ptr_equal(choice.method.exchange, &exchange_aggregated);
    assert_int_equal(choice.method.parameter, 4);
    assert_int_equal(choice.method.staging, 0);
    choice = choice_among(16, 16 * 8192, "mesh(4,4)", quick);
    assert_true(choice.bundled && choice.method.schedule);
    assert_ptr_not_equal(choice.method.exchange, &exchange_aggregated);
}

/* Of groups of 2 what takes less by luck alone is not taken. */
static void bundles_of_another_size_have_to_be_ahead(void **unused)
{
    struct choice choice = choice_among(16, 16 * 512, "tree(16)", quick);
    assert_ptr_equal(choice.method.exchange, &exchange_aggregated);
    assert_int_equal(choice.method.parameter, 2);
    choice = choice_among(12, 12 * 512, "tree(12)", quick);
    assert_true(choice.bundled);
    assert_ptr_not_equal(choice.method.exchange, &exchange_aggregated);
}

/* Of two processes what each has for the other is one message either way. */
static void bundles_of_nothing_are_not_taken(void **unused)
{
    struct choice choice = choice_among(2, 2 * 19200, "mesh(2)", quick);
    assert_ptr_not_equal(choice.method.exchange, &exchange_aggregated);
}

/* 35 messages of 8.6 KiB, on both hops and both ways, are more than is near. */
static void bundles_go_whole_with_all_staging_memory(void **unused)
{
    struct choice choice = choice_among(36, 36 * 1100, "mesh(6,6)", slow);
    assert_true(choice.bundled && choice.method.schedule);
    assert_ptr_equal(choice.method.exchange, &exchange_aggregated);
    assert_int_equal(choice.method.staging, CAP);
}

/* They may go all the same, by what is known of them besides. */
static void bundles_without_room_are_not_tried(void **unused)
{
    struct choice choice = choice_among(16, 16 * 65536, "mesh(4,4)", quick);
    assert_true(!choice.bundled && choice.method.schedule);
}

/* Each keeps about 32 MiB and has one element for the next one. */
static void what_stays_needs_no_room(void **unused)
{
    struct rates rates = rates_stated(quick, 4);
    struct choice choice =
        choice_between(4, &rates, "mesh(4)", "[16777216] (block) onto 4",
                       "[16777216] (gen_block(4194305,4194304,4194304,4194303)) onto 4");
    assert_true(choice.bundled);
}

static void bundles_of_too_many_messages_are_not_tried(void **unused)
{
    struct choice choice = choice_among(128, 128, "mesh(128)", quick);
    assert_true(!choice.bundled);
    assert_ptr_equal(choice.method.schedule, &schedule_links);
}

/* What has been tried stands where trials put it, whatever is predicted besides. */
static void bundles_that_were_tried_go_first_or_last(void **unused)
{
    struct rates rates = rates_default(256);
    struct load load = load_of(256, 255, 64);
    struct choice choice = {.strain = 1, .bundled = true};
    struct candidate candidates[CHOOSE_MOST];
    int n = choose_rank(&load, &rates, CAP, 8, &choice, candidates);
    assert_ptr_equal(candidates[n - 1].strategy.exchange, &exchange_aggregated);
    assert_true(candidates[n - 1].seconds < candidates[0].seconds);
    choice.method = (struct method){
        .exchange = &exchange_aggregated, .parameter = 8, .staging = 4 * MIB};
    assert_true(choose_rank(&load, &rates, CAP, 8, &choice, candidates) > 1);
    assert_string_equal(candidates[0].strategy.text, "aggregated(8)");
    assert_int_equal(candidates[0].staging, 4 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundles_are_counted_on_both_hops),
        cmocka_unit_test(what_is_passed_on_pays_where_startups_take_longest),
        cmocka_unit_test(what_starts_while_others_travel_costs_less),
        cmocka_unit_test(what_is_passed_on_pays_less_where_links_are_few),
        cmocka_unit_test(bundles_go_over_a_network_where_they_take_least),
        cmocka_unit_test(bundles_of_another_size_have_to_be_ahead),
        cmocka_unit_test(bundles_of_nothing_are_not_taken),
        cmocka_unit_test(bundles_go_whole_with_all_staging_memory),
        cmocka_unit_test(bundles_without_room_are_not_tried),
        cmocka_unit_test(what_stays_needs_no_room),
        cmocka_unit_test(bundles_of_too_many_messages_are_not_tried),
        cmocka_unit_test(bundles_that_were_tried_go_first_or_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
