/* SPDX-License-Identifier: MIT
 *
 * The life of a plan: what may be called when, and processes that have nothing to move.
 * Source and target that share memory in part, on one process: all processes return ARG
 * with one sentence, whatever the form of the run; and buffers that only touch are apart.
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
        redist_report report = report_of(plan);
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

/* ---- buffers that share memory -------------------------------------------------- */

/* Memory for a source and a target that share `shared` elements, the target behind the
 * source or before it. */
struct local_memory {
    int64_t *block, *source, *target;
    int64_t span[2];
};

static struct local_memory memory_make(const struct pair *pair, int64_t shared,
                                       int behind)
{
    struct local_memory memory = {.block = NULL};
    int rank = world_rank();
    for (int s = 0; s < 2; s++) memory.span[s] = pair_span(pair, (redist_side)s, rank);
    int64_t n = memory.span[0] + memory.span[1];
    memory.block = calloc((size_t)n + 1, sizeof *memory.block);
    CHECK(memory.block, "out of memory");
    memory.source = memory.block + (behind ? 0 : memory.span[1] - shared);
    memory.target = memory.block + (behind ? memory.span[0] - shared : 0);
    for (int64_t e = 0; e < memory.span[1]; e++) memory.target[e] = -1;
    int64_t *number = pair_numbers(&pair->view[REDIST_SOURCE], rank);
    for (int64_t e = 0; e < memory.span[0]; e++) memory.source[e] = number[e];
    free(number);
    return memory;
}

static void check_shared(redist_err err, int culprit, int64_t elements)
{
    check_everywhere(err, REDIST_ERR_ARG, 1,
                     "rank %d: source and target share %d bytes, must share none",
                     culprit, (int)(elements * (int64_t)sizeof(int64_t)));
}

static redist_err start_and_wait(redist_plan *plan, const void *source, void *target)
{
    redist_err err = redist_start(plan, source, target);
    return err ? err : redist_wait(plan);
}

/* Run a plan with buffers that share memory on one process, then with such as touch. */
static void try_plan(redist_plan *plan, const struct pair *pair, int culprit)
{
    for (int behind = 0; behind < 2; behind++)
        for (int shared = 1; shared <= 3; shared += 2) {
            int64_t own = world_rank() == culprit ? shared : 0;
            struct local_memory memory = memory_make(pair, own, behind);
            check_shared(redist_execute(plan, memory.source, memory.target), culprit,
                         shared);
            check_shared(start_and_wait(plan, memory.source, memory.target), culprit,
                         shared);
            free(memory.block);
            memory = memory_make(pair, 0, behind);
            CHECK_OK(redist_execute(plan, memory.source, memory.target));
            pair_check(pair, world_rank(), memory.target);
            free(memory.block);
        }
}

static void shared_bytes_are_refused_by_each_strategy(void)
{
    static const char *const texts[2] = {"[%1$d,4%1$d] (block,*) onto %1$d",
                                         "[%1$d,4%1$d] (*,block) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    for (int k = 0; k < STRATEGIES; k++) {
        redist_plan *plan = pair_plan(&pair, here(all_strategies[k]), 0);
        try_plan(plan, &pair, world_size() - 1);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    pair_free(&pair);
}

static void scaled_runs_are_checked_too(const struct pair *pair)
{
    int culprit = world_size() / 2;
    int64_t alpha = 2, beta = 1, own = world_rank() == culprit;
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.scaled = 1;
    CHECK_OK(pair_create(pair, MPI_INT64_T, &options, &plan));
    struct local_memory memory = memory_make(pair, own, 1);
    check_shared(redist_execute_scaled(plan, &alpha, memory.source, &beta, memory.target),
                 culprit, 1);
    check_shared(redist_plan_tune(plan, memory.source, memory.target), culprit, 1);
    CHECK_OK(redist_plan_destroy(&plan));
    free(memory.block);
}

/* A source of one item and the target of another; sources may be one. */
static void items_of_a_batch_are_compared(const struct pair *pair)
{
    enum { ITEMS = 3 };
    int culprit = world_size() - 1, guilty = world_rank() == culprit;
    redist_item items[ITEMS];
    redist_plan *plan = NULL;
    for (int k = 0; k < ITEMS; k++)
        items[k] = (redist_item){MPI_INT64_T, &pair->view[0], &pair->view[1]};
    CHECK_OK(redist_plan_create_batch(MPI_COMM_WORLD, ITEMS, items, NULL, &plan));
    struct local_memory apart = memory_make(pair, 0, 1), other = memory_make(pair, 2, 1);
    int64_t *third = pair_buffer(pair, REDIST_TARGET, world_rank());
    const void *sources[ITEMS] = {apart.source, other.source, apart.source};
    void *targets[ITEMS] = {third, apart.target, guilty ? other.target : other.source};
    if (!guilty) sources[1] = apart.source; /* all of one source, three targets */
    check_everywhere(redist_execute_batch(plan, sources, targets), REDIST_ERR_ARG, 1,
                     "rank %d: the source of item 1 and the target of item 2 share 16 "
                     "bytes, must share none",
                     culprit);
    sources[1] = apart.source;
    CHECK_OK(redist_execute_batch(plan, sources, targets));
    for (int k = 0; k < ITEMS; k++) pair_check(pair, world_rank(), targets[k]);
    CHECK_OK(redist_plan_destroy(&plan));
    free(apart.block);
    free(other.block);
    free(third);
}

/* Each process has ten consecutive indices, and is to have those of the next one. */
static void lists_are_compared(void)
{
    enum { OWN = 10 };
    int rank = world_rank(), n = world_size();
    int64_t list[2][OWN], buffer[2 * OWN];
    for (int k = 0; k < OWN; k++) {
        list[0][k] = rank * OWN + k;
        list[1][k] = (rank + 1) % n * OWN + (OWN - 1 - k);
    }
    redist_indices source = redist_indices_of_list(OWN, list[0]);
    redist_indices target = redist_indices_of_list(OWN, list[1]);
    redist_plan *plan = NULL;
    CHECK_OK(redist_plan_create_indexed(MPI_COMM_WORLD, MPI_INT64_T, (int64_t)n * OWN,
                                        &source, &target, NULL, &plan));
    int64_t shift = OWN - (rank == 0 ? 4 : 0);
    check_shared(redist_execute(plan, buffer, buffer + shift), 0, 4);
    for (int k = 0; k < OWN; k++) buffer[k] = list[0][k];
    CHECK_OK(redist_execute(plan, buffer, buffer + OWN));
    for (int k = 0; k < OWN; k++) CHECK(buffer[OWN + k] == list[1][k], "%d", k);
    CHECK_OK(redist_plan_destroy(&plan));
}

static void balanced_arrays_are_compared(void)
{
    enum { MOST = 64 };
    int rank = world_rank(), n = world_size();
    int64_t count = 4 + 2 * (rank % 2), share = 0, buffer[2 * MOST];
    redist_plan *plan = NULL;
    CHECK_OK(redist_balance_create(MPI_COMM_WORLD, count, MPI_INT64_T, REDIST_BALANCE_A,
                                   1, NULL, &plan, &share));
    int culprit = n - 1;
    int64_t shift = count - (rank == culprit);
    check_shared(redist_execute(plan, buffer, buffer + shift), culprit, 1);
    for (int64_t k = 0; k < count; k++) buffer[k] = rank;
    CHECK_OK(redist_execute(plan, buffer, buffer + count));
    for (int64_t k = 1; k < share; k++)
        CHECK(buffer[count + k] >= buffer[count + k - 1], "%d", (int)k);
    CHECK_OK(redist_plan_destroy(&plan));
}

int main(int argc, char **argv)
{
    static const char *const texts[2] = {"[60] (cyclic(2)) onto %1$d",
                                         "[60] (cyclic(3)) onto %1$d"};
    MPI_Init(&argc, &argv);
    for (int k = 0; k < STRATEGIES; k++) {
        calls_out_of_turn_are_refused(here(all_strategies[k]));
        idle_processes_take_part_with_null_buffers(here(all_strategies[k]));
    }
    report_says_what_is_wrong_with_its_arguments();
    struct pair pair = pair_of_world(texts);
    shared_bytes_are_refused_by_each_strategy();
    scaled_runs_are_checked_too(&pair);
    items_of_a_batch_are_compared(&pair);
    lists_are_compared();
    balanced_arrays_are_compared();
    pair_free(&pair);
    return passed("plans in all their states, and what they are passed");
}
