/* SPDX-License-Identifier: MIT
 *
 * The types of redist_type_create, and conversions that are refused, everywhere alike:
 * what they cannot go together with, and types that differ between processes.
 */
#include "mpi/pair.h"

static const char *const views[2] = {"[97] (block) onto %1$d",
                                     "[97] (cyclic(3)) onto %1$d"};

static void types_of_this_machine_do_arithmetic(void)
{
    struct pair pair = pair_of_world(views);
    MPI_Datatype type, copy;
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    const int64_t three = 3, zero = 0;
    CHECK_OK(redist_type_create("i8", &type));
    MPI_Type_dup(type, &copy);
    options.scaled = 1;
    options.source_type = MPI_INT64_T; /* the same */
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, copy, &pair.view[0], &pair.view[1],
                                &options, &plan));
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, world_rank());
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, world_rank());
    CHECK_OK(redist_execute_scaled(plan, &three, source, &zero, target));
    int64_t *number = pair_numbers(&pair.view[REDIST_TARGET], world_rank());
    for (int64_t e = 0; e < pair_span(&pair, REDIST_TARGET, world_rank()); e++)
        CHECK(target[e] == 3 * number[e], "%" PRId64, e);
    free(number);
    CHECK_OK(redist_plan_destroy(&plan));
    MPI_Type_free(&type);
    MPI_Type_free(&copy);
    free(source), free(target);
    pair_free(&pair);
}

static void bad_types_are_refused(void)
{
    MPI_Datatype type = MPI_INT;
    CHECK(redist_type_create("<f3", &type) == REDIST_ERR_ARG, "expected ARG");
    CHECK(strncmp(redist_error_message(), "text is \"<f3\", must be i1, i2,", 30) == 0,
          "?");
    CHECK(redist_type_create(NULL, &type) == REDIST_ERR_ARG, "expected ARG");
    CHECK(redist_type_create("f8", NULL) == REDIST_ERR_ARG, "expected ARG");
    CHECK(type == MPI_INT, "the type was touched");
}

static void what_cannot_go_together_is_refused_everywhere(void)
{
    static const char *const not_with =
        "rank 0: options: source_type is another number than type, must be the same or "
        "MPI_DATATYPE_NULL with %s";
    struct pair pair = pair_of_world(views);
    redist_plan *plan = NULL;
    redist_options good = REDIST_OPTIONS_INIT, bad;
    good.source_type = MPI_FLOAT;
    bad = good;
    bad.scaled = 1;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     not_with, "scaled");
    bad = good;
    bad.in_place = 1;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     not_with, "in_place");
    bad = good;
    bad.op = REDIST_OP_CONJUGATE;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     not_with, "a conjugating op");
    bad = good;
    bad.reduction = REDIST_REDUCTION_SUM;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     not_with, "a reduction");
    check_everywhere(pair_create(&pair, MPI_BYTE, &good, &plan), REDIST_ERR_ARG, 0,
                     "rank 0: type is no number that can be converted, must be ");
    bad = good;
    bad.source_type = MPI_LONG_DOUBLE;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 0,
                     "rank 0: options.source_type is no number that can be converted");
    const redist_item items[2] = {{MPI_DOUBLE, &pair.view[0], &pair.view[1]},
                                  {MPI_FLOAT, &pair.view[0], &pair.view[1]}};
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &good, &plan),
                     REDIST_ERR_ARG, 0,
                     "rank 0: item 1: type is another number than item 0 has");
    int64_t share[2];
    check_everywhere(redist_balance_create_sized(MPI_COMM_WORLD, 0, NULL, MPI_INT64_T,
                                                 REDIST_BALANCE_A, 1, &good, &plan,
                                                 &share[0], &share[1]),
                     REDIST_ERR_ARG, 1,
                     "rank 0: options: source_type must be MPI_DATATYPE_NULL with sizes");
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

static void types_that_differ_are_refused_everywhere(void)
{
    static const char *const other = "rank %d passed another op, reduction, scaled, "
                                     "checked or kind of number than rank "
                                     "0";
    int last = world_size() - 1, guilty = world_rank() == last;
    if (last == 0) return; /* nobody to differ from */
    struct pair pair = pair_of_world(views);
    MPI_Datatype native, swapped;
    CHECK_OK(redist_type_create("f4", &native));
    const int one = 1;
    const bool little = *(const char *)&one == 1;
    CHECK_OK(redist_type_create(little ? ">f4" : "<f4", &swapped));
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    check_everywhere(pair_create(&pair, guilty ? swapped : native, &options, &plan),
                     REDIST_ERR_MISMATCH, 1, other, last);
    CHECK_OK(pair_create(&pair, guilty ? MPI_FLOAT : native, &options, &plan));
    CHECK_OK(redist_plan_destroy(&plan));
    options.source_type = guilty ? MPI_INT32_T : MPI_UINT32_T;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_MISMATCH,
                     1, other, last);
    options.source_type = MPI_INT32_T;
    check_everywhere(
        pair_create(&pair, guilty ? MPI_FLOAT : MPI_UINT32_T, &options, &plan),
        REDIST_ERR_MISMATCH, 1, other, last);
    options.checked = guilty;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_MISMATCH,
                     1, other, last);
    CHECK(!plan, "a plan was handed out");
    MPI_Type_free(&swapped);
    MPI_Type_free(&native);
    pair_free(&pair);
}

static void it_moves_bytes_only(const char *strategy)
{
    struct pair pair = pair_of_world(views);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    options.source_type = MPI_FLOAT;
    check_everywhere(pair_create(&pair, MPI_INT64_T, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: %.*s moves bytes, the plan is to convert them",
                     (int)strcspn(strategy, "("), strategy);
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    bad_types_are_refused();
    types_of_this_machine_do_arithmetic();
    what_cannot_go_together_is_refused_everywhere();
    types_that_differ_are_refused_everywhere();
    for (int k = 0; k < STRATEGIES; k++)
        if (!combines(here(all_strategies[k])))
            it_moves_bytes_only(here(all_strategies[k]));
    return passed("convert_errors");
}
