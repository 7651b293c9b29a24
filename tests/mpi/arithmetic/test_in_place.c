/* SPDX-License-Identifier: MIT
 *
 * Source and target in one buffer: long arrays under the least cap that the library says
 * will do, two groups, and what is refused on every process. Random pairs are tested by
 * tests/soak.
 */
#include "mpi/pair.h"

/* ---- what is refused --------------------------------------------------------------- */

static redist_err create(const struct pair *pair, const char *strategy, int in_place,
                         redist_plan **plan)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.in_place = in_place;
    return pair_create(pair, MPI_INT64_T, &options, plan);
}

static void refuse(struct pair pair, const char *strategy, const char *sentence)
{
    redist_plan *plan = NULL;
    redist_err err = create(&pair, strategy, 1, &plan);
    check_everywhere(err, REDIST_ERR_ARG, 0, "rank 0: %s", sentence);
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

static struct pair parse(const char *source, const char *target)
{
    const char *const texts[2] = {source, target};
    return pair_of_world(texts);
}

static void what_is_not_possible_is_refused(void)
{
    refuse(
        parse("[40] (block) onto %d section [0:18]", "[19] (cyclic) onto %d"), NULL,
        "in_place: dim 0 of the source has a section of 19 elements, must be whole, 40");
    refuse(
        parse("[20] (block) onto %d", "[40] (cyclic) onto %d section [1:39:2]"), NULL,
        "in_place: dim 0 of the target has a section of 20 elements, must be whole, 40");
    if (world_size() > 1)
        refuse(parse("[20] (block) onto %d", "[20] (*) onto %d"), NULL,
               "in_place: the target's grid replicates ");
    refuse(parse("[20] (block) onto %d", "[20] (cyclic) onto %d"), "alltoallv",
           "options: strategy is \"alltoallv\", must be NULL with in_place");
    refuse(parse("[1152921504606846975] (block) onto 1",
                 "[1152921504606846975] (cyclic) onto %d"),
           NULL, "in_place: the local array is too large, of ");
    struct pair pair = parse("[20,30] (*,*) onto 1", "[20,30] (block,*) onto %d");
    pair.view[0].lead[0] = 1;
    pair.view[0].lead[1] = 20;
    refuse(pair, NULL, "in_place: lead of dim 0 is 1, of dim 1 20, must descend");
    pair = parse("[20] (block) onto %d", "[20] (cyclic) onto %d");
    redist_plan *plan = NULL;
    redist_err err = create(&pair, NULL, world_rank() == 0, &plan);
    if (world_size() > 1)
        check_everywhere(err, REDIST_ERR_MISMATCH, 0, "rank 1 passed another strategy");
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* Elements of any size fit in staging memory that is large enough. */
static void more_memory_suffices_for_long_elements(void)
{
    struct pair pair = parse("[20] (block) onto %d", "[20] (cyclic) onto %d");
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    MPI_Datatype longest;
    options.in_place = 1;
    MPI_Type_contiguous(1 << 30, MPI_BYTE, &longest);
    MPI_Type_commit(&longest);
    check_everywhere(
        pair_create(&pair, longest, &options, &plan), REDIST_ERR_ARG, 0,
        "rank 0: in_place: staging_bytes is 2147483648, too few for this exchange, ");
    MPI_Type_free(&longest);
    pair_free(&pair);
}

/* Of several arrays, or with arithmetic: refused. */
static void batches_and_arithmetic_are_refused(void)
{
    struct pair pair = parse("[20] (block) onto %d", "[20] (cyclic) onto %d");
    const redist_item item = {MPI_C_DOUBLE_COMPLEX, &pair.view[0], &pair.view[1]};
    const redist_item items[2] = {item, item};
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.in_place = 1;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &options, &plan),
                     REDIST_ERR_ARG, 1,
                     "rank 0: in_place moves one array a plan, the plan is of 2");
    for (int scaled = 0; scaled <= 1; scaled++) {
        options.scaled = scaled;
        options.op = scaled ? REDIST_OP_NONE : REDIST_OP_CONJUGATE_TRANSPOSE;
        check_everywhere(
            redist_plan_create_batch(MPI_COMM_WORLD, 1, items, &options, &plan),
            REDIST_ERR_ARG, 1,
            "rank 0: in_place moves bytes, the plan is to do arithmetic with them");
    }
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

/* A buffer of the larger span, with the source's elements. */
static int64_t *make_buffer(const struct pair *pair)
{
    int64_t span[2] = {pair_span(pair, REDIST_SOURCE, world_rank()),
                       pair_span(pair, REDIST_TARGET, world_rank())};
    int64_t *source = pair_buffer(pair, REDIST_SOURCE, world_rank());
    int64_t *buffer = malloc((size_t)(span[0] + span[1] + 1) * sizeof *buffer);
    for (int64_t e = 0; e < span[0]; e++) buffer[e] = source[e];
    free(source);
    return buffer;
}

/* Run a plan on one buffer, and destroy it. */
static void moves_rightly(const struct pair *pair, redist_plan *plan)
{
    int64_t *buffer = make_buffer(pair);
    CHECK_OK(redist_execute(plan, buffer, buffer));
    pair_check(pair, world_rank(), buffer);
    CHECK_OK(redist_plan_destroy(&plan));
    free(buffer);
}

/* Make the plan with the least memory that the library asks for when it has too little:
 * that suffices. */
static void make_plan(const redist_view *source, const redist_view *target,
                      MPI_Datatype type, redist_plan **plan)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.in_place = 1;
    options.staging_bytes = 16;
    redist_err err =
        redist_plan_create(MPI_COMM_WORLD, type, source, target, &options, plan);
    const char *more = strstr(redist_error_message(), "for this exchange, ");
    CHECK(err == REDIST_ERR_ARG && more, "refused");
    options.staging_bytes = strtoull(strchr(more, ',') + 1, NULL, 10);
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, type, source, target, &options, plan));
    check_peak(*plan, options.staging_bytes);
}

/* Arrays far larger than the memory that the library says will do: many rounds, windows
 * and slabs. */
static void long_arrays_go_through_little_memory(void)
{
    static const char *const texts[][2] = {
        {"[30011] (cyclic(3)) onto %d", "[30011] (cyclic(5)) onto %d"},
        {"[30011] (block) onto %d", "[30011] (cyclic) onto %d"},
        {"[30011] (cyclic) onto %d", "[30011] (block) onto 1"},
        {"[30011] (block) onto 1", "[30011] (cyclic(7)) onto %d"},
        {"[150,211] (block,*) onto %d", "[150,211] (*,block) onto %d order column-major"},
        {"[150,211] (block,*) onto 1", "[150,211] (*,block) onto %d order column-major"},
        {"[150,211] (block,*) onto %d", "[150,211] (*,block) onto 1 order column-major"},
        {"[3,11,911] (*,*,cyclic(2)) onto %d",
         "[911,11,3] (cyclic(3),*,*) onto %d axes (2,1,0)"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct pair pair = parse(texts[k][0], texts[k][1]);
        redist_plan *plan = NULL;
        make_plan(&pair.view[0], &pair.view[1], MPI_INT64_T, &plan);
        moves_rightly(&pair, plan);
        pair_free(&pair);
    }
}

/* A real matrix is transposed in place, as if the target's axes were reversed. */
static void matrices_are_transposed(void)
{
    struct pair pair =
        parse("[31,17] (cyclic(3),*) onto %d", "[17,31] (block,*) onto %d axes (1,0)");
    redist_view target = pair.view[REDIST_TARGET];
    target.axes[0] = 0;
    target.axes[1] = 1;
    redist_options options = REDIST_OPTIONS_INIT;
    options.in_place = 1;
    options.op = REDIST_OP_CONJUGATE_TRANSPOSE;
    redist_plan *plan = NULL;
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, MPI_INT64_T, &pair.view[REDIST_SOURCE],
                                &target, &options, &plan));
    moves_rightly(&pair, plan);
    pair_free(&pair);
}

/* The last process has a replica of the source that nobody reads, and none of the target:
 * its buffer is not needed, whatever gaps it has. */
static void replicas_that_are_not_read_need_no_buffer(void)
{
    struct pair pair = parse("[2,3] (*,*) onto %d", "[2,3] (*,*) onto 1");
    redist_view source = pair.view[REDIST_SOURCE];
    source.halo_low[0] = source.halo_low[1] = source.halo_high[1] = 2;
    redist_options options = REDIST_OPTIONS_INIT;
    options.in_place = 1;
    redist_plan *plan = NULL;
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, MPI_INT64_T, &source,
                                &pair.view[REDIST_TARGET], &options, &plan));
    redist_report report = report_of(plan);
    int needed = report.elements_kept + report.elements_sent > 0 || world_rank() == 0;
    int64_t buffer[4 * 7], number = 0;
    for (int i = 2; i < 4; i++)
        for (int j = 2; j < 5; j++) buffer[i * 7 + j] = number++;
    void *one = needed ? buffer : NULL;
    CHECK_OK(redist_execute(plan, one, one));
    for (int64_t e = 0; world_rank() == 0 && e < 6; e++)
        CHECK(buffer[e] == e, "place %" PRId64 " holds %" PRId64, e, buffer[e]);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* A process passes two buffers to a plan in place, or none, or one to a plan that is not:
 * all learn of it, and nothing has moved. */
static void wrong_buffers_are_refused(const struct pair *pair)
{
    int n = world_size(), guilty = world_rank() == n - 1;
    int64_t *buffer = make_buffer(pair), *other = make_buffer(pair);
    redist_plan *plan = NULL;
    CHECK_OK(create(pair, NULL, 1, &plan));
    check_everywhere(redist_execute(plan, buffer, guilty ? other : buffer),
                     REDIST_ERR_ARG, 1,
                     "rank %d: source and target are two buffers, must be one: the plan "
                     "is in place",
                     n - 1);
    int64_t *none = guilty ? NULL : buffer;
    check_everywhere(redist_execute(plan, none, none), REDIST_ERR_ARG, 1,
                     "rank %d: source is NULL, but this process holds elements of it",
                     n - 1);
    CHECK_OK(redist_execute(plan, buffer, buffer));
    pair_check(pair, world_rank(), buffer);
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK_OK(create(pair, NULL, 0, &plan));
    check_everywhere(redist_execute(plan, buffer, guilty ? buffer : other),
                     REDIST_ERR_ARG, 1,
                     "rank %d: source and target are one buffer, must be two, or the "
                     "plan be made with options.in_place",
                     n - 1);
    CHECK_OK(redist_plan_destroy(&plan));
    free(buffer);
    free(other);
}

/* ---- two groups -------------------------------------------------------------------- */

/* The world's even ranks are the source, the odd ones the target: each buffer is of one
 * side alone. */
static void two_groups_need_no_second_buffer(void)
{
    int rank = world_rank(), n = world_size(), side = rank % 2;
    char text[2][64];
    (void)snprintf(text[0], sizeof text[0], "[300] (cyclic(7)) onto %d", (n + 1) / 2);
    (void)snprintf(text[1], sizeof text[1], "[300] (cyclic(4)) onto %d", n / 2);
    struct pair pair = pair_parse(text[0], text[1]);
    MPI_Comm group, inter;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, !side, 0, &inter);
    redist_options options = REDIST_OPTIONS_INIT;
    options.in_place = 1;
    options.side = (redist_side)side;
    redist_plan *plan = NULL;
    CHECK_OK(redist_plan_create(inter, MPI_INT64_T, &pair.view[0], &pair.view[1],
                                &options, &plan));
    int64_t *buffer = pair_buffer(&pair, (redist_side)side, rank / 2);
    CHECK_OK(redist_execute(plan, buffer, buffer));
    if (side == REDIST_TARGET) pair_check(&pair, rank / 2, buffer);
    CHECK_OK(redist_plan_destroy(&plan));
    free(buffer);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    long_arrays_go_through_little_memory();
    matrices_are_transposed();
    replicas_that_are_not_read_need_no_buffer();
    what_is_not_possible_is_refused();
    more_memory_suffices_for_long_elements();
    batches_and_arithmetic_are_refused();
    struct pair pair = parse("[400,6] (cyclic(3),*) onto %d",
                             "[400,6] (block,*) onto %d order column-major");
    wrong_buffers_are_refused(&pair);
    pair_free(&pair);
    if (world_size() > 1 && !LACKS_INTERCOMMS) two_groups_need_no_second_buffer();
    return passed("arrays in place");
}
