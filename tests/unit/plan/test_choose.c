/* SPDX-License-Identifier: MIT
 *
 * The choice of an exchange: a pure function of what there is to do and of the machine.
 */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/registry/exchanges.h"
#include "plan/choice/choose.h"
#include "plan/comm/vote.h"
#include "schedule/core/kinds.h"
#include "unit/over_network.h"

static void latency_decides_small_messages(void **unused)
{
    struct load load = load_of(64, 63, 8);
    struct rates rates = rates_default(64);
    rates.seconds[EFFORT_CALLS] = 1e-6; /* a good collective */
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "alltoallv");
    rates.seconds[EFFORT_CALLS] = 1e-3; /* and a bad one */
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "aggregated");
    load.partial = true;
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "nonblocking");
    struct load few = load_of(64, 2, 8); /* a call for all costs more than two messages */
    rates.seconds[EFFORT_CALLS] = 10e-6;
    assert_string_equal(choose(&few, &rates, CAP).strategy.text, "nonblocking");
}

static void what_is_contiguous_is_not_packed(void **unused)
{
    struct load load = load_of(4, 3, 4 * MIB);
    struct rates rates = rates_default(4);
    rates.seconds[EFFORT_STARTUPS] = rates.seconds[EFFORT_WAITS] = 1e-3;
    rates.seconds[EFFORT_CALLS] = 1e-6;
    rates.seconds[EFFORT_SPILL] = 0;
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "alltoallv");
    for (int s = 0; s < SIDES; s++) load.all[s].packed = 0;
    rates.seconds[EFFORT_PACKING] = 1e-8;
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "nonblocking");
}

static void staging_stays_in_the_cache_unless_startups_cost_more(void **unused)
{
    struct load load = load_of(4, 3, 16 * MIB);
    struct rates rates = rates_default(4);
    assert_int_equal(choose(&load, &rates, CAP).staging, EFFORT_NEAR);
    assert_int_equal(choose(&load, &rates, 4096).staging, 4096);
    rates.seconds[EFFORT_STARTUPS] = rates.seconds[EFFORT_CALLS] = 1e-3;
    assert_int_equal(choose(&load, &rates, CAP).staging, CAP);
    struct load small = load_of(4, 3, 64 * KIB); /* the same pieces either way */
    assert_int_equal(choose(&small, &rates, CAP).staging, EFFORT_NEAR);
}

static void more_messages_under_way_may_cost_a_tenth(void **unused)
{
    struct load load = load_of(9, 8, 128 * KIB); /* 1 MiB each way, the cap holds four */
    struct load within = load_within(9, 8, 128 * KIB);
    struct rates rates = rates_default(9);
    rates.seconds[EFFORT_SPILL] = 0.1 * rates.seconds[EFFORT_WIRE];
    assert_int_equal(choose(&load, &rates, CAP).staging, CAP);
    rates.seconds[EFFORT_SPILL] = rates.seconds[EFFORT_WIRE];
    assert_int_equal(choose(&load, &rates, CAP).staging, EFFORT_NEAR);
    rates.seconds[EFFORT_SPILL] = 0;
    assert_int_equal(choose(&load, &rates, MIB + 64 * KIB).staging, MIB + 64 * KIB);
    assert_int_equal(choose(&within, &rates, CAP).staging, EFFORT_NEAR);
    load = load_of(9, 8, 64 * KIB); /* there is room as it is */
    assert_int_equal(choose(&load, &rates, CAP).staging, EFFORT_NEAR);
}

static void rates_are_three_to_five_numbers(void **unused)
{
    static const char *const wrong[] = {
        "",           "1e-6",        "1e-6,2e-9",   "1,2,3,4,5",    "1e-6,2e-9,-1",
        "1e-6,nan,0", "inf,2e-9,0",  "1e-6;2e-9;0", "1e-6,2e-9,0s", "1,2,3,",
        "1,2,3,4,-1", "1,2,3,4,1,1", "1e308,0,0",   "0,0,0,1.1e9",  "0x1p99,0,0"};
    struct rates rates, assumed = rates_assume(1e-6, 2e-9, 0, 24);
    ok(rates_read("1e-6,2e-9,0", 24, &rates));
    assert_memory_equal(rates.seconds, assumed.seconds, sizeof rates.seconds);
    assert_true(rates.stated && !assumed.stated);
    ok(rates_read("1e-6,2e-9,0,1e-6", 24, &rates));
    assert_memory_equal(rates.seconds, assumed.seconds, sizeof rates.seconds);
    ok(rates_read("1e-6,2e-9,0,3e-6", 24, &rates));
    assert_true(rates.seconds[EFFORT_WAITS] == 3e-6);
    assert_true(fabs(rates.seconds[EFFORT_VOTES] - 5 * 4e-6) < 1e-15);
    assert_true(rates.fairness == 0);
    ok(rates_read("1e-6,2e-9,0,3e-6,1", 24, &rates));
    assert_true(rates.fairness == 1 && rates.seconds[EFFORT_WAITS] == 3e-6);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(rates_read(wrong[k], 24, &rates), REDIST_ERR_ARG);
        assert_non_null(strstr(redist_error_message(), "REDIST_RATES is \""));
    }
}

/* A program that speaks the user's language may write numbers with commas. */
static void rates_are_read_in_any_locale(void **unused)
{
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    struct rates rates;
    size_t k = 0;
    while (k < sizeof commas / sizeof *commas && !setlocale(LC_NUMERIC, commas[k])) k++;
    if (k == sizeof commas / sizeof *commas) skip(); /* none is installed */
    ok(rates_read("1.5e-6,1,2,3", 24, &rates));
    assert_true(rates.seconds[EFFORT_STARTUPS] == 1.5e-6);
    assert_true(localeconv()->decimal_point[0] == ',');
    setlocale(LC_NUMERIC, "C");
}

static void ready_needs_room_for_all(void **unused)
{
    struct load load = load_of(4, 3, MIB);
    struct rates rates = rates_default(4);
    struct candidate ready;
    ok(strategy_parse("ready", &ready.strategy));
    assert_true(choose_staging(&load, &rates, CAP, 8, &ready));
    assert_int_equal(ready.staging, CAP); /* EFFORT_NEAR does not hold it */
    load.all[REDIST_TARGET].packed = CAP;
    assert_false(choose_staging(&load, &rates, CAP, 8, &ready));
    assert_int_equal(ready.staging, CAP);
    assert_true(isinf(ready.seconds));
}

/* As in test_rounds.c: all at once; in two buffers each way; not at all. */
static void rounds_are_counted(void **unused)
{
    struct load load = load_of(4, 3, MIB);
    struct effort effort;
    load.staging = 6 * MIB, load.grain = 8;
    assert_true(exchange_alltoallv.effort(&load, 0, &effort));
    assert_true(effort.count[EFFORT_CALLS] == 1);
    load.staging = 6 * MIB - 8;
    assert_true(exchange_alltoallv.effort(&load, 0, &effort));
    assert_true(effort.count[EFFORT_CALLS] == 3); /* of less than half a message */
    assert_true(exchange_neighbor.effort(&load, 0, &effort));
    assert_true(effort.count[EFFORT_CALLS] == 0 && effort.count[EFFORT_WAITS] == 3);
    assert_true(effort.count[EFFORT_STARTUPS] == 9);
    struct load longer = load_of(2, 1, 3 * (INT64_C(1) << 29)); /* at most 2^30 at once */
    longer.staging = INT64_C(1) << 40, longer.grain = 8;
    assert_true(exchange_onesided.effort(&longer, 0, &effort));
    assert_true(effort.count[EFFORT_WAITS] == 4);
    load.grain = MIB; /* of no whole element */
    assert_false(exchange_alltoallv.effort(&load, 0, &effort));
    load.staging = 5, load.grain = 8;
    assert_false(exchange_alltoallv.effort(&load, 0, &effort));
    assert_false(exchange_neighbor.effort(&load, 0, &effort));
}

static void seconds_are_counts_times_rates(void **unused)
{
    struct load load = load_of(3, 2, 100);
    struct rates rates = {.seconds = {[EFFORT_STARTUPS] = 1e3,
                                      [EFFORT_WAITS] = 1e4,
                                      [EFFORT_WIRE] = 1,
                                      [EFFORT_PACKING] = 10,
                                      [EFFORT_VOTES] = 1e5}};
    struct candidate synchronous;
    ok(strategy_parse("synchronous", &synchronous.strategy));
    assert_true(choose_staging(&load, &rates, CAP, 8, &synchronous));
    /* 2 messages one after the other, 200 bytes on the wire, 400 packed and unpacked */
    assert_true(synchronous.seconds == 2e3 + 2e4 + 200 + 4000);
    load.unreached = 1; /* and an empty message */
    assert_true(choose_staging(&load, &rates, CAP, 8, &synchronous));
    assert_true(synchronous.seconds == 3e3 + 2e4 + 200 + 4000);
    load.unreached = VOTE_MESSAGES + 1; /* and a reduction */
    assert_true(choose_staging(&load, &rates, CAP, 8, &synchronous));
    assert_true(synchronous.seconds == 2e3 + 2e4 + 200 + 4000 + 1e5);
    assert_int_equal(choose_deciding(&synchronous, NULL, &rates), EFFORT_VOTES);
}

/* ---- who asks for what ------------------------------------------------------------- */

static void datatypes_take_their_time_by_blocks(void **unused)
{
    struct rates rates = rates_default(4);
    struct load load = load_of(4, 3, MIB);
    struct effort effort;
    assert_true(exchange_alltoallw.effort(&load, 0, &effort));
    assert_true(effort.count[EFFORT_BLOCKS] == 2 * 3 * MIB / 8.0);
    assert_true(effort.count[EFFORT_WIRE] == 3 * MIB && effort.staging == 0);
    assert_true(effort.count[EFFORT_PACKING] == 0);
    assert_true(effort.count[EFFORT_TYPED] == 2 * 3 * MIB);
    assert_string_not_equal(choose(&load, &rates, CAP).strategy.text, "alltoallw");
    for (int s = 0; s < SIDES; s++) load.all[s].blocks = 3 * MIB / 4096;
    rates.seconds[EFFORT_TYPED] = 0; /* an MPI that has them packed on the way */
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "alltoallw");
    rates.seconds[EFFORT_TYPED] =
        10 * rates.seconds[EFFORT_PACKING]; /* one that is slow */
    assert_string_not_equal(choose(&load, &rates, CAP).strategy.text, "alltoallw");
    load.all[REDIST_SOURCE].packed = load.all[REDIST_TARGET].packed = 0; /* has none */
    assert_true(exchange_alltoallw.effort(&load, 0, &effort));
    assert_true(effort.count[EFFORT_TYPED] == 0 && effort.count[EFFORT_WIRE] == 3 * MIB);
    load.plain = false; /* several arrays, or arithmetic */
    assert_false(exchange_alltoallw.effort(&load, 0, &effort));
    assert_string_not_equal(choose(&load, &rates, CAP).strategy.text, "alltoallw");
}

/* Each piece that is long, whoever sends it; what is read is not sent. */
static void long_messages_shake_hands(void **unused)
{
    struct load load = load_of(4, 3, EFFORT_EAGER), longer = load_of(4, 3, MIB);
    struct effort effort;
    for (int k = 0; exchanges[k]; k++) {
        const struct exchange *exchange = exchanges[k];
        if (!exchange->effort || exchange == &exchange_replicate) continue;
        if (exchange == &exchange_aggregated) continue; /* several are one */
        load.staging = longer.staging = 8 * MIB;
        load.grain = longer.grain = 8;
        load.chunk = longer.chunk = MIB / 2;
        assert_true(exchange->effort(&load, exchange->parameter, &effort));
        assert_true(effort.count[EFFORT_HANDSHAKES] == 0);
        assert_true(exchange->effort(&longer, exchange->parameter, &effort));
        double expected = exchange == &exchange_onesided ? 0 : 3;
        if (exchange->ordered) expected = effort.count[EFFORT_STARTUPS];
        assert_true(effort.count[EFFORT_HANDSHAKES] == expected);
    }
    struct rates rates = rates_default(4);
    struct load near = load_within(4, 3, 8 * KIB);
    for (int s = 0; s < SIDES; s++) near.far[s] = (struct flow){1, 8, 8, 8, 1};
    rates.seconds[EFFORT_RINGS] = 2 * rates.seconds[EFFORT_WIRE];
    rates.seconds[EFFORT_FLAGS] = rates.seconds[EFFORT_STARTUPS];
    assert_string_not_equal(choose(&near, &rates, CAP).strategy.text, "shared");
    rates.seconds[EFFORT_HANDSHAKES] = 10 * rates.seconds[EFFORT_STARTUPS];
    assert_string_equal(choose(&near, &rates, CAP).strategy.text, "shared");
}

static void what_is_read_takes_the_time_of_gets(void **unused)
{
    struct rates rates = rates_default(4);
    struct load load = load_of(4, 3, MIB);
    struct effort effort;
    load.staging = 8 * MIB;
    assert_true(exchange_onesided.effort(&load, 0, &effort));
    assert_true(effort.count[EFFORT_GETS] == 3 * MIB && effort.count[EFFORT_WIRE] == 0);
    assert_true(effort.count[EFFORT_STARTUPS] == 9 && effort.count[EFFORT_WAITS] == 2);
    assert_string_not_equal(choose(&load, &rates, CAP).strategy.text, "onesided");
    rates.seconds[EFFORT_WIRE] *= 10;
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "onesided");
}

/* Whatever there is to do, no exchange promises to take more than it may. */
static void promises_are_within_the_staging_memory(void **unused)
{
    static const int64_t bytes[] = {8, 1000, 64 * KIB, 3 * MIB, INT64_C(1) << 40};
    for (int64_t staging = 16; staging <= 64 * MIB; staging *= 3)
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
            for (int near = 0; near < 2; near++)
                for (int k = 0; exchanges[k]; k++) {
                    struct load load =
                        near ? load_within(64, 40, bytes[b]) : load_of(64, 40, bytes[b]);
                    struct effort effort;
                    load.staging = staging, load.grain = 8;
                    load.chunk = transfer_chunk(staging, 8);
                    if (!exchanges[k]->effort) continue;
                    if (!exchanges[k]->effort(&load, exchanges[k]->parameter, &effort))
                        continue;
                    assert_in_range(effort.staging, 0, staging);
                }
}

static void the_most_of_two_loads_is_merged(void **unused)
{
    struct load load = load_of(4, 3, 10), other = load_within(4, 2, 100);
    other.unreached = 9;
    load_merge(&load, &other);
    assert_int_equal(load.all[0].messages, 3);
    assert_int_equal(load.all[1].bytes, 200);
    assert_int_equal(load.near[1].largest, 100);
    assert_int_equal(load.far[0].packed, 30);
    assert_int_equal(load.unreached, 9);
}

/* By more than a twentieth nothing is ranked before what is faster; nothing is lost. */
static void rank_all(const struct load *load, const struct rates *rates)
{
    struct candidate candidates[CHOOSE_MOST];
    int n = choose_rank(load, rates, CAP, 8, &any_choice, candidates), expected = 0;
    for (int k = 0; exchanges[k]; k++) expected += exchanges[k]->effort != NULL;
    assert_int_equal(n, expected);
    for (int k = 1; k < n; k++)
        for (int j = 0; j < k; j++)
            assert_true(candidates[k].seconds >= 0.95 * candidates[j].seconds);
}

static void the_fastest_come_first(void **unused)
{
    for (int64_t bytes = 8; bytes < 100 * KIB; bytes *= 3)
        for (int term = 0; term < EFFORT_TERMS; term++) {
            struct load load = load_of(16, 9, bytes);
            struct rates rates = rates_default(16);
            load.replicas = 2; /* so that there is no exchange that it is nothing for */
            rates.seconds[term] *= 100;
            rank_all(&load, &rates);
        }
}

/* One sends to 63 replicas: they pass it on, unless they are not told to be replicas. */
static void replicas_pass_on_what_one_sends(void **unused)
{
    struct load load = load_of(64, 63, MIB);
    struct flow *in = &load.all[REDIST_TARGET];
    *in = (struct flow){.messages = 1, .bytes = MIB, .largest = MIB, .blocks = 1};
    load.far[REDIST_TARGET] = *in;
    struct rates rates = rates_default(64);
    struct candidate candidates[CHOOSE_MOST];
    for (int64_t replicas = 1; replicas <= 63; replicas += 62) {
        load.replicas = replicas;
        assert_true(choose_rank(&load, &rates, CAP, 8, &any_choice, candidates) > 0);
        bool passed = candidates[0].strategy.exchange == &exchange_replicate;
        assert_int_equal(passed, replicas > 1);
    }
    const double *count = candidates[0].effort.count;
    assert_true(count[EFFORT_WIRE] < 3.0 * MIB);
    assert_true(count[EFFORT_HANDSHAKES] == count[EFFORT_STARTUPS]);
}

/* Each has a part of what all want: they pass it on where a node then gets it once, by a
 * link that four share. */
static void replicas_of_a_node_spare_its_link(void **unused)
{
    struct load load = load_of(64, 63, 64 * KIB);
    struct rates rates = rates_default(64);
    for (int s = 0; s < SIDES; s++) load.all[s].packed = load.far[s].packed = 0;
    load.replicas = 64;
    rates.seconds[EFFORT_WIRE] *= 4;
    for (int beside = 1; beside <= 4; beside += 3) {
        load.beside = beside;
        const struct exchange *chosen = choose(&load, &rates, CAP).strategy.exchange;
        assert_int_equal(chosen == &exchange_replicate, beside == 4);
    }
}

static void an_exchange_that_says_nothing_is_not_chosen(void **unused)
{
    struct exchange silent = exchange_nonblocking;
    silent.effort = NULL;
    struct load load = load_of(4, 3, MIB);
    struct rates rates = rates_default(4);
    struct candidate candidate;
    strategy_make(NULL, 0, &silent, 0, &candidate.strategy);
    assert_false(choose_staging(&load, &rates, CAP, 8, &candidate));
    assert_int_equal(candidate.staging, CAP);
}

/* ---- schedules --------------------------------------------------------------------- */

static const struct schedule_kind *schedule_under(int64_t cap, const char *source,
                                                  const char *target)
{
    struct rates rates = rates_default(16);
    struct problem problem;
    problem_over(16, &rates, NULL, source, target, &problem);
    problem.query.most = cap;
    const struct schedule_kind *schedule = chosen(&problem).method.schedule;
    problem_free(&problem);
    return schedule;
}

static const struct schedule_kind *schedule_of(const char *source, const char *target)
{
    return schedule_under(CAP, source, target);
}

static void messages_go_by_a_schedule_where_they_have_to_wait(void **unused)
{
    /* the ring order has 15 steps and a bound of 7 messages */
    const struct schedule_kind *kind =
        schedule_of("[24000000] (cyclic(3)) onto 16", "[24000000] (cyclic(5)) onto 16");
    assert_non_null(kind);
    assert_ptr_not_equal(kind, &schedule_shifted);
    assert_null(schedule_of("[240] (cyclic(3)) onto 16", "[240] (cyclic(5)) onto 16"));
    /* all to all: the ring order is as good as any */
    assert_null(
        schedule_of("[16000000] (cyclic(1)) onto 16", "[16000000] (block) onto 16"));
    /* too many messages to look at */
    assert_null(schedule_of("[99000000] (cyclic(30)) onto 999",
                            "[99000000] (cyclic(50)) onto 999"));
    /* no period */
    assert_non_null(
        schedule_under(64, "[960] (cyclic(3)) onto 16", "[960] (cyclic(5)) onto 16"));
    assert_null(schedule_under(64, "[960] (indirect(960*0)) onto 2",
                               "[960] (cyclic(5)) onto 16"));
}

static void a_strategy_takes_a_schedule_that_its_exchange_can_follow(void **unused)
{
    struct strategy strategy;
    strategy_make(&schedule_timeline, 0, &exchange_window, 4, &strategy);
    assert_string_equal(strategy.text, "timeline/window(4)");
    strategy_make(&schedule_timeline, 0, &exchange_sendrecv, 0, &strategy);
    assert_string_equal(strategy.text, "timeline/sendrecv");
    strategy_make(&schedule_optimal, 0, &exchange_alltoallv, 0, &strategy);
    assert_string_equal(strategy.text, "alltoallv");
    assert_null(strategy.schedule);
    assert_int_equal(strategy.seed, 0);
    strategy_make(&schedule_links, 3, &exchange_window, 2, &strategy);
    assert_string_equal(strategy.text, "links(3)/window(2)");
    ok(strategy_parse("random(5)/sendrecv", &strategy));
    assert_ptr_equal(strategy.schedule, &schedule_random);
    assert_int_equal(strategy.seed, 5);
    assert_string_equal(strategy.text, "random(5)/sendrecv");
    ok(strategy_parse("random(6)", &strategy));
    assert_int_equal(strategy.seed, 6);
    assert_null(strategy.exchange);
    assert_int_equal(strategy_parse("timeline(6)", &strategy), REDIST_ERR_ARG);
    assert_int_equal(strategy_parse("timeline(6)/window", &strategy), REDIST_ERR_ARG);
    ok(strategy_parse(NULL, &strategy));
    assert_string_equal(strategy.text, "auto");
    assert_null(strategy.exchange);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_decides_small_messages),
        cmocka_unit_test(what_is_contiguous_is_not_packed),
        cmocka_unit_test(staging_stays_in_the_cache_unless_startups_cost_more),
        cmocka_unit_test(more_messages_under_way_may_cost_a_tenth),
        cmocka_unit_test(rates_are_three_to_five_numbers),
        cmocka_unit_test(rates_are_read_in_any_locale),
        cmocka_unit_test(ready_needs_room_for_all),
        cmocka_unit_test(rounds_are_counted),
        cmocka_unit_test(seconds_are_counts_times_rates),
        cmocka_unit_test(datatypes_take_their_time_by_blocks),
        cmocka_unit_test(long_messages_shake_hands),
        cmocka_unit_test(what_is_read_takes_the_time_of_gets),
        cmocka_unit_test(promises_are_within_the_staging_memory),
        cmocka_unit_test(the_most_of_two_loads_is_merged),
        cmocka_unit_test(the_fastest_come_first),
        cmocka_unit_test(replicas_pass_on_what_one_sends),
        cmocka_unit_test(replicas_of_a_node_spare_its_link),
        cmocka_unit_test(an_exchange_that_says_nothing_is_not_chosen),
        cmocka_unit_test(messages_go_by_a_schedule_where_they_have_to_wait),
        cmocka_unit_test(a_strategy_takes_a_schedule_that_its_exchange_can_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
