/* SPDX-License-Identifier: MIT
 *
 * Several arrays in one plan: one message for all of them from one process to another,
 * and what is refused, everywhere alike. What arrives is tested by random plans
 * (tests/soak), too.
 */
#include "mpi/pair.h"
#include "mpi/trace.h"

/* ---- three arrays ------------------------------------------------------------------ */

enum { THREE = 3 };

/* Arrays of one pattern each, of which every process holds elements, and their buffers
 * on this process. */
struct three {
    struct pair pair[THREE];
    redist_item item[THREE];
    int64_t *source[THREE], *target[THREE];
};

static struct three three_make(const char *const texts[THREE][2])
{
    struct three three;
    for (int k = 0; k < THREE; k++) {
        three.pair[k] = pair_of_world(texts[k]);
        three.source[k] = pair_buffer(&three.pair[k], REDIST_SOURCE, world_rank());
        three.target[k] = pair_buffer(&three.pair[k], REDIST_TARGET, world_rank());
    }
    return three;
}

/* The views lie in the struct: where it stays. */
static redist_err three_plan(struct three *three, const redist_options *options,
                             redist_plan **plan)
{
    for (int k = 0; k < THREE; k++)
        three->item[k] =
            (redist_item){MPI_INT64_T, &three->pair[k].view[0], &three->pair[k].view[1]};
    return redist_plan_create_batch(MPI_COMM_WORLD, THREE, three->item, options, plan);
}

static redist_err three_execute(const struct three *three, redist_plan *plan)
{
    const void *sources[THREE];
    void *targets[THREE];
    for (int k = 0; k < THREE; k++) {
        sources[k] = three->source[k];
        targets[k] = three->target[k];
    }
    return redist_execute_batch(plan, sources, targets);
}

static void three_check(const struct three *three)
{
    for (int k = 0; k < THREE; k++)
        pair_check(&three->pair[k], world_rank(), three->target[k]);
}

static void three_free(struct three *three)
{
    for (int k = 0; k < THREE; k++) {
        free(three->source[k]);
        free(three->target[k]);
        pair_free(&three->pair[k]);
    }
}

static const char *const alike[THREE][2] = {
    {"[140] (cyclic(2)) onto %d", "[140] (block) onto %d"},
    {"[14,20] (*,block) onto %d", "[14,20] (block,*) onto %d"},
    {"[280] (block) onto %d", "[280] (cyclic(3)) onto %d"},
};

static void all_arrays_travel_in_one_message_a_pair(void)
{
    struct three three = three_make(alike);
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "nonblocking"; /* whose messages can be seen */
    CHECK_OK(three_plan(&three, &options, &plan));
    redist_report report = report_of(plan);
    trace_clear_messages();
    CHECK_OK(three_execute(&three, plan));
    three_check(&three);
    int messages = 0;
    long bytes = 0;
    for (int to = 0; to < world_size(); to++) {
        CHECK(trace.messages[to] == (to != world_rank()), "%d messages to rank %d",
              trace.messages[to], to);
        messages += trace.messages[to];
        bytes += trace.bytes[to];
    }
    CHECK(report.messages_sent == messages, "%" PRId64, report.messages_sent);
    CHECK(report.bytes_sent == bytes, "%" PRId64, report.bytes_sent);
    CHECK_OK(redist_plan_destroy(&plan));
    three_free(&three);
}

/* The first array goes from each process to the next, the others to all. */
static const char *const apart[THREE][2] = {
    {"[28] (block) onto %d", "[28] (block from 1) onto %1$d"},
    {"[14,20] (*,block) onto %d", "[14,20] (block,*) onto %d"},
    {"[280] (cyclic(1)) onto %d", "[280] (cyclic(3)) onto %d"},
};

static void a_schedule_is_that_of_the_first_array(void)
{
    if (world_size() == 1) return; /* there is no coordinate 1 */
    static const char *const strategies[] = {"stepwise/sendrecv", "dense/window(1)",
                                             "random/sendrecv", "greedy/synchronous"};
    struct three three = three_make(apart);
    for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
        redist_options options = REDIST_OPTIONS_INIT;
        redist_plan *plan = NULL;
        options.strategy = strategies[k];
        options.staging_bytes = 64;
        CHECK_OK(three_plan(&three, &options, &plan));
        for (int i = 0; i < THREE; i++) { /* some hold nothing of an array */
            int64_t span = pair_span(&three.pair[i], REDIST_TARGET, world_rank());
            if (span > 0) memset(three.target[i], 0xff, (size_t)span * 8);
        }
        CHECK_OK(three_execute(&three, plan));
        three_check(&three);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    three_free(&three);
}

/* ---- what is refused --------------------------------------------------------------- */

static void bad_batches_are_refused_everywhere(void)
{
    int n = world_size(), last = n - 1;
    int guilty = world_rank() == last;
    struct three three = three_make(alike);
    redist_plan *plan = NULL;
    CHECK_OK(three_plan(&three, NULL, &plan)); /* fills in the items */
    CHECK_OK(redist_plan_destroy(&plan));
    redist_item *items = three.item, good = items[1];
    check_everywhere(
        redist_plan_create_batch(MPI_COMM_WORLD, guilty ? 0 : 3, items, NULL, &plan),
        REDIST_ERR_ARG, 1, "rank %d: nitems is 0, must be >= 1", last);
    check_everywhere(
        redist_plan_create_batch(MPI_COMM_WORLD, guilty ? -1 : 3, items, NULL, &plan),
        REDIST_ERR_ARG, 1, "rank %d: nitems is -1, must be >= 1", last);
    check_everywhere(
        redist_plan_create_batch(MPI_COMM_WORLD, 3, guilty ? NULL : items, NULL, &plan),
        REDIST_ERR_ARG, 1, "rank %d: items is NULL", last);
    if (guilty) items[1].type = MPI_DATATYPE_NULL;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 3, items, NULL, &plan),
                     REDIST_ERR_ARG, 1, "rank %d: item 1: type is MPI_DATATYPE_NULL",
                     last);
    items[1] = good;
    if (guilty) items[1].target = NULL;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 3, items, NULL, &plan),
                     REDIST_ERR_ARG, 1, "rank %d: item 1: target: view is NULL", last);
    items[1] = good;
    redist_view crossed = *good.source;
    crossed.lead[0] = crossed.lead[1] = 1;
    if (guilty) items[1].source = &crossed;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 3, items, NULL, &plan),
                     REDIST_ERR_ARG, 0, "rank %d: item 1: source: dim 1: lead is 1, ",
                     last);
    items[1] = good;
    redist_options options = REDIST_OPTIONS_INIT;
    options.staging_bytes = 31;
    items[2].type = MPI_C_DOUBLE_COMPLEX;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 3, items, &options, &plan),
                     REDIST_ERR_ARG, 1,
                     "rank 0: options: staging_bytes is 31, must hold two elements of 16 "
                     "bytes");
    CHECK(!plan, "a plan was handed out");
    three_free(&three);
}

static void batches_that_differ_are_refused_everywhere(void)
{
    int last = world_size() - 1;
    int guilty = world_rank() == last;
    if (last == 0) return; /* nobody to differ from */
    struct three three = three_make(alike);
    redist_plan *plan = NULL;
    CHECK_OK(three_plan(&three, NULL, &plan));
    CHECK_OK(redist_plan_destroy(&plan));
    redist_item *items = three.item, good = items[2], first = items[0];
    check_everywhere(
        redist_plan_create_batch(MPI_COMM_WORLD, guilty ? 2 : 3, items, NULL, &plan),
        REDIST_ERR_MISMATCH, 1, "rank %d passed another number of items than rank 0",
        last);
    if (guilty) items[2].source = items[2].target;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 3, items, NULL, &plan),
                     REDIST_ERR_MISMATCH, 1, "rank %d passed another source than rank 0",
                     last);
    items[2] = good;
    if (guilty) items[2].type = MPI_INT;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 3, items, NULL, &plan),
                     REDIST_ERR_MISMATCH, 1,
                     "rank %d passed another element size than rank 0", last);
    items[2] = good;
    if (guilty) items[0] = items[2], items[2] = first; /* the same in another order */
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 3, items, NULL, &plan),
                     REDIST_ERR_MISMATCH, 1, "rank %d passed another source than rank 0",
                     last);
    CHECK(!plan, "a plan was handed out");
    three_free(&three);
}

static void one_array_is_not_three(void)
{
    struct three three = three_make(alike);
    redist_plan *plan = NULL;
    CHECK_OK(three_plan(&three, NULL, &plan));
    check_everywhere(redist_execute(plan, three.source[0], three.target[0]),
                     REDIST_ERR_ARG, 1,
                     "the plan is of 3 arrays, one source and one target were given");
    check_everywhere(redist_start(plan, three.source[0], three.target[0]), REDIST_ERR_ARG,
                     1, "the plan is of 3 arrays, one source and one target were given");
    check_everywhere(redist_execute_batch(NULL, NULL, NULL), REDIST_ERR_ARG, 1,
                     "plan is NULL");
    CHECK_OK(three_execute(&three, plan));
    three_check(&three);
    CHECK_OK(redist_plan_destroy(&plan));
    three_free(&three);
}

/* A process that passes NULL for one array, or for the list of them. */
static void null_buffers_are_refused_everywhere(const char *strategy)
{
    int culprit = world_size() / 2;
    int guilty = world_rank() == culprit;
    struct three three = three_make(alike);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    CHECK_OK(three_plan(&three, &options, &plan));
    const void *sources[] = {three.source[0], three.source[1], three.source[2]};
    void *targets[] = {three.target[0], three.target[1], three.target[2]};
    void *missing[] = {three.target[0], three.target[1], NULL};
    check_everywhere(redist_execute_batch(plan, guilty ? NULL : sources, targets),
                     REDIST_ERR_ARG, 1,
                     "rank %d: item 0: source is NULL, but this process holds elements "
                     "of it",
                     culprit);
    check_everywhere(redist_execute_batch(plan, sources, guilty ? missing : targets),
                     REDIST_ERR_ARG, 1,
                     "rank %d: item 2: target is NULL, but this process holds elements "
                     "of it",
                     culprit);
    CHECK_OK(redist_execute_batch(plan, sources, targets));
    three_check(&three);
    CHECK_OK(redist_plan_destroy(&plan));
    three_free(&three);
}

static void it_moves_one_array(const char *strategy)
{
    struct three three = three_make(alike);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    check_everywhere(three_plan(&three, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: %.*s moves one array a plan, the plan is of 3",
                     (int)strcspn(strategy, "("), strategy);
    three_free(&three);
}

static void null_lists_are_welcome_where_nothing_is_held(void)
{
    int n = world_size(), rank = world_rank();
    char text[64];
    (void)snprintf(text, sizeof text, "[40] (block) onto 1 ranks %d", n - 1);
    struct pair pair = pair_parse("[40] (block) onto 1", text);
    redist_item items[2] = {{MPI_INT64_T, &pair.view[0], &pair.view[1]},
                            {MPI_INT64_T, &pair.view[0], &pair.view[1]}};
    redist_plan *plan = NULL;
    CHECK_OK(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, NULL, &plan));
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target[] = {pair_buffer(&pair, REDIST_TARGET, rank),
                         pair_buffer(&pair, REDIST_TARGET, rank)};
    const void *sources[] = {source, source}; /* what is only read may be read twice */
    void *targets[] = {target[0], target[1]};
    CHECK_OK(
        redist_execute_batch(plan, source ? sources : NULL, target[0] ? targets : NULL));
    for (int k = 0; k < 2; k++) {
        pair_check(&pair, rank, target[k]);
        free(target[k]);
    }
    free(source);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    all_arrays_travel_in_one_message_a_pair();
    a_schedule_is_that_of_the_first_array();
    bad_batches_are_refused_everywhere();
    batches_that_differ_are_refused_everywhere();
    one_array_is_not_three();
    for (int k = 0; k < STRATEGIES; k++)
        if (moves_batches(here(all_strategies[k])))
            null_buffers_are_refused_everywhere(here(all_strategies[k]));
        else
            it_moves_one_array(here(all_strategies[k]));
    null_lists_are_welcome_where_nothing_is_held();
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
    return passed("batches");
}
