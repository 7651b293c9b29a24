/* SPDX-License-Identifier: MIT
 *
 * Balanced arrays against elements that are dealt out one by one: what comes where, how
 * much travels, and that each process is told how much it gets. With a list of all
 * processes, and without. Elements of different sizes are tested by tests/soak.
 */
#include "mpi/irregular/deal.h"
#include "mpi/lacking.h"
#include "mpi/run/heap.h"
#include "mpi/trace.h"
#include "plan/balance/balance.h"

enum { CASES = 125, MANY_CASES = 500, FEW = 1000 };

/* ---- what comes where -------------------------------------------------------------- */

static int64_t tag(int rank, int64_t local) { return rank * FEW + local + 1; }

/* For each partner of either side, and once for oneself on each, a search that doubles
 * its steps and then halves them. */
static void check_asked(const redist_report *report)
{
    int64_t partners = report->messages_sent + report->messages_received + 2, steps = 1;
    while (INT64_C(1) << steps < world_size()) steps++;
    CHECK(trace.gets <= partners * (2 * steps + 2),
          "%d questions for %" PRId64 " partners", trace.gets, partners);
}

static void check_report(const redist_plan *plan, const struct deal *deal)
{
    int64_t sent = 0;
    redist_report report = report_of(plan);
    check_asked(&report);
    PMPI_Allreduce(&report.elements_sent, &sent, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sent == deal->moved, "%" PRId64 " elements sent instead of %" PRId64, sent,
          deal->moved);
}

/* Whether any process was asked, by any. */
static int asked_somebody(void)
{
    int most = 0;
    PMPI_Allreduce(&trace.gets, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most > 0;
}

/* Make the plan of a problem with a list of at most `listed` processes, and run it. */
static void balance(const struct deal_problem *problem, const char *strategy, int listed)
{
    int rank = world_rank();
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    const struct balance request = {.comm = MPI_COMM_WORLD,
                                    .type = MPI_INT64_T,
                                    .method = problem->method,
                                    .count = problem->count[rank],
                                    .weight = problem->weight[rank],
                                    .options = &options};
    const struct deal *deal = deal_counts(problem);
    int64_t source[MOST_COUNT], target[DEAL_ROOM + 1], share = -1;
    redist_plan *plan = NULL;
    trace.gets = 0;
    CHECK_OK(balance_create(&request, listed, &plan, &share));
    CHECK(listed > 0 || deal->moved == 0 || world_size() == 1 || asked_somebody(),
          "nobody was asked");
    CHECK(share == deal->n, "%" PRId64 " instead of %" PRId64, share, deal->n);
    check_report(plan, deal);
    for (int64_t l = 0; l < request.count; l++) source[l] = tag(rank, l);
    memset(target, 0, sizeof target);
    trace_clear_messages();
    CHECK_OK(redist_execute(plan, source, target));
    for (int64_t l = 0; l < share; l++) {
        int64_t due = tag(deal->element[l].rank, deal->element[l].local);
        CHECK(target[l] == due,
              "%s: element %" PRId64 " of %" PRId64 " is %" PRId64 " instead of %" PRId64,
              strategy, l, share, target[l], due);
    }
    CHECK(target[share] == 0, "one more was written");
    if (strategy && strcmp(strategy, "nonblocking") == 0) {
        int64_t bytes = 0, due = deal->moved * (int64_t)sizeof(int64_t);
        for (int k = 0; k < world_size(); k++) bytes += trace.bytes[k];
        PMPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        CHECK(bytes == due, "%" PRId64 " bytes instead of %" PRId64, bytes, due);
    }
    CHECK_OK(redist_plan_destroy(&plan));
}

/* Of each kind, for each number of processes. */
static int cases(void) { return cases_of(world_size(), CASES, MANY_CASES); }

static void elements_come_to_those_who_should_have_them(uint64_t seed)
{
    static const char *const strategies[] = {"nonblocking", "alltoallv", "sendrecv", NULL,
                                             "shared"};
    for (int k = 0; k < cases(); k++) {
        struct deal_problem problem = deal_make(&seed, world_size(), world_rank());
        const char *strategy = strategies[random_in(&seed, 0, 4)];
        if (strategy) strategy = here(strategy);
        balance(&problem, strategy, BALANCE_LISTED);
        balance(&problem, strategy, 0);
    }
}

static void the_staircase_is_a_schedule_of_what_moves(uint64_t seed)
{
    for (int k = 0; k < cases() / 10; k++) {
        struct deal_problem problem = deal_make(&seed, world_size(), world_rank());
        balance(&problem, k % 2 ? "staircase/nonblocking" : "staircase-steps/sendrecv",
                BALANCE_LISTED);
    }
}

/* One buffer as both, of the larger of what was there and what comes. */
static void one_buffer_does(uint64_t seed)
{
    int rank = world_rank();
    for (int k = 0; k < cases() / 10; k++) {
        struct deal_problem problem = deal_make(&seed, world_size(), world_rank());
        const struct deal *deal = deal_counts(&problem);
        redist_options options = REDIST_OPTIONS_INIT;
        options.in_place = 1;
        int64_t buffer[DEAL_ROOM], share;
        redist_plan *plan = NULL;
        CHECK_OK(redist_balance_create(MPI_COMM_WORLD, problem.count[rank], MPI_INT64_T,
                                       problem.method, problem.weight[rank], &options,
                                       &plan, &share));
        for (int64_t l = 0; l < problem.count[rank]; l++) buffer[l] = tag(rank, l);
        CHECK_OK(redist_execute(plan, buffer, buffer));
        for (int64_t l = 0; l < share; l++)
            CHECK(buffer[l] == tag(deal->element[l].rank, deal->element[l].local),
                  "element %" PRId64 " of %" PRId64 " is wrong", l, share);
        CHECK_OK(redist_plan_destroy(&plan));
    }
}

/* ---- long ranges in shared memory ----------------------------------------------- */

/* Balance with a list of at most `listed` processes. Returns the target. */
static int64_t *balance_long(redist_balance_method method, int listed, int64_t *share)
{
    static const int64_t counts[] = {30000, 8, 50000, 20000};
    int rank = world_rank();
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = here("shared");
    const struct balance balance = {.comm = MPI_COMM_WORLD,
                                    .type = MPI_INT64_T,
                                    .method = method,
                                    .count = counts[rank % 4],
                                    .weight = 1,
                                    .options = &options};
    redist_plan *plan = NULL;
    void *memory = NULL;
    CHECK_OK(balance_create(&balance, listed, &plan, share));
    CHECK_OK(
        redist_alloc(MPI_COMM_WORLD, (size_t)balance.count * sizeof(int64_t), &memory));
    int64_t *source = memory, *target = calloc((size_t)*share + 1, sizeof *target);
    CHECK(target, "no memory");
    for (int64_t k = 0; k < balance.count; k++) source[k] = 1000000 * (rank + 1) + k;
    CHECK_OK(redist_execute(plan, source, target));
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK_OK(redist_free(memory));
    return target;
}

/* From arrays of redist_alloc: with a list of all processes the receivers read them where
 * they lie; without one they cannot, as they know only the ranges that they get. */
static void ranges_that_only_their_receivers_know(void)
{
    for (int method = REDIST_BALANCE_A; method <= REDIST_BALANCE_A_CEILING; method++) {
        int64_t shares[2];
        int64_t *is = balance_long((redist_balance_method)method, 0, &shares[0]);
        int64_t *due =
            balance_long((redist_balance_method)method, BALANCE_LISTED, &shares[1]);
        CHECK(shares[0] == shares[1], "%" PRId64 " elements", shares[0]);
        for (int64_t k = 0; k < shares[0]; k++)
            CHECK(is[k] == due[k],
                  "element %" PRId64 " is %" PRId64 " instead of %" PRId64, k, is[k],
                  due[k]);
        free(is);
        free(due);
    }
}

/* ---- memory ------------------------------------------------------------------------ */

/* The most bytes that a process holds at a time to plan, without a list of all, among the
 * first `n` processes, of which each even one gives half of what it has to the next. Of
 * several times it is the least: the first learns of the machine too, and a block that is
 * used again may by chance be some bytes larger than was asked for. */
static int64_t peak_among(int n, const char *strategy)
{
    int rank = world_rank();
    MPI_Comm few;
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    int64_t share = 0, least = 0;
    options.strategy = strategy;
    PMPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &few);
    const struct balance request = {.comm = few,
                                    .type = MPI_DOUBLE,
                                    .method = REDIST_BALANCE_B,
                                    .count = rank % 2 ? 0 : 10,
                                    .weight = 1,
                                    .options = &options};
    for (int again = 0; few != MPI_COMM_NULL && again < 5; again++) {
        heap = (struct heap){.counting = 1};
        CHECK_OK(balance_create(&request, 0, &plan, &share));
        heap.counting = 0;
        CHECK(share == 5, "%" PRId64, share);
        CHECK_OK(redist_plan_destroy(&plan));
        if (again == 0 || heap.peak < least) least = heap.peak;
    }
    if (few != MPI_COMM_NULL) PMPI_Comm_free(&few);
    PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return least;
}

/* Among twice as many processes it may hold a few bytes more, for who tells whom that he
 * is well (vote.h), but not a word for each. */
static void no_process_holds_a_word_of_each(void)
{
    static const char *const strategies[] = {"nonblocking", "shared", NULL};
    int n = world_size() / 4 * 4;
    if (!HEAP_COUNTS || n < 16) return;
    (void)setenv("REDIST_NODE_SIZE", "4", 1); /* of its node it knows all */
    (void)setenv("REDIST_RATES", "2e-6,1e-10,1e-10",
                 1); /* auto chooses alike each time */
    for (int k = 0; k < 3; k++) {
        const char *strategy = strategies[k] ? here(strategies[k]) : NULL;
        int64_t few = peak_among(n / 2, strategy), all = peak_among(n, strategy);
        CHECK(all - few < n / 2 * (int64_t)sizeof(int64_t),
              "%s: %" PRId64 " bytes among %d, %" PRId64 " among half of them",
              strategy ? strategy : "auto", all, n, few);
    }
    (void)unsetenv("REDIST_NODE_SIZE");
    (void)unsetenv("REDIST_RATES");
}

/* ---- what is wrong ----------------------------------------------------------------- */

static void expect(redist_err err, redist_err code, const char *sentence)
{
    CHECK(err == code, "%s instead of %s", redist_error_name(err),
          redist_error_name(code));
    CHECK(strstr(redist_error_message(), sentence), "expected: %s", sentence);
}

static redist_err create(const struct balance *balance, int listed)
{
    redist_plan *plan = NULL;
    int64_t share = 0;
    redist_err err = balance_create(balance, listed, &plan, &share);
    CHECK(!plan, "there is a plan");
    return err;
}

static void one_who_is_wrong_is_named_everywhere(void)
{
    int last = world_size() - 1, is_last = world_rank() == last;
    char sentence[96];
    for (int listed = 0; listed <= BALANCE_LISTED; listed += BALANCE_LISTED) {
        struct balance good = {MPI_COMM_WORLD, MPI_INT, REDIST_BALANCE_A, 3, 1,
                               NULL,           NULL},
                       bad = good;
        if (is_last) bad.count = -2;
        (void)snprintf(sentence, sizeof sentence, "rank %d: count is -2, must be >= 0",
                       last);
        expect(create(&bad, listed), REDIST_ERR_ARG, sentence);
        bad = good, bad.weight = 0;
        expect(create(&bad, listed), REDIST_ERR_ARG, "weights sum to 0, must be > 0");
        if (last == 0) continue;
        bad = good, bad.method = is_last ? REDIST_BALANCE_B : REDIST_BALANCE_A;
        expect(create(&bad, listed), REDIST_ERR_MISMATCH, "passed another method than");
        bad = good, bad.count = INT64_MAX - is_last;
        expect(create(&bad, listed), REDIST_ERR_ARG, "counts sum to more than 2^63 - 1");
    }
    struct balance good = {MPI_COMM_WORLD, MPI_INT, REDIST_BALANCE_A, 3, 1, NULL, NULL};
    redist_options options = REDIST_OPTIONS_INIT;
    good.options = &options;
    options.strategy = "aggregated";
    expect(create(&good, 0), REDIST_ERR_ARG, "must follow no schedule and need no list");
    options.strategy = "staircase/nonblocking";
    expect(create(&good, 0), REDIST_ERR_ARG, "must follow no schedule and need no list");
    int64_t sizes[3] = {1, is_last ? -1 : 1, 1}, count, units;
    redist_plan *plan = NULL;
    (void)snprintf(sentence, sizeof sentence, "rank %d: sizes[1] is -1, must be >= 0",
                   last);
    expect(redist_balance_create_sized(MPI_COMM_WORLD, 3, sizes, MPI_INT,
                                       REDIST_BALANCE_B, 1, NULL, &plan, &count, &units),
           REDIST_ERR_ARG, sentence);
    expect(redist_balance_create_sized(MPI_COMM_WORLD, 3, NULL, MPI_INT, REDIST_BALANCE_B,
                                       1, NULL, &plan, &count, &units),
           REDIST_ERR_ARG, "sizes is NULL");
    expect(redist_balance_create(MPI_COMM_WORLD, 3, MPI_INT, REDIST_BALANCE_A, 1, NULL,
                                 &plan, NULL),
           REDIST_ERR_ARG, "share is NULL");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    elements_come_to_those_who_should_have_them(seed);
    int alive = trace_alive();
    the_staircase_is_a_schedule_of_what_moves(seed + 1);
    one_buffer_does(seed + 3);
    ranges_that_only_their_receivers_know();
    no_process_holds_a_word_of_each();
    one_who_is_wrong_is_named_everywhere();
    CHECK(trace_alive() == alive, "%d objects are left", trace_alive() - alive);
    CHECK(trace.foreign == 0, "%d calls over the world", trace.foreign);
    return passed("balances");
}
