/* SPDX-License-Identifier: MIT
 *
 * A process that passes NULL where it holds elements, or refuses a run: all processes
 * return ARG with one sentence, none hangs - whether messages are packed or travel
 * straight between the buffers, in one piece or in many - and the plan runs correctly
 * afterwards.
 */
#include "mpi/pair.h"

/* Short messages are sent in ready mode by this call. */
static int ready_sends;

int MPI_Irsend(const void *data, int count, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    ready_sends++;
    return PMPI_Irsend(data, count, type, to, tag, comm, request);
}

enum call { EXECUTE, START_WAIT, START_TEST, WAYS };

/* Run a plan one way; the first error ends it. */
static redist_err run(redist_plan *plan, enum call way, const void *source, void *target)
{
    int done = 0;
    if (way == EXECUTE) return redist_execute(plan, source, target);
    CHECK_OK(redist_start(plan, source, target)); /* all learn of it later, and alike */
    if (way == START_WAIT) return redist_wait(plan);
    redist_err err = REDIST_OK;
    while (!err && !done) err = redist_test(plan, &done);
    return err;
}

/* What a process has of a pair, for all of its plans. */
struct buffers {
    struct pair pair;
    int64_t *source, *target, *truth; /* which a run leaves in the target */
    int64_t span;                     /* elements of the target */
};

static struct buffers buffers_make(const char *source, const char *target)
{
    struct buffers made = {.pair = pair_parse(source, target)};
    int rank = world_rank();
    made.source = pair_buffer(&made.pair, REDIST_SOURCE, rank);
    made.target = pair_buffer(&made.pair, REDIST_TARGET, rank);
    made.truth = pair_numbers(&made.pair.view[REDIST_TARGET], rank);
    made.span = pair_span(&made.pair, REDIST_TARGET, rank);
    return made;
}

static void buffers_free(struct buffers *buffers)
{
    free(buffers->source);
    free(buffers->target);
    free(buffers->truth);
    pair_free(&buffers->pair);
}

static void plan_is_right(redist_plan *plan, const struct buffers *buffers)
{
    for (int64_t e = 0; e < buffers->span; e++) buffers->target[e] = -1;
    CHECK_OK(redist_execute(plan, buffers->source, buffers->target));
    for (int64_t e = 0; e < buffers->span; e++)
        CHECK(buffers->target[e] == buffers->truth[e], "place %" PRId64, e);
}

/* Let the processes of `mask` pass NULL as the source, or as the target. */
static void null_is_refused(redist_plan *plan, const struct buffers *buffers,
                            enum call way, redist_side side, int mask)
{
    int rank = world_rank(), lowest = 0;
    while (!(mask >> lowest & 1)) lowest++;
    int guilty = mask >> rank & 1;
    redist_err err =
        run(plan, way, guilty && side == REDIST_SOURCE ? NULL : buffers->source,
            guilty && side == REDIST_TARGET ? NULL : buffers->target);
    check_everywhere(err, REDIST_ERR_ARG, 1,
                     "rank %d: %s is NULL, but this process holds elements of it", lowest,
                     side == REDIST_SOURCE ? "source" : "target");
    plan_is_right(plan, buffers);
}

static void strategy_refuses_null(const struct buffers *buffers, const char *strategy,
                                  size_t staging)
{
    int n = world_size(), masks[] = {1, 1 << (n - 1), (1 << n) - 1};
    redist_plan *plan = pair_plan(&buffers->pair, strategy, staging);
    plan_is_right(plan, buffers);
    for (int way = 0; way < WAYS; way++)
        for (int c = 0; c < 2 * 3; c++)
            null_is_refused(plan, buffers, (enum call)way, (redist_side)(c / 3),
                            masks[c % 3]);
    CHECK_OK(redist_plan_destroy(&plan));
}

static void null_buffers_are_refused(const char *source, const char *target)
{
    struct buffers buffers = buffers_make(source, target);
    /* all at once, and in some hundred pieces at most */
    int64_t elements = pair_span(&buffers.pair, REDIST_SOURCE, world_rank());
    const size_t stagings[] = {0, elements > 1000 ? 8192 : 256};
    for (int k = 0; k < STRATEGIES * 2; k++)
        strategy_refuses_null(&buffers, here(all_strategies[k / 2]), stagings[k % 2]);
    buffers_free(&buffers);
}

/* Every process holds elements of both sides of a plan of two phases. */
static void null_buffers_are_refused_in_phases(void)
{
    if (world_size() != 4) return;
    struct buffers buffers =
        buffers_make("[12,10] (cyclic(1),block) onto 2x2",
                     "[12,10] (block,cyclic(1)) onto 2x2 column-major");
    strategy_refuses_null(&buffers, "multiphase", 0);
    buffers_free(&buffers);
}

/* Every process holds elements of both sides. Each text takes the first owner and the
 * number of processes. */
static void try_pair(const char *source, const char *target)
{
    char text[2][128];
    int n = world_size();
    (void)snprintf(text[0], sizeof text[0], source, 0, n);
    (void)snprintf(text[1], sizeof text[1], target, 1 % n, n);
    null_buffers_are_refused(text[0], text[1]);
}

enum { ACTIVE_RUNS = 3 };

/* Several plans are under way, of which the first and the last get a NULL: nobody
 * waits in one of them for who waits in another, and the one between them moves its
 * elements. */
static void null_holds_up_no_other_plan(const char *strategy, int tests)
{
    int rank = world_rank(), n = world_size(), culprit = n / 2, left = ACTIVE_RUNS;
    char text[2][64];
    (void)snprintf(text[0], sizeof text[0], "[2800] (block) onto %d", n);
    (void)snprintf(text[1], sizeof text[1], "[2800] (cyclic(3)) onto %d", n);
    struct pair pair = pair_parse(text[0], text[1]);
    redist_plan *plan[ACTIVE_RUNS];
    redist_err err[ACTIVE_RUNS];
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank), *target[ACTIVE_RUNS];
    int done[ACTIVE_RUNS] = {0};
    for (int k = 0; k < ACTIVE_RUNS; k++) {
        int guilty = k != 1 && rank == culprit;
        plan[k] = pair_plan(&pair, strategy, 256);
        target[k] = pair_buffer(&pair, REDIST_TARGET, rank);
        CHECK_OK(redist_start(plan[k], guilty ? NULL : source, target[k]));
    }
    for (int k = ACTIVE_RUNS - 1; k >= 0 && !tests; k--) err[k] = redist_wait(plan[k]);
    for (int k = rank; left > 0 && tests; k++) { /* in an order of each process's own */
        int one = k % ACTIVE_RUNS;
        if (done[one]) continue;
        err[one] = redist_test(plan[one], &done[one]);
        if (err[one]) done[one] = 1;
        left -= done[one];
    }
    for (int k = 0; k < ACTIVE_RUNS; k++)
        CHECK(err[k] == (k == 1 ? REDIST_OK : REDIST_ERR_ARG), "plan %d", k);
    pair_check(&pair, rank, target[1]);
    check_everywhere(REDIST_ERR_ARG, REDIST_ERR_ARG, 1,
                     "rank %d: source is NULL, but this process holds elements of it",
                     culprit);
    for (int k = 0; k < ACTIVE_RUNS; k++) {
        pair_execute(plan[k], &pair, rank, rank);
        CHECK_OK(redist_plan_destroy(&plan[k]));
        free(target[k]);
    }
    free(source);
    pair_free(&pair);
}

/* Where a process takes no part, NULL is right. */
static void null_is_welcome_where_nothing_is_held(void)
{
    int rank = world_rank(), n = world_size();
    char text[64];
    (void)snprintf(text, sizeof text, "[40] (block) onto 1 ranks %d", n - 1);
    struct pair pair = pair_parse("[40] (block) onto 1", text);
    for (int k = 0; k < STRATEGIES; k++) {
        redist_plan *plan = pair_plan(&pair, here(all_strategies[k]), 0);
        int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
        int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
        CHECK((source != NULL) == (rank == 0), "source of rank %d", rank);
        CHECK((target != NULL) == (rank == n - 1), "target of rank %d", rank);
        CHECK_OK(redist_execute(plan, source, target));
        pair_check(&pair, rank, target);
        free(source);
        free(target);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    pair_free(&pair);
}

/* Each process in turn refuses a run. */
static void refusals_are_heard(redist_plan *plan, const struct buffers *buffers)
{
    for (int culprit = world_size() - 1; culprit >= 0; culprit--) {
        if (world_rank() == culprit) redist_refuse("the disk is full");
        redist_err err = redist_execute(plan, buffers->source, buffers->target);
        check_everywhere(err, REDIST_ERR_ARG, 1, "rank %d: the disk is full", culprit);
    }
    CHECK_OK(redist_execute(plan, buffers->source, buffers->target));
    CHECK_OK(redist_plan_destroy(&plan));
}

/* The last process holds nothing. */
static void refusals_of_the_idle_are_heard(void)
{
    int n = world_size(), holders = n > 1 ? n - 1 : 1;
    char text[2][64];
    (void)snprintf(text[0], sizeof text[0], "[280] (block) onto %d", holders);
    (void)snprintf(text[1], sizeof text[1], "[280] (cyclic(3)) onto %d", holders);
    struct buffers buffers = buffers_make(text[0], text[1]);
    for (int k = 0; k < STRATEGIES; k++)
        refusals_are_heard(pair_plan(&buffers.pair, here(all_strategies[k]), 0),
                           &buffers);
    buffers_free(&buffers);
}

/* Each process has one replica, so that it takes part in one pass only. */
static void refusals_are_heard_in_each_pass(void)
{
    char text[64];
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    (void)snprintf(text, sizeof text, "[280] (*) onto %d", world_size());
    struct buffers buffers = buffers_make(text, "[280] (block) onto 1");
    options.reduction = REDIST_REDUCTION_SUM;
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, MPI_INT64_T,
                                &buffers.pair.view[REDIST_SOURCE],
                                &buffers.pair.view[REDIST_TARGET], &options, &plan));
    refusals_are_heard(plan, &buffers);
    buffers_free(&buffers);
}

/* A process without a buffer for messages that would go straight to it has no room to
 * post all receives at once: nobody may then send in ready mode. */
static void nothing_is_sent_ready_without_its_receive(void)
{
    char text[64];
    if (getenv("REDIST_TEST_DEVICE")) return; /* to which no message goes straight */
    (void)snprintf(text, sizeof text, "[280] (block from 1) onto %d", world_size());
    struct buffers buffers = buffers_make("[280] (block) onto 1", text);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = "ready";
    options.staging_bytes = 256;
    CHECK_OK(pair_create(&buffers.pair, MPI_INT64_T, &options, &plan));
    for (int run = 0; run < 4; run++) {
        int good = run % 2 == 0;
        ready_sends = 0;
        redist_err err =
            redist_execute(plan, buffers.source, good ? buffers.target : NULL);
        CHECK(err == (good ? REDIST_OK : REDIST_ERR_ARG), "run %d", run);
        CHECK((ready_sends > 0) == (good && world_rank() == 0 && world_size() > 1),
              "run %d: %d sends in ready mode", run, ready_sends);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    buffers_free(&buffers);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    nothing_is_sent_ready_without_its_receive();
    try_pair("[280] (cyclic(3) from %d) onto %d", "[280] (block from %d) onto %d");
    try_pair("[28,14] (*,block from %d) onto %d", "[28,14] (block from %d,*) onto %d");
    /* contiguous where it is received, where it is sent, on both sides, and there long */
    try_pair("[560] (block from %d) onto %d section [0:558:2]",
             "[280] (block from %d) onto %d");
    try_pair("[280] (block from %d) onto %d",
             "[560] (block from %d) onto %d section [0:558:2]");
    try_pair("[280] (block from %d) onto %d", "[280] (block from %d) onto %d");
    try_pair("[28000] (block from %d) onto %d", "[28000] (block from %d) onto %d");
    null_buffers_are_refused_in_phases();
    for (int k = 0; k < STRATEGIES * 2; k++)
        null_holds_up_no_other_plan(here(all_strategies[k / 2]), k % 2);
    null_is_welcome_where_nothing_is_held();
    refusals_of_the_idle_are_heard();
    refusals_are_heard_in_each_pass();
    return passed("NULL buffers are refused everywhere");
}
