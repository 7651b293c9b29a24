/* SPDX-License-Identifier: MIT
 *
 * The life of a plan: what may be called when, several plans under way at once, runs
 * that are started and left alone for a while, and processes that have nothing to
 * move.
 */
#include <time.h>

#include "pair.h"

enum { FLIGHTS = 6 };

static void expect(redist_err err, redist_err code, const char *sentence)
{
    CHECK(err == code, "%s, expected %s", redist_error_name(err),
          redist_error_name(code));
    CHECK(strcmp(redist_error_message(), sentence) == 0, "expected \"%s\"", sentence);
}

static struct pair cyclic_to_block(void)
{
    char text[2][64];
    (void)snprintf(text[0], sizeof text[0], "[60,7] (cyclic(2),*) onto %d", world_size());
    (void)snprintf(text[1], sizeof text[1], "[60,7] (block,*) onto %d", world_size());
    return pair_parse(text[0], text[1]);
}

/* Each call at the wrong time is refused, and changes nothing. */
static void calls_out_of_turn_are_refused(const char *strategy)
{
    int rank = world_rank(), done = 1;
    struct pair pair = cyclic_to_block();
    redist_plan *plan = pair_plan(&pair, strategy, 0), *kept = plan;
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
    expect(redist_wait(plan), REDIST_ERR_STATE, "the plan has not been started");
    expect(redist_test(plan, &done), REDIST_ERR_STATE, "the plan has not been started");
    CHECK(done == 0, "done is %d", done);
    CHECK_OK(redist_start(plan, source, target));
    expect(redist_start(plan, source, target), REDIST_ERR_STATE,
           "the plan is moving: redist_wait must come before the next start");
    expect(redist_execute(plan, source, target), REDIST_ERR_STATE,
           "the plan is moving: redist_wait must come before the next start");
    expect(redist_plan_destroy(&plan), REDIST_ERR_STATE,
           "the plan is moving: redist_wait must come before redist_plan_destroy");
    CHECK(plan == kept, "the plan did not live on");
    expect(redist_test(plan, NULL), REDIST_ERR_ARG, "done is NULL");
    CHECK_OK(redist_wait(plan));
    pair_check(&pair, rank, target);
    expect(redist_wait(plan), REDIST_ERR_STATE, "the plan has not been started");
    expect(redist_test(plan, &done), REDIST_ERR_STATE, "the plan has not been started");
    pair_execute(plan, &pair, rank, rank);
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK(!plan, "the plan is not NULL");
    expect(redist_execute(plan, source, target), REDIST_ERR_ARG, "plan is NULL");
    expect(redist_start(plan, source, target), REDIST_ERR_ARG, "plan is NULL");
    expect(redist_test(plan, &done), REDIST_ERR_ARG, "plan is NULL");
    expect(redist_wait(plan), REDIST_ERR_ARG, "plan is NULL");
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK_OK(redist_plan_destroy(NULL));
    free(source);
    free(target);
    pair_free(&pair);
}

static void report_says_what_is_wrong_with_its_arguments(void)
{
    struct pair pair = cyclic_to_block();
    redist_plan *plan = pair_plan(&pair, NULL, 0);
    redist_report report;
    expect(redist_plan_report(NULL, &report), REDIST_ERR_ARG, "plan is NULL");
    expect(redist_plan_report(plan, NULL), REDIST_ERR_ARG, "report is NULL");
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* Six plans that read one source, two strategies, some in many pieces: started in one
 * order, waited for in another, twice. */
static void plans_in_flight_do_not_disturb_each_other(const int order[FLIGHTS])
{
    static const size_t staging[FLIGHTS] = {0, 256, 0, 256, 0, 512};
    int rank = world_rank(), n = world_size();
    struct pair pair[FLIGHTS];
    redist_plan *plan[FLIGHTS];
    int64_t *target[FLIGHTS];
    for (int k = 0; k < FLIGHTS; k++) {
        char text[2][64];
        (void)snprintf(text[0], 64, "[60,7] (cyclic(2),*) onto %d", n);
        (void)snprintf(text[1], 64, "[60,7] (cyclic(%d) from %d,*) onto %d", k + 3, k % n,
                       n);
        pair[k] = pair_parse(text[0], text[1]);
        plan[k] = pair_plan(&pair[k], all_strategies[k % 2], staging[k]);
    }
    int64_t *source = pair_buffer(&pair[0], REDIST_SOURCE, rank);
    for (int run = 0; run < 2; run++) {
        for (int k = 0; k < FLIGHTS; k++) {
            target[k] = pair_buffer(&pair[k], REDIST_TARGET, rank);
            CHECK_OK(redist_start(plan[k], source, target[k]));
        }
        for (int k = 0; k < FLIGHTS; k++) {
            CHECK_OK(redist_wait(plan[order[k]]));
            pair_check(&pair[order[k]], rank, target[order[k]]);
            free(target[order[k]]);
        }
    }
    for (int k = 0; k < FLIGHTS; k++) {
        CHECK_OK(redist_plan_destroy(&plan[k]));
        pair_free(&pair[k]);
    }
    free(source);
}

/* Tests of several plans in turn need no order at all: each process has its own. */
static void plans_in_flight_are_tested_in_any_order(void)
{
    int rank = world_rank(), left = FLIGHTS;
    struct pair pair = cyclic_to_block();
    redist_plan *plan[FLIGHTS];
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank), *target[FLIGHTS];
    for (int k = 0; k < FLIGHTS; k++) {
        plan[k] = pair_plan(&pair, all_strategies[k % 2], 256);
        target[k] = pair_buffer(&pair, REDIST_TARGET, rank);
    }
    for (int k = 0; k < FLIGHTS; k++) CHECK_OK(redist_start(plan[k], source, target[k]));
    for (int k = rank; left > 0; k++) {
        int done = 0, one = k % FLIGHTS;
        if (!target[one]) continue;
        CHECK_OK(redist_test(plan[one], &done));
        if (!done) continue;
        pair_check(&pair, rank, target[one]);
        free(target[one]);
        target[one] = NULL;
        left--;
    }
    for (int k = 0; k < FLIGHTS; k++) CHECK_OK(redist_plan_destroy(&plan[k]));
    free(source);
    pair_free(&pair);
}

/* A process may be busy elsewhere after its start, each for a time of its own. */
static void a_start_may_be_left_alone(const char *strategy, size_t staging)
{
    int rank = world_rank(), done = 0;
    struct timespec nap = {0, 20000000L * (1 + rank % 4)};
    struct pair pair = cyclic_to_block();
    redist_plan *plan = pair_plan(&pair, strategy, staging);
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
    CHECK_OK(redist_start(plan, source, target));
    (void)nanosleep(&nap, NULL);
    while (!done) CHECK_OK(redist_test(plan, &done));
    pair_check(&pair, rank, target);
    for (int64_t e = pair_span(&pair, REDIST_SOURCE, rank); e > 0; e--)
        source[e - 1] = -7; /* it is the caller's again */
    pair_check(&pair, rank, target);
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
    free(target);
    pair_free(&pair);
}

/* Both grids are rank 0 alone, or nothing is moved at all: all others pass NULL. */
static void idle_processes_take_part_with_null_buffers(const char *strategy)
{
    static const char *const texts[][2] = {
        {"[5,4] (block,*) onto 1", "[5,4] (*,cyclic(3)) onto 1"},
        {"[9] (*) onto 1 section [5:4]", "[0] (block) onto 1"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct pair pair = pair_parse(texts[k][0], texts[k][1]);
        redist_plan *plan = pair_plan(&pair, strategy, 0);
        redist_report report;
        CHECK_OK(redist_plan_report(plan, &report));
        CHECK(report.messages_sent == 0 && report.messages_received == 0, "messages");
        if (world_rank() == 0) {
            pair_execute(plan, &pair, 0, 0);
        } else {
            CHECK_OK(redist_execute(plan, NULL, NULL));
        }
        CHECK_OK(redist_plan_destroy(&plan));
        pair_free(&pair);
    }
}

int main(int argc, char **argv)
{
    static const int reversed[FLIGHTS] = {5, 4, 3, 2, 1, 0};
    static const int mixed[FLIGHTS] = {3, 0, 5, 1, 4, 2};
    MPI_Init(&argc, &argv);
    for (int k = 0; k < STRATEGIES; k++) {
        calls_out_of_turn_are_refused(all_strategies[k]);
        a_start_may_be_left_alone(all_strategies[k], 0);
        a_start_may_be_left_alone(all_strategies[k], 256);
        idle_processes_take_part_with_null_buffers(all_strategies[k]);
    }
    report_says_what_is_wrong_with_its_arguments();
    plans_in_flight_do_not_disturb_each_other(reversed);
    plans_in_flight_do_not_disturb_each_other(mixed);
    plans_in_flight_are_tested_in_any_order();
    if (world_rank() == 0) printf("PASS: plans in all their states\n");
    MPI_Finalize();
    return 0;
}
