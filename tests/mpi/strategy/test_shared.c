/* SPDX-License-Identifier: MIT
 *
 * The exchange "shared": arrays of redist_alloc, of ordinary memory and of both kinds, on
 * one node and on several; memory that others cannot reach; leads that differ; many plans
 * under way; a process that does not come.
 */
#include <unistd.h>

#include "base/lengths.h"
#include "mpi/pair.h"
#include "mpi/trace.h"

/* See pair_of_world. */
static const char *const problems[][2] = {
    {"[1997] (cyclic(3)) onto %1$d", "[1997] (cyclic(5)) onto %1$d"},
    {"[6400] (cyclic(1)) onto %1$d", "[6400] (block) onto %2$d"},
    {"[6400] (block) onto %2$d", "[6400] (cyclic(64)) onto %1$d"},
    {"[131,170] (cyclic(2),*) onto %1$d", "[131,170] (*,cyclic(30)) onto %1$d"},
    {"[29,80] (block,*) onto %1$d column-major", "[29,80] (*,block) onto %1$d"},
    {"[600] (*) onto %2$d", "[600] (cyclic(7)) onto %1$d"},
    {"[700] (cyclic(7)) onto %1$d", "[700] (*) onto %1$d"},
    {"[50,60] (cyclic(3),*) onto %1$d section [1:40:3,2:49]",
     "[14,48] (*,cyclic(2)) onto %1$d"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static struct pair make_problem(int number) { return pair_of_world(problems[number]); }

/* Where a process has its buffers. */
enum where { ORDINARY, SHARED, MIXED, WHERES };

/* A buffer of one side, filled as pair_buffer fills it. */
struct buffer {
    int64_t *data;
    void *memory; /* of redist_alloc */
};

/* Put what is in `data`, which becomes the buffer's, there. */
static struct buffer place_buffer(const struct pair *pair, redist_side side,
                                  enum where where, int64_t *data)
{
    int rank = world_rank();
    struct buffer buffer = {data, NULL};
    CHECK_OK(redist_alloc_view(MPI_COMM_WORLD, MPI_INT64_T, &pair->view[side],
                               &buffer.memory));
    CHECK(buffer.memory && (uintptr_t)buffer.memory % 4096 == 0, "not on a page");
    if (where == SHARED || (where == MIXED && (rank + (int)side) % 2 == 0)) {
        int64_t span = pair_span(pair, side, rank);
        if (span > 0) memcpy(buffer.memory, buffer.data, (size_t)span * sizeof(int64_t));
        free(buffer.data);
        buffer.data = buffer.memory;
    }
    return buffer;
}

static struct buffer make_buffer(const struct pair *pair, redist_side side,
                                 enum where where)
{
    return place_buffer(pair, side, where, pair_buffer(pair, side, world_rank()));
}

static int64_t *duplicate(const int64_t *data, int64_t n)
{
    int64_t *copy = n > 0 ? malloc((size_t)n * sizeof *copy) : NULL;
    if (copy) memcpy(copy, data, (size_t)n * sizeof *copy);
    return copy;
}

static void free_buffer(struct buffer *buffer)
{
    if (buffer->data != buffer->memory) free(buffer->data);
    CHECK_OK(redist_free(buffer->memory));
}

/* Spoil a target, so that a run must fill it anew. */
static void spoil(const struct pair *pair, const struct buffer *target)
{
    int64_t span = pair_span(pair, REDIST_TARGET, world_rank());
    for (int64_t e = 0; e < span; e++) target->data[e] = -1;
}

/* The same plan with arrays of all kinds in turn, by wait and by test, in runs that come
 * close upon each other; with the source spoilt as soon as a run is over. */
static void arrays_of_all_kinds_are_moved(int problem, size_t staging)
{
    struct pair pair = make_problem(problem);
    redist_plan *plan = pair_plan(&pair, "shared", staging);
    struct buffer buffer[2][WHERES];
    int64_t span = pair_span(&pair, REDIST_SOURCE, world_rank());
    int64_t *good = pair_buffer(&pair, REDIST_SOURCE, world_rank());
    for (int k = 0; k < 2 * WHERES; k++)
        buffer[k / WHERES][k % WHERES] =
            make_buffer(&pair, (redist_side)(k / WHERES), (enum where)(k % WHERES));
    for (int k = 0; k < WHERES * WHERES; k++) {
        struct buffer *source = &buffer[REDIST_SOURCE][k % WHERES];
        struct buffer *target = &buffer[REDIST_TARGET][k / WHERES];
        int done = 0;
        if (span > 0) memcpy(source->data, good, (size_t)span * sizeof *good);
        spoil(&pair, target);
        CHECK_OK(redist_start(plan, source->data, target->data));
        while (k % 2 && !done) CHECK_OK(redist_test(plan, &done));
        if (!done) CHECK_OK(redist_wait(plan));
        for (int64_t e = 0; e < span; e++) source->data[e] = -2;
        pair_check(&pair, world_rank(), target->data);
    }
    for (int k = 0; k < 2 * WHERES; k++) free_buffer(&buffer[k / WHERES][k % WHERES]);
    CHECK_OK(redist_plan_destroy(&plan));
    free(good);
    pair_free(&pair);
}

/* All problems in one plan. */
struct batch {
    struct pair pair[PROBLEMS];
    struct buffer source[PROBLEMS], target[PROBLEMS];
    const void *sources[PROBLEMS];
    void *targets[PROBLEMS];
};

/* Each array lies where `where` says, or, if that is WHERES, somewhere else than the one
 * before: then messages have parts that others can read, and parts that they cannot. */
static void batch_make(struct batch *batch, enum where where)
{
    for (int k = 0; k < PROBLEMS; k++) {
        enum where here = where == WHERES ? (enum where)(k % WHERES) : where;
        batch->source[k] = make_buffer(&batch->pair[k], REDIST_SOURCE, here);
        batch->target[k] = make_buffer(&batch->pair[k], REDIST_TARGET, here);
        batch->sources[k] = batch->source[k].data;
        batch->targets[k] = batch->target[k].data;
    }
}

static void batch_free(struct batch *batch)
{
    for (int k = 0; k < PROBLEMS; k++) {
        free_buffer(&batch->source[k]);
        free_buffer(&batch->target[k]);
    }
}

/* Check alpha source + beta target in targets that held -1. */
static void batch_check(const struct batch *batch, int64_t alpha, int64_t beta)
{
    int rank = world_rank();
    for (int k = 0; k < PROBLEMS; k++) {
        int64_t span = pair_span(&batch->pair[k], REDIST_TARGET, rank);
        int64_t *number = pair_numbers(&batch->pair[k].view[REDIST_TARGET], rank);
        for (int64_t e = 0; e < span; e++) {
            int64_t expected = number[e] < 0 ? -1 : alpha * number[e] - beta;
            int64_t got = batch->target[k].data[e];
            CHECK(got == expected,
                  "array %d, place %" PRId64 ": %" PRId64 ", not %" PRId64, k, e, got,
                  expected);
        }
        free(number);
    }
}

/* Arrays of all kinds in one plan, plainly and with arithmetic. */
static void batches_are_moved_and_combined(size_t staging)
{
    const int64_t alpha = 3, beta = 5;
    struct batch batch;
    redist_item items[PROBLEMS];
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "shared";
    options.staging_bytes = staging;
    for (int k = 0; k < PROBLEMS; k++) {
        batch.pair[k] = make_problem(k);
        items[k] = (redist_item){MPI_INT64_T, &batch.pair[k].view[REDIST_SOURCE],
                                 &batch.pair[k].view[REDIST_TARGET]};
    }
    for (options.scaled = 0; options.scaled < 2; options.scaled++) {
        redist_plan *plan = NULL;
        CHECK_OK(
            redist_plan_create_batch(MPI_COMM_WORLD, PROBLEMS, items, &options, &plan));
        for (int where = 0; where <= WHERES; where++) {
            batch_make(&batch, (enum where)where);
            if (options.scaled)
                CHECK_OK(redist_execute_batch_scaled(plan, &alpha, batch.sources, &beta,
                                                     batch.targets));
            else
                CHECK_OK(redist_execute_batch(plan, batch.sources, batch.targets));
            batch_check(&batch, options.scaled ? alpha : 1, options.scaled ? beta : 0);
            batch_free(&batch);
        }
        CHECK_OK(redist_plan_destroy(&plan));
    }
    for (int k = 0; k < PROBLEMS; k++) pair_free(&batch.pair[k]);
}

/* %1$d: the processes; %2$d: a thousand for each; %3$d: rows. */
enum { LONG_PROBLEMS = 6, ROWS = LENGTH(1200, 48) };
static const char *const long_problems[LONG_PROBLEMS][2] = {
    {"[%3$d,%2$d] (*,cyclic(3)) onto %1$d", "[%3$d,%2$d] (*,cyclic(5)) onto %1$d"},
    {"[%3$d,%1$d000] (*,cyclic(3)) onto 1", "[%3$d,%2$d] (*,cyclic(5)) onto %1$d"},
    {"[%3$d,%2$d] (cyclic(2),*) onto %1$d", "[%3$d,%2$d] (*,cyclic(30)) onto %1$d"},
    {"[%3$d,%2$d] (*,cyclic(32)) onto %1$d", "[%3$d,%2$d] (*,cyclic(50)) onto %1$d"},
    {"[%3$d,%2$d] (*,cyclic(64)) onto %1$d", "[%3$d,%2$d] (*,cyclic(100)) onto %1$d"},
    {"[%3$d,%2$d] (*,cyclic(200)) onto %1$d", "[%3$d,%2$d] (*,cyclic(300)) onto %1$d"},
};

static struct pair make_long_problem(int number)
{
    char text[2][128];
    int n = world_size();
    for (int s = 0; s < 2; s++)
        (void)snprintf(text[s], sizeof text[s], long_problems[number][s], n, 1000 * n,
                       ROWS);
    return pair_parse(text[0], text[1]);
}

/* Arrays so long that what comes to them is put together on its way: from memory of each
 * kind, plainly and with arithmetic, all processes at once and one of them late. */
static void long_arrays_are_moved(int problem, int scaled)
{
    const int64_t alpha = 3, beta = 0;
    int rank = world_rank();
    if (world_size() > 4) return;
    struct pair pair = make_long_problem(problem);
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "shared";
    options.scaled = scaled;
    redist_plan *plan = NULL;
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    int64_t span = pair_span(&pair, REDIST_TARGET, rank);
    int64_t had = pair_span(&pair, REDIST_SOURCE, rank);
    int64_t *has = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *should = pair_numbers(&pair.view[REDIST_TARGET], rank);
    for (int k = 0; k < 2 * WHERES; k++) {
        struct buffer source =
            place_buffer(&pair, REDIST_SOURCE, (enum where)(k / 2), duplicate(has, had));
        struct buffer target = make_buffer(&pair, REDIST_TARGET, (enum where)(k % 2));
        if (k >= WHERES && rank == 0) (void)usleep(30000);
        bool scales = scaled && k % 2;
        if (scales)
            CHECK_OK(
                redist_execute_scaled(plan, &alpha, source.data, &beta, target.data));
        else
            CHECK_OK(redist_execute(plan, source.data, target.data));
        for (int64_t e = 0; e < span; e++)
            CHECK(target.data[e] == (scales ? alpha : 1) * should[e],
                  "place %" PRId64 " holds %" PRId64, e, target.data[e]);
        free_buffer(&source);
        free_buffer(&target);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    free(has);
    free(should);
    pair_free(&pair);
}

/* Parts as large as a huge page, small ones and empty ones: in a window of MPI if pages
 * are to be small, else where huge ones can lie, if the system shares memory without. */
static void parts_of_any_size_are_read(const char *pages)
{
    static const int64_t sizes[] = {300000, 1, 0, 262144, 7};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    char text[2][1024], *end = text[0];
    int n = world_size();
    int64_t all = 0;
    for (int k = 0; k < n; k++) all += sizes[k % SIZES];
    end += sprintf(end, "[%" PRId64 "] (gen_block(", all);
    for (int k = 0; k < n; k++)
        end += sprintf(end, "%s%" PRId64, k ? "," : "", sizes[k % SIZES]);
    (void)sprintf(end, ")) onto %d", n);
    (void)sprintf(text[1], "[%" PRId64 "] (block) onto %d", all, n);
    setenv("REDIST_PAGES", pages, 1);
    struct pair pair = pair_parse(text[0], text[1]);
    redist_plan *plan = pair_plan(&pair, "shared", 0);
    int windows = trace.windows;
    struct buffer source = make_buffer(&pair, REDIST_SOURCE, SHARED);
    if (trace.windows == windows)
        CHECK((uintptr_t)source.memory % (2 << 20) == 0, "not on a huge page");
    else
        CHECK(trace.windows == windows + 1, "%d windows", trace.windows - windows);
    if (strcmp(pages, "small") == 0)
        CHECK(trace.windows == windows + 1, "not in a window");
    struct buffer target = make_buffer(&pair, REDIST_TARGET, ORDINARY);
    CHECK_OK(redist_execute(plan, source.data, target.data));
    pair_check(&pair, world_rank(), target.data);
    CHECK_OK(redist_plan_destroy(&plan));
    free_buffer(&source);
    free_buffer(&target);
    pair_free(&pair);
    unsetenv("REDIST_PAGES");
}

/* With arrays of redist_alloc there is no message on one node. */
static void nothing_is_sent_within_a_node(void)
{
    struct pair pair = make_problem(0);
    redist_plan *plan = pair_plan(&pair, "shared", 0);
    struct buffer source = make_buffer(&pair, REDIST_SOURCE, SHARED);
    struct buffer target = make_buffer(&pair, REDIST_TARGET, ORDINARY);
    trace_clear_messages();
    CHECK_OK(redist_execute(plan, source.data, target.data));
    pair_check(&pair, world_rank(), target.data);
    for (int k = 0; k < world_size() && !getenv("REDIST_NODE_SIZE"); k++)
        CHECK(trace.messages[k] == 0, "%d messages to rank %d", trace.messages[k], k);
    CHECK_OK(redist_plan_destroy(&plan));
    free_buffer(&source);
    free_buffer(&target);
    pair_free(&pair);
}

/* A process whose array the others cannot reach sends it in pieces. Each of several
 * arrays lies in one piece of memory. */
static void memory_out_of_reach_is_sent(struct pair pair)
{
    int64_t span = pair_span(&pair, REDIST_SOURCE, world_rank());
    int64_t *good = pair_buffer(&pair, REDIST_SOURCE, world_rank());
    void *memory = NULL;
    CHECK_OK(
        redist_alloc(MPI_COMM_SELF, (size_t)(span + 2) * 2 * sizeof(int64_t), &memory));
    redist_plan *plan = pair_plan(&pair, "shared", 0);
    for (int k = 0; k < 2; k++) {
        int64_t *source = (int64_t *)memory + k * (span + 1) + 1;
        if (span > 0) memcpy(source, good, (size_t)span * sizeof *good);
        struct buffer target = make_buffer(&pair, REDIST_TARGET, SHARED);
        CHECK_OK(redist_execute(plan, source, target.data));
        pair_check(&pair, world_rank(), target.data);
        free_buffer(&target);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK_OK(redist_free(memory));
    free(good);
    pair_free(&pair);
}

/* Each process has rows of a length of its own in memory: readers must know it. */
static void leads_may_differ(void)
{
    int rank = world_rank();
    struct pair pair = make_problem(3);
    int64_t local[2], lead = 170 + rank;
    CHECK_OK(redist_dist_local_extents(pair.dist[0], rank, local));
    redist_view wide = pair.view[0];
    wide.lead[0] = lead;
    wide.lead[1] = 1;
    int64_t *dense = pair_buffer(&pair, REDIST_SOURCE, rank);
    void *memory = NULL;
    CHECK_OK(redist_alloc_view(MPI_COMM_WORLD, MPI_INT64_T, &wide, &memory));
    for (int64_t i = 0; i < local[0]; i++)
        memcpy((int64_t *)memory + i * lead, dense + i * 170, 170 * sizeof(int64_t));
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "shared";
    redist_plan *plan = NULL;
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, MPI_INT64_T, &wide, &pair.view[1],
                                &options, &plan));
    struct buffer target = make_buffer(&pair, REDIST_TARGET, ORDINARY);
    CHECK_OK(redist_execute(plan, memory, target.data));
    pair_check(&pair, rank, target.data);
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK_OK(redist_free(memory));
    free(dense);
    free_buffer(&target);
    pair_free(&pair);
}

/* Several plans over the same arrays are under way, and end in another order on each
 * process. */
static void many_plans_are_under_way(void)
{
    enum { PLANS = 5 };
    int rank = world_rank(), left = PLANS, done[PLANS] = {0};
    struct pair pair = make_problem(2);
    struct buffer source = make_buffer(&pair, REDIST_SOURCE, MIXED), target[PLANS];
    redist_plan *plan[PLANS];
    for (int k = 0; k < PLANS; k++) {
        plan[k] = pair_plan(&pair, k == 2 ? "nonblocking" : "shared", k == 3 ? 4096 : 0);
        target[k] = make_buffer(&pair, REDIST_TARGET, k % 2 ? SHARED : ORDINARY);
    }
    for (int k = 0; k < PLANS; k++)
        CHECK_OK(redist_start(plan[k], source.data, target[k].data));
    for (int k = rank; left > 2; k++) {
        if (done[k % PLANS]) continue;
        CHECK_OK(redist_test(plan[k % PLANS], &done[k % PLANS]));
        left -= done[k % PLANS];
    }
    for (int k = 0; k < PLANS; k++) {
        int one = (k + rank) % PLANS;
        if (!done[one]) CHECK_OK(redist_wait(plan[one]));
    }
    for (int k = 0; k < PLANS; k++) {
        pair_check(&pair, rank, target[k].data);
        CHECK_OK(redist_plan_destroy(&plan[k]));
        free_buffer(&target[k]);
    }
    free_buffer(&source);
    pair_free(&pair);
}

static void what_is_no_memory_is_refused(void)
{
    int64_t own = 0;
    void *memory = NULL;
    CHECK(redist_free(&own) == REDIST_ERR_ARG, "a variable was freed");
    redist_err err = redist_alloc(MPI_COMM_WORLD, 8,
                                  world_rank() == world_size() - 1 ? NULL : &memory);
    check_everywhere(err, REDIST_ERR_ARG, 1, "rank %d: memory is NULL", world_size() - 1);
    CHECK(!memory, "memory was handed out");
    err = redist_alloc(MPI_COMM_WORLD, world_rank() == 0 ? SIZE_MAX : 8, &memory);
    check_everywhere(err, REDIST_ERR_ARG, 0, "rank 0: bytes is %zu, must", SIZE_MAX);
    err = redist_alloc(MPI_COMM_WORLD, world_rank() == 0 ? PTRDIFF_MAX : 8, &memory);
    check_everywhere(err, REDIST_ERR_ARG, 0, "rank 0: bytes is %td, must", PTRDIFF_MAX);
    err = redist_alloc(MPI_COMM_WORLD, (size_t)1 << 60, &memory);
    check_everywhere(err, REDIST_ERR_MEMORY, 0, "rank 0: out of memory: ");
    err = redist_alloc(MPI_COMM_NULL, 8, &memory);
    check_everywhere(err, REDIST_ERR_ARG, 1, "comm is MPI_COMM_NULL");
    CHECK_OK(redist_free(NULL));
    CHECK_OK(redist_alloc(MPI_COMM_WORLD, 0, &memory));
    CHECK(memory, "no bytes have no address");
    CHECK_OK(redist_free(memory));
}

/* The last process comes to a run late: the others, whether they are to receive from it
 * or not, give up in time, say for whom they wait, and their plan runs no more. Last of
 * all, as it cannot be destroyed either. */
static void who_does_not_come_is_given_up(const char *target_text)
{
    static const char source_text[] = "[1600] (block) onto %1$d";
    int rank = world_rank(), n = world_size(), last = n - 1;
    if (n == 1 || getenv("REDIST_NODE_SIZE")) return;
    struct pair pair = pair_of_world((const char *[]){source_text, target_text});
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "shared";
    options.timeout_s = rank == last ? 0 : 0.2;
    redist_plan *plan = NULL;
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
    if (rank != last) {
        redist_err err = redist_execute(plan, source, target);
        CHECK(err == REDIST_ERR_MPI, "%s", redist_error_name(err));
        char late[64];
        (void)snprintf(late, sizeof late, "waiting for rank %d and %s", last,
                       LENGTH("0 other", "")); /* short ones are shown in a window */
        CHECK(strstr(redist_error_message(), "for 0.2 s (timeout_s)"), "sentence");
        bool votes = getenv("REDIST_TEST_DEVICE"); /* the vote is what times out */
        CHECK(votes || rank != 0 || strstr(redist_error_message(), late), "%s",
              redist_error_message());
        err = redist_execute(plan, source, target);
        CHECK(err == REDIST_ERR_MPI, "%s", redist_error_name(err));
        CHECK(strstr(redist_error_message(), "was given up"), "sentence");
    }
    free(source);
    free(target);
    pair_free(&pair);
}

/* Whether long arrays go by all ways, which takes a while: on one node, of 2 and of 4
 * processes. */
static bool all_ways(void)
{
    bool several = getenv("REDIST_NODE_SIZE") || getenv("REDIST_TEST_DEVICE");
    return long_run() || (!several && (world_size() == 2 || world_size() == 4));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int k = 0; k < PROBLEMS; k++) arrays_of_all_kinds_are_moved(k, k % 2 ? 512 : 0);
    batches_are_moved_and_combined(0);
    batches_are_moved_and_combined(1000);
    for (int k = 0; k < LONG_PROBLEMS; k++) long_arrays_are_moved(k, k % 2);
    if (all_ways()) {
        setenv("REDIST_CORES", "far", 1);   /* rings are written past the cache */
        setenv("REDIST_PAGES", "small", 1); /* arrays lie in windows of MPI */
        for (int k = 0; k < LONG_PROBLEMS; k++) long_arrays_are_moved(k, 1 - k % 2);
        unsetenv("REDIST_PAGES");
        for (int k = 0; k < LONG_PROBLEMS; k++) long_arrays_are_moved(k, 0);
        unsetenv("REDIST_CORES");
    }
    parts_of_any_size_are_read("huge");
    parts_of_any_size_are_read("small");
    nothing_is_sent_within_a_node();
    memory_out_of_reach_is_sent(make_problem(0));
    if (world_size() <= 4) memory_out_of_reach_is_sent(make_long_problem(0));
    leads_may_differ();
    many_plans_are_under_way();
    what_is_no_memory_is_refused();
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
    who_does_not_come_is_given_up("[1600] (block) onto %1$d");           /* no message */
    who_does_not_come_is_given_up("[1600] (block from %4$d) onto %1$d"); /* to the next */
    who_does_not_come_is_given_up("[1600] (cyclic(1)) onto %1$d");
    MPI_Barrier(MPI_COMM_WORLD);
    return passed("shared memory");
}
