/* SPDX-License-Identifier: MIT
 *
 * Every strategy gives the same bytes. Random pairs of views - 1 to 4 dimensions, all
 * formats, sections, permutations, halos, groups, replicas, tiny and large staging
 * memory, sources that others can read; and block-cyclic ones, which the papers'
 * schedules need - are moved by all strategies that there are, one at a time and all at
 * once, and compared with the brute-force owner map, every byte of every buffer, those
 * that must stay untouched too.
 * What needs more staging memory than it is given says how much, and that is just enough.
 * A strategy may refuse a pair, then on every process with the same sentence, but must
 * take enough of them.
 *
 *   mpi.every_strategy [cases]
 */
#include "mpi/sample.h"

#include "move/registry/exchanges.h"
#include "mpi/pair.h"
#include "plan/choice/strategy.h"
#include "schedule/order/order.h"
#include "schedule/registry/schedules.h"

enum { CASES = 80, LONG = 300, MOST_STRATEGIES = 64 };

/* A strategy, and what has become of it so far. */
struct entry {
    const char *text;
    int taken, refused;
};

/* All strategies; the last is another schedule and exchange in each case. */
static struct entry entries[MOST_STRATEGIES];
static int nentries;
static char drawn[STRATEGY_TEXT_SIZE];

/* One case: what is moved, and the plan of each strategy, NULL where it was refused. */
struct trial {
    struct sample side[2];
    MPI_Datatype type;
    redist_options options;
    size_t size[2]; /* of the buffers, bytes */
    unsigned char *source, *expected;
    void *
        lent; /* where the source lies for others to read, in every other case, or NULL */
    redist_plan *plan[MOST_STRATEGIES];
    size_t staging[MOST_STRATEGIES]; /* what it was made with */
    unsigned char *target[MOST_STRATEGIES];
    int done[MOST_STRATEGIES];
};

/* Where processes sit, of which only the schedule that goes by it is told. */
static redist_topology *ring;

static const redist_topology *topology_for(const char *strategy)
{
    return strncmp(strategy, "links", 5) == 0 ? ring : NULL;
}

/* ---- the strategies ---------------------------------------------------------------- */

static void list(const char *text)
{
    for (int k = 0; k < nentries; k++)
        if (strcmp(entries[k].text, text) == 0) return;
    CHECK(nentries < MOST_STRATEGIES, "more than %d strategies", MOST_STRATEGIES);
    entries[nentries++].text = text;
}

static void list_all(void)
{
    for (int k = 0; known_strategies[k]; k++)
        if (!lacking(known_strategies[k])) list(known_strategies[k]);
    for (int k = 0; k < STRATEGIES; k++)
        if (!lacking(all_strategies[k])) list(all_strategies[k]);
    list(drawn);
}

/* Any schedule with any exchange, whether they go together or not. */
static void draw(uint64_t *seed)
{
    int nschedules = 0, nexchanges = 0;
    while (schedules[nschedules]) nschedules++;
    while (exchanges[nexchanges]) nexchanges++;
    const struct schedule_kind *kind = schedules[random_in(seed, 0, nschedules - 1)];
    char name[SCHEDULE_NAME_SIZE];
    schedule_print(kind, kind->drawn ? (int)random_in(seed, 0, 9) : 0, name);
    (void)snprintf(drawn, sizeof drawn, "%s/%s", name,
                   exchanges[random_in(seed, 0, nexchanges - 1)]->name);
}

/* Whether the schedule of a strategy is for a pair, and goes with its exchange. */
static int is_applicable(const char *text, const struct sample side[2])
{
    struct strategy strategy;
    struct order order;
    if (strategy_parse(text, &strategy)) return 0;
    redist_err err = order_make(strategy.schedule, strategy.seed, &side[0].view,
                                &side[1].view, topology_for(text), world_size(), &order);
    order_free(&order);
    return !err;
}

/* ---- a case ------------------------------------------------------------------------ */

static void make_random(struct sample side[2], uint64_t *seed)
{
    int64_t n[SAMPLE_MAX_DIMS];
    int ndims = random_extents(seed, n);
    for (int s = 0; s < 2; s++)
        sample_make(&side[s], seed, ndims, n, world_size(), SAMPLE_REPLICAS);
}

/* Put the source into memory of redist_alloc. */
static void lend(struct trial *t)
{
    CHECK_OK(redist_alloc(MPI_COMM_WORLD, t->size[REDIST_SOURCE], &t->lent));
    memcpy(t->lent, t->source, t->size[REDIST_SOURCE]);
    free(t->source);
    t->source = t->lent;
}

/* Every third case is regular. */
static void make_candidate(struct trial *t, int number, uint64_t *seed)
{
    int64_t element = random_element(seed);
    if (number % 3 == 2)
        sample_make_regular(t->side, seed);
    else
        make_random(t->side, seed);
    MPI_Type_contiguous((int)element, MPI_BYTE, &t->type);
    MPI_Type_commit(&t->type);
    t->options = (redist_options)REDIST_OPTIONS_INIT;
    if (random_in(seed, 0, 1))
        t->options.staging_bytes =
            (size_t)(element * random_in(seed, 2, random_in(seed, 2, 200)));
    unsigned char **bytes[2] = {&t->source, &t->expected};
    for (int s = 0; s < 2; s++) {
        t->size[s] = (size_t)(t->side[s].span * element);
        *bytes[s] = poisoned((int64_t)t->size[s]);
        sample_fill(&t->side[s], *bytes[s], element);
    }
    draw(seed);
    t->lent = NULL;
    if (number % 2) lend(t);
}

static void free_candidate(struct trial *t)
{
    for (int k = 0; k < nentries; k++) CHECK_OK(redist_plan_destroy(&t->plan[k]));
    for (int s = 0; s < 2; s++) sample_free(&t->side[s]);
    MPI_Type_free(&t->type);
    if (t->lent)
        CHECK_OK(redist_free(t->lent));
    else
        free(t->source);
    free(t->expected);
}

static void describe(const struct trial *t, const char *strategy)
{
    fprintf(stderr, "%s by %s, staging_bytes %zu\n",
            sample_text(&t->side[0], &t->side[1]), strategy, t->options.staging_bytes);
}

static redist_err create(struct trial *t, int k, redist_plan **plan)
{
    redist_options options = t->options;
    options.strategy = entries[k].text;
    options.topology = topology_for(entries[k].text);
    options.staging_bytes = t->staging[k];
    return redist_plan_create(MPI_COMM_WORLD, t->type, &t->side[0].view, &t->side[1].view,
                              &options, plan);
}

/* Make the plan of one strategy, if need be with as much more staging memory as the
 * library asks for, of which a byte less is too little. */
static redist_err create_with_enough(struct trial *t, int k)
{
    redist_err err;
    t->staging[k] = t->options.staging_bytes;
    while ((err = create(t, k, &t->plan[k])) == REDIST_ERR_ARG) {
        size_t least = staging_needed();
        if (!least) return err;
        CHECK(least > t->staging[k], "%s", entries[k].text);
        t->staging[k] = least;
    }
    if (err || t->staging[k] == t->options.staging_bytes) return err;
    t->staging[k]--;
    redist_plan *none = NULL;
    CHECK(create(t, k, &none) == REDIST_ERR_ARG, "%s does with less", entries[k].text);
    t->staging[k]++;
    return REDIST_OK;
}

/* Make the plan of one strategy, or have it refused. Returns a number that all processes
 * must have: of the sentence. */
static int64_t make_plan(struct trial *t, int k)
{
    redist_err err = create_with_enough(t, k);
    if (err && err != REDIST_ERR_ARG) describe(t, entries[k].text);
    CHECK(!err || err == REDIST_ERR_ARG, "%s", redist_error_name(err));
    if (err)
        entries[k].refused++;
    else
        entries[k].taken++;
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (const char *c = err ? redist_error_message() : ""; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211U;
    return (int64_t)(hash >> 1);
}

/* Make the plans of all strategies; those that are not applicable, in one case of ten,
 * to be refused. All processes must agree. */
static void make_plans(struct trial *t, int number)
{
    int64_t verdict[2 * MOST_STRATEGIES] = {0}, least[2 * MOST_STRATEGIES];
    for (int k = 0; k < nentries; k++) {
        t->plan[k] = NULL;
        int applicable = is_applicable(entries[k].text, t->side);
        if (!applicable && number % 10 != 0) continue;
        verdict[2 * k] = make_plan(t, k);
        verdict[2 * k + 1] = -verdict[2 * k];
        CHECK(applicable || !t->plan[k], "%s is not applicable", entries[k].text);
    }
    MPI_Allreduce(verdict, least, 2 * nentries, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    for (int k = 0; k < nentries; k++) {
        if (least[2 * k] == -least[2 * k + 1]) continue;
        describe(t, entries[k].text);
        CHECK(0, "the processes differ on whether it is taken, or why not");
    }
}

static void check_target(const struct trial *t, int k, const char *how)
{
    if (memcmp(t->target[k], t->expected, t->size[REDIST_TARGET]) != 0) {
        describe(t, entries[k].text);
        CHECK(0, "%s: the target differs from the owner map", how);
    }
    free(t->target[k]);
}

static void run_one_at_a_time(struct trial *t)
{
    int64_t arrived[MOST_STRATEGIES] = {0}, due = sample_elements(&t->side[1]);
    for (int k = 0; k < nentries; k++) {
        if (!t->plan[k]) continue;
        t->target[k] = poisoned((int64_t)t->size[REDIST_TARGET]);
        CHECK_OK(redist_execute(t->plan[k], t->source, t->target[k]));
        check_target(t, k, "executed");
        check_peak(t->plan[k], t->staging[k]);
        redist_report report = report_of(t->plan[k]);
        arrived[k] = report.elements_kept + report.elements_received;
    }
    MPI_Allreduce(MPI_IN_PLACE, arrived, nentries, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < nentries; k++)
        CHECK(!t->plan[k] || arrived[k] == due,
              "%s: %" PRId64 " elements arrived of %" PRId64, entries[k].text, arrived[k],
              due);
}

static void run_all_at_once(struct trial *t)
{
    int left = 0;
    for (int k = 0; k < nentries; k++) {
        if (!t->plan[k]) continue;
        t->target[k] = poisoned((int64_t)t->size[REDIST_TARGET]);
        CHECK_OK(redist_start(t->plan[k], t->source, t->target[k]));
        t->done[k] = 0;
        left++;
    }
    for (int k = 0; left > 0; k = (k + 1) % nentries) {
        if (!t->plan[k] || t->done[k]) continue;
        CHECK_OK(redist_test(t->plan[k], &t->done[k]));
        if (!t->done[k]) continue;
        check_target(t, k, "started and tested");
        left--;
    }
}

/* ---- all cases --------------------------------------------------------------------- */

static void every_exchange_is_listed(void)
{
    for (int e = 0; exchanges[e]; e++) {
        int found = 0;
        for (int k = 0; k < nentries; k++) {
            size_t length = strcspn(entries[k].text, "(");
            found |= strncmp(entries[k].text, exchanges[e]->name, length) == 0 &&
                     !exchanges[e]->name[length];
        }
        CHECK(found || exchanges[e]->lacks, "%s is in no list of strategies",
              exchanges[e]->name);
    }
}

/* An exchange alone is for all pairs, if the staging memory is enough; a schedule and
 * lcm-phases for some of the regular ones. One process has nothing to schedule. */
static void each_has_moved_something(int cases)
{
    for (int k = 0; k < nentries; k++) {
        struct strategy strategy;
        bool goes = !strategy_parse(entries[k].text, &strategy);
        int any =
            goes && !strategy.schedule && strcmp(entries[k].text, "lcm-phases") != 0;
        int least = any ? cases / 3 : cases / 100;
        if (world_rank() == 0)
            printf("%-24s %4d taken, %4d refused\n", entries[k].text, entries[k].taken,
                   entries[k].refused);
        if (world_size() > 1)
            CHECK(entries[k].taken >= least, "%s has taken %d cases, must take %d",
                  entries[k].text, entries[k].taken, least);
    }
}

int main(int argc, char **argv)
{
    static struct trial trial;
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    int few = world_size() > 4 ? CASES * 4 / world_size() : CASES;
    int cases = number_of_cases(argc, argv, few, LONG);
    list_all();
    every_exchange_is_listed();
    const int extents[] = {world_size()}, periodic[] = {1};
    CHECK_OK(
        redist_topology_create_mesh(1, extents, periodic, world_size(), NULL, &ring));
    for (int number = 0; number < cases; number++) {
        make_candidate(&trial, number, &seed);
        make_plans(&trial, number);
        run_one_at_a_time(&trial);
        run_all_at_once(&trial);
        free_candidate(&trial);
    }
    each_has_moved_something(cases);
    redist_topology_destroy(&ring);
    return passed("%d cases, %d strategies", cases, nentries);
}
