/* SPDX-License-Identifier: MIT
 *
 * Plans between lists of indices against the map of owners that the lists were made from:
 * how much travels, and that nothing is left. With all strategies and arithmetic they are
 * tested by tests/soak.
 */
#include "base/mem.h"
#include "mpi/irregular/lists.h"
#include "mpi/trace.h"
#include "plan/object/plan.h"

enum { CASES = 20, MANY_CASES = 100 };

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

static int cases(void) { return cases_of(world_size(), CASES, MANY_CASES); }

static void what_is_promised_is_sent(uint64_t seed)
{
    redist_options options = REDIST_OPTIONS_INIT;
    int in_blocks = 0;
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
    CHECK(world_size() > 7 || in_blocks > 0, "nothing goes in blocks");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    CHECK(world_size() <= LISTS_RANKS, "too many processes");
    what_is_promised_is_sent(seed); /* measures the machine, and keeps that */
    int alive = trace_alive();
    what_is_promised_is_sent(seed + 1);
    CHECK(trace_alive() == alive, "%d objects are left", trace_alive() - alive);
    CHECK(trace.foreign == 0, "%d calls over the world", trace.foreign);
    CHECK(mem_live_blocks() <= 64, "%" PRId64 " blocks are left", mem_live_blocks());
    return passed("lists of indices");
}
