/* SPDX-License-Identifier: MIT
 *
 * Bad input to redist_plan_create, each a case with its sentence: all processes return
 * the same error, nothing hangs or leaks, and a good plan can be made and run
 * afterwards.
 */
#include "mpi/pair.h"
#include "mpi/trace.h"

/* What one process passes. The cases spoil it. */
struct arguments {
    MPI_Comm comm;
    MPI_Datatype type;
    struct pair pair, other; /* other: for what differs from process to process */
    const redist_view *source, *target;
    redist_options options;
    const redist_options *given;
    redist_plan *made, **plan;
};

enum culprit { EVERYONE, LAST_RANK };

static MPI_Datatype vector_type, resized_type, long_type;

/* ---- the cases --------------------------------------------------------------------- */

static void target_grid_larger_than_communicator(struct arguments *a)
{
    char text[64];
    (void)snprintf(text, sizeof text, "[30,4] (cyclic(2),*) onto %d", world_size() + 1);
    pair_free(&a->other);
    a->other = pair_parse(text, text);
    a->target = &a->other.view[REDIST_TARGET];
}
static void source_rank_beyond_communicator(struct arguments *a)
{
    pair_free(&a->other);
    a->other = pair_parse("[30,4] (block,*) onto 1 ranks 99", "[1] (*) onto 1");
    a->source = &a->other.view[REDIST_SOURCE];
}
static void extents_that_differ(struct arguments *a) { a->pair.view[0].extent[0] = 29; }
static void dimensions_that_differ(struct arguments *a)
{
    pair_free(&a->other);
    a->other = pair_parse("[120] (block) onto 1", "[1] (*) onto 1");
    a->source = &a->other.view[REDIST_SOURCE];
}
static void section_out_of_bounds(struct arguments *a) { a->pair.view[1].start[0] = 1; }
static void section_of_stride_0(struct arguments *a) { a->pair.view[0].stride[1] = 0; }
static void axes_not_a_permutation(struct arguments *a) { a->pair.view[0].axes[1] = 0; }
static void halo_below_0(struct arguments *a) { a->pair.view[1].halo_low[1] = -2; }
static void more_bytes_than_63_bits_count(struct arguments *a)
{
    a->pair.view[0].halo_low[0] = INT64_C(1) << 60; /* rows of 4 elements */
}
static void another_source(struct arguments *a) { a->source = &a->other.view[0]; }
static void another_target(struct arguments *a) { a->target = &a->other.view[1]; }
static void another_section(struct arguments *a)
{
    a->pair.view[0].start[0] = a->pair.view[1].start[0] = 1;
    a->pair.view[0].extent[0] = a->pair.view[1].extent[0] = 29;
}
static void another_element_size(struct arguments *a) { a->type = MPI_INT32_T; }
static void another_strategy(struct arguments *a) { a->options.strategy = "alltoallv"; }
static void another_staging(struct arguments *a) { a->options.staging_bytes = 4096; }
static void in_place(struct arguments *a) { a->options.in_place = 1; }
static void vector_of_elements(struct arguments *a) { a->type = vector_type; }
static void elements_with_gaps(struct arguments *a) { a->type = resized_type; }
static void elements_of_a_gigabyte(struct arguments *a) { a->type = long_type; }
static void null_type(struct arguments *a) { a->type = MPI_DATATYPE_NULL; }
static void null_source(struct arguments *a) { a->source = NULL; }
static void null_target(struct arguments *a) { a->target = NULL; }
static void null_dist(struct arguments *a) { a->pair.view[0].dist = NULL; }
static void null_plan(struct arguments *a) { a->plan = NULL; }
static void unknown_strategy(struct arguments *a) { a->options.strategy = "telepathy"; }
static void too_little_staging(struct arguments *a) { a->options.staging_bytes = 15; }
static void options_of_size_0(struct arguments *a) { a->options.size = 0; }
static void options_cut_in_a_field(struct arguments *a) { a->options.size = 12; }
static void options_of_the_future(struct arguments *a) { a->options.size = 4096; }
static void unknown_side(struct arguments *a) { a->options.side = (redist_side)7; }
static void lead_that_overlaps(struct arguments *a)
{
    a->pair.view[0].lead[0] = 3; /* a row has 4 elements */
    a->pair.view[0].lead[1] = 1;
}
static void negative_lead(struct arguments *a)
{
    a->pair.view[1].lead[0] = 4;
    a->pair.view[1].lead[1] = -1;
}

struct bad {
    void (*spoil)(struct arguments *a);
    enum culprit culprit;
    redist_err err;
    const char
        *sentence; /* behind "rank 0: ", or behind "rank <last>" if that is to blame */
};

static const struct bad cases[] = {
    {source_rank_beyond_communicator, EVERYONE, REDIST_ERR_ARG,
     ": source: the grid has rank 99, the communicator only 0 to "},
    {target_grid_larger_than_communicator, EVERYONE, REDIST_ERR_ARG,
     ": target: the grid has rank "},
    {target_grid_larger_than_communicator, LAST_RANK, REDIST_ERR_ARG,
     ": target: the grid has rank "},
    {extents_that_differ, EVERYONE, REDIST_ERR_ARG,
     ": dim 0: the source's extent is 29, the target's 30"},
    {extents_that_differ, LAST_RANK, REDIST_ERR_ARG,
     ": dim 0: the source's extent is 29, the target's 30"},
    {dimensions_that_differ, EVERYONE, REDIST_ERR_ARG,
     ": the source has 1 dimensions, the target 2"},
    {section_out_of_bounds, EVERYONE, REDIST_ERR_ARG,
     ": target: dim 0: section of 30 elements from 1 by 1 leaves the extent 30"},
    {section_out_of_bounds, LAST_RANK, REDIST_ERR_ARG,
     ": target: dim 0: section of 30 elements from 1 by 1 leaves the extent 30"},
    {section_of_stride_0, LAST_RANK, REDIST_ERR_ARG,
     ": source: dim 1: section stride is 0, must be >= 1"},
    {axes_not_a_permutation, LAST_RANK, REDIST_ERR_ARG,
     ": source: axes names dimension 0 twice"},
    {halo_below_0, LAST_RANK, REDIST_ERR_ARG,
     ": target: dim 1: halo is -2:0, must be >= 0"},
    {more_bytes_than_63_bits_count, EVERYONE, REDIST_ERR_ARG,
     ": source: the local array spans 46116860184273"},
    {another_source, LAST_RANK, REDIST_ERR_MISMATCH,
     " passed another source than rank 0"},
    {another_target, LAST_RANK, REDIST_ERR_MISMATCH,
     " passed another target than rank 0"},
    {another_section, LAST_RANK, REDIST_ERR_MISMATCH,
     " passed another source than rank 0"},
    {another_element_size, LAST_RANK, REDIST_ERR_MISMATCH,
     " passed another element size than rank 0"},
    {another_strategy, LAST_RANK, REDIST_ERR_MISMATCH,
     " passed another strategy, staging_bytes, in_place or topology than rank 0"},
    {another_staging, LAST_RANK, REDIST_ERR_MISMATCH,
     " passed another strategy, staging_bytes, in_place or topology than rank 0"},
    {in_place, LAST_RANK, REDIST_ERR_MISMATCH,
     " passed another strategy, staging_bytes, in_place or topology than rank 0"},
    {vector_of_elements, LAST_RANK, REDIST_ERR_ARG,
     ": type has 24 bytes in an extent of 40, must be contiguous bytes"},
    {vector_of_elements, EVERYONE, REDIST_ERR_ARG,
     ": type has 24 bytes in an extent of 40, must be contiguous bytes"},
    {elements_with_gaps, LAST_RANK, REDIST_ERR_ARG,
     ": type has 8 bytes in an extent of 16, must be contiguous bytes"},
    {elements_of_a_gigabyte, EVERYONE, REDIST_ERR_ARG,
     ": type has 1073741832 bytes, must have at most 1073741824"},
    {null_type, LAST_RANK, REDIST_ERR_ARG, ": type is MPI_DATATYPE_NULL"},
    {null_source, LAST_RANK, REDIST_ERR_ARG, ": source: view is NULL"},
    {null_target, LAST_RANK, REDIST_ERR_ARG, ": target: view is NULL"},
    {null_target, EVERYONE, REDIST_ERR_ARG, ": target: view is NULL"},
    {null_dist, LAST_RANK, REDIST_ERR_ARG, ": source: the view's dist is NULL"},
    {null_plan, LAST_RANK, REDIST_ERR_ARG, ": plan is NULL"},
    {unknown_strategy, LAST_RANK, REDIST_ERR_ARG,
     ": unknown strategy \"telepathy\", there are: auto, nonblocking, window(k), "
     "sendrecv, synchronous, ready, alltoallv"},
    {unknown_strategy, EVERYONE, REDIST_ERR_ARG,
     ": unknown strategy \"telepathy\", there are: auto, nonblocking, window(k), "
     "sendrecv, synchronous, ready, alltoallv"},
    {too_little_staging, EVERYONE, REDIST_ERR_ARG,
     ": options: staging_bytes is 15, must hold two elements of 8 bytes"},
    {options_of_size_0, LAST_RANK, REDIST_ERR_ARG,
     ": options: size is 0, must be that of REDIST_OPTIONS_INIT, "},
    {options_cut_in_a_field, LAST_RANK, REDIST_ERR_ARG,
     ": options: size is 12, must be that of REDIST_OPTIONS_INIT, "},
    {options_of_the_future, LAST_RANK, REDIST_ERR_ARG,
     ": options: size is 4096, must be that of REDIST_OPTIONS_INIT, "},
    {unknown_side, LAST_RANK, REDIST_ERR_ARG,
     ": options: side is 7, must be REDIST_SOURCE or REDIST_TARGET"},
    {lead_that_overlaps, LAST_RANK, REDIST_ERR_ARG, ": source: dim 0: lead is 3, "},
    {negative_lead, LAST_RANK, REDIST_ERR_ARG,
     ": target: dim 1: lead is -1, must be >= 1"},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- running them ------------------------------------------------------------------ */

/* A good pair that every process has elements of, on both sides. */
static void make_pair(struct pair *pair, int block)
{
    char source[64], target[64];
    int n = world_size();
    (void)snprintf(source, sizeof source, "[30,4] (cyclic(%d),*) onto %d", block, n);
    (void)snprintf(target, sizeof target, "[30,4] (block from %d,*) onto %d",
                   block % 2 % n, n);
    *pair = pair_parse(source, target);
}

static struct arguments good_arguments(void)
{
    struct arguments a = {
        .comm = MPI_COMM_WORLD, .type = MPI_INT64_T, .options = REDIST_OPTIONS_INIT};
    make_pair(&a.pair, 2);
    make_pair(&a.other, 1);
    return a;
}

/* The addresses, once the arguments lie where they stay. */
static void point(struct arguments *a)
{
    a->source = &a->pair.view[REDIST_SOURCE];
    a->target = &a->pair.view[REDIST_TARGET];
    a->given = &a->options;
    a->plan = &a->made;
}

static redist_err create(struct arguments *a)
{
    return redist_plan_create(a->comm, a->type, a->source, a->target, a->given, a->plan);
}

static void free_arguments(struct arguments *a)
{
    pair_free(&a->pair);
    pair_free(&a->other);
}

static void a_good_plan_still_works(void)
{
    struct arguments a = good_arguments();
    point(&a);
    CHECK_OK(create(&a));
    pair_execute(a.made, &a.pair, world_rank(), world_rank());
    CHECK_OK(redist_plan_destroy(&a.made));
    free_arguments(&a);
}

static void bad_input_is_refused_everywhere(const struct bad *bad)
{
    int last = world_size() - 1, guilty = bad->culprit == LAST_RANK ? last : 0;
    if (bad->err == REDIST_ERR_MISMATCH && last == 0) return; /* nobody to differ from */
    struct arguments a = good_arguments();
    point(&a);
    if (bad->culprit == EVERYONE || world_rank() == last) bad->spoil(&a);
    redist_err err = create(&a);
    check_everywhere(err, bad->err, 0, "rank %d%s", guilty, bad->sentence);
    CHECK(!a.made, "a plan was handed out");
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
    free_arguments(&a);
    a_good_plan_still_works();
}

static void of_several_culprits_the_lowest_rank_is_named(void)
{
    if (world_size() < 3) return;
    struct arguments a = good_arguments();
    point(&a);
    if (world_rank() == 1) null_type(&a);
    if (world_rank() == 2) null_source(&a);
    check_everywhere(create(&a), REDIST_ERR_ARG, 1, "rank 1: type is MPI_DATATYPE_NULL");
    CHECK(!a.made, "a plan was handed out");
    free_arguments(&a);
}

static void no_communicator_makes_no_plan(void)
{
    struct arguments a = good_arguments();
    point(&a);
    a.comm = MPI_COMM_NULL;
    check_everywhere(create(&a), REDIST_ERR_ARG, 1, "comm is MPI_COMM_NULL");
    CHECK(!a.made, "a plan was handed out");
    free_arguments(&a);
}

/* What alltoallv needs, an element of each message, and ready, all that one process
 * receives, only all processes together can know. */
static void too_little_staging_for_all_messages_is_refused(void)
{
    if (world_size() < 3) return;
    int n = world_size() - 1;
    char source[64], target[64];
    (void)snprintf(source, sizeof source, "[490] (cyclic(3)) onto %d", n + 1);
    (void)snprintf(target, sizeof target, "[490] (cyclic(5)) onto %d", n + 1);
    struct arguments a = good_arguments();
    pair_free(&a.pair);
    a.pair = pair_parse(source, target);
    point(&a);
    a.options.strategy = "alltoallv";
    a.options.staging_bytes = 24;
    check_everywhere(create(&a), REDIST_ERR_ARG, 1,
                     "rank 0: staging_bytes is 24, alltoallv needs %d to hold an element "
                     "of each message of a process, both ways",
                     2 * n * 8);
    CHECK(!a.made, "a plan was handed out");
    a.options.strategy = "ready";
    check_everywhere(create(&a), REDIST_ERR_ARG, 0,
                     "rank 0: staging_bytes is 24, ready has all receives posted at once "
                     "and needs ");
    CHECK(!a.made, "a plan was handed out");
    const char *needs = strstr(redist_error_message(), "needs ") + strlen("needs ");
    a.options.staging_bytes = strtoull(needs, NULL, 10);
    CHECK_OK(create(&a));
    CHECK_OK(redist_plan_destroy(&a.made));
    a.options.strategy = "alltoallv";
    a.options.staging_bytes = (size_t)n * 16;
    CHECK_OK(create(&a));
    pair_execute(a.made, &a.pair, world_rank(), world_rank());
    CHECK_OK(redist_plan_destroy(&a.made));
    free_arguments(&a);
}

/* The replicas of a reduction share the memory: what is said to be needed is for all. */
static void a_reduction_is_told_the_whole_that_it_needs(void)
{
    if (world_size() < 4) return;
    char source[64], target[64];
    (void)snprintf(source, sizeof source, "[490] (cyclic(3)) onto %dx2",
                   world_size() / 2);
    (void)snprintf(target, sizeof target, "[490] (block) onto %d", world_size());
    struct arguments a = good_arguments();
    pair_free(&a.pair);
    a.pair = pair_parse(source, target);
    point(&a);
    a.options.strategy = "ready";
    a.options.reduction = REDIST_REDUCTION_SUM;
    a.options.staging_bytes = 32;
    check_everywhere(create(&a), REDIST_ERR_ARG, 0,
                     "replica 0 of 2: rank 0: staging_bytes is 32, ready has all ");
    const char *needs = strstr(redist_error_message(), "needs ") + strlen("needs ");
    a.options.staging_bytes = strtoull(needs, NULL, 10);
    CHECK_OK(create(&a));
    CHECK_OK(redist_plan_destroy(&a.made));
    free_arguments(&a);
}

static bool mpi_lacks_a_call(redist_err err)
{
    return err && strstr(redist_error_message(), "this MPI has no ");
}

/* Two elements of 2^30 bytes are more than MPI counts in a call. */
static void messages_too_long_for_counts_are_refused(void)
{
    static const char *const strategies[] = {"alltoallv", "neighbor", "onesided",
                                             "aggregated", "multicast"};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (world_size() < 3) return;
    MPI_Type_contiguous(1 << 30, MPI_BYTE, &type);
    struct arguments a = good_arguments();
    point(&a);
    a.type = type;
    a.options.staging_bytes = SIZE_MAX / 4;
    for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
        a.options.strategy = strategies[k];
        redist_err err = create(&a);
        if (mpi_lacks_a_call(err)) continue;
        check_everywhere(err, REDIST_ERR_ARG, 0, "rank 0: %s needs ", strategies[k]);
        CHECK(strstr(redist_error_message(), "more than MPI's counts allow, "), "%s: %s",
              strategies[k], redist_error_message());
        CHECK(!a.made, "a plan was handed out");
    }
    MPI_Type_free(&type);
    free_arguments(&a);
}

/* In runs of 2^60 and 2^59 bytes, of which one process has 3.5 2^60. */
static void plans_of_nearly_2_63_bytes_are_made(void)
{
    static const char *const strategies[] = {"auto",     "nonblocking", "alltoallv",
                                             "onesided", "alltoallw",   "aggregated"};
    struct arguments a = good_arguments();
    if (world_size() > 1) {
        pair_free(&a.pair);
        a.pair = pair_parse("[4611686018427387904] "
                            "(gen_block(4035225266123964416,576460752303423488)) onto 2",
                            "[4611686018427387904] (cyclic(1152921504606846976)) onto 2");
        a.type = MPI_BYTE;
    }
    point(&a);
    for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
        a.options.strategy = strategies[k];
        redist_err err = create(&a);
        if (mpi_lacks_a_call(err)) continue;
        CHECK_OK(err);
        redist_report report = report_of(a.made);
        CHECK(world_size() == 1 || world_rank() > 0 ||
                  (report.bytes_sent == INT64_C(3) << 59 &&
                   report.bytes_kept == INT64_C(1) << 61),
              "%s: %" PRId64 " bytes sent, %" PRId64 " kept", strategies[k],
              report.bytes_sent, report.bytes_kept);
        CHECK_OK(redist_plan_destroy(&a.made));
    }
    free_arguments(&a);
}

/* Each local array has fewer; all copies, and all arrays, have more. */
static void more_bytes_than_63_bits_together_are_refused(void)
{
    redist_plan *plan = NULL;
    char whole[64], copies[64];
    (void)snprintf(whole, sizeof whole, "[4611686018427387904] (*) onto 1");
    (void)snprintf(copies, sizeof copies, "[4611686018427387904] (*) onto %d",
                   world_size());
    struct pair once = pair_parse(whole, whole), replicated = pair_parse(whole, copies);
    const redist_item item = {MPI_BYTE, &once.view[0], &once.view[1]};
    const redist_item items[] = {item, item};
    check_everywhere(
        redist_plan_create_batch(MPI_COMM_WORLD, 2, items, NULL, &plan), REDIST_ERR_ARG,
        1,
        "rank 0: item 1: the section has 4611686018427387904 elements of 1 bytes in all "
        "copies, more than 2^63 - 1 bytes with all items before it");
    CHECK(!plan, "a plan was handed out");
    if (world_size() > 1) {
        redist_err err = pair_create(&replicated, MPI_INT16_T, NULL, &plan);
        check_everywhere(err, REDIST_ERR_ARG, 0, "rank 0: ");
        CHECK(!plan, "a plan was handed out");
    }
    pair_free(&once);
    pair_free(&replicated);
}

/* What is no strategy, and the sentence behind "rank 0: ". */
static const char *const wrong_strategies[][2] = {
    {"window(0)", "strategy \"window(0)\": \"(0)\" must be a number from 1"},
    {"window(4", "strategy \"window(4\": \"(4\" must be a number from 1"},
    {"window(99999999999)", "strategy \"window(99999999999)\": "},
    {"sendrecv(2)", "strategy \"sendrecv(2)\": sendrecv takes no number"},
    {"optimal/alltoallv",
     "strategy \"optimal/alltoallv\": alltoallv follows no schedule"},
    {"optimal/multiphase",
     "strategy \"optimal/multiphase\": multiphase follows no schedule"},
    {"multiphase(2)", "strategy \"multiphase(2)\": multiphase takes no number"},
    {"aggregated(0)", "strategy \"aggregated(0)\": \"(0)\" must be a number"},
    {"shifted/", "unknown strategy \"\", there are: auto, nonblocking, "},
    {"optimum",
     "unknown schedule \"optimum\" (did you mean optimal?), there are: naive, "},
    {"telepathy",
     "unknown strategy \"telepathy\", there are: auto, nonblocking, window(k), sendrecv, "
     "synchronous, ready, alltoallv, neighbor, shared, alltoallw, onesided, multiphase, "
     "lcm-phases, aggregated(k), multicast(k), replicate(k), naive; or a schedule, alone "
     "or as in \"optimal/sendrecv\""},
    {"one-of-which-nobody-has-ever-heard-and-nobody-ever-will",
     "unknown strategy \"one-of-which-nobody-has-ever-heard-and-n\", there are: auto, "},
    {"/sendrecv", "unknown schedule \"\", there are: naive, "},
    {"best/sendrecv", "unknown schedule \"best\", there are: naive, "},
    {"staircase", "schedule staircase is not applicable: "},
};

static void what_is_no_strategy_is_refused(void)
{
    int n = sizeof wrong_strategies / sizeof *wrong_strategies;
    struct arguments a = good_arguments();
    point(&a);
    for (int k = 0; k < n; k++) {
        if (k == n - 1 && world_size() == 1) break; /* one message descends */
        a.options.strategy = wrong_strategies[k][0];
        check_everywhere(create(&a), REDIST_ERR_ARG, 0, "rank 0: %s",
                         wrong_strategies[k][1]);
        CHECK(!a.made, "a plan was handed out");
    }
    free_arguments(&a);
}

/* What cannot be described has no view; the other processes learn of the one that has
 * none. */
static void duplicate_ranks_are_refused(void)
{
    int n = world_size(), last = n - 1, ranks[3] = {0, 0, 1}, shape = 3;
    redist_grid *grid = NULL;
    redist_err err = redist_grid_create(1, &shape, REDIST_ROW_MAJOR, ranks, &grid);
    check_everywhere(err, REDIST_ERR_ARG, 1, "rank 0 stands twice in the grid");
    CHECK(!grid, "a grid was handed out");
    struct arguments a = good_arguments();
    point(&a);
    if (world_rank() == last) a.target = NULL;
    check_everywhere(create(&a), REDIST_ERR_ARG, 1, "rank %d: target: view is NULL",
                     last);
    free_arguments(&a);
}

static void make_types(void)
{
    MPI_Type_vector(3, 1, 2, MPI_INT64_T, &vector_type);
    MPI_Type_commit(&vector_type);
    MPI_Type_create_resized(MPI_INT64_T, 0, 16, &resized_type);
    MPI_Type_commit(&resized_type);
    MPI_Type_contiguous((1 << 27) + 1, MPI_INT64_T, &long_type);
    MPI_Type_commit(&long_type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    make_types();
    for (int k = 0; k < CASES; k++) bad_input_is_refused_everywhere(&cases[k]);
    of_several_culprits_the_lowest_rank_is_named();
    no_communicator_makes_no_plan();
    too_little_staging_for_all_messages_is_refused();
    a_reduction_is_told_the_whole_that_it_needs();
    messages_too_long_for_counts_are_refused();
    plans_of_nearly_2_63_bytes_are_made();
    more_bytes_than_63_bits_together_are_refused();
    what_is_no_strategy_is_refused();
    duplicate_ranks_are_refused();
    a_good_plan_still_works();
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
    MPI_Type_free(&vector_type);
    MPI_Type_free(&resized_type);
    MPI_Type_free(&long_type);
    return passed("%d kinds of bad input", CASES);
}
