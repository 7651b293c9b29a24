/* SPDX-License-Identifier: MIT
 *
 * What goes on between start and end of a run: plans of all strategies under way at once,
 * ended in any order, by wait or by test alone; and a caller who computes, sends messages
 * of its own or moves other arrays meanwhile.
 */
#include <time.h>

#include "mpi/pair.h"
#include "oracle.h" /* random_in */

enum { ACTIVE_RUNS = 2 * STRATEGIES, ROWS = 60 };

/* Runs of plans from one source to a target each: each strategy twice, through much
 * staging memory and little. */
struct active_runs {
    struct pair pair[ACTIVE_RUNS];
    redist_plan *plan[ACTIVE_RUNS];
    int64_t *source, *target[ACTIVE_RUNS];
    int under_way[ACTIVE_RUNS];
};

/* The source's rows are dealt out by twos, the target's by k + 3 from another process. */
static struct pair make_pair(int k)
{
    char source[64], target[64];
    int n = world_size();
    (void)snprintf(source, sizeof source, "[%d,7] (cyclic(2),*) onto %d", ROWS, n);
    (void)snprintf(target, sizeof target, "[%d,7] (cyclic(%d) from %d,*) onto %d", ROWS,
                   k + 3, k % n, n);
    return pair_parse(source, target);
}

static void make_active_runs(struct active_runs *f)
{
    for (int k = 0; k < ACTIVE_RUNS; k++) {
        f->pair[k] = make_pair(k);
        f->plan[k] = pair_plan(&f->pair[k], here(all_strategies[k % STRATEGIES]),
                               k < STRATEGIES ? 0 : 256);
    }
    f->source = pair_buffer(&f->pair[0], REDIST_SOURCE, world_rank());
}

static void free_active_runs(struct active_runs *f)
{
    for (int k = 0; k < ACTIVE_RUNS; k++) {
        CHECK_OK(redist_plan_destroy(&f->plan[k]));
        pair_free(&f->pair[k]);
    }
    free(f->source);
}

static void start_all(struct active_runs *f)
{
    for (int k = 0; k < ACTIVE_RUNS; k++) {
        f->target[k] = pair_buffer(&f->pair[k], REDIST_TARGET, world_rank());
        CHECK_OK(redist_start(f->plan[k], f->source, f->target[k]));
        f->under_way[k] = 1;
    }
}

static void land(struct active_runs *f, int k)
{
    pair_check(&f->pair[k], world_rank(), f->target[k]);
    free(f->target[k]);
    f->under_way[k] = 0;
}

/* A random order of the active_runs. */
static void shuffle(uint64_t *seed, int order[ACTIVE_RUNS])
{
    for (int k = 0; k < ACTIVE_RUNS; k++) {
        int j = (int)random_in(seed, 0, k);
        order[k] = order[j];
        order[j] = k;
    }
}

/* Each process has an order of its own, in the first run half of them that of the others
 * turned round: what one waits for needs those that wait for something else. */
static void plans_are_waited_for_in_an_order_of_each_process(struct active_runs *f,
                                                             uint64_t seed)
{
    seed += (uint64_t)world_rank();
    for (int run = 0; run < 4; run++) {
        int order[ACTIVE_RUNS];
        shuffle(&seed, order);
        start_all(f);
        for (int k = 0; k < ACTIVE_RUNS; k++) {
            int turned = world_rank() % 2 ? k : ACTIVE_RUNS - 1 - k;
            int one = run == 0 ? turned : order[k];
            CHECK_OK(redist_wait(f->plan[one]));
            land(f, one);
        }
    }
}

/* The same, and no plan is waited for. */
static void plans_are_tested_in_an_order_of_each_process(struct active_runs *f,
                                                         uint64_t seed)
{
    seed += (uint64_t)world_rank();
    for (int run = 0; run < 4; run++) {
        int order[ACTIVE_RUNS], left = ACTIVE_RUNS;
        shuffle(&seed, order);
        start_all(f);
        for (int k = 0; left > 0; k = (k + 1) % ACTIVE_RUNS) {
            int done = 0, one = order[k];
            if (!f->under_way[one]) continue;
            CHECK_OK(redist_test(f->plan[one], &done));
            if (!done) continue;
            land(f, one);
            left--;
        }
    }
}

/* While one is waited for, those behind it are tested, and may be done before their
 * turn. */
static void plans_are_tested_on_the_way_to_waiting(struct active_runs *f)
{
    start_all(f);
    for (int k = 0; k < ACTIVE_RUNS; k++) {
        for (int behind = k + 1; behind < ACTIVE_RUNS; behind++) {
            int done = 0;
            if (f->under_way[behind]) CHECK_OK(redist_test(f->plan[behind], &done));
            if (done) land(f, behind);
        }
        if (!f->under_way[k]) continue;
        CHECK_OK(redist_wait(f->plan[k]));
        land(f, k);
    }
}

/* ---- what a caller may do meanwhile ------------------------------------------------ */

/* Nothing, each for a time of its own. */
static void sleep_a_while(const int64_t *source, int64_t span)
{
    struct timespec nap = {0, 5000000L * (1 + world_rank() % 4)};
    (void)source, (void)span;
    (void)nanosleep(&nap, NULL);
}

/* Read the source, and write elsewhere. */
static void compute(const int64_t *source, int64_t span)
{
    int64_t *squares = malloc(((size_t)span + 1) * sizeof *squares);
    for (int64_t e = 0; e < span; e++) squares[e] = source[e] * source[e];
    for (int64_t e = 0; e < span; e++)
        CHECK(squares[e] == source[e] * source[e], "element %" PRId64, e);
    free(squares);
}

/* Exchange messages on the communicator that the plan was made over, with any tag, from
 * any source. */
static void communicate(const int64_t *source, int64_t span)
{
    int n = world_size(), rank = world_rank(), sum = 0;
    (void)source, (void)span;
    for (int tag = 0; tag < 3; tag++) {
        int sent = 100 * tag + rank, got = -1, expected = 100 * tag + (rank + n - 1) % n;
        MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % n, tag, &got, 1, MPI_INT,
                     MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(got == expected, "%d came, must be %d", got, expected);
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == n * (n - 1) / 2, "the ranks sum up to %d", sum);
}

/* Make, run and destroy another plan. */
static void move_another_array(const int64_t *source, int64_t span)
{
    (void)source, (void)span;
    struct pair pair = make_pair(2);
    redist_plan *plan = pair_plan(&pair, NULL, 256);
    pair_execute(plan, &pair, world_rank(), world_rank());
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

static void (*const pastimes[])(const int64_t *source, int64_t span) = {
    sleep_a_while, compute, communicate, move_another_array};
enum { PASTIMES = sizeof pastimes / sizeof *pastimes };

/* Start, do something else, and wait, or test until it is done. Then the source is the
 * caller's again. */
static void a_run_is_not_disturbed(const char *strategy, size_t staging, int by_test)
{
    int rank = world_rank();
    struct pair pair = make_pair(0);
    redist_plan *plan = pair_plan(&pair, strategy, staging);
    int64_t span = pair_span(&pair, REDIST_SOURCE, rank);
    for (int k = 0; k < PASTIMES; k++) {
        int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
        int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
        CHECK_OK(redist_start(plan, source, target));
        pastimes[k](source, span);
        for (int done = 0; by_test && !done;) CHECK_OK(redist_test(plan, &done));
        if (!by_test) CHECK_OK(redist_wait(plan));
        for (int64_t e = 0; e < span; e++) source[e] = -7;
        pair_check(&pair, rank, target);
        free(source);
        free(target);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* The last process does not come to two runs: the others give up the vote of each in
 * time, whether they wait while both are under way or test. Last of all, as such plans
 * cannot be destroyed. Not with SimGrid's SMPI, whose processes share one memory and do
 * not end with messages that never come. */
static void the_vote_of_each_is_given_up(void)
{
    static const char text[] = "[60,7] (block,*) onto %1$d"; /* nothing travels */
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int last = world_size() - 1, done = 0, length = 0;
    MPI_Get_library_version(library, &length);
    if (last == 0 || strncmp(library, "SMPI", 4) == 0) return;
    struct pair pair = pair_of_world((const char *[]){text, text});
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "nonblocking";
    options.timeout_s = 0.2;
    redist_plan *plan[2];
    redist_err err[2] = {REDIST_OK, REDIST_OK};
    for (int k = 0; k < 2; k++)
        CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan[k]));
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, world_rank());
    int64_t *target[2];
    for (int k = 0; k < 2; k++)
        target[k] = pair_buffer(&pair, REDIST_TARGET, world_rank());
    if (world_rank() != last) {
        for (int k = 0; k < 2; k++) CHECK_OK(redist_start(plan[k], source, target[k]));
        err[0] = redist_wait(plan[0]);
        while (!done) err[1] = redist_test(plan[1], &done);
        for (int k = 0; k < 2; k++)
            CHECK(err[k] == REDIST_ERR_MPI, "%s", redist_error_name(err[k]));
        CHECK(strstr(redist_error_message(), "for 0.2 s (timeout_s)"), "sentence");
    }
    free(source), free(target[0]), free(target[1]);
    pair_free(&pair);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    struct active_runs active_runs;
    make_active_runs(&active_runs);
    plans_are_waited_for_in_an_order_of_each_process(&active_runs, seed);
    plans_are_tested_in_an_order_of_each_process(&active_runs, seed);
    plans_are_tested_on_the_way_to_waiting(&active_runs);
    free_active_runs(&active_runs);
    for (int k = 0; k < 4 * STRATEGIES; k++)
        a_run_is_not_disturbed(here(all_strategies[k / 4]), k % 2 ? 256 : 0, k / 2 % 2);
    the_vote_of_each_is_given_up();
    return passed("%d plans under way at once, %d callers with something else to do",
                  ACTIVE_RUNS, 4 * STRATEGIES * PASTIMES);
}
