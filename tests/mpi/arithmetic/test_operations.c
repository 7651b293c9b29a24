/* SPDX-License-Identifier: MIT
 *
 * target = alpha op(source) + beta target, and sources whose replicas hold partial
 * results: what needs no arithmetic, and what is refused, everywhere alike. The
 * arithmetic itself is tested by random plans (tests/soak).
 */
#include "mpi/pair.h"
#include "mpi/trace.h"

/* What needs no arithmetic moves any type: transposing a matrix of 3-byte elements, and
 * the conjugate of what is real. */
static void elements_without_arithmetic_are_moved_too(void)
{
    static const char *const texts[2] = {"[12,7] (block,*) onto %d",
                                         "[7,12] (*,cyclic(2)) onto %d"};
    struct pair pair = pair_of_world(texts), turned = pair_of_world(texts);
    turned.view[0].axes[0] = 1; /* what the plan is to make of it */
    turned.view[0].axes[1] = 0;
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    for (int k = 0; k < 2; k++) {
        options.op = k ? REDIST_OP_CONJUGATE_TRANSPOSE : REDIST_OP_TRANSPOSE;
        CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
        pair_execute(plan, &turned, world_rank(), world_rank());
        CHECK_OK(redist_plan_destroy(&plan));
    }
    MPI_Datatype three;
    MPI_Type_contiguous(3, MPI_BYTE, &three);
    MPI_Type_commit(&three);
    options.op = REDIST_OP_TRANSPOSE;
    CHECK_OK(pair_create(&pair, three, &options, &plan));
    CHECK_OK(redist_plan_destroy(&plan));
    MPI_Type_free(&three);
    pair_free(&pair);
    pair_free(&turned);
}

/* Elements that travel several times, a dimension at a time, are scaled once. */
static void it_scales_once(const char *strategy)
{
    int rank = world_rank(), grid[2] = {0, 0};
    char text[2][100];
    MPI_Dims_create(world_size(), 2, grid);
    (void)snprintf(text[0], sizeof text[0], "[24,24] (cyclic,block) onto %dx%d", grid[0],
                   grid[1]);
    (void)snprintf(text[1], sizeof text[1], "[24,24] (block,cyclic) onto %dx%d", grid[0],
                   grid[1]);
    struct pair pair = pair_parse(text[0], text[1]);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    options.scaled = 1;
    const int64_t alpha = 2, beta = 3;
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank); /* full of -1 */
    int64_t *number = pair_numbers(&pair.view[REDIST_TARGET], rank);
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    CHECK_OK(redist_execute_scaled(plan, &alpha, source, &beta, target));
    for (int64_t e = 0; e < pair_span(&pair, REDIST_TARGET, rank); e++)
        CHECK(target[e] == alpha * number[e] - beta, "%s: %" PRId64 " holds %" PRId64,
              strategy, e, target[e]);
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
    free(target);
    free(number);
    pair_free(&pair);
}

/* ---- what is refused --------------------------------------------------------------- */

static struct pair good_pair(void)
{
    static const char *const texts[2] = {"[30,4] (cyclic(2),*) onto %d",
                                         "[30,4] (block,*) onto %d"};
    return pair_of_world(texts);
}

static void bad_operations_are_refused_everywhere(void)
{
    static const char *const no_number =
        "type has no arithmetic, which options.scaled and conjugation need: must be "
        "MPI_INT32_T, MPI_INT64_T, MPI_FLOAT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX or "
        "MPI_C_DOUBLE_COMPLEX, by any of the names that C and Fortran have for them";
    int last = world_size() - 1, guilty = world_rank() == last;
    struct pair pair = good_pair();
    redist_plan *plan = NULL;
    redist_options good = REDIST_OPTIONS_INIT, bad;
    good.scaled = 1;
    bad = good;
    if (guilty) bad.op = (redist_op)7;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     "rank %d: options: op is 7, must be one of redist_op", last);
    check_everywhere(pair_create(&pair, guilty ? MPI_BYTE : MPI_DOUBLE, &good, &plan),
                     REDIST_ERR_ARG, 1, "rank %d: %s", last, no_number);
    check_everywhere(pair_create(&pair, guilty ? MPI_SHORT : MPI_DOUBLE, &good, &plan),
                     REDIST_ERR_ARG, 1, "rank %d: %s", last, no_number);
    bad = good;
    bad.scaled = 0;
    bad.op = REDIST_OP_CONJUGATE;
    check_everywhere(pair_create(&pair, MPI_BYTE, &bad, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: %s", no_number);
    bad.op = REDIST_OP_TRANSPOSE;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: dim 0: the source's extent is 4, the target's 30");
    redist_item items[2] = {{MPI_DOUBLE, &pair.view[0], &pair.view[1]},
                            {MPI_INT64_T, &pair.view[0], &pair.view[1]}};
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &good, &plan),
                     REDIST_ERR_ARG, 0,
                     "rank 0: item 1: type is another number than item 0 has");
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

static void operations_that_differ_are_refused_everywhere(void)
{
    static const char *const sentence = "rank %d passed another op, reduction, scaled, "
                                        "checked or kind of number than rank 0";
    int last = world_size() - 1, guilty = world_rank() == last;
    if (last == 0) return; /* nobody to differ from */
    struct pair pair = good_pair();
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    options.scaled = guilty;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_MISMATCH,
                     1, sentence, last);
    options.scaled = 1;
    options.op = guilty ? REDIST_OP_CONJUGATE : REDIST_OP_NONE;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_MISMATCH,
                     1, sentence, last);
    options.op = REDIST_OP_NONE;
    check_everywhere(
        pair_create(&pair, guilty ? MPI_INT64_T : MPI_DOUBLE, &options, &plan),
        REDIST_ERR_MISMATCH, 1, sentence, last);
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

static void bad_coefficients_are_refused_everywhere(const char *strategy)
{
    int culprit = world_size() / 2, guilty = world_rank() == culprit, rank = world_rank();
    struct pair pair = good_pair();
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.scaled = 1;
    int64_t one = 1, zero = 0;
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    check_everywhere(
        redist_execute_scaled(plan, guilty ? NULL : &one, source, &zero, target),
        REDIST_ERR_ARG, 1, "rank %d: alpha is NULL", culprit);
    check_everywhere(
        redist_execute_scaled(plan, &one, source, guilty ? NULL : &zero, target),
        REDIST_ERR_ARG, 1, "rank %d: beta is NULL", culprit);
    check_everywhere(
        redist_execute_scaled(plan, &one, guilty ? NULL : source, &zero, target),
        REDIST_ERR_ARG, 1,
        "rank %d: source is NULL, but this process holds elements of it", culprit);
    CHECK_OK(redist_execute_scaled(plan, &one, source, &zero, target));
    pair_check(&pair, rank, target);
    pair_execute(plan, &pair, rank, rank); /* 1 and 0 without saying so */
    CHECK_OK(redist_plan_destroy(&plan));
    options.scaled = 0;
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    check_everywhere(
        redist_execute_scaled(plan, &one, source, &zero, target), REDIST_ERR_ARG, 1,
        "the plan is not scaled: options.scaled must be set when it is made");
    check_everywhere(
        redist_start_batch_scaled(plan, &one, NULL, &zero, NULL), REDIST_ERR_ARG, 1,
        "the plan is not scaled: options.scaled must be set when it is made");
    check_everywhere(redist_start_scaled(NULL, &one, source, &zero, target),
                     REDIST_ERR_ARG, 1, "plan is NULL");
    pair_execute(plan, &pair, rank, rank);
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
    free(target);
    pair_free(&pair);
}

static void it_moves_bytes_only(const char *strategy)
{
    struct pair pair = pair_parse("[40] (cyclic) onto 1", "[40] (block) onto 1");
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    options.scaled = 1;
    check_everywhere(pair_create(&pair, MPI_INT64_T, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: %.*s moves bytes, the plan is to do arithmetic with them",
                     (int)strcspn(strategy, "("), strategy);
    pair_free(&pair);
}

/* ---- reductions -------------------------------------------------------------------- */

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
    elements_without_arithmetic_are_moved_too();
    bad_operations_are_refused_everywhere();
    operations_that_differ_are_refused_everywhere();
    for (int k = 0; k < STRATEGIES; k++)
        if (combines(here(all_strategies[k]))) {
            it_scales_once(here(all_strategies[k]));
            bad_coefficients_are_refused_everywhere(here(all_strategies[k]));
        } else {
            it_moves_bytes_only(here(all_strategies[k]));
        }
    bad_reductions_are_refused_everywhere();
    sources_of_other_replicas_are_refused_everywhere();
    a_missing_replica_is_an_error_everywhere();
    int left = trace.communicators + trace.requests + trace.windows;
    CHECK(left == 0, "%d objects are left", left);
    return passed("operations");
}
