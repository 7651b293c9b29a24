/* SPDX-License-Identifier: MIT
 *
 * Arrays in memory that the library may touch through the functions of its kind alone
 * (mpi/checked_memory.h): each element of the target is written exactly once, nothing
 * beside; of the source nothing beside the section is read. Each process, and each side,
 * has host memory or that. What moves host memory only says so on all processes.
 */
#include "mpi/checked_memory.h"
#include "mpi/pair.h"
#include "oracle.h"
#include "seed.h"

static const char *const texts[][2] = {
    {"[61] (cyclic(3)) onto %1$d", "[61] (cyclic(5)) onto %1$d"},
    {"[9000] (cyclic(3)) onto %1$d",
     "[9000] (cyclic(5)) onto %1$d"}, /* packed by periods */
    {"[64] (block) onto %1$d", "[64] (block) onto %2$d"},
    {"[40,33] (cyclic(2),block) onto %1$dx1", "[40,33] (*,cyclic(3)) onto %1$d"},
    {"[24,30] (block,*) onto %1$d order column-major", "[24,30] (*,block) onto %1$d"},
    {"[50] (cyclic(4)) onto %1$d section [3:47:2]", "[23] (cyclic) onto %2$d"},
    {"[6,7,8] (cyclic,*,block) onto %1$dx1", "[6,7,8] (*,block,cyclic(2)) onto 1x%1$d"},
};
enum { TEXTS = sizeof texts / sizeof *texts };

static const char *const capable[] = {
    "auto",     "nonblocking", "window(1)",  "sendrecv",   "synchronous",
    "ready",    "alltoallv",   "neighbor",   "aggregated", "multicast",
    "onesided", "replicate",   "multiphase", "shared"};
enum { CAPABLE = sizeof capable / sizeof *capable };

static const char *const host_only[] = {"alltoallw", "naive"};
enum { HOST_ONLY = sizeof host_only / sizeof *host_only };

/* The memory of a buffer: closed to the library, host memory, or host memory that other
 * processes can read. */
enum kind { CHECKED, HOST, READABLE, KINDS };

/* A buffer of one side: `at` is what the library is given. */
struct buffer {
    int64_t n; /* elements */
    int64_t *at;
    void *readable; /* what redist_alloc has made, if only an empty part */
    enum kind kind;
};

/* Collective over all processes, which make one that is readable along with others. */
static struct buffer make_buffer(const struct pair *pair, redist_side side,
                                 enum kind kind)
{
    struct buffer buffer = {pair_span(pair, side, world_rank()), NULL, NULL, kind};
    int64_t bytes = buffer.n * (int64_t)sizeof(int64_t);
    CHECK_OK(redist_alloc(MPI_COMM_WORLD, kind == READABLE ? (size_t)bytes : 0,
                          &buffer.readable));
    if (kind == READABLE) buffer.at = buffer.readable;
    if (buffer.n == 0) return buffer;
    if (kind == CHECKED) buffer.at = checked_alloc(bytes);
    if (kind == HOST) buffer.at = malloc((size_t)bytes + 1);
    int64_t *value = (int64_t *)(void *)checked_bytes(buffer.at);
    int64_t *number = pair_buffer(pair, side, world_rank());
    memcpy(value, number, (size_t)bytes);
    free(number);
    return buffer;
}

static void free_buffer(struct buffer *buffer)
{
    CHECK_OK(redist_free(buffer->readable));
    if (buffer->kind == HOST) free(buffer->at);
}

/* Check how often each byte was touched: of the section's elements `once` times at the
 * least and the most, or any number of times if `once` is not set, and of others
 * never. */
static void check_counts(const struct pair *pair, redist_side side,
                         const struct buffer *buffer, const unsigned char counts[],
                         bool once)
{
    if (buffer->kind != CHECKED || buffer->n == 0) return;
    const unsigned char *count = counts + ((char *)buffer->at - checked.shown);
    int64_t *number = pair_numbers(&pair->view[side], world_rank());
    for (int64_t e = 0; e < buffer->n; e++) {
        bool within = number[e] >= 0;
        for (size_t b = 0; b < sizeof(int64_t); b++, count++)
            CHECK(within ? !once || *count == 1 : *count == 0,
                  "byte %zu of place %" PRId64 " of side %d: touched %d times", b, e,
                  (int)side, *count);
    }
    free(number);
}

static redist_err run(const struct pair *pair, const char *strategy,
                      enum kind source_kind, enum kind target_kind)
{
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    options.staging_bytes = holds_all(strategy) ? 0 : 4096;
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, MPI_INT64_T, &pair->view[0],
                                &pair->view[1], &options, &plan));
    redist_err err = REDIST_OK;
    for (int k = 0; k < 2 && !err; k++) {
        checked_clear();
        struct buffer source = make_buffer(pair, REDIST_SOURCE, source_kind);
        struct buffer target = make_buffer(pair, REDIST_TARGET, target_kind);
        err = redist_execute(plan, source.at, target.at);
        if (!err) {
            pair_check(pair, world_rank(),
                       (const int64_t *)(void *)checked_bytes(target.at));
            check_counts(pair, REDIST_SOURCE, &source, checked.reads, false);
            check_counts(pair, REDIST_SOURCE, &source, checked.writes, false);
            check_counts(pair, REDIST_TARGET, &target, checked.writes, true);
        }
        free_buffer(&source);
        free_buffer(&target);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    return err;
}

static void each_element_is_written_once_and_nothing_beside(uint64_t *seed)
{
    for (int k = 0; k < TEXTS; k++)
        for (int s = 0; s < CAPABLE; s++) {
            struct pair pair = pair_of_world(texts[k]);
            uint64_t own = *seed + (uint64_t)world_rank();
            enum kind source = (enum kind)random_in(&own, 0, KINDS - 1);
            enum kind target = (enum kind)random_in(&own, 0, KINDS - 1);
            CHECK_OK(run(&pair, here(capable[s]), source, target));
            pair_free(&pair);
            (void)random_in(seed, 0, 1);
        }
}

/* target = 2 source + target: each element is read and written once. */
static void arithmetic_too(void)
{
    struct pair pair = pair_of_world(texts[0]);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    const int64_t alpha = 2, beta = 1;
    options.scaled = 1;
    options.strategy = "nonblocking";
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    checked_clear();
    struct buffer source = make_buffer(&pair, REDIST_SOURCE, CHECKED);
    struct buffer target = make_buffer(&pair, REDIST_TARGET, CHECKED);
    CHECK_OK(redist_execute_scaled(plan, &alpha, source.at, &beta, target.at));
    const int64_t *value = (const int64_t *)(void *)checked_bytes(target.at);
    int64_t *number = pair_numbers(&pair.view[REDIST_TARGET], world_rank());
    for (int64_t e = 0; e < target.n; e++)
        CHECK(value[e] == 2 * number[e] - 1, "place %" PRId64 " holds %" PRId64, e,
              value[e]);
    free(number);
    check_counts(&pair, REDIST_TARGET, &target, checked.writes, true);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

static void what_moves_host_memory_only_says_so_everywhere(void)
{
    for (int s = 0; s < HOST_ONLY; s++) {
        struct pair pair = pair_of_world(texts[0]);
        bool first = world_rank() == 0;
        if (!lacking(host_only[s])) {
            redist_err err = run(&pair, host_only[s], HOST, first ? CHECKED : HOST);
            CHECK(err == REDIST_ERR_ARG &&
                      strstr(redist_error_message(),
                             "moves host memory only, but the target is in checked "
                             "memory"),
                  "%s: %d %s", host_only[s], err, redist_error_message());
            CHECK_OK(run(&pair, host_only[s], HOST, HOST));
        }
        pair_free(&pair);
    }
}

static void lists_of_indices_too(const char *strategy)
{
    enum { N = 300 };
    int n = world_size(), rank = world_rank();
    int64_t have[N], want[N], nhave = 0;
    for (int64_t k = 0; k < N; k++) {
        int64_t index = k * 7 % N;
        if (index % n == rank) have[nhave++] = index;
        want[k] = (k * 11 + rank) % N;
    }
    redist_indices source = redist_indices_of_list(nhave, have);
    redist_indices target = redist_indices_of_list(N, want);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = here(strategy);
    CHECK_OK(redist_plan_create_indexed(MPI_COMM_WORLD, MPI_INT64_T, N, &source, &target,
                                        &options, &plan));
    checked_clear();
    int64_t *from = checked_alloc(nhave * (int64_t)sizeof *from);
    int64_t *to = checked_alloc(N * (int64_t)sizeof *to);
    memcpy(checked_bytes(from), have, (size_t)nhave * sizeof *have);
    CHECK_OK(redist_execute(plan, from, to));
    CHECK(memcmp(checked_bytes(to), want, sizeof want) == 0, "wrong elements");
    for (size_t b = 0; b < sizeof want; b++)
        CHECK(checked.writes[(char *)to - checked.shown + (ptrdiff_t)b] == 1,
              "byte %zu is not written once", b);
    CHECK_OK(redist_plan_destroy(&plan));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    checked_begin();
    each_element_is_written_once_and_nothing_beside(&seed);
    what_moves_host_memory_only_says_so_everywhere();
    arithmetic_too();
    lists_of_indices_too("nonblocking");
    lists_of_indices_too("shared");
    checked_end();
    return passed("arrays are touched by the functions of their memory alone");
}
