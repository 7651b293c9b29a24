/* SPDX-License-Identifier: MIT
 *
 * Plans between lists of indices against the map of owners that the lists were made from:
 * what comes to each place, and how much travels.
 */
#include "base/mem.h"
#include "mpi/check.h"
#include "mpi/lacking.h"
#include "mpi/trace.h"
#include "oracle.h"
#include "plan/object/plan.h"

enum { MOST_RANKS = 64, MOST_EXTENT = 400, MOST_RUN = 30, CASES = 125, MANY_CASES = 500 };
enum { ROOM = 3 * MOST_EXTENT, MOST_BYTES = 40, MOST_BLOCK = 7 };

/* The forms in which a process may say what it has. */
enum form { LIST, RANGES, DIST, FORMS };

/* What one process has of a side, in its local order. */
struct share {
    int64_t n, index[ROOM];
    int64_t nranges;
    redist_range range[ROOM];
};

/* All processes know all of it, from the seed alone. */
struct problem {
    int64_t extent;
    int64_t block; /* all runs are of whole ones, but for those of dists */
    struct share share[SIDES][MOST_RANKS];
    redist_dist *dist[SIDES]; /* or NULL */
    enum form form[SIDES];    /* of the calling process */
};
static struct problem problem;

static void append(struct share *share, int64_t first, int64_t count)
{
    share->range[share->nranges++] = (redist_range){first, count};
    for (int64_t k = 0; k < count; k++) share->index[share->n++] = first + k;
}

/* Cut 0 .. extent - 1 into runs of at most `most`, shuffle them and deal them out to some
 * of the processes: each index once, or, if `freely`, anything up to three times. */
static void deal(uint64_t *seed, redist_side side, int64_t most, int freely)
{
    static redist_range run[MOST_EXTENT];
    int n = world_size(), takers = (int)random_in(seed, 1, n);
    int64_t nruns = 0, shuffled = random_in(seed, 0, 3);
    for (int64_t at = 0; at < problem.extent; nruns++) {
        int64_t length = problem.block * random_in(seed, 1, most);
        int64_t left = problem.extent - at;
        run[nruns] = (redist_range){at, length < left ? length : left};
        at += run[nruns].count;
    }
    for (int64_t k = nruns - 1; k > 0 && shuffled; k--) {
        int64_t other = random_in(seed, 0, k);
        redist_range swapped = run[k];
        run[k] = run[other];
        run[other] = swapped;
    }
    for (int64_t k = 0; k < nruns; k++)
        for (int64_t times = freely ? random_in(seed, 0, 3) : 1; times > 0; times--) {
            int taker = (int)random_in(seed, 0, takers - 1);
            struct share *share = &problem.share[side][(taker + k) % n];
            if (share->n + run[k].count <= ROOM)
                append(share, run[k].first, run[k].count);
        }
}

static void deal_by_dist(uint64_t *seed, redist_side side)
{
    static const char *const formats[] = {"block", "cyclic(1)", "cyclic(3)", "*"};
    char text[96];
    int n = world_size();
    (void)snprintf(text, sizeof text, "[%" PRId64 "] (%s) onto %d", problem.extent,
                   formats[random_in(seed, 0, side == REDIST_TARGET && n > 1 ? 3 : 2)],
                   n);
    CHECK_OK(redist_dist_parse(text, &problem.dist[side]));
    for (int rank = 0; rank < n; rank++) {
        struct share *share = &problem.share[side][rank];
        CHECK_OK(redist_dist_local_extents(problem.dist[side], rank, &share->n));
        for (int64_t k = 0; k < share->n; k++)
            CHECK_OK(redist_dist_index(problem.dist[side], rank, &k, &share->index[k]));
    }
}

static void make_problem(uint64_t *seed)
{
    memset(&problem, 0, sizeof problem);
    problem.extent = random_in(seed, 0, 9) ? random_in(seed, 1, MOST_EXTENT) : 0;
    int64_t most = random_in(seed, 0, 1) ? random_in(seed, 1, MOST_RUN) : 1;
    problem.block = random_in(seed, 0, 2) ? 1 : random_in(seed, 2, MOST_BLOCK);
    problem.extent -= problem.extent % problem.block;
    for (int s = 0; s < SIDES; s++) {
        int regular = random_in(seed, 0, 4) == 0 && problem.extent > 0;
        int freely = s == REDIST_TARGET && random_in(seed, 0, 1);
        uint64_t own;
        if (regular)
            deal_by_dist(seed, (redist_side)s);
        else
            deal(seed, (redist_side)s, most, freely);
        own = *seed + (uint64_t)world_rank(); /* each process may choose its form */
        problem.form[s] = regular ? DIST : (enum form)random_in(&own, LIST, RANGES);
        (void)random_next(seed);
    }
}

static void free_problem(void)
{
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&problem.dist[s]);
}

static redist_indices indices_of(redist_side side)
{
    const struct share *share = &problem.share[side][world_rank()];
    switch (problem.form[side]) {
        case RANGES: return redist_indices_of_ranges(share->nranges, share->range);
        case DIST: return redist_indices_of_dist(problem.dist[side]);
        default: return redist_indices_of_list(share->n, share->index);
    }
}

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
    redist_report report;
    int64_t kept = 0, received = 0, sent = 0;
    int rank = world_rank();
    CHECK_OK(redist_plan_report(plan, &report));
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
    redist_report report;
    int64_t bytes = 0;
    CHECK_OK(redist_plan_report(plan, &report));
    for (int k = 0; k < world_size(); k++) bytes += trace.bytes[k];
    CHECK(bytes == report.bytes_sent, "%" PRId64 " bytes of %" PRId64, bytes,
          report.bytes_sent);
}

static redist_plan *make_plan(MPI_Datatype type, const redist_options *options)
{
    redist_plan *plan = NULL;
    redist_indices source = indices_of(REDIST_SOURCE), target = indices_of(REDIST_TARGET);
    redist_err err = redist_plan_create_indexed(MPI_COMM_WORLD, type, problem.extent,
                                                &source, &target, options, &plan);
    CHECK(!err || staging_needed() > options->staging_bytes, "no plan");
    return plan;
}

/* Twice, as a plan may be run again: executed, and started and tested. `shared`: from
 * memory that others can read in. */
static void run(redist_plan *plan, int64_t size, int shared)
{
    unsigned char *source = array_of(REDIST_SOURCE, size, 1);
    size_t bytes = (size_t)(problem.share[REDIST_SOURCE][world_rank()].n * size);
    void *memory = NULL;
    if (shared) {
        CHECK_OK(redist_alloc(MPI_COMM_WORLD, bytes, &memory));
        memcpy(memory, source, bytes);
        free(source);
        source = memory;
    }
    for (int again = 0; again < 2; again++) {
        unsigned char *target = array_of(REDIST_TARGET, size, 0);
        int done = 0;
        if (again) {
            CHECK_OK(redist_start(plan, source, target));
            while (!done) CHECK_OK(redist_test(plan, &done));
        } else {
            CHECK_OK(redist_execute(plan, source, target));
        }
        check_array(target, size);
        free(target);
    }
    if (!shared) free(source);
    CHECK_OK(redist_free(memory));
}

static int cases(void) { return cases_of(world_size(), CASES, MANY_CASES); }

static void elements_come_to_the_places_of_their_indices(uint64_t seed)
{
    static const char *const strategies[] = {"nonblocking", NULL,       "alltoallv",
                                             "sendrecv",    "shared",   "neighbor",
                                             "window(4)",   "onesided", "ready"};
    static const int64_t sizes[] = {1, 3, 4, 8, 16, MOST_BYTES};
    int in_blocks = 0;
    for (int k = 0; k < cases(); k++) {
        MPI_Datatype type;
        redist_options options = REDIST_OPTIONS_INIT;
        int64_t size = sizes[random_in(&seed, 0, 5)];
        const char *strategy = strategies[random_in(&seed, 0, 8)];
        if (strategy) options.strategy = here(strategy);
        if (random_in(&seed, 0, 2) == 0) options.staging_bytes = 2 * MOST_BYTES;
        make_problem(&seed);
        PMPI_Type_contiguous((int)size, MPI_BYTE, &type);
        PMPI_Type_commit(&type);
        redist_plan *plan = make_plan(type, &options);
        PMPI_Type_free(&type);
        if (plan) {
            check_volume(plan, size);
            in_blocks += plan->array[0].listing[REDIST_SOURCE].block > 1;
            trace_clear_messages();
            run(plan, size, strategy && strcmp(strategy, "shared") == 0 && k % 4);
            CHECK_OK(redist_plan_destroy(&plan));
        }
        free_problem();
    }
    CHECK(in_blocks > 0, "nothing goes in blocks");
}

static void what_is_promised_is_sent(uint64_t seed)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "nonblocking";
    for (int k = 0; k < cases() / 10; k++) {
        make_problem(&seed);
        redist_plan *plan = make_plan(MPI_INT64_T, &options);
        unsigned char *source = array_of(REDIST_SOURCE, 8, 1);
        unsigned char *target = array_of(REDIST_TARGET, 8, 0);
        trace_clear_messages();
        CHECK_OK(redist_execute(plan, source, target));
        check_traced(plan);
        CHECK_OK(redist_plan_tune(plan, source, target));
        check_array(target, 8);
        check_volume(plan, 8);
        free(source);
        free(target);
        CHECK_OK(redist_plan_destroy(&plan));
        free_problem();
    }
}

/* target = 2 source + 3 target, at every place once. */
static void what_comes_can_be_combined(uint64_t seed)
{
    static int64_t source[ROOM], target[ROOM];
    const int64_t alpha = 2, beta = 3;
    redist_options options = REDIST_OPTIONS_INIT;
    options.scaled = 1;
    for (int k = 0; k < cases() / 10; k++) {
        make_problem(&seed);
        const struct share *from = &problem.share[REDIST_SOURCE][world_rank()];
        const struct share *to = &problem.share[REDIST_TARGET][world_rank()];
        redist_plan *plan = make_plan(MPI_INT64_T, &options);
        for (int64_t i = 0; i < from->n; i++) source[i] = 1000 + from->index[i];
        for (int64_t i = 0; i < to->n; i++) target[i] = i;
        CHECK_OK(redist_execute_scaled(plan, &alpha, source, &beta, target));
        for (int64_t i = 0; i < to->n; i++)
            CHECK(target[i] == alpha * (1000 + to->index[i]) + beta * i,
                  "place %" PRId64 " is %" PRId64, i, target[i]);
        CHECK_OK(redist_plan_destroy(&plan));
        free_problem();
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    CHECK(world_size() <= MOST_RANKS, "too many processes");
    elements_come_to_the_places_of_their_indices(seed);
    what_comes_can_be_combined(seed + 3); /* measures the machine, and keeps that */
    int alive = trace_alive();
    what_is_promised_is_sent(seed + 1);
    what_comes_can_be_combined(seed + 2);
    CHECK(trace_alive() == alive, "%d objects are left", trace_alive() - alive);
    CHECK(trace.foreign == 0, "%d calls over the world", trace.foreign);
    CHECK(mem_live_blocks() <= 64, "%" PRId64 " blocks are left", mem_live_blocks());
    return passed("lists of indices");
}
