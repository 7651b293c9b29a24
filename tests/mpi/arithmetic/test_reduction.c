/* SPDX-License-Identifier: MIT
 *
 * A source whose replicas hold partial results: what is refused, everywhere alike. What
 * comes of them is tested by random plans (tests/soak).
 */
#include "mpi/pair.h"
#include "mpi/trace.h"

/* ---- what is refused --------------------------------------------------------------- */

static void bad_reductions_are_refused_everywhere(void)
{
    static const char *const texts[2] = {"[30] (*) onto %1$d", "[30] (block) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    int last = world_size() - 1, guilty = world_rank() == last;
    options.reduction = guilty ? (redist_reduction)13 : REDIST_REDUCTION_SUM;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank %d: options: reduction is 13, must be one of redist_reduction",
                     last);
    options.reduction = guilty ? REDIST_REDUCTION_MAX : REDIST_REDUCTION_SUM;
    if (last > 0)
        check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan),
                         REDIST_ERR_MISMATCH, 1,
                         "rank %d passed another op, reduction, scaled, checked or kind "
                         "of number than rank 0",
                         last);
    options.reduction = REDIST_REDUCTION_BAND;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is BAND, must be SUM, PROD, MIN or MAX "
                     "of MPI_DOUBLE");
    options.reduction = REDIST_REDUCTION_MAX;
    check_everywhere(pair_create(&pair, MPI_C_DOUBLE_COMPLEX, &options, &plan),
                     REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be SUM or PROD of "
                     "MPI_C_DOUBLE_COMPLEX");
    check_everywhere(pair_create(&pair, MPI_BYTE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be BAND, BOR or BXOR of "
                     "MPI_BYTE");
    check_everywhere(pair_create(&pair, MPI_DOUBLE_INT, &options, &plan), REDIST_ERR_ARG,
                     1,
                     "rank 0: options: reduction is MAX, must be MINLOC or MAXLOC of "
                     "MPI_DOUBLE_INT");
    check_everywhere(pair_create(&pair, MPI_CHAR, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be NONE of MPI_CHAR, for "
                     "which MPI defines none");
    options.scaled = 1;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be SUM with scaled or a "
                     "conjugating op");
    options.scaled = 0;
    options.in_place = 1;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be NONE with in_place");
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

static void sources_of_other_replicas_are_refused_everywhere(void)
{
    static const char *const texts[2] = {"[30] (*) onto %1$d", "[30] (block) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    redist_item items[2] = {{MPI_DOUBLE, &pair.view[0], &pair.view[1]},
                            {MPI_DOUBLE, &pair.view[1], &pair.view[1]}};
    if (world_size() == 1) return;
    options.reduction = REDIST_REDUCTION_SUM;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &options, &plan),
                     REDIST_ERR_ARG, 1,
                     "rank 0: item 1: the source's grid replicates 1 times, must as that "
                     "of item 0, %d "
                     "times, as there is a reduction to do",
                     world_size());
    items[1] = (redist_item){MPI_UINT64_T, &pair.view[0], &pair.view[1]};
    items[0].type = MPI_INT64_T;
    options.reduction = REDIST_REDUCTION_MIN;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &options, &plan),
                     REDIST_ERR_ARG, 0,
                     "rank 0: item 1: type is another than item 0 has");
    options.reduction = REDIST_REDUCTION_SUM;
    options.staging_bytes = (size_t)(16 * world_size() - 1);
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "staging_bytes is %d, a reduction of so many replicas needs %d to "
                     "hold two elements of each",
                     16 * world_size() - 1, 16 * world_size());
    options.staging_bytes = 0;
    options.strategy = "naive";
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "replica 1 of %d: rank 0: naive moves bytes, the plan is to do "
                     "arithmetic with them",
                     world_size());
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

/* A process without its partial result, or with one buffer for that and the target,
 * whichever it is; afterwards all is well again, and the partial result what it was. */
static void a_missing_replica_is_an_error_everywhere(void)
{
    static const char *const texts[2] = {"[30] (*) onto %1$d", "[30] (block) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    int rank = world_rank(), n = world_size();
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
    int64_t span = pair_span(&pair, REDIST_TARGET, rank);
    options.reduction = REDIST_REDUCTION_SUM;
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    for (int culprit = 0; culprit < n; culprit++) {
        redist_err err = redist_execute(plan, culprit == rank ? NULL : source, target);
        check_everywhere(err, REDIST_ERR_ARG, 1,
                         "rank %d: source is NULL, but this process holds elements of it",
                         culprit);
        err = redist_execute(plan, source, culprit == rank ? source : target);
        if (pair_span(&pair, REDIST_TARGET, culprit) > 0)
            check_everywhere(err, REDIST_ERR_ARG, 1,
                             "rank %d: source and target are one buffer, must be two, or "
                             "the plan be made with options.in_place",
                             culprit);
        CHECK_OK(redist_start(plan, source, target));
        CHECK(redist_start(plan, source, target) == REDIST_ERR_STATE, "twice");
        CHECK(redist_plan_destroy(&plan) == REDIST_ERR_STATE, "while it moves");
        CHECK_OK(redist_wait(plan));
        int64_t *number = pair_numbers(&pair.view[REDIST_TARGET], rank);
        for (int64_t e = 0; e < span; e++)
            CHECK(target[e] == n * number[e], "%" PRId64, e);
        free(number);
    }
    if (n > 1)
        check_everywhere(
            redist_plan_tune(plan, source, target), REDIST_ERR_ARG, 1,
            "the plan reduces %d replicas of the source: to repeat a part of "
            "that would change the target",
            n);
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
    free(target);
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    bad_reductions_are_refused_everywhere();
    sources_of_other_replicas_are_refused_everywhere();
    a_missing_replica_is_an_error_everywhere();
    int left = trace.communicators + trace.requests + trace.windows;
    CHECK(left == 0, "%d objects are left", left);
    return passed("reductions");
}
