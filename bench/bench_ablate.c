/* SPDX-License-Identifier: MIT
 *
 * bench_ablate - the gain of each special mechanism of copying and of the node path: the
 * items of bench_node and lists of indices, with each mechanism left out in turn. All
 * run in turns, and every result is verified. Built with REDIST_ABLATE alone, which
 * script/bench sees to.
 *
 *   script/bench ablate [-n PROCESSES] [--extent N] [--length N] [--reps N]
 *                       [--strategy NAME]
 *
 * A line a mechanism, a column an item: the time without it over the time with all, of
 * arrays of redist_alloc and, behind a slash, of any memory. Lists are of --length / 4
 * doubles. The last columns are the largest ratio with its item, and the geometric mean.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ablate.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "peers/arena.h"
#include "program.h"
#include "files/format/collective.h"

struct arguments {
    int64_t extent, length, rounds;
};

static const char *strategy = "shared"; /* of all plans */

static const char *const names[ABLATION_COUNT] = {"all there",
#define NAME(name, what) what,
                                                  ABLATIONS(NAME)
#undef NAME
};

enum { LISTS = 1, COLUMNS = ITEM_MOST + LISTS }; /* the last column is that of lists */

/* [column][where][mechanism]: seconds; 0: none. */
typedef double times[COLUMNS][WHERES][ABLATION_COUNT];

/* ---- the library, with something left out ------------------------------------------ */

struct ablated_plan {
    enum ablation off;
    void *state;
};

static redist_err make(MPI_Comm comm, const struct item *item, const char *left_out,
                       void **state)
{
    struct ablated_plan *plan = mem_alloc(NULL, 1, sizeof *plan);
    if (!plan) return REDIST_ERR_MEMORY;
    while (strcmp(names[plan->off], left_out) != 0) plan->off++;
    ablated = plan->off;
    redist_err err = peer_redist.make(comm, item, strategy, &plan->state);
    ablated = ABLATE_NONE;
    *state = plan;
    return err;
}

static redist_err run(void *state, const double *source, double *target)
{
    struct ablated_plan *plan = state;
    ablated = plan->off;
    redist_err err = peer_redist.run(plan->state, source, target);
    ablated = ABLATE_NONE;
    return err;
}

static void destroy(void *state)
{
    struct ablated_plan *plan = state;
    peer_redist.free(plan->state);
    mem_free(plan);
}

static const struct peer peer_ablated = {"redist", false, make, run, destroy};

static redist_err bench_item(MPI_Comm comm, const struct item *item, int64_t rounds,
                             double seconds[WHERES][ABLATION_COUNT])
{
    struct arena arena;
    struct contender contenders[WHERES * ABLATION_COUNT];
    redist_err err = arena_make(comm, item, true, &arena);
    for (int k = 0; k < WHERES * ABLATION_COUNT; k++) {
        struct contender *contender = &contenders[k];
        *contender = (struct contender){.peer = &peer_ablated,
                                        .strategy = names[k % ABLATION_COUNT],
                                        .where = k / ABLATION_COUNT};
        if (!err) err = contender_enter(&arena, contender);
        if (!err && !contender->available)
            err = error_set(REDIST_ERR_STATE, "%s: %s", contender->strategy,
                            contender->why);
    }
    if (!err)
        err = arena_race(&arena, rounds, false, WHERES * ABLATION_COUNT, contenders);
    for (int k = 0; k < WHERES * ABLATION_COUNT; k++) {
        seconds[k / ABLATION_COUNT][k % ABLATION_COUNT] = contenders[k].time;
        contender_leave(&contenders[k]);
    }
    arena_free(&arena);
    return err;
}

/* ---- lists of indices -------------------------------------------------------------- */

struct lists {
    int64_t n;         /* of this process */
    int64_t *index[2]; /* [extent] of all, in random order; its own are first .. */
    int64_t first;
    double *memory[WHERES][2];
};

struct list_racer {
    const struct lists *lists;
    enum ablation off;
    enum where where;
    redist_plan *plan;
};

static redist_err run_list(void *context)
{
    struct list_racer *racer = context;
    double *const *memory = racer->lists->memory[racer->where];
    ablated = racer->off;
    redist_err err = redist_execute(racer->plan, memory[0], memory[1]);
    ablated = ABLATE_NONE;
    return err;
}

static void shuffle(uint64_t hash, int64_t n, int64_t index[])
{
    for (int64_t k = 0; k < n; k++) {
        hash = hash_int(hash, k);
        int64_t j = (int64_t)((hash >> 11) % (uint64_t)(k + 1));
        index[k] = index[j];
        index[j] = k;
    }
}

static redist_err make_lists(MPI_Comm comm, int64_t extent, struct lists *lists)
{
    int rank, nranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    lists->first = extent * rank / nranks;
    lists->n = extent * (rank + 1) / nranks - lists->first;
    bool all = true;
    for (int s = 0; s < 2; s++) {
        void *shared = NULL;
        lists->index[s] = mem_alloc_list(NULL, extent, sizeof(int64_t));
        lists->memory[ORDINARY][s] = mem_alloc(NULL, lists->n, sizeof(double));
        all = all && lists->index[s] && lists->memory[ORDINARY][s];
        TRY(redist_alloc(comm, (size_t)lists->n * sizeof(double), &shared));
        lists->memory[SHARED][s] = shared;
    }
    TRY(collective_agree(comm, all ? REDIST_OK : REDIST_ERR_MEMORY));
    for (int s = 0; s < 2; s++)
        shuffle(HASH_START + (uint64_t)s, extent, lists->index[s]);
    for (int64_t k = 0; k < lists->n; k++)
        for (int w = 0; w < WHERES; w++)
            lists->memory[w][0][k] = (double)lists->index[0][lists->first + k];
    return REDIST_OK;
}

static redist_err enter_list(MPI_Comm comm, int64_t extent, struct list_racer *racer)
{
    const struct lists *lists = racer->lists;
    redist_options options = REDIST_OPTIONS_INIT;
    redist_indices side[2];
    options.strategy = strategy;
    for (int s = 0; s < 2; s++)
        side[s] = redist_indices_of_list(lists->n, lists->index[s] + lists->first);
    ablated = racer->off;
    redist_err err = redist_plan_create_indexed(comm, MPI_DOUBLE, extent, &side[0],
                                                &side[1], &options, &racer->plan);
    ablated = ABLATE_NONE;
    if (err) return err;
    TRY(run_list(racer));
    double *target = lists->memory[racer->where][1];
    int64_t wrong = 0;
    for (int64_t k = 0; k < lists->n; k++)
        wrong += target[k] != (double)lists->index[1][lists->first + k];
    memset(target, 0, (size_t)lists->n * sizeof *target);
    return collective_agree(
        comm,
        wrong ? error_set(REDIST_ERR_STATE, "%s: elements are wrong", names[racer->off])
              : REDIST_OK);
}

static redist_err bench_lists(MPI_Comm comm, int64_t extent, int64_t rounds,
                              double seconds[WHERES][ABLATION_COUNT])
{
    struct lists lists = {0};
    struct list_racer contenders[WHERES * ABLATION_COUNT];
    struct racer racers[WHERES * ABLATION_COUNT];
    redist_err err = make_lists(comm, extent, &lists);
    for (int k = 0; k < WHERES * ABLATION_COUNT; k++) {
        contenders[k] =
            (struct list_racer){&lists, k % ABLATION_COUNT, k / ABLATION_COUNT, NULL};
        racers[k] = (struct racer){.run = run_list, .context = &contenders[k]};
        if (!err) err = enter_list(comm, extent, &contenders[k]);
    }
    if (!err) err = race_run(comm, rounds, WHERES * ABLATION_COUNT, racers);
    for (int k = 0; k < WHERES * ABLATION_COUNT; k++) {
        seconds[k / ABLATION_COUNT][k % ABLATION_COUNT] = racers[k].seconds.median;
        (void)redist_plan_destroy(&contenders[k].plan);
    }
    for (int s = 0; s < 2; s++) {
        mem_free(lists.index[s]);
        mem_free(lists.memory[ORDINARY][s]);
        (void)redist_free(lists.memory[SHARED][s]);
    }
    return err;
}

/* ---- what is said ------------------------------------------------------------------ */

static double ratio(const double seconds[ABLATION_COUNT], int off)
{
    return seconds[0] > 0 ? seconds[off] / seconds[0] : 1;
}

static void print(int n, const struct item items[], times seconds)
{
    for (int k = 0; k < n; k++) {
        (void)printf("%2d  %8.3f /%8.3f ms  ", k, 1e3 * seconds[k][SHARED][0],
                     1e3 * seconds[k][ORDINARY][0]);
        if (k < n - LISTS)
            item_print(&items[k]);
        else
            (void)printf("lists of indices in random order\n");
    }
    (void)printf("\n%-52s", "time without it over the time with all");
    for (int k = 0; k < n; k++) (void)printf(" %11d", k);
    (void)printf("      largest  mean\n");
    for (int off = 1; off < ABLATION_COUNT; off++) {
        double largest = 0, sum = 0;
        int of = 0;
        (void)printf("%-52s", names[off]);
        for (int k = 0; k < n; k++) {
            double a = ratio(seconds[k][SHARED], off),
                   b = ratio(seconds[k][ORDINARY], off);
            (void)printf(" %5.2f/%5.2f", a, b);
            if (fmax(a, b) > largest) largest = fmax(a, b), of = k;
            sum += log(a) + log(b);
        }
        (void)printf(" %6.2f of %2d %5.2f\n", largest, of, exp(sum / (2 * n)));
    }
    (void)fflush(stdout);
}

static redist_err bench_items(MPI_Comm comm, void *context)
{
    static times seconds;
    const struct arguments *arguments = context;
    struct item items[ITEM_MOST];
    int rank, nranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    int n = item_list(arguments->extent, arguments->length, nranks, items);
    program_print_turns(comm, arguments->rounds);
    for (int k = 0; k < n; k++)
        TRY(bench_item(comm, &items[k], arguments->rounds, seconds[k]));
    TRY(bench_lists(comm, arguments->length / 4, arguments->rounds, seconds[n]));
    if (rank == 0) print(n + LISTS, items, seconds);
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {4096, 1 << 24, 7};
    const struct argument options[] = {
        {"extent", .number = &arguments.extent, .least = 1, .most = 1 << 20},
        {"length", .number = &arguments.length, .least = 1, .most = INT64_C(1) << 40},
        {"strategy", .text = &strategy},
        {"reps", .number = &arguments.rounds, .least = 1, .most = 10000},
        {.name = NULL}};
    return program_run(argc, argv, options, bench_items, &arguments);
}
