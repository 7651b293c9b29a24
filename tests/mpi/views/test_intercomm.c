/* SPDX-License-Identifier: MIT
 *
 * Plans over an intercommunicator: every strategy, both ways, groups of all sizes; and
 * all that is refused, on both sides alike. With the two groups merged into one, as when
 * a job grows or shrinks, only elements whose owner changes are sent, and with relabelled
 * targets as few as was said. Random plans of every form are tested by tests/soak.
 */
#include "mpi/trace.h"
#include "mpi/views/groups.h"

enum { CASES = 120, LONG = 500, CASES_OF_GROUPS = 20, MOST_OF_GROUP = 4 };

/* The first `first` ranks are group 0, or, if that is 0, the odd ranks are. */
static struct groups split_world(int first)
{
    int number[SAMPLE_MAX_RANKS];
    for (int r = 0; r < world_size(); r++) number[r] = first ? r >= first : r % 2 == 0;
    return make_groups(number);
}

/* ---- every strategy ---------------------------------------------------------------- */

static redist_err create_between(const struct groups *g, const struct pair *pair,
                                 const char *strategy, redist_side side,
                                 redist_plan **plan)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.side = side;
    *plan = NULL;
    return redist_plan_create(g->inter, MPI_INT64_T, &pair->view[0], &pair->view[1],
                              &options, plan);
}

/* Move from group `from` to the other. */
static void move_between(const struct groups *g, int from, const char *source,
                         const char *target)
{
    redist_side side = side_of(g, from);
    int rank[2] = {NOBODY, NOBODY};
    rank[side] = g->rank;
    struct pair pair = pair_parse(source, target);
    for (int k = 0; k < STRATEGIES; k++) {
        redist_plan *plan;
        CHECK_OK(create_between(g, &pair, here(all_strategies[k]), side, &plan));
        redist_report report = report_of(plan);
        CHECK(report.elements_kept == 0, "kept");
        CHECK(!goes_straight(here(all_strategies[k])) ||
                  (side == REDIST_SOURCE ? report.messages_received == 0
                                         : report.messages_sent == 0),
              "the wrong way");
        pair_execute(plan, &pair, rank[REDIST_SOURCE], rank[REDIST_TARGET]);
        pair_execute(plan, &pair, rank[REDIST_SOURCE], rank[REDIST_TARGET]);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    pair_free(&pair);
}

static void groups_move_both_ways(const struct groups *g)
{
    for (int from = 0; from < 2; from++) {
        int p = g->size[from], q = g->size[!from];
        char cyclic[96], reversed[96], all[96], one[96];
        (void)snprintf(cyclic, sizeof cyclic, "[31,4] (cyclic(2),*) onto %d", p);
        (void)snprintf(reversed, sizeof reversed,
                       "[31,4] (block,*) onto %d ranks %d:0:-1", q, q - 1);
        (void)snprintf(one, sizeof one, "[31,4] (*,block) onto 1 ranks %d", q - 1);
        (void)snprintf(all, sizeof all, "[31,4] (*,*) onto %d", q);
        move_between(g, from, cyclic, reversed);
        move_between(g, from, cyclic, one);
        move_between(g, from, cyclic, all);
        (void)snprintf(all, sizeof all, "[31,4] (*,*) onto %d", p);
        move_between(g, from, all, reversed);
        if (p >= 4 && q >= 2) /* two dimensions change */
            move_between(g, from, "[6,8] (cyclic(1),block) onto 2x2",
                         "[6,8] (block,cyclic(1)) onto 2x1");
    }
}

/* ---- what is refused --------------------------------------------------------------- */

/* All say the same side, or one says another than the rest of its group, or no side at
 * all. */
static void wrong_sides_are_refused(const struct groups *g)
{
    struct pair pair = pair_parse("[12] (block) onto 1", "[12] (block) onto 1");
    redist_plan *plan;
    for (int side = 0; side < 2; side++) {
        redist_err err = create_between(g, &pair, NULL, (redist_side)side, &plan);
        check_everywhere(err, REDIST_ERR_ARG, 1,
                         "options: side must be REDIST_SOURCE in the one group of the "
                         "intercommunicator and REDIST_TARGET in the other");
        CHECK(!plan, "a plan was handed out");
    }
    for (int odd_one = 0; odd_one < world_size(); odd_one++) {
        int side = world_rank() == odd_one ? !g->number : g->number;
        redist_err err = create_between(g, &pair, NULL, (redist_side)side, &plan);
        check_everywhere(err, REDIST_ERR_ARG, 0, "options: side must be ");
        CHECK(!plan, "a plan was handed out");
        side = world_rank() == odd_one ? 7 : g->number;
        err = create_between(g, &pair, NULL, (redist_side)side, &plan);
        check_everywhere(err, REDIST_ERR_ARG, 0, "rank ");
        CHECK(strstr(redist_error_message(), ": options: side is 7, must be "), "side 7");
        CHECK(!plan, "a plan was handed out");
    }
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
    pair_free(&pair);
}

/* A grid may have no more ranks than its group. */
static void grids_larger_than_their_group_are_refused(const struct groups *g)
{
    for (int side = 0; side < 2; side++) {
        char text[64];
        (void)snprintf(text, sizeof text, "[12] (cyclic(1)) onto %d", g->size[side] + 1);
        struct pair pair = side == REDIST_SOURCE
                               ? pair_parse(text, "[12] (block) onto 1")
                               : pair_parse("[12] (block) onto 1", text);
        redist_plan *plan;
        redist_err err = create_between(g, &pair, NULL, (redist_side)g->number, &plan);
        check_everywhere(
            err, REDIST_ERR_ARG, 1,
            "rank 0: %s: the grid has rank %d, the communicator only 0 to %d",
            side == REDIST_SOURCE ? "source" : "target", g->size[side],
            g->size[side] - 1);
        CHECK(!plan, "a plan was handed out");
        pair_free(&pair);
    }
}

/* What the groups, or the processes of one, must pass alike. */
static void groups_that_disagree_are_refused(const struct groups *g)
{
    struct pair pair = pair_parse("[12] (block) onto 1", "[12] (block) onto 1");
    struct pair other =
        pair_parse("[13] (block) onto 1", "[13] (block) onto 1 section [1:12]");
    redist_side side = side_of(g, 0);
    redist_plan *plan;
    struct pair mixed = pair;
    if (side == REDIST_SOURCE) mixed.view[REDIST_TARGET] = other.view[REDIST_TARGET];
    check_everywhere(create_between(g, &mixed, NULL, side, &plan), REDIST_ERR_MISMATCH, 0,
                     "rank ");
    CHECK(strstr(redist_error_message(), "target"), "the target differs");
    mixed = pair;
    if (side == REDIST_TARGET && g->rank == 0)
        mixed.view[REDIST_SOURCE] = other.view[REDIST_SOURCE];
    check_everywhere(create_between(g, &mixed, NULL, side, &plan), REDIST_ERR_ARG, 0,
                     "rank ");
    const char *strategy = side == REDIST_SOURCE ? "nonblocking" : "alltoallv";
    check_everywhere(create_between(g, &pair, strategy, side, &plan), REDIST_ERR_MISMATCH,
                     0, "rank ");
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
    pair_free(&other);
}

/* One process has no buffer for what it holds, on either side: all learn of it, and the
 * plan can be run again. */
static void missing_buffers_are_refused(const struct groups *g)
{
    struct pair pair = pair_parse("[12] (block) onto 1", "[12] (cyclic) onto 1");
    redist_side side = side_of(g, 0);
    redist_plan *plan;
    int rank[2] = {NOBODY, NOBODY};
    rank[side] = g->rank;
    CHECK_OK(create_between(g, &pair, NULL, side, &plan));
    for (int missing = 0; missing < 2; missing++) {
        int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank[REDIST_SOURCE]);
        int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank[REDIST_TARGET]);
        redist_err err = redist_execute(plan, missing == REDIST_SOURCE ? NULL : source,
                                        missing == REDIST_TARGET ? NULL : target);
        check_everywhere(err, REDIST_ERR_ARG, 0, "rank ");
        CHECK(strstr(redist_error_message(), missing ? "target" : "source"), "which");
        free(source);
        free(target);
        pair_execute(plan, &pair, rank[REDIST_SOURCE], rank[REDIST_TARGET]);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    pair_free(&pair);
}

/* What counts the processes of one group is not for two. */
static void what_needs_one_group_refuses_two(const struct groups *g)
{
    static const char sentence[] =
        "comm is an intercommunicator, must be an intracommunicator";
    redist_plan *plan = NULL;
    int64_t share = 0;
    void *memory = NULL;
    check_everywhere(redist_balance_create(g->inter, 1, MPI_INT, REDIST_BALANCE_A, 1,
                                           NULL, &plan, &share),
                     REDIST_ERR_ARG, 1, "%s", sentence);
    check_everywhere(redist_alloc(g->inter, 64, &memory), REDIST_ERR_ARG, 1, "%s",
                     sentence);
}

static void the_whole_world_in_two_groups(int first)
{
    struct groups g = split_world(first);
    groups_move_both_ways(&g);
    wrong_sides_are_refused(&g);
    grids_larger_than_their_group_are_refused(&g);
    groups_that_disagree_are_refused(&g);
    missing_buffers_are_refused(&g);
    what_needs_one_group_refuses_two(&g);
    free_groups(&g);
}

/* ---- merged into one --------------------------------------------------------------- */

static int64_t sum_over(MPI_Comm comm, int64_t value)
{
    PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, comm);
    return value;
}

/* What is kept in the plan that goes to the proposed ranks is what the proposal says, and
 * no less than in the plan to the given ones. */
static void relabelled_keeps_what_was_said(MPI_Comm merged, const struct sample *source,
                                           const struct sample *target)
{
    redist_dist *better = NULL;
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    int64_t kept[2];
    options.strategy = "nonblocking";
    redist_view to[2] = {target->view, target->view};
    CHECK_OK(redist_relabel(&source->view, &target->view, NULL, 0, &better, kept));
    to[1].dist = better;
    memset(to[1].lead, 0, sizeof to[1].lead); /* which are of the other local array */
    CHECK(kept[1] >= kept[0], "%" PRId64 " instead of %" PRId64, kept[1], kept[0]);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(redist_plan_create(merged, MPI_INT64_T, &source->view, &to[k], &options,
                                    &plan));
        redist_report report = report_of(plan);
        int64_t found = sum_over(merged, report.elements_kept);
        CHECK(found == kept[k], "%" PRId64 " instead of %" PRId64, found, kept[k]);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    redist_dist_destroy(&better);
}

/* Group 0 holds what both shall, or both hold what group 0 shall: whoever has an element
 * before and after keeps it, and nothing else is kept. */
static void a_job_sends_only_what_changes_owner(uint64_t *seed, const struct groups *g)
{
    static int64_t volume[SAMPLE_MAX_RANKS][SAMPLE_MAX_RANKS];
    int grows = (int)random_in(seed, 0, 1), all = g->size[0] + g->size[1], rank;
    int64_t n[2] = {random_in(seed, 1, 20), random_in(seed, 1, 20)};
    MPI_Comm merged;
    PMPI_Intercomm_merge(g->inter, g->number, &merged);
    MPI_Comm_rank(merged, &rank);
    static struct sample side[2];
    unsigned char *buffer[2], *expected;
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "nonblocking";
    redist_plan *plan = NULL;
    for (int s = 0; s < 2; s++) {
        int few = grows == (s == REDIST_SOURCE);
        sample_make_for(&side[s], seed, 2, n, few ? g->size[0] : all, 0, rank);
        buffer[s] = poisoned(8 * side[s].span);
    }
    const struct sample *source = &side[REDIST_SOURCE], *target = &side[REDIST_TARGET];
    relabelled_keeps_what_was_said(merged, source, target);
    expected = poisoned(8 * target->span);
    sample_fill(source, buffer[REDIST_SOURCE], 8);
    sample_fill(target, expected, 8);
    sample_volume(source, target, n, volume);
    CHECK_OK(redist_plan_create(merged, MPI_INT64_T, &source->view, &target->view,
                                &options, &plan));
    trace_clear_messages();
    CHECK_OK(redist_execute(plan, buffer[REDIST_SOURCE], buffer[REDIST_TARGET]));
    CHECK(memcmp(buffer[REDIST_TARGET], expected, (size_t)target->span * 8) == 0,
          "the target differs from the owner map");
    for (int to = 0; to < all; to++)
        CHECK(trace.bytes[to] == (to == rank ? 0 : 8 * volume[rank][to]),
              "%ld bytes to rank %d, which gets %" PRId64 " elements", trace.bytes[to],
              to, volume[rank][to]);
    CHECK_OK(redist_plan_destroy(&plan));
    PMPI_Comm_free(&merged);
    for (int s = 0; s < 2; s++) {
        sample_free(&side[s]);
        free(buffer[s]);
    }
    free(expected);
}

/* Up to 4 processes each, of any ranks. */
static struct groups draw_groups(uint64_t *seed)
{
    int number[SAMPLE_MAX_RANKS], order[SAMPLE_MAX_RANKS], n = world_size();
    int most = n - 1 < MOST_OF_GROUP ? n - 1 : MOST_OF_GROUP;
    int p = (int)random_in(seed, 1, most), left = n - p < most ? n - p : most;
    int q = (int)random_in(seed, 1, left);
    random_permutation(seed, n, order);
    for (int k = 0; k < n; k++) number[order[k]] = k < p ? 0 : k < p + q ? 1 : NOBODY;
    return make_groups(number);
}

static void random_groups_are_merged(uint64_t *seed, int cases)
{
    for (int first = 0; first < cases; first += CASES_OF_GROUPS) {
        struct groups g = draw_groups(seed);
        uint64_t own = random_next(seed); /* bystanders draw no cases */
        for (int k = first; g.number != NOBODY && k < first + CASES_OF_GROUPS; k++)
            a_job_sends_only_what_changes_owner(&own, &g);
        free_groups(&g);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    int cases = number_of_cases(argc, argv, CASES, LONG);
    for (int first = 0; first < world_size(); first++)
        the_whole_world_in_two_groups(first);
    random_groups_are_merged(&seed, cases);
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
    return passed("plans over intercommunicators");
}
