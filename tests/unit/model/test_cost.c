/* SPDX-License-Identifier: MIT
 *
 * Costs of small schedules worked out by hand, and that cost_count lets no broken
 * schedule pass.
 */
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include "base/mem.h"
#include "schedule/model/cost.h"
#include "schedule_given.h"
#include "unit/starve.h"

/* Two sources, three targets:   5 3 .
 *                               . 2 4     */
static const struct edge edges[] = {{0, 0, 5}, {0, 1, 3}, {1, 1, 2}, {1, 2, 4}};

static redist_err count(const struct schedule_kind *kind, size_t n,
                        const struct entry entry[], struct cost *cost)
{
    struct comm_grid grid;
    ok(comm_grid_from_edges(2, 3, 4, edges, &grid));
    struct schedule_input input = {.grid = &grid};
    redist_err err = cost_count(kind, &(struct given){n, entry}, &input, cost);
    comm_grid_free(&grid);
    return err;
}

static void assert_cost(const struct cost *cost, int64_t ns, int64_t tc)
{
    assert_int_equal(cost->messages, 4);
    assert_int_equal(cost->delta, 2);
    assert_int_equal(cost->w, 8);
    assert_int_equal(cost->sb, 8); /* 5 or 4 or 3, then 3 or 2 */
    assert_int_equal(cost->ns, ns);
    assert_int_equal(cost->tc, tc);
}

static void steps_cost_their_longest_message(void **unused)
{
    struct cost cost;
    static const struct entry two[] = {
        {0, 0, 5, 0, 0}, {1, 2, 4, 1, 1}, {0, 1, 3, 1, 1}, {1, 1, 2, 0, 0}};
    ok(count(&in_steps, 4, two, &cost));
    assert_cost(&cost, 2, 5 + 4);
    static const struct entry empty_steps[] = {
        {0, 0, 5, 1, 1}, {1, 2, 4, 5, 5}, {0, 1, 3, 5, 5}, {1, 1, 2, 1, 1}};
    ok(count(&in_steps, 4, empty_steps, &cost));
    assert_cost(&cost, 6, 5 + 4);
}

static void loose_steps_cost_their_busiest_process(void **unused)
{
    struct cost cost;
    static const struct entry hot_spot[] = {
        {0, 0, 5, 0, 0}, {1, 2, 4, 2, 2}, {0, 1, 3, 1, 1}, {1, 1, 2, 1, 1}};
    ok(count(&in_loose_steps, 4, hot_spot, &cost));
    assert_cost(&cost, 3, 5 + (3 + 2) + 4);
}

static void timed_schedules_cost_their_makespan(void **unused)
{
    struct cost cost;
    static const struct entry whole[] = {
        {0, 0, 5, 3, 3}, {0, 1, 3, 0, 0}, {1, 1, 2, 4, 4}, {1, 2, 4, 0, 0}};
    ok(count(&in_time, 4, whole, &cost));
    assert_cost(&cost, 2, 8);
    static const struct entry pieces[] = {{0, 0, 2, 0, 0},
                                          {0, 1, 3, 2, 2},
                                          {0, 0, 3, 6, 6},
                                          {1, 1, 2, 0, 0},
                                          {1, 2, 4, 2, 2}};
    ok(count(&in_time, 5, pieces, &cost));
    assert_cost(&cost, 3, 9);
}

static void broken_schedules_are_found(void **unused)
{
    enum { FORGOTTEN = -10 };
    static const struct {
        const struct schedule_kind *kind;
        size_t n;
        struct entry entry[5];
        const char *message;
    } broken[] = {
        {&in_steps,
         4, /* 0 sends two */
         {{0, 0, 5, 0, 0}, {1, 2, 4, 1, 1}, {0, 1, 3, 0, 0}, {1, 1, 2, 2, 2}},
         "process 0 sends"},
        {&in_steps,
         4, /* 1 receives two */
         {{0, 0, 5, 0, 0}, {1, 2, 4, 0, 0}, {0, 1, 3, 1, 1}, {1, 1, 2, 1, 1}},
         "process 1 receives"},
        {&in_steps,
         4, /* the ends disagree on the step */
         {{0, 0, 5, 0, 0}, {1, 2, 4, 1, 2}, {0, 1, 3, 1, 1}, {1, 1, 2, 0, 0}},
         "(1,2) is sent at 1"},
        {&in_steps,
         4, /* the receiver does not know */
         {{0, 0, 5, 0, 0}, {1, 2, 4, 1, FORGOTTEN}, {0, 1, 3, 1, 1}, {1, 1, 2, 0, 0}},
         "4 messages are sent, 3 received"},
        {&in_steps,
         3, /* one is not sent */
         {{0, 0, 5, 0, 0}, {0, 1, 3, 1, 1}, {1, 1, 2, 0, 0}},
         "(1,2) has length 4, but 0 in 0 messages is sent"},
        {&in_steps,
         4, /* too short */
         {{0, 0, 4, 0, 0}, {1, 2, 4, 1, 1}, {0, 1, 3, 1, 1}, {1, 1, 2, 0, 0}},
         "(0,0) has length 5, but 4 in 1"},
        {&in_steps,
         5, /* in two pieces, without times */
         {{0, 0, 5, 0, 0},
          {1, 2, 2, 1, 1},
          {1, 2, 2, 2, 2},
          {0, 1, 3, 1, 1},
          {1, 1, 2, 0, 0}},
         "(1,2) has length 4, but 4 in 2"},
        {&in_steps,
         5, /* (1,0) is nothing to send */
         {{0, 0, 5, 0, 0},
          {1, 2, 4, 1, 1},
          {0, 1, 3, 1, 1},
          {1, 1, 2, 0, 0},
          {1, 0, 1, 2, 2}},
         "has length"},
        {&in_steps,
         4, /* before the beginning */
         {{0, 0, 5, -1, -1}, {1, 2, 4, 1, 1}, {0, 1, 3, 1, 1}, {1, 1, 2, 0, 0}},
         "at step -1"},
        {&in_time,
         4, /* 0 still sends to 1 */
         {{0, 0, 5, 2, 2}, {0, 1, 3, 0, 0}, {1, 1, 2, 4, 4}, {1, 2, 4, 0, 0}},
         "process 0 sends"},
        {&in_time,
         4, /* 1 still receives from 0 */
         {{0, 0, 5, 3, 3}, {0, 1, 3, 0, 0}, {1, 1, 2, 1, 1}, {1, 2, 4, 3, 3}},
         "process 1 receives"},
        {&in_loose_steps,
         4, /* loose or not, the ends must agree */
         {{0, 0, 5, 0, 0}, {1, 2, 4, 2, 1}, {0, 1, 3, 1, 1}, {1, 1, 2, 1, 1}},
         "(1,2) is sent at 2"},
    };
    int64_t live = mem_live_blocks();
    for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
        struct cost cost;
        assert_int_equal(count(broken[k].kind, broken[k].n, broken[k].entry, &cost),
                         REDIST_ERR_STATE);
        if (!strstr(redist_error_message(), broken[k].message))
            fail_msg("broken schedule %d: \"%s\" does not say \"%s\"", (int)k,
                     redist_error_message(), broken[k].message);
        assert_int_equal(mem_live_blocks(), live);
    }
}

/* A message that no edge of the grid is, behind all edges. */
static void messages_beyond_the_grid_are_found(void **unused)
{
    struct comm_grid grid;
    struct cost cost;
    ok(comm_grid_from_edges(2, 3, 3, edges, &grid));
    struct schedule_input input = {.grid = &grid};
    static const struct entry entry[] = {
        {0, 0, 5, 0, 0}, {1, 2, 4, 1, 1}, {0, 1, 3, 1, 1}, {1, 1, 2, 0, 0}};
    assert_int_equal(cost_count(&in_steps, &(struct given){4, entry}, &input, &cost),
                     REDIST_ERR_STATE);
    assert_non_null(strstr(redist_error_message(), "(1,2) is sent, but is no message"));
    comm_grid_free(&grid);
}

static redist_err count_timed(const void *input)
{
    static const struct entry timed[] = {
        {0, 0, 5, 3, 3}, {0, 1, 3, 0, 0}, {1, 1, 2, 4, 4}, {1, 2, 4, 0, 0}};
    struct given given = {4, timed};
    struct cost cost;
    return cost_count(&in_time, &given, input, &cost);
}

static void costs_survive_a_lack_of_memory(void **unused)
{
    struct comm_grid grid;
    ok(comm_grid_from_edges(2, 3, 4, edges, &grid));
    struct schedule_input input = {.grid = &grid};
    assert_true(each_allocation_fails_once(count_timed, &input) > 0);
    comm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_cost_their_longest_message),
        cmocka_unit_test(loose_steps_cost_their_busiest_process),
        cmocka_unit_test(timed_schedules_cost_their_makespan),
        cmocka_unit_test(broken_schedules_are_found),
        cmocka_unit_test(messages_beyond_the_grid_are_found),
        cmocka_unit_test(costs_survive_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
