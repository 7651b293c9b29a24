/* SPDX-License-Identifier: MIT
 *
 * Threads of a process that use plans of their own at the same time: they make them, run
 * them and destroy them, with good buffers and bad ones. Whoever waits drives the plans
 * of all.
 */
#include <pthread.h>

#include "mpi/pair.h"

enum { THREADS = 4, PLANS = 2, RUNS = 400 };

/* One thread, over a communicator of its own. */
struct user {
    pthread_t thread;
    int number;
    MPI_Comm comm;
};

static const char *const strategies[THREADS] = {"nonblocking", "shared", NULL,
                                                "sendrecv"};

/* End a run by wait or by test, as the thread and the run have it: at the end of every
 * second one all learn that the last process had no source. */
static void end(const struct user *user, redist_plan *plan, const struct pair *pair,
                int run, const int64_t *target)
{
    redist_err err = REDIST_OK, expected = run % 2 ? REDIST_ERR_ARG : REDIST_OK;
    int done = 0;
    if ((user->number + run / 2) % 2 == 0)
        err = redist_wait(plan);
    else
        while (!done && !err) err = redist_test(plan, &done);
    CHECK(err == expected, "thread %d, run %d: %s", user->number, run,
          redist_error_name(err));
    if (!err) pair_check(pair, world_rank(), target);
}

static void *use(void *opaque)
{
    const struct user *user = opaque;
    int rank = world_rank(), last = world_size() - 1;
    struct pair pair = pair_of_world((const char *const[]){
        "[60,7] (cyclic(2),*) onto %1$d", "[60,7] (cyclic(5),*) onto %1$d"});
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategies[user->number];
    redist_plan *plan[PLANS] = {NULL};
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank), *target[PLANS];
    for (int k = 0; k < PLANS; k++) {
        CHECK_OK(redist_plan_create(user->comm, MPI_INT64_T, &pair.view[0], &pair.view[1],
                                    &options, &plan[k]));
        target[k] = pair_buffer(&pair, REDIST_TARGET, rank);
    }
    for (int run = 0; run < RUNS; run++) {
        const int64_t *given = run % 2 && rank == last ? NULL : source;
        for (int k = 0; k < PLANS; k++) CHECK_OK(redist_start(plan[k], given, target[k]));
        for (int k = 0; k < PLANS; k++) end(user, plan[k], &pair, run, target[k]);
    }
    for (int k = 0; k < PLANS; k++) {
        CHECK_OK(redist_plan_destroy(&plan[k]));
        free(target[k]);
    }
    free(source);
    pair_free(&pair);
    return NULL;
}

int main(int argc, char **argv)
{
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    int threads = level == MPI_THREAD_MULTIPLE ? THREADS : 1;
    struct user user[THREADS];
    for (int k = 0; k < threads; k++) {
        user[k].number = k;
        MPI_Comm_dup(MPI_COMM_WORLD, &user[k].comm);
    }
    for (int k = 0; k < threads; k++)
        CHECK(pthread_create(&user[k].thread, NULL, use, &user[k]) == 0, "thread %d", k);
    for (int k = 0; k < threads; k++) {
        CHECK(pthread_join(user[k].thread, NULL) == 0, "thread %d", k);
        MPI_Comm_free(&user[k].comm);
    }
    return passed("%d threads", threads);
}
