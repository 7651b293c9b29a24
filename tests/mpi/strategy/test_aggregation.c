/* SPDX-License-Identifier: MIT
 *
 * Strategies that route elements through other places: as few messages as promised,
 * counted where MPI is asked to send them; within the memory that they are given, or
 * refused alike on all processes. Where random elements come is tested by tests/soak.
 */
#include "move/relay/aggregation.h"
#include "mpi/pair.h"
#include "mpi/sample.h"
#include "mpi/trace.h"
#include "plan/object/plan.h"
#include "schedule/core/pattern.h"

enum { RANDOM_PAIRS = 150, TEXT = 256 };

/* Run a plan, and count what this process asks MPI to send. */
static int64_t count_messages(redist_plan *plan, const struct pair *pair)
{
    int64_t sent = 0;
    trace_clear_messages();
    pair_execute(plan, pair, world_rank(), world_rank());
    for (int rank = 0; rank < world_size(); rank++) sent += trace.messages[rank];
    return sent;
}

/* Check the messages of a strategy, as promised and as sent. */
static void check_messages(const struct pair *pair, const char *strategy, int64_t must)
{
    redist_plan *plan = pair_plan(pair, strategy, 0);
    redist_report report = report_of(plan);
    CHECK(report.messages_sent == must && report.messages_received == must,
          "%s: %" PRId64 " and %" PRId64 " messages, must be %" PRId64, strategy,
          report.messages_sent, report.messages_received, must);
    int64_t sent = count_messages(plan, pair);
    CHECK(sent == must, "%s: %" PRId64 " messages", strategy, sent);
    CHECK_OK(redist_plan_destroy(&plan));
}

/* The largest divisor of n up to `most`. */
static int divisor(int n, int most)
{
    while (n % most != 0) most--;
    return most;
}

/* ---- phases ------------------------------------------------------------------------ */

/* Each process has something for every other one; so it has along each dimension. */
static void phases_send_the_sum_and_not_the_product(void)
{
    int n = world_size(), a = divisor(n, n < 4 ? 1 : n < 9 ? 2 : 4), b = n / a;
    int c = divisor(b, b < 4 ? 1 : 2), d = b / c;
    char text[2][TEXT];
    (void)snprintf(text[0], TEXT, "[112,112] (cyclic(1),block) onto %dx%d", a, b);
    (void)snprintf(text[1], TEXT, "[112,112] (block,cyclic(1)) onto %dx%d", a, b);
    struct pair pair = pair_parse(text[0], text[1]);
    check_messages(&pair, "nonblocking", n - 1);
    check_messages(&pair, "multiphase", a + b - 2);
    pair_free(&pair);
    (void)snprintf(text[0], TEXT, "[112,112,4] (cyclic(1),block,cyclic(1)) onto %dx%dx%d",
                   a, d, c);
    (void)snprintf(text[1], TEXT, "[112,112,4] (block,cyclic(1),block) onto %dx%dx%d", a,
                   d, c);
    pair = pair_parse(text[0], text[1]);
    check_messages(&pair, "nonblocking", n - 1);
    check_messages(&pair, "multiphase", a + c + d - 3);
    pair_free(&pair);
}

/* One dimension changes, or more processes would be needed than there are. */
static void one_phase_is_as_good_as_none(void)
{
    int n = world_size();
    static const char *const texts[][2] = {
        {"[272] (cyclic(1)) onto %d", "[272] (block) onto %d"},
        {"[272,4] (cyclic(1),*) onto %d", "[272,4] (block,*) onto %d column-major"},
        {"[272,272] (block,*) onto %d", "[272,272] (*,block) onto %d"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char text[2][TEXT];
        for (int s = 0; s < 2; s++) (void)snprintf(text[s], TEXT, texts[k][s], n);
        struct pair pair = pair_parse(text[0], text[1]);
        check_messages(&pair, "multiphase", n - 1);
        redist_plan *plan = pair_plan(&pair, "nonblocking", 0);
        int64_t staging = report_of(plan).staging_bytes;
        CHECK_OK(redist_plan_destroy(&plan));
        plan = pair_plan(&pair, "multiphase", 0);
        CHECK(report_of(plan).staging_bytes == staging, "%s", text[0]);
        CHECK_OK(redist_plan_destroy(&plan));
        pair_free(&pair);
    }
}

/* ---- bundles ----------------------------------------------------------------------- */

/* Check that the own bundles of one way on a hop are those of a list. */
static void check_hop(const struct submessages *submessages, const struct readout *list,
                      int hop, redist_side side, double unit)
{
    int64_t n = 0;
    for (int64_t k = 0; k < list->n; k++) {
        const struct piece *piece = &list->piece[k];
        int end[2] = {piece->p, piece->q};
        if (piece->step != hop || end[side] != world_rank()) continue;
        CHECK(n < submessages->nbundles && submessages->bundle[n].partner == end[!side],
              "%d to %d on hop %d", piece->p, piece->q, hop);
        const struct bundle *bundle = &submessages->bundle[n++];
        int64_t bytes = 0;
        for (int64_t i = bundle->begin; i < bundle->end; i++)
            bytes += submessages->submessage[i].bytes;
        CHECK((double)bytes == unit * (double)piece->weight, "%" PRId64 " bytes", bytes);
    }
    CHECK(n == submessages->nbundles, "%" PRId64 " bundles", n);
}

static void check_bundles(const redist_plan *plan, const redist_view *source,
                          const redist_view *target, int group)
{
    struct pattern pattern;
    struct readout list = {0};
    struct aggregation aggregation;
    bool any;
    CHECK_OK(pattern_make(source, target, &pattern));
    CHECK_OK(pattern_build_grid(&pattern, INT64_MAX));
    CHECK_OK(pattern_place(&pattern, NULL));
    CHECK_OK(bundles_list(&pattern.input, group, &list, &any));
    CHECK_OK(aggregation_make(&plan->move, group, &aggregation));
    double unit = pattern_unit_elements(&pattern) * sizeof(int64_t);
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < 2; s++)
            check_hop(&aggregation.hop[hop][s], &list, hop, (redist_side)s, unit);
    aggregation_free(&aggregation);
    readout_free(&list);
    pattern_free(&pattern);
}

/* What a choice looks at is what goes: all bundles as one process lists them, and those
 * that each finds for itself. */
static void bundles_are_those_that_are_looked_at(void)
{
    int n = world_size();
    static const char *const texts[][2] = {
        {"[%d] (cyclic(3)) onto %d", "[%d] (cyclic(5)) onto %d"},
        {"[%d,4] (cyclic(1),*) onto %d", "[%d,4] (block,*) onto %d"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char text[2][TEXT];
        for (int s = 0; s < 2; s++)
            (void)snprintf(text[s], TEXT, texts[k][s], 15 * n * n, n);
        struct pair pair = pair_parse(text[0], text[1]);
        redist_plan *plan = pair_plan(&pair, "aggregated", 0);
        for (int group = 1; group <= n; group++)
            check_bundles(plan, &pair.view[0], &pair.view[1], group);
        CHECK_OK(redist_plan_destroy(&plan));
        pair_free(&pair);
    }
}

static void random_bundles_are_those_that_are_looked_at(uint64_t *seed)
{
    static struct sample side[2];
    for (int number = 0; number < RANDOM_PAIRS; number++) {
        int64_t n[SAMPLE_MAX_DIMS];
        int ndims = random_extents(seed, n),
            group = (int)random_in(seed, 1, world_size());
        redist_options options = REDIST_OPTIONS_INIT;
        redist_plan *plan = NULL;
        for (int s = 0; s < 2; s++)
            sample_make(&side[s], seed, ndims, n, world_size(), 0);
        options.strategy = "aggregated";
        CHECK_OK(redist_plan_create(MPI_COMM_WORLD, MPI_INT64_T, &side[0].view,
                                    &side[1].view, &options, &plan));
        check_bundles(plan, &side[0].view, &side[1].view, group);
        CHECK_OK(redist_plan_destroy(&plan));
        for (int s = 0; s < 2; s++) sample_free(&side[s]);
    }
}

static void bundles_are_for_groups_and_for_neighbours(void)
{
    int n = world_size(), root = 1, rank = world_rank();
    char text[2][TEXT], strategy[32];
    while (root * root < n) root++;
    (void)snprintf(text[0], TEXT, "[112,112] (cyclic(1),*) onto %d", n);
    (void)snprintf(text[1], TEXT, "[112,112] (*,cyclic(1)) onto %d", n);
    struct pair pair = pair_parse(text[0], text[1]);
    for (int m = 0; m <= n + 1; m++) { /* 0: none is given */
        int size = m ? m : root, groups = (n + size - 1) / size;
        int first = rank / size * size, neighbours = first + size <= n ? size : n - first;
        (void)snprintf(strategy, sizeof strategy, m ? "aggregated(%d)" : "aggregated", m);
        redist_plan *plan = pair_plan(&pair, strategy, 0);
        redist_report report = report_of(plan);
        int64_t sent = count_messages(plan, &pair), must = groups - 1 + neighbours - 1;
        CHECK(strcmp(report.strategy, strategy) == 0, "%s", report.strategy);
        CHECK(sent == must && report.messages_sent == must,
              "%s: %" PRId64 " messages, must be %" PRId64, strategy, sent, must);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    pair_free(&pair);
}

/* Each gets what there is for all of its group, which begins behind the source. */
static void a_union_goes_to_each_of_its_targets(void)
{
    int n = world_size(), rank = world_rank();
    char text[2][TEXT], strategy[32];
    (void)snprintf(text[0], TEXT, "[%d] (block) onto %d", 3 * n * n, n);
    (void)snprintf(text[1], TEXT, "[%d] (cyclic(1)) onto %d", 3 * n * n, n);
    struct pair pair = pair_parse(text[0], text[1]);
    for (int m = 1; m <= n + 1; m++) {
        (void)snprintf(strategy, sizeof strategy, "multicast(%d)", m);
        redist_plan *plan = pair_plan(&pair, strategy, 0);
        int64_t sent = count_messages(plan, &pair);
        CHECK(sent == n - 1, "%s: %" PRId64 " messages", strategy, sent);
        for (int distance = 1; distance < n; distance++) {
            int first = distance / m * m, end = first + m < n ? first + m : n;
            long parts = end - (first > 0 ? first : 1); /* none for itself */
            long bytes = trace.bytes[(rank + distance) % n];
            CHECK(bytes == 24 * parts, "%s: %ld bytes to the %dth", strategy, bytes,
                  distance);
        }
        CHECK_OK(redist_plan_destroy(&plan));
    }
    pair_free(&pair);
}

/* Where startups take long to pass messages on is chosen. What it is made of is kept of
 * all that is left to the library, which may be tuned, and of nothing else. */
static void check_choice(const redist_plan *plan, bool given)
{
    const char *chosen = report_of(plan).strategy;
    bool aggregated = strcmp(chosen, "aggregated") == 0;
    bool kept = plan->array[0].kept_dist[0] && plan->array[0].kept_dist[1];
    CHECK(aggregated == (!given && world_size() >= 7) && kept == !given,
          "%s, keeps the dists: %d", chosen, kept);
}

/* Rows to columns over all processes, each on a node of its own. The plan is tuned when
 * the distributions are gone. */
static void bundles_are_chosen_and_tuned(const char *strategy)
{
    int n = world_size(), rank = world_rank();
    char text[2][TEXT];
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    MPI_Comm comm;
    (void)snprintf(text[0], TEXT, "[112,112] (cyclic(1),*) onto %d", n);
    (void)snprintf(text[1], TEXT, "[112,112] (*,cyclic(1)) onto %d", n);
    struct pair pair = pair_parse(text[0], text[1]);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    setenv("REDIST_RATES", "1e-3,1e-10,0", 1);
    setenv("REDIST_NODE_SIZE", "1", 1);
    options.strategy = strategy;
    CHECK_OK(redist_plan_create(comm, MPI_INT64_T, &pair.view[0], &pair.view[1], &options,
                                &plan));
    check_choice(plan, strategy != NULL);
    pair_free(&pair);
    pair = pair_parse(text[0], text[1]);
    pair_execute(plan, &pair, rank, rank);
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
    CHECK_OK(redist_plan_tune(plan, source, target));
    unsetenv("REDIST_RATES");
    unsetenv("REDIST_NODE_SIZE");
    pair_check(&pair, rank, target);
    pair_execute(plan, &pair, rank, rank);
    CHECK_OK(redist_plan_destroy(&plan));
    PMPI_Comm_free(&comm);
    free(source);
    free(target);
    pair_free(&pair);
}

/* By indices nobody knows what others have for whom: all goes straight. */
static void what_is_moved_by_indices_goes_straight(void)
{
    enum { MOST = 64 };
    int n = world_size(), rank = world_rank();
    int64_t from[MOST], to[MOST], source[MOST], target[MOST];
    redist_plan *plan = NULL;
    MPI_Comm comm;
    if (n > MOST) return;
    for (int k = 0; k < n; k++) {
        from[k] = source[k] = (int64_t)rank * n + k;
        to[k] = (int64_t)k * n + rank;
    }
    redist_indices sources = redist_indices_of_list(n, from);
    redist_indices targets = redist_indices_of_list(n, to);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    setenv("REDIST_RATES", "1e-3,1e-10,0", 1);
    setenv("REDIST_NODE_SIZE", "1", 1);
    CHECK_OK(redist_plan_create_indexed(comm, MPI_INT64_T, (int64_t)n * n, &sources,
                                        &targets, NULL, &plan));
    unsetenv("REDIST_RATES");
    unsetenv("REDIST_NODE_SIZE");
    CHECK_OK(redist_execute(plan, source, target));
    for (int k = 0; k < n; k++) CHECK(target[k] == to[k], "%" PRId64, target[k]);
    CHECK_OK(redist_plan_destroy(&plan));
    PMPI_Comm_free(&comm);
}

/* ---- memory ------------------------------------------------------------------------ */

/* With too little memory all processes are told how much it takes, and that is enough. */
static void too_little_memory_is_refused_everywhere(const char *strategy,
                                                    const char *says)
{
    int n = world_size(), a = divisor(n, n < 4 ? 1 : n < 9 ? 2 : 4);
    char text[2][TEXT];
    (void)snprintf(text[0], TEXT, "[33,60] (cyclic(1),block) onto %dx%d", a, n / a);
    (void)snprintf(text[1], TEXT, "[33,60] (block,cyclic(2)) onto %dx%d column-major", a,
                   n / a);
    struct pair pair = pair_parse(text[0], text[1]);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    options.staging_bytes = 16;
    redist_err err = pair_create(&pair, MPI_INT64_T, &options, &plan);
    if (err) {
        check_everywhere(err, REDIST_ERR_ARG, 0, "rank 0: staging_bytes is 16, %s", says);
        CHECK(!plan && trace.communicators == 0, "something is left");
        const char *needs = strstr(redist_error_message(), "needs ");
        needs += strcspn(needs, "0123456789");
        options.staging_bytes = strtoull(needs, NULL, 10);
        CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    }
    CHECK((err != REDIST_OK) == (a > 1 || (n > 1 && strategy[0] == 'a')), "refused: %d",
          err);
    pair_execute(plan, &pair, world_rank(), world_rank());
    redist_report report = report_of(plan);
    CHECK((size_t)report.staging_bytes <= options.staging_bytes &&
              report.staging_peak_bytes == report.staging_bytes,
          "%" PRId64 " promised, %" PRId64 " taken of %zu", report.staging_bytes,
          report.staging_peak_bytes, options.staging_bytes);
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* Who reads its replica of the source is up to the strategy; so whoever passes NULL, all
 * processes learn that it was needed, or all have what they should. */
static void null_is_right_or_refused(const char *strategy)
{
    int rank = world_rank(), n = world_size();
    char text[2][TEXT];
    if (n < 4) return;
    (void)snprintf(text[0], TEXT, "[12,10] (block on 1,block on 2) onto %dx2x2", n / 4);
    (void)snprintf(text[1], TEXT, "[12,10] (cyclic(1),cyclic(1)) onto 2x2");
    struct pair pair = pair_parse(text[0], text[1]);
    redist_plan *plan = pair_plan(&pair, strategy, 0);
    int refused = 0;
    for (int guilty = 0; guilty < n; guilty++) {
        int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
        int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
        redist_err err = redist_execute(plan, rank == guilty ? NULL : source, target);
        if (err)
            check_everywhere(err, REDIST_ERR_ARG, 1,
                             "rank %d: source is NULL, but this process holds elements "
                             "of it",
                             guilty);
        else
            pair_check(&pair, rank, target);
        refused += err != REDIST_OK;
        free(source);
        free(target);
    }
    CHECK(refused >= 4, "%d refused", refused); /* each part is read by someone */
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    phases_send_the_sum_and_not_the_product();
    one_phase_is_as_good_as_none();
    bundles_are_those_that_are_looked_at();
    random_bundles_are_those_that_are_looked_at(&seed);
    bundles_are_for_groups_and_for_neighbours();
    a_union_goes_to_each_of_its_targets();
    bundles_are_chosen_and_tuned(NULL);
    bundles_are_chosen_and_tuned("nonblocking");
    what_is_moved_by_indices_goes_straight();
    too_little_memory_is_refused_everywhere("multiphase", "multiphase needs ");
    too_little_memory_is_refused_everywhere("aggregated", "aggregated needs ");
    for (int k = 0; k < STRATEGIES; k++)
        null_is_right_or_refused(here(all_strategies[k]));
    return passed("elements routed through other places");
}
