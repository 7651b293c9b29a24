/* SPDX-License-Identifier: MIT
 *
 * Plans between lists of indices against the map of owners that the lists were made from:
 * how much travels, and that nothing is left; what lists may not be; and what it takes to
 * plan with them: no process holds more than a few times its share. With all strategies
 * and arithmetic they are tested by tests/soak.
 */
#include "base/mem.h"
#include "mpi/irregular/lists.h"
#include "mpi/pair.h"
#include "mpi/trace.h"
#include "plan/object/plan.h"

enum { CASES = 50, MANY_CASES = 100 };

static struct lists problem;

static int owner_of(int64_t index)
{
    for (int rank = 0; rank < world_size(); rank++)
        for (int64_t k = 0; k < problem.share[REDIST_SOURCE][rank].n; k++)
            if (problem.share[REDIST_SOURCE][rank].index[k] == index) return rank;
    return -1;
}

/* ---- what is moved ----------------------------------------------------------------- */

static unsigned char byte_of(int64_t index, int64_t b)
{
    return (unsigned char)((index + 1) * 37 + (index >> 6) * 11 + b * 101 + 1);
}

/* The local array of a side, and behind it a byte that nobody may touch. */
static unsigned char *array_of(redist_side side, int64_t size, int filled)
{
    const struct share *share = &problem.share[side][world_rank()];
    unsigned char *array = malloc((size_t)(share->n * size) + 1);
    CHECK(array, "no memory");
    memset(array, 0, (size_t)(share->n * size) + 1);
    for (int64_t k = 0; filled && k < share->n * size; k++)
        array[k] = byte_of(share->index[k / size], k % size);
    return array;
}

static void check_array(const unsigned char *array, int64_t size)
{
    const struct share *share = &problem.share[REDIST_TARGET][world_rank()];
    for (int64_t k = 0; k < share->n * size; k++)
        CHECK(array[k] == byte_of(share->index[k / size], k % size),
              "element %" PRId64 " of %" PRId64 ", index %" PRId64 ", is wrong", k / size,
              share->n, share->index[k / size]);
    CHECK(array[share->n * size] == 0, "one byte more was written");
}

/* The report against the map of owners; and what was sent, if `sent` is not NULL. */
static void check_volume(const redist_plan *plan, int64_t size)
{
    int64_t kept = 0, received = 0, sent = 0;
    int rank = world_rank();
    redist_report report = report_of(plan);
    for (int to = 0; to < world_size(); to++) {
        const struct share *share = &problem.share[REDIST_TARGET][to];
        for (int64_t k = 0; k < share->n; k++) {
            int from = owner_of(share->index[k]);
            kept += from == rank && to == rank;
            received += from != rank && to == rank;
            sent += from == rank && to != rank;
        }
    }
    CHECK(report.elements_kept == kept, "%" PRId64 " kept", report.elements_kept);
    CHECK(report.elements_received == received, "%" PRId64 " of %" PRId64,
          report.elements_received, received);
    CHECK(report.elements_sent == sent, "%" PRId64 " of %" PRId64, report.elements_sent,
          sent);
    CHECK(report.bytes_sent == sent * size, "%" PRId64 " bytes", report.bytes_sent);
    CHECK(report.staging_peak_bytes <= report.staging_bytes, "staging exceeds");
}

static void check_traced(const redist_plan *plan)
{
    int64_t bytes = 0;
    redist_report report = report_of(plan);
    for (int k = 0; k < world_size(); k++) bytes += trace.bytes[k];
    CHECK(bytes == report.bytes_sent, "%" PRId64 " bytes of %" PRId64, bytes,
          report.bytes_sent);
}

static redist_plan *make_plan(MPI_Datatype type, const redist_options *options)
{
    redist_plan *plan = NULL;
    redist_indices source = lists_indices(&problem, REDIST_SOURCE),
                   target = lists_indices(&problem, REDIST_TARGET);
    redist_err err = redist_plan_create_indexed(MPI_COMM_WORLD, type, problem.extent,
                                                &source, &target, options, &plan);
    CHECK(!err || staging_needed() > options->staging_bytes, "no plan");
    return plan;
}

static int in_blocks; /* so many plans */

static int cases(void) { return cases_of(world_size(), CASES, MANY_CASES); }

static void what_is_promised_is_sent(uint64_t seed)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "nonblocking";
    for (int k = 0; k < cases(); k++) {
        lists_make(&problem, &seed, world_size(), world_rank());
        redist_plan *plan = make_plan(MPI_INT64_T, &options);
        unsigned char *source = array_of(REDIST_SOURCE, 8, 1);
        unsigned char *target = array_of(REDIST_TARGET, 8, 0);
        in_blocks += plan->array[0].listing[REDIST_SOURCE].block > 1;
        trace_clear_messages();
        CHECK_OK(redist_execute(plan, source, target));
        check_traced(plan);
        CHECK_OK(redist_plan_tune(plan, source, target));
        check_array(target, 8);
        check_volume(plan, 8);
        free(source);
        free(target);
        CHECK_OK(redist_plan_destroy(&plan));
        lists_free(&problem);
    }
}

/* ---- what lists may not be --------------------------------------------------------- */

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
    uint64_t seed = test_seed();
    CHECK(world_size() <= LISTS_RANKS, "too many processes");
    what_is_promised_is_sent(seed); /* measures the machine, and keeps that */
    int alive = trace_alive();
    what_is_promised_is_sent(seed + 1);
    CHECK(trace.foreign == 0, "%d calls over the world", trace.foreign);
    CHECK(world_size() > 7 || in_blocks > 0, "nothing goes in blocks");
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
    CHECK(mem_live_blocks() <= 64, "%" PRId64 " blocks are left", mem_live_blocks());
    return passed("lists of indices");
}
