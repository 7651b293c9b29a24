/* SPDX-License-Identifier: MIT
 *
 * Every schedule with every exchange that follows one: the same elements arrive, in runs
 * that come close upon each other, through little memory; what does not go together is
 * refused everywhere.
 */
#include "mpi/pair.h"

#include "plan/choice/strategy.h"
#include "schedule/order/order.h"
#include "schedule/registry/schedules.h"

static const char *const exchanges_with_order[] = {
    "nonblocking", "window(1)", "window(3)", "sendrecv", "synchronous", "ready"};
enum { EXCHANGES = sizeof exchanges_with_order / sizeof *exchanges_with_order };

/* See pair_of_world. */
static const char *const problems[][2] = {
    {"[997] (cyclic(3)) onto %1$d", "[997] (cyclic(5)) onto %1$d"},
    {"[640] (cyclic(2)) onto %1$d", "[640] (cyclic(8)) onto %1$d"},
    {"[640] (cyclic(8)) onto %2$d", "[640] (cyclic(3)) onto %1$d"},
    {"[31,17] (cyclic(2),*) onto %1$d", "[31,17] (*,cyclic(3)) onto %1$d"},
    {"[29,8] (block,*) onto %1$d", "[29,8] (block(29),*) onto %1$d"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* Whether the library says that a schedule is for this problem. */
static int is_applicable(const struct schedule_kind *kind, const struct pair *pair)
{
    struct order order;
    redist_err err =
        order_make(kind, 0, &pair->view[0], &pair->view[1], NULL, world_size(), &order);
    order_free(&order);
    CHECK(!err || err == REDIST_ERR_ARG, "%s", redist_error_message());
    return !err;
}

/* Run a plan three times without a pause, by start and test the second time. */
static void run_it(redist_plan *plan, const struct pair *pair)
{
    int64_t *source = pair_buffer(pair, REDIST_SOURCE, world_rank());
    for (int run = 0; run < 3; run++) {
        int64_t *target = pair_buffer(pair, REDIST_TARGET, world_rank());
        CHECK_OK(redist_start(plan, source, target));
        for (int done = 0; run == 1 && !done;) CHECK_OK(redist_test(plan, &done));
        if (run != 1) CHECK_OK(redist_wait(plan));
        pair_check(pair, world_rank(), target);
        free(target);
    }
    free(source);
}

static int every_schedule_goes_with_every_exchange(const struct pair *pair)
{
    int runs = 0;
    for (size_t k = 0; schedules[k]; k++) {
        int applicable = is_applicable(schedules[k], pair);
        for (int e = 0; e < EXCHANGES; e++) {
            const char *exchange = exchanges_with_order[e];
            char text[STRATEGY_TEXT_SIZE];
            (void)snprintf(text, sizeof text, "%s/%s", schedules[k]->name, exchange);
            redist_options options = REDIST_OPTIONS_INIT;
            options.strategy = text;
            options.staging_bytes = strcmp(exchange, "ready") ? 64 : 0;
            redist_plan *plan = NULL;
            redist_err err = pair_create(pair, MPI_INT64_T, &options, &plan);
            if (!applicable) {
                check_everywhere(
                    err, REDIST_ERR_ARG, 0,
                    "rank 0: schedule %s is not applicable: ", schedules[k]->name);
            } else {
                CHECK_OK(err);
                redist_report report;
                CHECK_OK(redist_plan_report(plan, &report));
                CHECK(strcmp(report.strategy, text) == 0, "%s", report.strategy);
                run_it(plan, pair);
                runs++;
            }
            CHECK_OK(redist_plan_destroy(&plan));
        }
    }
    return runs;
}

static void refuse(const struct pair *pair, const char *text, const char *sentence)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = text;
    redist_plan *plan = NULL;
    redist_err err = pair_create(pair, MPI_INT64_T, &options, &plan);
    check_everywhere(err, REDIST_ERR_ARG, 0, "rank 0: %s", sentence);
    CHECK(!plan, "a plan was handed out");
}

static void what_is_no_strategy_is_refused(const struct pair *pair)
{
    refuse(pair, "window(0)", "strategy \"window(0)\": \"(0)\" must be a number from 1");
    refuse(pair, "window(4", "strategy \"window(4\": \"(4\" must be a number from 1");
    refuse(pair, "window(99999999999)", "strategy \"window(99999999999)\": ");
    refuse(pair, "sendrecv(2)", "strategy \"sendrecv(2)\": sendrecv takes no number");
    refuse(pair, "optimal/alltoallv",
           "strategy \"optimal/alltoallv\": alltoallv follows no schedule");
    refuse(pair, "optimal/multiphase",
           "strategy \"optimal/multiphase\": multiphase follows no schedule");
    refuse(pair, "multiphase(2)",
           "strategy \"multiphase(2)\": multiphase takes no number");
    refuse(pair, "aggregated(0)", "strategy \"aggregated(0)\": \"(0)\" must be a number");
    refuse(pair, "shifted/", "unknown strategy \"\", there are: auto, nonblocking, ");
    refuse(pair, "optimum",
           "unknown schedule \"optimum\" (did you mean optimal?), there are: naive, ");
    refuse(pair, "telepathy",
           "unknown strategy \"telepathy\", there are: auto, nonblocking, window(k), "
           "sendrecv, synchronous, ready, alltoallv, neighbor, shared, alltoallw, "
           "onesided, multiphase, lcm-phases, aggregated(k), multicast(k), replicate(k), "
           "naive; or a schedule, alone or as in \"optimal/sendrecv\"");
    refuse(pair, "/sendrecv", "unknown schedule \"\", there are: naive, ");
    refuse(pair, "best/sendrecv", "unknown schedule \"best\", there are: naive, ");
}

/* In ready mode every receive is posted at once. */
static void ready_needs_all_its_memory(void)
{
    struct pair pair = pair_of_world(problems[0]);
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "ready";
    options.staging_bytes = 16;
    redist_plan *plan = NULL;
    redist_err err = pair_create(&pair, MPI_INT64_T, &options, &plan);
    if (world_size() > 1)
        check_everywhere(err, REDIST_ERR_ARG, 0,
                         "rank 0: staging_bytes is 16, ready has all receives posted");
    else
        CHECK_OK(err);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int runs = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        struct pair pair = pair_of_world(problems[k]);
        runs += every_schedule_goes_with_every_exchange(&pair);
        what_is_no_strategy_is_refused(&pair);
        pair_free(&pair);
    }
    ready_needs_all_its_memory();
    CHECK(runs > 100, "only %d plans were run", runs);
    return passed("%d plans", runs);
}
