/* SPDX-License-Identifier: MIT
 *
 * Arrays in device memory (device/late_device.h), given by the caller: what a failing
 * device leaves, how many launches a run takes, and plans made before there was a device.
 */
#include <sys/mman.h>

#include "base/mem.h"
#include "device/late_device.h"
#include "move/device/device.h"
#include "mpi/pair.h"
#include "oracle.h"

static const char *const texts[2] = {"[600] (cyclic(3)) onto %1$d",
                                     "[600] (cyclic(5)) onto %1$d"};

/* A buffer of one side in device memory, filled. */
static int64_t *device_buffer(const struct pair *pair, redist_side side)
{
    int64_t *values = pair_buffer(pair, side, world_rank());
    size_t bytes = (size_t)pair_span(pair, side, world_rank()) * sizeof *values;
    int64_t *at = late_device_alloc(bytes);
    CHECK(at, "no device memory");
    memcpy(late_device_bytes(at), values, bytes);
    free(values);
    return at;
}

static void check_target(const struct pair *pair, const int64_t *target)
{
    pair_check(pair, world_rank(), (const int64_t *)(void *)late_device_bytes(target));
}

/* The n-th launch of one process fails: all processes have its error, nobody waits, and
 * the next run works. */
static void a_failing_launch_is_told_to_all(const char *strategy)
{
    struct pair pair = pair_of_world(texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    int culprit = world_size() / 2, failures = 0;
    options.strategy = here(strategy);
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    for (int n = 1; n <= 4; n++) {
        late_device_reset();
        int64_t *source = device_buffer(&pair, REDIST_SOURCE);
        int64_t *target = device_buffer(&pair, REDIST_TARGET);
        if (world_rank() == culprit) late_device_fail(n);
        redist_err err = redist_execute(plan, source, target);
        late_device_fail(0);
        int codes[2] = {(int)err, -(int)err};
        MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(codes[0] == (int)err && codes[1] == -(int)err, "%s, launch %d: %s",
              strategy, n, redist_error_name(err));
        char expected[80];
        (void)snprintf(expected, sizeof expected,
                       "rank %d: late device: a launch that was to fail", culprit);
        CHECK(!err || (err == REDIST_ERR_DEVICE &&
                       strcmp(redist_error_message(), expected) == 0),
              "%s: %s", strategy, redist_error_message());
        failures += err != REDIST_OK;
        CHECK_OK(redist_execute(plan, source, target));
        check_target(&pair, target);
    }
    CHECK(failures > 0, "%s: no launch has failed", strategy);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* Run a plan between arrays of the device, and check the target. Returns how many
 * launches that took. */
static int64_t count_launches(const struct pair *pair, redist_plan *plan)
{
    late_device_reset();
    int64_t *source = device_buffer(pair, REDIST_SOURCE);
    int64_t *target = device_buffer(pair, REDIST_TARGET);
    int64_t before = late_device_counts().launches;
    CHECK_OK(redist_execute(plan, source, target));
    check_target(pair, target);
    return late_device_counts().launches - before;
}

/* All messages that are sent at a time are packed in one launch. */
static void launches_are_few(void)
{
    struct pair pair = pair_of_world(texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = "nonblocking";
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    int64_t launches = count_launches(&pair, plan);
    int64_t most = 1 + world_size(); /* to pack all, and to unpack each and what stays */
    CHECK(launches <= most, "%" PRId64 " launches", launches);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* `shared` reads the arrays of the senders where they lie, one launch for all that have
 * been shown by then. What they were allocated in stays open until the plan's end. */
static void arrays_are_read_where_they_lie(void)
{
    struct pair pair = pair_of_world(texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    bool lacking_here = lacking("shared");
    options.strategy = here("shared");
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    for (int run = 0; run < 3; run++) {
        int64_t launches = count_launches(&pair, plan),
                open = late_device_counts().reached;
        if (lacking_here) continue;
        CHECK(open == world_size() - 1, "%" PRId64 " are open", open);
        CHECK(launches <= world_size(), "%" PRId64 " launches", launches);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK(late_device_counts().reached == 0, "some are still open");
    pair_free(&pair);
}

/* One process passes memory that nobody can use, or that the device cannot: all have an
 * error that names it, and the next run works. */
static void unusable_memory_is_an_error(void)
{
    static const char *const sentences[] = {
        "rank %d: the %s: neither memory of the host nor late device memory",
        "rank %d: the %s: late device memory: a launch that was to fail"};
    struct pair pair = pair_of_world(texts);
    redist_plan *plan = NULL;
    int culprit = world_size() / 2;
    void *closed = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(closed != MAP_FAILED, "mmap");
    CHECK_OK(pair_create(&pair, MPI_INT64_T, NULL, &plan));
    for (int k = 0; k < 4; k++) {
        late_device_reset();
        bool mine = world_rank() == culprit, bad_target = k % 2;
        int64_t *source = device_buffer(&pair, REDIST_SOURCE);
        int64_t *target = device_buffer(&pair, REDIST_TARGET);
        int64_t *bad = k < 2 ? closed : bad_target ? target : source;
        char expected[100];
        (void)snprintf(expected, sizeof expected, sentences[k / 2], culprit,
                       bad_target ? "target" : "source");
        if (mine && k >= 2) late_device_refuse(bad);
        redist_err err = redist_execute(plan, mine && !bad_target ? bad : source,
                                        mine && bad_target ? bad : target);
        late_device_refuse(NULL);
        CHECK(err == REDIST_ERR_ARG && strcmp(redist_error_message(), expected) == 0,
              "%s instead of %s", redist_error_message(), expected);
        CHECK_OK(redist_execute(plan, source, target));
        check_target(&pair, target);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    (void)munmap(closed, 1 << 16);
    pair_free(&pair);
}

/* The n-th allocation of one process in the first run by lists fails: all have its error.
 * Returns how many runs failed. */
static int without_memory(redist_plan *plan, const int64_t *from, int64_t *to)
{
    int culprit = world_size() / 2, failures = 0;
    char rank[20];
    (void)snprintf(rank, sizeof rank, "rank %d: ", culprit);
    for (int n = 1; n <= 4; n++) {
        if (world_rank() == culprit) mem_fail_at(n);
        redist_err err = redist_execute(plan, from, to);
        mem_fail_at(0);
        int codes[2] = {(int)err, -(int)err};
        MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(codes[0] == -codes[1], "allocation %d: %s", n, redist_error_name(err));
        CHECK(!err || (err == REDIST_ERR_MEMORY &&
                       strncmp(redist_error_message(), rank, strlen(rank)) == 0),
              "%s", redist_error_message());
        failures += err != REDIST_OK;
    }
    return failures;
}

/* Elements by lists: the lists travel to the device in the first run that has memory, and
 * are gone with the plan. */
static void lists_travel_once(const char *strategy)
{
    enum { EACH = 1000 };
    int64_t had[EACH], wanted[EACH], values[EACH];
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    int64_t rank = world_rank(), size = world_size(), n = EACH * size, first = 0;
    for (int64_t k = 0; k < EACH; k++) {
        had[k] = k * size + rank;
        wanted[k] = (n - 1 - rank - k * size) * 7 % n; /* 7 and n: no common factor */
        values[k] = had[k] + 1;
    }
    const redist_indices source = {.n = EACH, .list = had};
    const redist_indices target = {.n = EACH, .list = wanted};
    options.strategy = here(strategy);
    CHECK_OK(redist_plan_create_indexed(MPI_COMM_WORLD, MPI_INT64_T, n, &source, &target,
                                        &options, &plan));
    for (int run = 0; run < 3; run++) {
        late_device_reset();
        int64_t *from = late_device_alloc(sizeof values);
        int64_t *to = late_device_alloc(sizeof values);
        memcpy(late_device_bytes(from), values, sizeof values);
        if (run == 0) CHECK(without_memory(plan, from, to) > 0, "none failed");
        CHECK_OK(redist_execute(plan, from, to));
        const int64_t *is = (const int64_t *)(const void *)late_device_bytes(to);
        for (int64_t k = 0; k < EACH; k++)
            CHECK(is[k] == wanted[k] + 1, "element %" PRId64 " is %" PRId64, k, is[k]);
        if (run == 0) first = late_device_counts().lists;
        CHECK(first > 0 && late_device_counts().lists == first,
              "%" PRId64 " lists, then %" PRId64, first, late_device_counts().lists);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK(late_device_counts().lists == 0, "some are still there");
}

/* Staging memory that arrays of the device pass through is pinned, once, and given back
 * with the plan. */
static void staging_memory_is_pinned(void)
{
    static const char *const long_texts[2] = {"[100000] (cyclic(3)) onto %1$d",
                                              "[100000] (cyclic(5)) onto %1$d"};
    struct pair pair = pair_of_world(long_texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    int64_t before = late_device_counts().pinned, first = 0;
    options.strategy = "nonblocking";
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    CHECK(late_device_counts().pinned == before, "pinned before a run");
    for (int run = 0; run < 2; run++) {
        (void)count_launches(&pair, plan);
        int64_t pinned = late_device_counts().pinned;
        if (run == 0) first = pinned;
        CHECK(pinned == first && (pinned > before) == (world_size() > 1),
              "%" PRId64 " pinned, %" PRId64 " before", pinned, before);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK(late_device_counts().pinned == before, "some are still pinned");
    pair_free(&pair);
}

/* A plan takes messages from where they lie, which a device's memory does not allow. */
static void plans_from_before_the_device_refuse(void)
{
    struct pair pair = pair_of_world(texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    memory_add(NULL);
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    memory_add(device_kind(&late_device));
    late_device_reset();
    int64_t *source = device_buffer(&pair, REDIST_SOURCE);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, world_rank());
    redist_err err = redist_execute(plan, source, target);
    CHECK(err == REDIST_ERR_ARG && strstr(redist_error_message(),
                                          "rank 0: the source is in late device memory, "
                                          "but the plan was made before"),
          "%s", redist_error_message());
    free(target);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* A driver of another version is not taken. */
static void versions_must_agree(void)
{
    struct device_driver other = late_device;
    other.version++;
    CHECK(!device_kind(&other), "another version was taken");
}

int main(int argc, char **argv)
{
    static const char *const strategies[] = {"auto",      "nonblocking", "sendrecv",
                                             "alltoallv", "neighbor",    "onesided",
                                             "shared",    "multiphase",  "aggregated"};
    MPI_Init(&argc, &argv);
    memory_add(device_kind(&late_device));
    for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++)
        a_failing_launch_is_told_to_all(strategies[k]);
    launches_are_few();
    arrays_are_read_where_they_lie();
    staging_memory_is_pinned();
    if (world_size() % 7 != 0) {
        lists_travel_once("nonblocking");
        lists_travel_once("shared");
    }
    unusable_memory_is_an_error();
    plans_from_before_the_device_refuse();
    versions_must_agree();
    memory_add(NULL);
    return passed("arrays in device memory");
}
