/* SPDX-License-Identifier: MIT
 *
 * A run does what was promised and no more: the messages and bytes of the report, to
 * those who share elements, over the plan's own communicator; a second one allocates
 * nothing and makes nothing; a plan holds as much memory as it says; and of 5,000 plans
 * made, run and destroyed nothing is left.
 */
#include "base/mem.h"
#include "mpi/pair.h"
#include "mpi/run/heap.h"
#include "plan/object/plan.h"

enum { PLANS = 5000, MOST_SECONDS = 4, AT_ONCE = 50 };

/* See pair_of_world. */
static const char *const problems[][2] = {
    {"[60,7] (cyclic(2),*) onto %1$d", "[60,7] (block,*) onto %1$d"},
    {"[97] (block) onto %1$d", "[97] (cyclic(5)) onto %1$d"},
    /* contiguous on both sides, and not everyone with everyone */
    {"[400] (block) onto %1$d", "[400] (block) onto %2$d"},
    {"[40,30] (block,*) onto %2$d", "[40,30] (*,block) onto %2$d column-major"},
    {"[33] (cyclic(3)) onto %1$d section [1:31:2]", "[16] (block) onto %2$d"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* The mechanisms whose messages trace.h sees, each to its rank. */
static int is_seen(const char *strategy)
{
    static const char *const seen[] = {"nonblocking", "alltoallv", "window(", "sendrecv",
                                       "synchronous", "ready",     "naive"};
    for (size_t k = 0; k < sizeof seen / sizeof *seen; k++)
        if (strncmp(strategy, seen[k], strlen(seen[k])) == 0) return 1;
    return 0;
}

/* ---- what travels ------------------------------------------------------------------ */

/* Count by brute force what `rank` has for each other process. */
static void count_shared(const struct pair *pair, int rank, int64_t shared[])
{
    int64_t n = 1, span = pair_span(pair, REDIST_SOURCE, rank);
    for (int i = 0; i < redist_dist_ndims(pair->dist[0]); i++)
        n *= pair->view[0].extent[i];
    char *mine = calloc((size_t)n, 1);
    int64_t *number = pair_numbers(&pair->view[REDIST_SOURCE], rank);
    for (int64_t e = 0; e < span; e++)
        if (number[e] >= 0) mine[number[e]] = 1;
    free(number);
    for (int other = 0; other < world_size(); other++) {
        shared[other] = 0;
        number = pair_numbers(&pair->view[REDIST_TARGET], other);
        for (int64_t e = 0; e < pair_span(pair, REDIST_TARGET, other); e++)
            shared[other] += number[e] >= 0 && mine[number[e]];
        free(number);
    }
    free(mine);
}

/* One run; what it makes, allocates and leaves behind is held against what it may. */
static void run(redist_plan *plan, const struct pair *pair, const char *strategy,
                const int64_t *source, int64_t *target, int may_make)
{
    int made = trace.made, alive = trace_alive(), foreign = trace.foreign;
    trace_clear_messages();
    heap.allocations = 0;
    heap.counting++;
    redist_err err = redist_execute(plan, source, target);
    heap.counting--;
    CHECK(!err, "%s", strategy);
    pair_check(pair, world_rank(), target);
    CHECK(heap.allocations == 0, "%s: %d allocations", strategy, heap.allocations);
    CHECK(trace.flying == 0, "%s: %d requests are left", strategy, trace.flying);
    CHECK(trace.foreign == foreign, "%s: the caller's communicator is used", strategy);
    if (may_make) return;
    CHECK(trace.made == made, "%s: %d objects made", strategy, trace.made - made);
    CHECK(trace_alive() == alive, "%s: %d objects more", strategy, trace_alive() - alive);
}

static void check_messages(redist_plan *plan, const struct pair *pair,
                           const char *strategy, size_t staging)
{
    int rank = world_rank();
    int64_t shared[TRACE_MAX_RANKS], bytes = 0, messages = 0;
    redist_report report = report_of(plan);
    count_shared(pair, rank, shared);
    for (int other = 0; other < world_size(); other++) {
        int64_t due = other == rank ? 0 : shared[other] * (int64_t)sizeof(int64_t);
        bytes += due;
        messages += due > 0;
        CHECK(trace.bytes[other] == due, "%s: %ld bytes to rank %d instead of %" PRId64,
              strategy, trace.bytes[other], other, due);
        CHECK(staging > 0 || trace.messages[other] == (due > 0),
              "%s: %d messages to rank %d", strategy, trace.messages[other], other);
    }
    CHECK(bytes == report.elements_sent * report.element_bytes, "%s: bytes", strategy);
    CHECK(messages == report.messages_sent, "%s: messages", strategy);
    CHECK(report.elements_kept == shared[rank], "%s: kept", strategy);
    CHECK(trace.empty < world_size(), "%s: %d empty messages", strategy, trace.empty);
}

/* What the model promises before anything is made, for any process, holds on this one;
 * and the report's own promise is what was counted. */
static void check_staging(const redist_plan *plan, const char *strategy)
{
    int64_t cap = (int64_t)plan->options.staging_bytes;
    redist_report report = report_of(plan);
    CHECK(report.staging_peak_bytes == report.staging_bytes,
          "%s: %" PRId64 " of %" PRId64, strategy, report.staging_peak_bytes,
          report.staging_bytes);
    CHECK(report.staging_peak_bytes <= plan->promise, "%s: %" PRId64 " of %" PRId64,
          strategy, report.staging_peak_bytes, plan->promise);
    CHECK(plan->promise <= plan->move.staging && plan->move.staging <= cap,
          "%s: %" PRId64 " of %" PRId64, strategy, plan->promise, plan->move.staging);
}

/* Make a plan; what it then holds of the heap is in its report. The allocator's own is
 * two lines a block, and what malloc rounds up to. */
static redist_plan *plan_holds_what_it_says(const struct pair *pair, const char *strategy,
                                            size_t staging)
{
    enum { OVERHEAD = 2 * 64 + 24 };
    heap.bytes = heap.blocks = 0;
    heap.counting++;
    redist_plan *plan = pair_plan(pair, strategy, staging);
    heap.counting--;
    redist_report report = report_of(plan);
    int64_t said = report.plan_bytes + report.staging_peak_bytes;
    CHECK(heap.bytes <= said + heap.blocks * OVERHEAD,
          "%s: %" PRId64 " bytes in %" PRId64 " blocks, %" PRId64 " are said", strategy,
          heap.bytes, heap.blocks, said);
    return plan;
}

/* Three runs on the same buffers, one on others, and on those again. */
static void runs_do_what_was_promised(const struct pair *pair, const char *strategy,
                                      size_t staging)
{
    int rank = world_rank();
    redist_plan *plan = plan_holds_what_it_says(pair, strategy, staging);
    int64_t *source[2], *target[2];
    for (int k = 0; k < 2; k++) {
        source[k] = pair_buffer(pair, REDIST_SOURCE, rank);
        target[k] = pair_buffer(pair, REDIST_TARGET, rank);
    }
    for (int lap = 0; lap < 5; lap++) {
        int b = lap > 2;
        run(plan, pair, strategy, source[b], target[b], lap == 0 || lap == 3);
        if (is_seen(strategy)) check_messages(plan, pair, strategy, staging);
    }
    for (int k = 0; k < 2; k++) {
        free(source[k]);
        free(target[k]);
    }
    check_staging(plan, strategy);
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK(trace_alive() == 0, "%s: %d objects are left", strategy, trace_alive());
}

/* ---- what is left ------------------------------------------------------------------ */

/* Whether there is time for more plans; rank 0 says. */
static int is_time_left(double began)
{
    int left = long_run() || MPI_Wtime() - began < MOST_SECONDS;
    PMPI_Bcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return left;
}

/* Every other plan is run, and of those every other on buffers that change. */
static void make_and_destroy(const struct pair *pair, int number, void *buffers[4])
{
    redist_plan *plan = pair_plan(pair, here(all_strategies[number % STRATEGIES]), 0);
    for (int lap = 0; number % 2 && lap < 3; lap++) {
        int b = number % 4 == 1 ? lap % 2 : 0;
        CHECK_OK(redist_execute(plan, buffers[b], buffers[2 + b]));
    }
    CHECK_OK(redist_plan_destroy(&plan));
}

static int nothing_is_left_of_many_plans(void)
{
    int rank = world_rank(), number = 0;
    double began = MPI_Wtime();
    struct pair pair[PROBLEMS];
    void *buffers[PROBLEMS][4];
    for (int k = 0; k < PROBLEMS; k++) {
        pair[k] = pair_of_world(problems[k]);
        for (int b = 0; b < 4; b++)
            buffers[k][b] = pair_buffer(&pair[k], (redist_side)(b / 2), rank);
    }
    int64_t blocks = mem_live_blocks();
    while (number < PLANS && (number % AT_ONCE != 0 || is_time_left(began))) {
        int problem = number / STRATEGIES % PROBLEMS;
        make_and_destroy(&pair[problem], number++, buffers[problem]);
        CHECK(trace_alive() == 0, "plan %d: %d objects are left", number, trace_alive());
        CHECK(trace.flying == 0, "plan %d: %d requests fly", number, trace.flying);
        CHECK(mem_live_blocks() == blocks, "plan %d: blocks are left", number);
    }
    for (int k = 0; k < PROBLEMS; k++) {
        for (int b = 0; b < 4; b++) free(buffers[k][b]);
        pair_free(&pair[k]);
    }
    return number;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int number = 0; number < PROBLEMS; number++) {
        struct pair pair = pair_of_world(problems[number]);
        for (int k = 0; k < STRATEGIES; k++) {
            runs_do_what_was_promised(&pair, here(all_strategies[k]), 0);
            runs_do_what_was_promised(&pair, here(all_strategies[k]), 256);
        }
        pair_free(&pair);
    }
    int plans = nothing_is_left_of_many_plans();
    CHECK(trace.foreign == 0, "%d calls over the world", trace.foreign);
    return passed("%d plans%s", plans,
                  HEAP_COUNTS ? "" : "; allocations are counted elsewhere only");
}
