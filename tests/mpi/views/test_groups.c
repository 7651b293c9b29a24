/* SPDX-License-Identifier: MIT
 *
 * Who talks to whom: those who share elements, and replicas in turns. That elements come
 * to groups and replicas of any kind is checked by mpi.every_strategy.
 */
#include "mpi/sample.h"

#include "mpi/pair.h"
#include "mpi/trace.h"

enum { RANDOM_PAIRS = 200 };

/* ---- partners and volumes ---------------------------------------------------------- */

/* The report promises what the owner map says, and MPI is asked to carry just that. */
static void check_volumes(redist_plan *plan, const struct sample *a,
                          const struct sample *b,
                          int64_t volume[SAMPLE_MAX_RANKS][SAMPLE_MAX_RANKS])
{
    int rank = world_rank(), n = world_size();
    redist_report expected = {0}, got = report_of(plan);
    unsigned char *from = calloc((size_t)a->span + 1, 3),
                  *to = calloc((size_t)b->span + 1, 3);
    trace_clear_messages();
    CHECK_OK(redist_execute(plan, from, to));
    for (int other = 0; other < n; other++) {
        int64_t out = volume[rank][other], in = volume[other][rank];
        if (other == rank) {
            expected.elements_kept = out;
            out = in = 0;
        }
        expected.elements_sent += out;
        expected.elements_received += in;
        expected.messages_sent += out > 0;
        expected.messages_received += in > 0;
        CHECK(trace.messages[other] == (out > 0),
              "%d messages to rank %d for %" PRId64 " elements", trace.messages[other],
              other, out);
        CHECK(trace.bytes[other] == 3 * out, "%ld bytes to rank %d", trace.bytes[other],
              other);
    }
    CHECK(got.elements_kept == expected.elements_kept, "kept");
    CHECK(got.elements_sent == expected.elements_sent, "sent");
    CHECK(got.elements_received == expected.elements_received, "received");
    CHECK(got.messages_sent == expected.messages_sent, "messages sent");
    CHECK(got.messages_received == expected.messages_received, "messages received");
    CHECK(got.element_bytes == 3, "element bytes");
    free(from);
    free(to);
}

static void only_those_who_share_elements_exchange_messages(uint64_t *seed)
{
    static int64_t volume[SAMPLE_MAX_RANKS][SAMPLE_MAX_RANKS];
    static const int64_t most[] = {0, 60, 12, 7, 5, 3, 2};
    MPI_Datatype three_bytes;
    MPI_Type_contiguous(3, MPI_BYTE, &three_bytes);
    MPI_Type_commit(&three_bytes);
    for (int number = 0; number < RANDOM_PAIRS; number++) {
        int ndims = (int)random_in(seed, 1, SAMPLE_MAX_DIMS);
        int64_t n[SAMPLE_MAX_DIMS];
        for (int j = 0; j < ndims; j++) n[j] = random_in(seed, 1, most[ndims]);
        struct sample a, b;
        sample_make(&a, seed, ndims, n, world_size(), 0);
        sample_make(&b, seed, ndims, n, world_size(), 0);
        redist_options options = REDIST_OPTIONS_INIT;
        options.strategy = "nonblocking"; /* whose messages can be seen */
        redist_plan *plan = NULL;
        CHECK_OK(redist_plan_create(MPI_COMM_WORLD, three_bytes, &a.view, &b.view,
                                    &options, &plan));
        sample_volume(&a, &b, n, volume);
        check_volumes(plan, &a, &b, volume);
        CHECK_OK(redist_plan_destroy(&plan));
        sample_free(&a);
        sample_free(&b);
    }
    MPI_Type_free(&three_bytes);
}

/* ---- replicas ---------------------------------------------------------------------- */

/* Every rank below `replicas` holds all, the others get a block each: they are served
 * in turns. */
static void replicas_take_turns(int replicas)
{
    int rank = world_rank(), others = world_size() - replicas;
    char source[64], target[64];
    (void)snprintf(source, sizeof source, "[420] (*) onto %d", replicas);
    (void)snprintf(target, sizeof target, "[420] (block) onto %d ranks %d:%d", others,
                   replicas, world_size() - 1);
    struct pair pair = pair_parse(source, target);
    for (int k = 0; k < STRATEGIES; k++) {
        redist_plan *plan = pair_plan(&pair, here(all_strategies[k]), 0);
        redist_report report = report_of(plan);
        int64_t least = others / replicas, most = least + (others % replicas != 0);
        if (!goes_straight(here(all_strategies[k]))) {
            CHECK(report.messages_sent <= most + 1, "%" PRId64 " messages sent",
                  report.messages_sent);
        } else if (rank < replicas) {
            CHECK(report.messages_sent >= least && report.messages_sent <= most,
                  "%" PRId64 " messages, must be %" PRId64 " or %" PRId64,
                  report.messages_sent, least, most);
            CHECK(report.messages_received == 0, "a source receives");
        } else {
            CHECK(report.messages_sent == 0 && report.messages_received == 1,
                  "%" PRId64 " messages received", report.messages_received);
        }
        pair_execute(plan, &pair, rank, rank);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    pair_free(&pair);
}

/* Two rows of replicas of a distributed source; each source coordinate has an even
 * number of targets. */
static void replicas_of_a_distributed_source_take_turns(void)
{
    if (world_size() < 7) return;
    /* source coordinate c is held by ranks c and c + 2, and read by two of the
     * target's ranks */
    struct pair pair =
        pair_parse("[48] (block on 1) onto 2x2", "[48] (cyclic(1)) onto 2 ranks 5:6");
    redist_plan *plan = pair_plan(&pair, NULL, 0);
    int64_t sent = report_of(plan).messages_sent;
    CHECK(sent == (world_rank() < 4), "%" PRId64 " messages", sent);
    pair_execute(plan, &pair, world_rank(), world_rank());
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* A process reads what it holds from itself, though others hold it too; whose turn it
 * would be does not matter, so the target's ranks count up or down. The others take
 * turns. */
static void who_holds_the_data_reads_its_own(int replicas, int down)
{
    int rank = world_rank(), n = world_size(), holds = rank < replicas;
    char source[64], target[64];
    (void)snprintf(source, sizeof source, "[840] (*) onto %d", replicas);
    (void)snprintf(target, sizeof target, "[840] (cyclic(2)) onto %d ranks %s%d%s", n,
                   down ? "" : "0:", n - 1, down ? ":0:-1" : "");
    struct pair pair = pair_parse(source, target);
    redist_plan *plan = pair_plan(&pair, NULL, 0);
    redist_report report = report_of(plan);
    int64_t own = 0, least = (n - replicas) / replicas;
    CHECK_OK(redist_dist_local_extents(pair.dist[1], rank, &own));
    CHECK(report.elements_kept == (holds ? own : 0), "kept");
    CHECK(report.messages_received == !holds, "messages received");
    CHECK(report.elements_received == (holds ? 0 : own), "received");
    if (holds && !down)
        CHECK(report.messages_sent >= least && report.messages_sent <= least + 1,
              "%" PRId64 " messages", report.messages_sent);
    pair_execute(plan, &pair, rank, rank);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    only_those_who_share_elements_exchange_messages(&seed);
    for (int replicas = 1; replicas < world_size(); replicas++)
        replicas_take_turns(replicas);
    replicas_of_a_distributed_source_take_turns();
    for (int k = 0; k < 2 * world_size(); k++)
        who_holds_the_data_reads_its_own(1 + k / 2, k % 2);
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
    return passed("groups, replicas");
}
