/* SPDX-License-Identifier: MIT
 *
 * Targets that are replicated, by the exchange replicate with all numbers of shares:
 * random views against the brute-force owner map; what travels, and what of it from node
 * to node, counted; and that a process without its buffer, in whatever part, is an error
 * everywhere. REDIST_NODE_SIZE=k: as if the processes lived on nodes of k.
 *
 *   mpi.replicate [cases]
 */
#include "mpi/pair.h"
#include "mpi/sample.h"
#include "mpi/trace.h"

enum { CASES = 125, LONG = 500 };

/* Draw a strategy; the room that `text` has is enough for any. */
static const char *draw_strategy(uint64_t *seed, char text[32])
{
    int shares = (int)random_in(seed, 0, 9);
    (void)snprintf(text, 32, shares ? "replicate(%d)" : "replicate", shares);
    return text;
}

/* ---- random cases ------------------------------------------------------------------ */

static void random_targets_are_filled(int number, uint64_t *seed)
{
    static struct sample side[2];
    int64_t n[SAMPLE_MAX_DIMS];
    int ndims = random_extents(seed, n), bytes = 0, tries = 0;
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    char text[32];
    MPI_Datatype type = random_in(seed, 0, 1) ? MPI_INT64_T : MPI_SHORT;
    MPI_Type_size(type, &bytes);
    sample_make(&side[0], seed, ndims, n, world_size(), SAMPLE_REPLICAS);
    sample_make(&side[1], seed, ndims, n, world_size(), SAMPLE_REPLICAS);
    while (sample_replicas(&side[1]) < 2 && tries++ < 20) {
        sample_free(&side[1]);
        sample_make(&side[1], seed, ndims, n, world_size(), SAMPLE_REPLICAS);
    }
    options.strategy = draw_strategy(seed, text);
    if (random_in(seed, 0, 1))
        options.staging_bytes = (size_t)(bytes * random_in(seed, 12, 200));
    size_t size = (size_t)(side[1].span * bytes);
    unsigned char *source = poisoned(side[0].span * bytes);
    unsigned char *target = malloc(size + 1), *expected = poisoned((int64_t)size);
    sample_fill(&side[0], source, bytes);
    sample_fill(&side[1], expected, bytes);
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, type, &side[0].view, &side[1].view,
                                &options, &plan));
    for (int lap = 0; lap < 3; lap++) {
        memset(target, POISON, size);
        CHECK_OK(redist_start(plan, source, target));
        for (int done = lap == 0; !done;) CHECK_OK(redist_test(plan, &done));
        if (lap == 0) CHECK_OK(redist_wait(plan));
        CHECK(memcmp(target, expected, size) == 0, "case %d: %s of %" PRId64 " replicas",
              number, text, sample_replicas(&side[1]));
    }
    check_peak(plan, options.staging_bytes);
    CHECK_OK(redist_plan_destroy(&plan));
    for (int s = 0; s < 2; s++) sample_free(&side[s]);
    free(source);
    free(target);
    free(expected);
}

/* ---- what travels ------------------------------------------------------------------ */

/* Processes of a node, of which all but the last have equally many; and the nodes. */
static int width(void)
{
    const char *text = getenv("REDIST_NODE_SIZE");
    return text ? atoi(text) : world_size();
}
static int nodes(void) { return (world_size() + width() - 1) / width(); }

static int log2_up(int n)
{
    int k = 0;
    while (1 << k < n) k++;
    return k;
}

/* How often replicas on all processes pass on what they have: on one of each node first,
 * then on all. */
static int depth(void)
{
    return log2_up(nodes()) + log2_up((world_size() + nodes() - 1) / nodes());
}

/* Bytes that this process has sent, those of the process that sent most, and of all; and
 * of all between nodes. */
struct traffic {
    int64_t mine, most, all, far;
};

static struct traffic count(const struct pair *pair, const char *strategy)
{
    redist_plan *plan = pair_plan(pair, strategy, 0);
    struct traffic traffic = {0, 0, 0, 0};
    int node = world_rank() / width();
    trace_clear_messages();
    pair_execute(plan, pair, world_rank(), world_rank());
    for (int other = 0; other < world_size(); other++) {
        traffic.mine += trace.bytes[other];
        traffic.far += other / width() == node ? 0 : trace.bytes[other];
    }
    PMPI_Allreduce(&traffic.mine, &traffic.most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Allreduce(&traffic.mine, &traffic.all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(MPI_IN_PLACE, &traffic.far, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_OK(redist_plan_destroy(&plan));
    return traffic;
}

/* Rank 0 has all, and the others are replicas that want it: each gets each element once,
 * whatever the shares, and rank 0 sends one copy in place of one to each. */
static void each_replica_gets_each_element_once(void)
{
    char text[2][64];
    int64_t others = world_size() - 1, bytes = 840 * (int64_t)sizeof(int64_t);
    if (others < 1) return;
    (void)snprintf(text[0], sizeof text[0], "[840] (*) onto 1");
    (void)snprintf(text[1], sizeof text[1], "[840] (*) onto %d ranks 1:%d", (int)others,
                   (int)others);
    struct pair pair = pair_parse(text[0], text[1]);
    struct traffic direct = count(&pair, "nonblocking");
    CHECK(direct.most == others * bytes, "%" PRId64 " bytes", direct.most);
    for (int shares = 1; shares <= others + 1; shares++) {
        (void)snprintf(text[0], sizeof text[0], "replicate(%d)", shares);
        struct traffic traffic = count(&pair, text[0]);
        CHECK(traffic.all == others * bytes, "%s: %" PRId64 " bytes", text[0],
              traffic.all);
        CHECK(world_rank() != 0 || traffic.mine == bytes, "%s: %" PRId64 " bytes",
              text[0], traffic.mine);
    }
    (void)snprintf(text[0], sizeof text[0], "replicate(%d)", (int)others);
    struct traffic shared = count(&pair, text[0]);
    CHECK(shared.most == bytes, "%" PRId64 " bytes", shared.most);
    pair_free(&pair);
}

/* The last rank has all and is a replica itself: nobody sends it anything, whatever the
 * shares, and of one share it is the root of a tree. */
static void who_has_it_gets_none(void)
{
    static const char *const texts[2] = {"[840] (*) onto 1 ranks %3$d",
                                         "[840] (*) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    int64_t n = world_size(), bytes = 840 * (int64_t)sizeof(int64_t);
    char text[32];
    for (int shares = 1; shares <= n; shares++) {
        (void)snprintf(text, sizeof text, "replicate(%d)", shares);
        struct traffic traffic = count(&pair, text);
        CHECK(traffic.all == (n - 1) * bytes, "%s: %" PRId64 " bytes", text, traffic.all);
        CHECK(shares > 1 || traffic.most == depth() * bytes, "%s: %" PRId64 " bytes",
              text, traffic.most);
    }
    pair_free(&pair);
}

/* From one process to all: to each other node all of it goes once, down the tree, or
 * twice at most, scattered and gathered; straight it goes to each process of it. */
static void each_node_gets_each_element_once(void)
{
    static const char *const texts[2] = {"[840] (*) onto 1", "[840] (*) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    int64_t n = world_size(), others = nodes() - 1;
    int64_t bytes = 840 * (int64_t)sizeof(int64_t);
    char text[32];
    if (n % width() == 0) {
        struct traffic direct = count(&pair, "nonblocking");
        CHECK(direct.far == (n - width()) * bytes, "%" PRId64 " bytes", direct.far);
        for (int shares = 1; shares <= n; shares++) {
            (void)snprintf(text, sizeof text, "replicate(%d)", shares);
            struct traffic traffic = count(&pair, text);
            CHECK(traffic.far >= others * bytes, "%s: %" PRId64, text, traffic.far);
            CHECK(traffic.far <= (shares > 1 ? 2 : 1) * others * bytes,
                  "%s: %" PRId64 " bytes between nodes", text, traffic.far);
        }
    }
    pair_free(&pair);
}

/* Blocks gathered by all: log2 messages of each process in place of one to each other;
 * and between nodes one more, to whoever has that share there. */
static void gathering_takes_few_messages(void)
{
    char text[2][64];
    int n = world_size(), moved = nodes() > 1 && nodes() < n;
    (void)snprintf(text[0], sizeof text[0], "[%d] (block) onto %d", 4 * n, n);
    (void)snprintf(text[1], sizeof text[1], "[%d] (*) onto %d", 4 * n, n);
    struct pair pair = pair_parse(text[0], text[1]);
    (void)snprintf(text[0], sizeof text[0], "replicate(%d)", n);
    redist_plan *plan = pair_plan(&pair, text[0], 0);
    redist_report report = report_of(plan);
    CHECK(report.messages_sent == depth() ||
              (moved && report.messages_sent == depth() + 1),
          "%" PRId64 " messages", report.messages_sent);
    CHECK_OK(redist_plan_destroy(&plan));
    struct traffic traffic = count(&pair, text[0]);
    int64_t all = (int64_t)sizeof(int64_t) * 4 * n;
    CHECK(traffic.all >= all * (n - 1) && traffic.all <= all * (n - 1 + moved),
          "%" PRId64 " bytes", traffic.all);
    pair_free(&pair);
}

/* ---- what is wrong with a run ------------------------------------------------------ */

static void a_missing_buffer_is_an_error_everywhere(const char *strategy)
{
    static const char *const texts[2] = {"[840] (cyclic(3)) onto %1$d",
                                         "[840] (*) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    redist_plan *plan = pair_plan(&pair, strategy, 0);
    int rank = world_rank();
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
    for (int culprit = 0; culprit < world_size(); culprit++) {
        int guilty = culprit == rank;
        check_everywhere(redist_execute(plan, guilty ? NULL : source, target),
                         REDIST_ERR_ARG, 0, "rank %d: source is NULL", culprit);
        check_everywhere(redist_execute(plan, source, guilty ? NULL : target),
                         REDIST_ERR_ARG, 0, "rank %d: target is NULL", culprit);
        CHECK_OK(redist_execute(plan, source, target));
        pair_check(&pair, rank, target);
    }
    CHECK_OK(redist_plan_tune(plan, source, target)); /* the dists are still there */
    CHECK_OK(redist_execute(plan, source, target));
    pair_check(&pair, rank, target);
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
    free(target);
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    int cases = number_of_cases(argc, argv, CASES, LONG);
    for (int k = 0; k < cases; k++) random_targets_are_filled(k, &seed);
    each_replica_gets_each_element_once();
    who_has_it_gets_none();
    each_node_gets_each_element_once();
    gathering_takes_few_messages();
    a_missing_buffer_is_an_error_everywhere("replicate");
    a_missing_buffer_is_an_error_everywhere("replicate(1)");
    return passed("%d random replicated targets", cases);
}
