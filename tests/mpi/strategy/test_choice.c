/* SPDX-License-Identifier: MIT
 *
 * Who decides on a strategy: the library, the same on every process, from what it
 * measures once for a communicator; REDIST_STRATEGY; redist_plan_tune, which leaves the
 * data right.
 */
#include "mpi/pair.h"
#include "mpi/trace.h"
#include "plan/object/plan.h"

/* %1$d: the processes. */
static const char *const problems[][2] = {
    {"[997] (cyclic(3)) onto %1$d", "[997] (cyclic(5)) onto %1$d"},
    {"[300,100] (cyclic(2),*) onto %1$d", "[300,100] (*,cyclic(3)) onto %1$d"},
    {"[400000] (cyclic(1)) onto %1$d", "[400000] (block) onto %1$d"},
    {"[7] (block) onto 1", "[7] (*) onto %1$d"},
    {"[30] (indirect(10*0,20*0)) onto %1$d", "[30] (block) onto %1$d"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static struct pair make_problem(int number)
{
    char text[2][80];
    for (int s = 0; s < 2; s++)
        (void)snprintf(text[s], sizeof text[s], problems[number][s], world_size());
    return pair_parse(text[0], text[1]);
}

static redist_err create(MPI_Comm comm, const struct pair *pair, const char *strategy,
                         size_t staging, redist_plan **plan)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.staging_bytes = staging;
    *plan = NULL;
    return redist_plan_create(comm, MPI_INT64_T, &pair->view[0], &pair->view[1], &options,
                              plan);
}

/* Check that all processes report one strategy, and how it came about. */
static void check_report(const redist_plan *plan, const char *strategy,
                         const char *origin)
{
    char first[96] = "";
    redist_report report = report_of(plan);
    if (world_rank() == 0) (void)snprintf(first, sizeof first, "%s", report.strategy);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strcmp(report.strategy, first) == 0, "%s, and on rank 0 %s", report.strategy,
          first);
    CHECK(!strategy || strcmp(report.strategy, strategy) == 0, "%s", report.strategy);
    CHECK(strcmp(report.origin, origin) == 0, "%s, expected %s", report.origin, origin);
    CHECK(report.staging_peak_bytes <= report.staging_bytes, "%" PRId64 " of %" PRId64,
          report.staging_peak_bytes, report.staging_bytes);
}

/* ---- staging memory ---------------------------------------------------------------- */

/* Where two elements are more than the library takes by itself, it takes more of what it
 * may. */
static void long_elements_are_moved_by(const char *strategy)
{
    enum { LONG = 75000 }; /* numbers of an element */
    static const char *const texts[2] = {"[12] (block) onto %1$d",
                                         "[12] (cyclic) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    MPI_Datatype type;
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    options.staging_bytes = 64 << 20;
    MPI_Type_contiguous(LONG, MPI_INT64_T, &type);
    MPI_Type_commit(&type);
    int64_t *number[2], *buffer[2], span[2];
    for (int s = 0; s < 2; s++) {
        span[s] = pair_span(&pair, (redist_side)s, world_rank());
        number[s] = pair_numbers(&pair.view[s], world_rank());
        buffer[s] = calloc((size_t)(LONG * span[s]) + 1, sizeof *buffer[s]);
    }
    for (int64_t e = 0; e < LONG * span[0]; e++)
        buffer[0][e] = number[0][e / LONG] * LONG + e % LONG;
    CHECK_OK(pair_create(&pair, type, &options, &plan));
    CHECK_OK(redist_execute(plan, buffer[0], buffer[1]));
    for (int64_t e = 0; e < LONG * span[1]; e++)
        CHECK(buffer[1][e] == number[1][e / LONG] * LONG + e % LONG, "%s: place %" PRId64,
              strategy, e);
    CHECK_OK(redist_plan_destroy(&plan));
    MPI_Type_free(&type);
    for (int s = 0; s < 2; s++) free(number[s]), free(buffer[s]);
    pair_free(&pair);
}

/* ---- auto -------------------------------------------------------------------------- */

static void every_process_chooses_the_same(void)
{
    static const size_t caps[] = {0, 16, 4096};
    for (int k = 0; k < PROBLEMS; k++) {
        struct pair pair = make_problem(k);
        for (size_t cap = 0; cap < sizeof caps / sizeof *caps; cap++) {
            redist_plan *plan = NULL;
            const char *name = cap % 2 ? "auto" : NULL;
            CHECK_OK(create(MPI_COMM_WORLD, &pair, name, caps[cap], &plan));
            pair_execute(plan, &pair, world_rank(), world_rank());
            check_report(plan, NULL, "auto");
            CHECK_OK(redist_plan_destroy(&plan));
        }
        pair_free(&pair);
    }
}

static int messages_of_all(void)
{
    int sum = 0;
    for (int k = 0; k < TRACE_MAX_RANKS; k++) sum += trace.messages[k];
    return sum;
}

/* Make a plan, and return how many messages that took; `name` is for its strategy. */
static int messages_to_make(MPI_Comm comm, const struct pair *pair, const char *strategy,
                            char name[96])
{
    redist_plan *plan = NULL;
    trace_clear_messages();
    CHECK_OK(create(comm, pair, strategy, 0, &plan));
    redist_report report = report_of(plan);
    (void)snprintf(name, 96, "%s", report.strategy);
    CHECK_OK(redist_plan_destroy(&plan));
    return messages_of_all();
}

/* The first plan over a communicator measures; no other does, nor one with a strategy
 * that was asked for; and the communicator's end is that of what was kept. */
static void a_communicator_is_measured_once(MPI_Comm comm, const struct pair *pair)
{
    int64_t before = rates_measured(), blocks = mem_live_blocks();
    char name[96], same[96];
    (void)messages_to_make(comm, pair, "nonblocking", name);
    CHECK(rates_measured() == before, "a given strategy measures");
    int first = messages_to_make(comm, pair, NULL, name);
    CHECK(rates_measured() == before + 1, "%" PRId64, rates_measured() - before);
    for (int k = 0; k < 3; k++) {
        int messages = messages_to_make(comm, pair, NULL, name);
        int given = messages_to_make(comm, pair, name, same);
        CHECK(first > messages, "measured without a message");
        CHECK(messages == given, "%s: %d messages, given %d", name, messages, given);
    }
    CHECK(rates_measured() == before + 1, "%" PRId64, rates_measured() - before);
    CHECK(mem_live_blocks() == blocks + 1, "%" PRId64, mem_live_blocks() - blocks);
    PMPI_Comm_free(&comm);
    CHECK(mem_live_blocks() == blocks, "%" PRId64, mem_live_blocks() - blocks);
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
}

/* All processes live on one node: to read what another has written takes a ring no longer
 * than a get. */
static void rings_are_no_slower_than_gets(const redist_plan *plan)
{
    const double *seconds = plan->rates.seconds;
    double get = seconds[EFFORT_GETS] + seconds[EFFORT_PACKING];
    CHECK(exchange_shared.lacks || seconds[EFFORT_RINGS] <= get, "%g and %g",
          seconds[EFFORT_RINGS], get);
}

static void a_duplicate_is_measured_anew(void)
{
    MPI_Comm copy, copy_of_copy;
    struct pair pair = make_problem(0);
    PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
    redist_plan *plan = NULL;
    CHECK_OK(create(copy, &pair, NULL, 0, &plan));
    rings_are_no_slower_than_gets(plan);
    CHECK_OK(redist_plan_destroy(&plan));
    PMPI_Comm_dup(copy, &copy_of_copy);
    a_communicator_is_measured_once(copy_of_copy, &pair);
    PMPI_Comm_free(&copy);
    pair_free(&pair);
}

static void an_intercommunicator_is_measured_once(void)
{
    if (world_size() < 2 || LACKS_INTERCOMMS) return;
    MPI_Comm group, inter;
    int side = world_rank() % 2;
    PMPI_Comm_split(MPI_COMM_WORLD, side, 0, &group);
    PMPI_Intercomm_create(group, 0, MPI_COMM_WORLD, !side, 0, &inter);
    struct pair pair = pair_parse("[12] (block) onto 1", "[12] (block) onto 1");
    int64_t before = rates_measured();
    for (int k = 0; k < 3; k++) {
        redist_options options = REDIST_OPTIONS_INIT;
        options.side = (redist_side)side;
        redist_plan *plan = NULL;
        CHECK_OK(redist_plan_create(inter, MPI_INT64_T, &pair.view[0], &pair.view[1],
                                    &options, &plan));
        check_report(plan, NULL, "auto");
        CHECK_OK(redist_plan_destroy(&plan));
        CHECK(rates_measured() == before + 1, "%" PRId64, rates_measured() - before);
    }
    PMPI_Comm_free(&inter);
    PMPI_Comm_free(&group);
    pair_free(&pair);
}

/* ---- REDIST_STRATEGY --------------------------------------------------------------- */

static void the_environment_overrides(void)
{
    struct pair pair = make_problem(0);
    redist_plan *plan = NULL;
    setenv("REDIST_STRATEGY", "alltoallv", 1);
    CHECK_OK(create(MPI_COMM_WORLD, &pair, "window(2)", 0, &plan));
    check_report(plan, "alltoallv", "REDIST_STRATEGY");
    pair_execute(plan, &pair, world_rank(), world_rank());
    CHECK_OK(redist_plan_destroy(&plan));
    setenv("REDIST_STRATEGY", "auto", 1);
    CHECK_OK(create(MPI_COMM_WORLD, &pair, "window(2)", 0, &plan));
    check_report(plan, NULL, "auto");
    CHECK_OK(redist_plan_destroy(&plan));
    setenv("REDIST_STRATEGY", "", 1);
    CHECK_OK(create(MPI_COMM_WORLD, &pair, "window(2)", 0, &plan));
    check_report(plan, "window(2)", "given");
    CHECK_OK(redist_plan_destroy(&plan));
    setenv("REDIST_STRATEGY", "telepathy", 1);
    check_everywhere(create(MPI_COMM_WORLD, &pair, NULL, 0, &plan), REDIST_ERR_ARG, 0,
                     "rank 0: REDIST_STRATEGY: unknown strategy \"telepathy\", there ");
    setenv("REDIST_STRATEGY", "optimal/nonblocking", 1);
    const int64_t own = world_rank();
    const redist_indices list = redist_indices_of_list(1, &own);
    check_everywhere(
        redist_plan_create_indexed(MPI_COMM_WORLD, MPI_INT, world_size(), &list, &list,
                                   NULL, &plan),
        REDIST_ERR_ARG, 0,
        "rank 0: strategy is \"optimal/nonblocking\" (REDIST_STRATEGY), must ");
    unsetenv("REDIST_STRATEGY");
    pair_free(&pair);
}

static void processes_that_disagree_are_told(void)
{
    if (world_size() < 2) return;
    struct pair pair = make_problem(0);
    redist_plan *plan = NULL;
    int last = world_size() - 1;
    if (world_rank() == last) setenv("REDIST_STRATEGY", "ready", 1);
    check_everywhere(create(MPI_COMM_WORLD, &pair, NULL, 0, &plan), REDIST_ERR_MISMATCH,
                     0, "rank %d passed another strategy", last);
    unsetenv("REDIST_STRATEGY");
    pair_free(&pair);
}

/* ---- REDIST_RATES ------------------------------------------------------------------ */

/* A plan has the rates that are stated; wrong ones, and others than those of rank 0, are
 * said. */
static void stated_rates_are_not_measured(void)
{
    MPI_Comm comm;
    struct pair pair = make_problem(0);
    redist_plan *plan = NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    setenv("REDIST_RATES", "3e-6,2e-9,1e-9", 1);
    CHECK_OK(create(comm, &pair, NULL, 0, &plan));
    struct rates stated = rates_assume(3e-6, 2e-9, 1e-9, world_size());
    for (int k = 0; k < EFFORT_TERMS; k++)
        CHECK(plan->rates.seconds[k] == stated.seconds[k], "rate %d is %g s", k,
              plan->rates.seconds[k]);
    CHECK_OK(redist_plan_destroy(&plan));
    PMPI_Comm_free(&comm);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    setenv("REDIST_RATES", "fast", 1);
    check_everywhere(create(comm, &pair, NULL, 0, &plan), REDIST_ERR_ARG, 0,
                     "rank 0: REDIST_RATES is \"fast\", must be ");
    int last = world_size() - 1;
    setenv("REDIST_RATES", world_rank() == last ? "1,1,1" : "1,1,0", 1);
    if (last > 0)
        check_everywhere(create(comm, &pair, NULL, 0, &plan), REDIST_ERR_MISMATCH, 0,
                         "rank %d passed another REDIST_RATES", last);
    unsetenv("REDIST_RATES");
    PMPI_Comm_free(&comm);
    pair_free(&pair);
}

/* ---- tuning ------------------------------------------------------------------------ */

/* Whatever a plan was made with, tuning leaves the target right, keeps within the cap and
 * settles on one strategy everywhere, with which the plan goes on. */
static void tuning_keeps_the_data_right(const struct pair *pair, const char *strategy,
                                        size_t cap)
{
    redist_plan *plan = NULL;
    CHECK_OK(create(MPI_COMM_WORLD, pair, strategy, cap, &plan));
    int64_t *source = pair_buffer(pair, REDIST_SOURCE, world_rank());
    for (int k = 0; k < 2; k++) {
        int64_t *target = pair_buffer(pair, REDIST_TARGET, world_rank());
        CHECK_OK(redist_plan_tune(plan, source, target));
        pair_check(pair, world_rank(), target);
        free(target);
        check_report(plan, NULL, "tuned");
        pair_execute(plan, pair, world_rank(), world_rank());
        redist_report report = report_of(plan);
        CHECK(cap == 0 || report.staging_bytes <= (int64_t)cap, "%" PRId64,
              report.staging_bytes);
    }
    free(source);
    CHECK_OK(redist_plan_destroy(&plan));
}

static void tuning_works_from_any_strategy(void)
{
    static const char *const strategies[] = {NULL, "alltoallv", "shifted/sendrecv",
                                             "shared"};
    for (int k = 0; k < PROBLEMS; k++) {
        struct pair pair = make_problem(k);
        tuning_keeps_the_data_right(&pair, strategies[k % 4], k % 2 ? 256 : 0);
        pair_free(&pair);
    }
}

static void what_cannot_be_tuned_is_refused(void)
{
    struct pair pair = make_problem(1);
    redist_plan *plan = NULL;
    CHECK(redist_plan_tune(NULL, NULL, NULL) == REDIST_ERR_ARG, "no plan");
    CHECK_OK(create(MPI_COMM_WORLD, &pair, NULL, 0, &plan));
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, world_rank());
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, world_rank());
    CHECK_OK(redist_start(plan, source, target));
    CHECK(redist_plan_tune(plan, source, target) == REDIST_ERR_STATE, "it is moving");
    CHECK_OK(redist_wait(plan));
    check_everywhere(redist_plan_tune(plan, world_rank() == 0 ? NULL : source, target),
                     REDIST_ERR_ARG, 0, "rank 0: source is NULL, ");
    check_report(plan, NULL, "auto");
    pair_execute(plan, &pair, world_rank(), world_rank());
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
    free(target);
    pair_free(&pair);
}

/* There is one strategy for it: it moves once, or the array would be moved twice. */
static void a_plan_in_place_is_tuned_already(void)
{
    struct pair pair = make_problem(2);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    int64_t span[SIDES];
    options.in_place = 1;
    for (int s = 0; s < SIDES; s++)
        CHECK_OK(redist_view_span(&pair.view[s], world_rank(), &span[s]));
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, world_rank());
    int64_t *buffer = malloc((size_t)(span[0] + span[1] + 1) * sizeof *buffer);
    if (span[REDIST_SOURCE] > 0)
        memcpy(buffer, source, (size_t)span[REDIST_SOURCE] * sizeof *buffer);
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    CHECK_OK(redist_plan_tune(plan, buffer, buffer));
    pair_check(&pair, world_rank(), buffer);
    check_report(plan, "in place", "given");
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
    free(buffer);
    pair_free(&pair);
}

/* Two arrays, which have messages of both. */
static void several_arrays_are_tuned_together(void)
{
    enum { ARRAYS = 2 };
    struct pair pair[ARRAYS] = {make_problem(0), make_problem(1)};
    redist_item items[ARRAYS];
    const void *sources[ARRAYS];
    void *targets[ARRAYS];
    for (int k = 0; k < ARRAYS; k++) {
        items[k] = (redist_item){MPI_INT64_T, &pair[k].view[0], &pair[k].view[1]};
        sources[k] = pair_buffer(&pair[k], REDIST_SOURCE, world_rank());
        targets[k] = pair_buffer(&pair[k], REDIST_TARGET, world_rank());
    }
    redist_plan *plan = NULL;
    CHECK_OK(redist_plan_create_batch(MPI_COMM_WORLD, ARRAYS, items, NULL, &plan));
    check_report(plan, NULL, "auto");
    CHECK(redist_plan_tune(plan, sources[0], targets[0]) == REDIST_ERR_ARG, "one of two");
    CHECK_OK(redist_plan_tune_batch(plan, sources, targets));
    check_report(plan, NULL, "tuned");
    for (int k = 0; k < ARRAYS; k++) {
        pair_check(&pair[k], world_rank(), targets[k]);
        free((void *)sources[k]);
        free(targets[k]);
        pair_free(&pair[k]);
    }
    CHECK_OK(redist_plan_destroy(&plan));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    unsetenv("REDIST_STRATEGY");
    unsetenv("REDIST_RATES");
    stated_rates_are_not_measured();
    for (int k = 0; k < STRATEGIES; k++)
        long_elements_are_moved_by(here(all_strategies[k]));
    long_elements_are_moved_by("optimal");
    long_elements_are_moved_by(NULL);
    every_process_chooses_the_same();
    a_duplicate_is_measured_anew();
    an_intercommunicator_is_measured_once();
    the_environment_overrides();
    processes_that_disagree_are_told();
    tuning_works_from_any_strategy();
    what_cannot_be_tuned_is_refused();
    a_plan_in_place_is_tuned_already();
    several_arrays_are_tuned_together();
    return passed("the library's choice, the environment, tuning");
}
