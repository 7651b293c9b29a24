/* SPDX-License-Identifier: MIT
 *
 * What lists of indices may not be, and what it takes to plan with them: no process holds
 * more than a few times its share.
 */
#include "mpi/pair.h"
#include "mpi/trace.h"
#include "plan/object/plan.h"

enum { EACH = 4 }; /* indices of a process */

static int64_t extent_of_all(void) { return (int64_t)EACH * world_size(); }

/* The indices of this process, in blocks. */
static void own_block(int64_t list[EACH])
{
    for (int64_t k = 0; k < EACH; k++) list[k] = EACH * world_rank() + k;
}

static redist_err create(int64_t extent, const redist_indices *source,
                         const redist_indices *target, const redist_options *options)
{
    redist_plan *plan = NULL;
    redist_err err = redist_plan_create_indexed(MPI_COMM_WORLD, MPI_INT, extent, source,
                                                target, options, &plan);
    CHECK(!err == !!plan, "a plan in spite of an error, or none without");
    CHECK_OK(redist_plan_destroy(&plan));
    return err;
}

/* ---- indices ----------------------------------------------------------------------- */

/* Where all pass blocks, but the last process `index` in the place of its last one. */
static redist_err with_last(int64_t index)
{
    int64_t list[EACH];
    own_block(list);
    redist_indices target = redist_indices_of_list(0, NULL);
    redist_indices source = redist_indices_of_list(EACH, list);
    if (world_rank() == world_size() - 1) list[EACH - 1] = index;
    return create(extent_of_all(), &source, &target, NULL);
}

static void an_index_that_is_not_in_one_list_is_named(void)
{
    int last = world_size() - 1;
    int64_t n = extent_of_all();
    check_everywhere(with_last(n - 2), REDIST_ERR_ARG, 1,
                     "index %" PRId64 " is twice in the source list of rank %d, must be "
                     "once",
                     n - 2, last);
    if (last > 0)
        check_everywhere(with_last(1), REDIST_ERR_ARG, 1,
                         "index 1 is in the source lists of rank 0 and rank %d, must be "
                         "in one",
                         last);
    check_everywhere(with_last(n), REDIST_ERR_ARG, 1,
                     "rank %d: source: list[%d] is %" PRId64 ", must be 0 .. %" PRId64,
                     last, EACH - 1, n, n - 1);
    check_everywhere(with_last(-1), REDIST_ERR_ARG, 0, "rank %d: source: list[%d] is -1",
                     last, EACH - 1);
}

/* Each process has a block, but the last one that of the one before, or none. */
static void the_first_index_of_a_block_is_named(void)
{
    int last = world_size() - 1, is_last = world_rank() == last;
    int64_t list[EACH];
    own_block(list);
    redist_indices target = redist_indices_of_list(0, NULL);
    redist_indices none = redist_indices_of_list(is_last ? 0 : EACH, list);
    if (last == 0) return;
    check_everywhere(create(extent_of_all(), &none, &target, NULL), REDIST_ERR_ARG, 0,
                     "index %d is in no source list, must be in one", EACH * last);
    for (int64_t k = 0; k < EACH && is_last; k++) list[k] -= EACH;
    redist_indices source = redist_indices_of_list(EACH, list);
    check_everywhere(create(extent_of_all(), &source, &target, NULL), REDIST_ERR_ARG, 1,
                     "index %d is in the source lists of rank %d and rank %d, must be in "
                     "one",
                     EACH * (last - 1), last - 1, last);
}

/* The same of long runs; that of the last process is longer, and begins later. */
static redist_err with_ranges(int64_t more, int64_t later)
{
    const int64_t length = 1000, n = length * world_size();
    redist_range range = {length * world_rank(), length};
    if (world_rank() == world_size() - 1) {
        range.first += later;
        range.count += more;
    }
    redist_indices source = redist_indices_of_ranges(1, &range);
    return create(n, &source, &source, NULL);
}

static void an_index_in_a_run_is_named_too(void)
{
    int last = world_size() - 1;
    int64_t n = 1000 * (int64_t)world_size();
    CHECK_OK(with_ranges(0, 0));
    check_everywhere(with_ranges(-1, 0), REDIST_ERR_ARG, 1,
                     "index %" PRId64 " is in no source list, must be in one", n - 1);
    check_everywhere(with_ranges(-1, 1), REDIST_ERR_ARG, 1,
                     "index %" PRId64 " is in no source list, must be in one", n - 1000);
    if (last == 0) return;
    check_everywhere(with_ranges(1, -1), REDIST_ERR_ARG, 1,
                     "index %" PRId64
                     " is in the source lists of rank %d and rank %d, must be in one",
                     n - 1001, last - 1, last);
}

/* The last process says of one index twice that it has it, in ranges that overlap. */
static void ranges_that_overlap_are_named(void)
{
    const int64_t length = 1000;
    int last = world_size() - 1;
    const redist_range ranges[] = {{length * world_rank(), length},
                                   {length * last + 10, 1}};
    redist_indices source =
        redist_indices_of_ranges(world_rank() == last ? 2 : 1, ranges);
    check_everywhere(create(length * world_size(), &source, &source, NULL),
                     REDIST_ERR_ARG, 1,
                     "index %" PRId64 " is twice in the source list of rank %d, must be "
                     "once",
                     length * last + 10, last);
}

static void a_hole_is_named(void)
{
    int64_t list[EACH];
    own_block(list);
    redist_indices source = redist_indices_of_list(EACH - 1, list);
    check_everywhere(create(extent_of_all(), &source, &source, NULL), REDIST_ERR_ARG, 1,
                     "index %d is in no source list, must be in one", EACH - 1);
}

static void indices_have_fewer_bytes_than_63_bits_count(void)
{
    const redist_range all = {0, INT64_C(1) << 61};
    redist_indices source = redist_indices_of_ranges(world_rank() == 0, &all);
    check_everywhere(create(all.count, &source, &source, NULL), REDIST_ERR_ARG, 1,
                     "rank 0: source: the local array spans 2305843009213693952 elements "
                     "of 4 bytes, more than 2^63 - 1 bytes");
}

/* ---- what is passed ---------------------------------------------------------------- */

static void expect_last(redist_indices bad, const char *sentence)
{
    int64_t list[EACH];
    own_block(list);
    redist_indices good = redist_indices_of_list(EACH, list);
    int is_last = world_rank() == world_size() - 1;
    check_everywhere(create(extent_of_all(), &good, is_last ? &bad : &good, NULL),
                     REDIST_ERR_ARG, 0, "rank %d: target: %s", world_size() - 1,
                     sentence);
}

static void indices_have_one_form(void)
{
    const int64_t list[1] = {0};
    const redist_range ranges[] = {{0, 1}, {0, -3}}, far = {1, INT64_MAX};
    redist_dist *matrix = NULL, *longer = NULL, *wide = NULL;
    char text[64];
    CHECK_OK(redist_dist_parse("[1,1] (*,*) onto 1", &matrix));
    CHECK_OK(redist_dist_parse("[999] (*) onto 1", &longer));
    (void)snprintf(text, sizeof text, "[%" PRId64 "] (block) onto 1 ranks %d",
                   extent_of_all(), world_size());
    CHECK_OK(redist_dist_parse(text, &wide));
    expect_last(redist_indices_of_list(-1, list), "n is -1, must be >= 0");
    expect_last(redist_indices_of_list(1, NULL), "the indices have 0 of list, ranges");
    expect_last((redist_indices){1, list, ranges, NULL}, "the indices have 2 of list");
    expect_last(redist_indices_of_ranges(2, ranges), "ranges[1] has a count of -3");
    expect_last(redist_indices_of_ranges(1, &far), "ranges[0] are 9223372036854775807");
    expect_last(redist_indices_of_dist(matrix), "the dist has 2 dimensions");
    expect_last(redist_indices_of_dist(longer), "the dist is of 999 elements");
    expect_last(redist_indices_of_dist(wide), "the grid has rank");
    redist_dist_destroy(&matrix);
    redist_dist_destroy(&longer);
    redist_dist_destroy(&wide);
}

static void options_suit_lists(void)
{
    static const char *const strategies[] = {
        "alltoallw", "multiphase",   "naive",   "aggregated",
        "replicate", "replicate(1)", "optimal", "optimal/sendrecv"};
    int64_t list[EACH];
    own_block(list);
    redist_indices own = redist_indices_of_list(EACH, list);
    redist_options options = REDIST_OPTIONS_INIT;
    for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
        options.strategy = strategies[k];
        CHECK(create(extent_of_all(), &own, &own, &options) == REDIST_ERR_ARG,
              "%s goes by lists", strategies[k]);
    }
    options.strategy = NULL;
    options.in_place = 1;
    check_everywhere(create(extent_of_all(), &own, &own, &options), REDIST_ERR_ARG, 1,
                     "rank 0: options: in_place is set, must be 0 with index lists");
    check_everywhere(create(-1, &own, &own, NULL), REDIST_ERR_ARG, 1,
                     "rank 0: extent is -1, must be >= 0");
    check_everywhere(create(extent_of_all(), NULL, &own, NULL), REDIST_ERR_ARG, 1,
                     "rank 0: source: the indices are NULL");
    if (world_size() == 1) return;
    check_everywhere(create(extent_of_all() + (world_rank() == 1), &own, &own, NULL),
                     REDIST_ERR_MISMATCH, 0, "rank 1 passed another extent");
}

/* ---- memory ------------------------------------------------------------------------ */

/* Make the plan of n indices a process, in runs of `run`, which are dealt out with a step
 * that visits all as it shares no factor with their number; return the most memory that
 * it held at a time. */
static int64_t peak_of(int64_t n, int64_t run)
{
    enum { STEP = 1009 }; /* a prime, more than there are processes */
    int64_t all = n * world_size();
    redist_range *ranges[SIDES];
    redist_plan *plan = NULL;
    redist_indices indices[SIDES];
    for (int s = 0; s < SIDES; s++) {
        int64_t runs = n / run, own = (world_rank() + s) % world_size() * runs;
        ranges[s] = malloc((size_t)runs * sizeof *ranges[s]);
        CHECK(ranges[s], "no memory");
        for (int64_t k = 0; k < runs; k++)
            ranges[s][k] = (redist_range){(own + k) * STEP % (all / run) * run, run};
        indices[s] = redist_indices_of_ranges(runs, ranges[s]);
    }
    CHECK_OK(redist_plan_create_indexed(MPI_COMM_WORLD, MPI_DOUBLE, all, &indices[0],
                                        &indices[1], NULL, &plan));
    int64_t peak = plan->plan_account.peak;
    CHECK_OK(redist_plan_destroy(&plan));
    for (int s = 0; s < SIDES; s++) free(ranges[s]);
    return peak;
}

/* However many processes there are; and in runs, however long these are. */
static void no_process_holds_more_than_its_share(void)
{
    enum { BYTES = 64, BASE = 1 << 20, N = 1 << 16 };
    int64_t peak = peak_of(N, 1);
    CHECK(peak <= BYTES * (int64_t)N + BASE, "%" PRId64 " bytes for %d indices a process",
          peak, N);
    peak = peak_of((int64_t)N << 20, 1 << 20);
    CHECK(peak <= 3 * BYTES * (int64_t)N + BASE,
          "%" PRId64 " bytes for %d runs a process", peak, N);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CHECK_OK(with_ranges(0, 0)); /* measures the machine, and keeps that */
    int alive = trace_alive();
    an_index_that_is_not_in_one_list_is_named();
    the_first_index_of_a_block_is_named();
    an_index_in_a_run_is_named_too();
    ranges_that_overlap_are_named();
    a_hole_is_named();
    indices_have_fewer_bytes_than_63_bits_count();
    indices_have_one_form();
    options_suit_lists();
    no_process_holds_more_than_its_share();
    CHECK(trace_alive() == alive, "%d objects are left", trace_alive() - alive);
    return passed("bad lists of indices");
}
