/* SPDX-License-Identifier: MIT
 *
 * One process runs out of memory: the k-th allocation of redist_plan_create fails
 * there, for every k that there is. All processes return MEMORY with one sentence,
 * nothing is left allocated, and a plan that came about runs without allocating.
 */
#include "mpi/pair.h"
#include "mpi/scarce.h"
#include "mpi/trace.h"

enum { MOST_ARRAYS = 3 };

/* What plan is made, and where: over the world, or over an intercommunicator of two
 * halves of it. */
struct site {
    int arrays; /* of the same pair */
    MPI_Comm comm;
    redist_side side;
    int rank[2]; /* of the caller among the source's and the target's ranks, or NOBODY */
    const redist_topology *topology; /* or NULL */
};

static redist_err create(const struct site *place, const struct pair *pair,
                         const char *strategy, redist_plan **plan)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.side = place->side;
    options.topology = place->topology;
    redist_item items[MOST_ARRAYS];
    for (int k = 0; k < place->arrays; k++)
        items[k] = (redist_item){MPI_INT64_T, &pair->view[0], &pair->view[1]};
    return redist_plan_create_batch(place->comm, place->arrays, items, &options, plan);
}

/* Run the plan, which is to allocate nothing, and check what has come. */
static void execute(redist_plan *plan, const struct site *place, const struct pair *pair)
{
    int64_t *source = pair_buffer(pair, REDIST_SOURCE, place->rank[0]);
    const void *sources[MOST_ARRAYS];
    void *targets[MOST_ARRAYS];
    for (int k = 0; k < place->arrays; k++) {
        sources[k] = source;
        targets[k] = pair_buffer(pair, REDIST_TARGET, place->rank[1]);
    }
    mem_fail_at(1);
    CHECK_OK(redist_execute_batch(plan, sources, targets));
    CHECK(mem_fail_left() == 1, "redist_execute_batch allocates");
    mem_fail_at(0);
    for (int k = 0; k < place->arrays; k++) {
        pair_check(pair, place->rank[1], targets[k]);
        free(targets[k]);
    }
    free(source);
}

static void check_nothing_left(int64_t blocks, int64_t k)
{
    CHECK(mem_live_blocks() == blocks,
          "failing allocation %" PRId64 " leaks %" PRId64 " blocks", k,
          mem_live_blocks() - blocks);
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
    CHECK(trace.types == 0, "%d datatypes leaked", trace.types);
    CHECK(trace.windows == 0, "%d windows leaked", trace.windows);
}

/* Let world rank `victim` run out of memory at each of its allocations in turn; return
 * how many there are. */
static int64_t each_allocation_fails_once(const struct site *place,
                                          const struct pair *pair, const char *strategy,
                                          int victim)
{
    int64_t before = mem_live_blocks();
    for (int64_t k = 1;; k++) {
        redist_plan *plan = NULL;
        scarce_begin(victim, k);
        redist_err err = create(place, pair, strategy, &plan);
        if (scarce_end(victim)) { /* the allocation was asked for, and refused */
            check_everywhere(err, REDIST_ERR_MEMORY, 0, "rank ");
            CHECK(strstr(redist_error_message(), ": out of memory: "), "allocation");
            CHECK(!plan, "a plan was handed out");
            check_nothing_left(before, k);
            continue;
        }
        CHECK_OK(err);
        execute(plan, place, pair);
        CHECK_OK(redist_plan_destroy(&plan));
        check_nothing_left(before, 0);
        return k - 1;
    }
}

static int64_t try_pair(const struct site *place, const char *source, const char *target)
{
    int64_t refused = 0;
    struct pair pair = pair_parse(source, target);
    int others = world_size() > 1 ? world_size() - 1 : 1; /* first and last fail */
    for (int k = 0; k < STRATEGIES; k++) {
        if (place->arrays > 1 && !moves_batches(here(all_strategies[k]))) continue;
        for (int victim = 0; victim < world_size(); victim += others)
            refused +=
                each_allocation_fails_once(place, &pair, here(all_strategies[k]), victim);
    }
    pair_free(&pair);
    return refused;
}

/* Pairs of texts, in which %d stands for the number of processes of a side. */
static int64_t try_pairs(const struct site *place, int sources, int targets)
{
    static const char *const texts[][2] = {
        {"[40,6] (cyclic(3),*) onto %d", "[40,6] (block,*) onto %d column-major"},
        {"[40,6] (*,*) onto %d", "[40,6] (cyclic(1) from 0,*) onto %d"},
        {"[40] (indirect(5*0,30*0,5*0)) onto %d", "[40] (block) onto %d"},
        {"[41] (cyclic(4)) onto %d section [1:39:2]", "[20] (block) onto %d"},
        {"[40] (block) onto %d", "[40] (*) onto %d"},
    };
    int64_t refused = 0;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char source[64], target[64];
        (void)snprintf(source, sizeof source, texts[k][0], sources);
        (void)snprintf(target, sizeof target, texts[k][1], targets);
        refused += try_pair(place, source, target);
    }
    return refused;
}

/* What lies between two phases has allocations of its own. */
static int64_t try_phases(const struct site *place)
{
    if (world_size() < 4) return 0;
    struct pair pair = pair_parse("[12,10] (cyclic(1),block) onto 2x2",
                                  "[12,10] (block,cyclic(2)) onto 2x2 column-major");
    int64_t refused = 0;
    for (int victim = 0; victim < 4; victim += 3)
        refused += each_allocation_fails_once(place, &pair, "multiphase", victim);
    pair_free(&pair);
    return refused;
}

/* What is tried over a network that is known is tried by all, each a part of it. */
static int64_t try_network(void)
{
    int rank = world_rank(), n = world_size();
    struct site place = {1, MPI_COMM_WORLD, REDIST_SOURCE, {rank, rank}, NULL};
    char text[3][64];
    redist_topology *topology = NULL;
    (void)snprintf(text[0], sizeof text[0], "mesh(%d)", n);
    (void)snprintf(text[1], sizeof text[1], "[60] (cyclic(3)) onto %d", n);
    (void)snprintf(text[2], sizeof text[2], "[60] (cyclic(2)) onto %d", n);
    CHECK_OK(redist_topology_parse(text[0], n, &topology));
    struct pair pair = pair_parse(text[1], text[2]);
    int64_t refused = 0;
    redist_plan *first = NULL; /* what it measures is kept with the communicator */
    CHECK_OK(create(&place, &pair, NULL, &first));
    CHECK_OK(redist_plan_destroy(&first));
    place.topology = topology;
    for (int victim = 0; victim<n; victim += n> 1 ? n - 1 : 1)
        refused += each_allocation_fails_once(&place, &pair, NULL, victim);
    pair_free(&pair);
    redist_topology_destroy(&topology);
    return refused;
}

/* The world's even ranks are the source, the odd ones the target. */
static int64_t try_pairs_between_two_groups(void)
{
    int rank = world_rank(), n = world_size(), side = rank % 2;
    MPI_Comm group, inter;
    PMPI_Comm_split(MPI_COMM_WORLD, side, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, !side, 0, &inter);
    struct site place = {1, inter, (redist_side)side, {NOBODY, NOBODY}, NULL};
    place.rank[side] = rank / 2;
    int64_t refused = try_pairs(&place, (n + 1) / 2, n / 2);
    PMPI_Comm_free(&inter); /* none of them is the library's: not counted */
    PMPI_Comm_free(&group);
    return refused;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = world_rank(), n = world_size();
    struct site world = {1, MPI_COMM_WORLD, REDIST_SOURCE, {rank, rank}, NULL};
    int64_t refused = try_pairs(&world, n, n);
    struct site batch = {MOST_ARRAYS, MPI_COMM_WORLD, REDIST_SOURCE, {rank, rank}, NULL};
    refused += try_pair(&batch, "[40,6] (*,*) onto 1", "[40,6] (cyclic,*) onto 1");
    refused += try_phases(&world);
    refused += try_network();
    if (n > 1 && !LACKS_INTERCOMMS) refused += try_pairs_between_two_groups();
    CHECK(refused > 0, "nothing was refused");
    return passed("%" PRId64 " allocations refused", refused);
}
