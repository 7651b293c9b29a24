/* SPDX-License-Identifier: MIT
 *
 * The life of a plan: what may be called when, and processes that have nothing to move.
 */
#include "mpi/pair.h"

static void expect(redist_err err, redist_err code, const char *sentence)
{
    CHECK(err == code, "%s, expected %s", redist_error_name(err),
          redist_error_name(code));
    CHECK(strcmp(redist_error_message(), sentence) == 0, "expected \"%s\"", sentence);
}

static struct pair cyclic_to_block(void)
{
    static const char *const texts[2] = {"[60,7] (cyclic(2),*) onto %d",
                                         "[60,7] (block,*) onto %d"};
    return pair_of_world(texts);
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
    MPI_Init(&argc, &argv);
    for (int k = 0; k < STRATEGIES; k++) {
        calls_out_of_turn_are_refused(here(all_strategies[k]));
        idle_processes_take_part_with_null_buffers(here(all_strategies[k]));
    }
    report_says_what_is_wrong_with_its_arguments();
    return passed("plans in all their states");
}
