/* SPDX-License-Identifier: MIT
 *
 * The choice within a node: what shared memory asks of a machine, and when messages are
 * taken in its place.
 */
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "move/shared/shm_peers.h"
#include "plan/choice/choose.h"
#include "unit/loads.h"

/* On one node nothing is on the wire; a slot is an eighth of 1 MiB over 3 rings. */
static void shared_copies_within_a_node(void **unused)
{
    struct load load = load_within(4, 3, MIB);
    struct effort effort;
    load.staging = MIB, load.grain = 8, load.chunk = MIB / 8;
    assert_true(exchange_shared.effort(&load, 0, &effort));
    assert_true(effort.count[EFFORT_WIRE] == 0 && effort.count[EFFORT_STARTUPS] == 0);
    assert_true(effort.count[EFFORT_RINGS] == 3 * MIB &&
                effort.count[EFFORT_PACKING] == 0 && effort.count[EFFORT_SPILL] == 0);
    struct slots slots = rings_cut(MIB / 2, 8, 3, MIB);
    assert_true(slots.bytes * slots.n <= MIB / 6 && slots.bytes * slots.n > MIB / 7);
    int64_t pieces = 3 + 3 * (MIB - 1) / slots.bytes;
    int64_t laps = int_ceil_div(MIB, slots.bytes * slots.n);
    assert_true(effort.count[EFFORT_FLAGS] == (double)(3 + pieces + laps));
    assert_int_equal(effort.staging, MIB / 2);
    load.staging = 8 * MIB; /* rings of 2 MiB have a rate of their own */
    assert_true(exchange_shared.effort(&load, 0, &effort));
    assert_true(effort.count[EFFORT_SPILL] == 0);
}

/* What goes to other nodes is that of nonblocking, with what the rings leave. */
static void shared_is_nonblocking_beyond(void **unused)
{
    struct load load = load_of(8, 3, 4 * MIB), within = load_within(8, 3, MIB);
    struct effort far, both, left;
    load.staging = 4 * MIB, load.grain = 8, load.chunk = transfer_chunk(4 * MIB, 8);
    assert_true(exchange_nonblocking.effort(&load, 0, &far));
    assert_true(exchange_shared.effort(&load, 0, &both));
    for (int k = 0; k < EFFORT_TERMS; k++)
        assert_true(k == EFFORT_STARTUPS || k == EFFORT_HANDSHAKES || k == EFFORT_WAITS ||
                    far.count[k] == both.count[k]);
    load.staging = 2 * MIB, load.chunk = transfer_chunk(2 * MIB, 8);
    assert_true(exchange_nonblocking.effort(&load, 0, &left));
    assert_true(left.count[EFFORT_STARTUPS] == both.count[EFFORT_STARTUPS]);
    load.staging = 4 * MIB;
    memcpy(load.near, within.near, sizeof load.near);
    assert_true(exchange_shared.effort(&load, 0, &both));
    assert_true(both.count[EFFORT_STARTUPS] == left.count[EFFORT_STARTUPS]);
    assert_true(both.count[EFFORT_WIRE] == 12 * MIB);
    assert_true(both.count[EFFORT_PACKING] == 24 * MIB);
    assert_true(both.count[EFFORT_RINGS] == 3 * MIB);
    assert_true(both.count[EFFORT_FLAGS] > 6);
    load.staging = 8 * 3 - 1; /* no room for a ring of an element: all by messages */
    load.chunk = 8;
    assert_true(exchange_shared.effort(&load, 0, &both));
    assert_true(both.count[EFFORT_FLAGS] == 0);
    assert_int_equal(both.staging, load.staging);
}

static void a_node_is_left_to_shared(void **unused)
{
    struct rates rates = rates_default(4);
    struct load load = load_within(4, 3, MIB);
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "shared");
    rates.seconds[EFFORT_WIRE] /= 100; /* what is packed is copied once more */
    rates.seconds[EFFORT_PACKING] /= 100;
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "shared");
    rates.seconds[EFFORT_RINGS] = RATES_NEVER; /* there is no shared memory */
    assert_string_not_equal(choose(&load, &rates, CAP).strategy.text, "shared");
}

/* What is tried over links, as if there were some, knows nothing of shared memory. */
static void a_node_is_left_to_shared_whatever_links_prefer(void **unused)
{
    const struct exchange *const tried[] = {&exchange_window, &exchange_aggregated};
    struct rates rates = rates_default(4);
    struct load load = load_within(4, 3, MIB);
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        struct choice choice = {.strain = 1, .bundled = true};
        struct candidate candidates[CHOOSE_MOST];
        choice.method = (struct method){.exchange = tried[k], .parameter = 2};
        assert_true(choose_rank(&load, &rates, CAP, 8, &choice, candidates) > 1);
        assert_ptr_equal(candidates[0].strategy.exchange, &exchange_shared);
        assert_ptr_equal(candidates[1].strategy.exchange, tried[k]);
    }
}

/* Of what is contiguous messages have to be ahead by far, unless some leave the node. */
static void messages_within_a_node_are_ahead_by_far(void **unused)
{
    struct rates rates = rates_assume(1e-9, 1e-10, 1e-10, 4);
    struct load load = load_within(4, 3, MIB), both;
    for (int s = 0; s < SIDES; s++) load.all[s].packed = load.near[s].packed = 0;
    both = load;
    for (int s = 0; s < SIDES; s++) both.far[s] = (struct flow){1, 8, 0, 8, 1};
    for (int percent = 85; percent < 300; percent += 20) {
        rates.seconds[EFFORT_RINGS] = percent / 100. * rates.seconds[EFFORT_WIRE];
        bool shared = choose(&load, &rates, CAP).strategy.exchange == &exchange_shared;
        assert_int_equal(shared, percent < 200);
        shared = choose(&both, &rates, CAP).strategy.exchange == &exchange_shared;
        assert_int_equal(shared, percent < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_copies_within_a_node),
        cmocka_unit_test(shared_is_nonblocking_beyond),
        cmocka_unit_test(a_node_is_left_to_shared),
        cmocka_unit_test(a_node_is_left_to_shared_whatever_links_prefer),
        cmocka_unit_test(messages_within_a_node_are_ahead_by_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
