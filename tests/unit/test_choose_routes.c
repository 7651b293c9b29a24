/* SPDX-License-Identifier: MIT
 *
 * Messages by way of a third process: what they ask of a machine, and where that pays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundles_are_counted_on_both_hops),
        cmocka_unit_test(what_is_passed_on_pays_where_startups_take_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
