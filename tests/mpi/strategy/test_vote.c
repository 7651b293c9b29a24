/* SPDX-License-Identifier: MIT
 *
 * That one process must not use its buffers all learn, whoever sends them data: by
 * messages where these are few, which are counted, by a reduction where there are more
 * processes, and in shared memory without either.
 */
#include <limits.h>

#include "mpi/pair.h"
#include "mpi/trace.h"
#include "plan/object/plan.h"

/* See pair_of_world. */
static const char *const problems[][2] = {
    {"[90] (block) onto %1$d", "[90] (block) onto %1$d"},             /* no message */
    {"[90] (block) onto %1$d", "[90] (block from %4$d) onto %1$d"},   /* to the next */
    {"[90] (block) onto %2$d", "[90] (cyclic(2)) onto 1 ranks %3$d"}, /* to the last */
    {"[90] (cyclic(1)) onto %2$d", "[90] (block) onto %2$d"},         /* half is idle */
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static int holds(const struct pair *pair, redist_side side)
{
    return pair_span(pair, side, world_rank()) > 0;
}

/* Let `culprit` pass NULL as one side's buffer, and in `all` everyone from it on; whoever
 * holds nothing of that side may. */
static void all_learn_of_it(redist_plan *plan, const struct pair *pair, redist_side side,
                            int culprit, int all)
{
    int rank = world_rank(), guilty = all ? rank >= culprit : rank == culprit;
    int lowest = guilty && holds(pair, side) ? rank : INT_MAX;
    int64_t *source = pair_buffer(pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(pair, REDIST_TARGET, rank);
    PMPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    redist_err err = redist_execute(plan, guilty && side == REDIST_SOURCE ? NULL : source,
                                    guilty && side == REDIST_TARGET ? NULL : target);
    if (lowest == INT_MAX)
        CHECK(!err, "nobody is to blame");
    else
        check_everywhere(err, REDIST_ERR_ARG, 1,
                         "rank %d: %s is NULL, but this process holds elements of it",
                         lowest, side == REDIST_SOURCE ? "source" : "target");
    free(source);
    free(target);
}

/* A good run: empty messages go to all processes that no data tells, unless all share
 * memory and hold something. Who reads is told by such messages, too, that there is
 * something to be read. */
static void nobody_says_more_than_is_needed(redist_plan *plan, const struct pair *pair,
                                            const char *strategy)
{
    if (strcmp(strategy, "onesided") == 0) return;
    bool reports_status = plan->usage.reports_status;
    int n = world_size(), rank = world_rank();
    redist_plan *straight = pair_plan(pair, "nonblocking", 0);
    redist_report report = report_of(straight);
    CHECK_OK(redist_plan_destroy(&straight));
    trace_clear_messages();
    int made = trace.made;
    pair_execute(plan, pair, rank, rank);
    int64_t told = reports_status ? report.messages_sent : 0;
    int64_t heard = reports_status ? report.messages_received : 0;
    int64_t most = n - 1 - (told < heard ? told : heard);
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    int all = holds(pair, REDIST_SOURCE) || holds(pair, REDIST_TARGET);
    PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    bool noticed = all && strcmp(plan->exchange->name, "shared") == 0;
    bool in_words = vote_way(n, most) == VOTE_TELLS && !noticed;
    int64_t words = in_words ? n - 1 - told : 0;
    CHECK(!noticed || trace.made == made, "%d requests for a run in shared memory",
          trace.made - made);
    CHECK(trace.empty == words, "%d empty messages, expected %" PRId64, trace.empty,
          words);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int n = world_size();
    for (int number = 0; number < PROBLEMS; number++) {
        struct pair pair = pair_of_world(problems[number]);
        for (int k = 0; k < STRATEGIES; k++) {
            redist_plan *plan = pair_plan(&pair, here(all_strategies[k]), 0);
            for (int c = 0; c < 3; c++) {
                int culprit = c == 0 ? 0 : c == 1 ? n / 2 : n - 1;
                nobody_says_more_than_is_needed(plan, &pair, here(all_strategies[k]));
                all_learn_of_it(plan, &pair, REDIST_SOURCE, culprit, c == 1);
                all_learn_of_it(plan, &pair, REDIST_TARGET, culprit, c == 1);
            }
            nobody_says_more_than_is_needed(plan, &pair, here(all_strategies[k]));
            CHECK_OK(redist_plan_destroy(&plan));
        }
        pair_free(&pair);
    }
    CHECK(trace_alive() == 0, "%d objects are left", trace_alive());
    return passed("all learn of it");
}
