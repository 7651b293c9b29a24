/* SPDX-License-Identifier: MIT
 *
 * bench_irregular - data that grew unevenly: to plan and to move a balance, beside a
 * memcpy of what moves; a target of which every process has all; and what other places
 * of a target's ranks gain, and take to find.
 *
 *   script/bench irregular [-n PROCESSES] [--preset mpich] [--elements N] [--indices N]
 *                          [--reps N]
 *
 * Elements are of 8 bytes, 10^8 of them unless told. The memcpy: each process copies as
 * many bytes as it receives from others by method A, all at the same time; B's times are
 * set beside the same. Then lists of indices, 10^7 unless told, in random order, beside
 * PETSc's VecScatter where there is one. In turns; every result is verified.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "irregular/indexed.h"
#include "plan/balance/balance.h"
#include "program.h"
#include "files/format/collective.h"
#include "tool/bench/race.h"
#include "tool/common/tool.h"

struct arguments {
    int64_t elements, indices, rounds;
};

/* How uneven it is. */
enum spread_kind { ALL_ON_ONE, A_RAMP, CASES };
static const char *const case_name[CASES] = {"all on one process",
                                             "from nothing to twice the mean"};

/* What the processes before k of p have of n elements. */
static int64_t count_before(enum spread_kind kind, int64_t n, int64_t p, int64_t k)
{
    if (k == p) return n;
    if (kind == ALL_ON_ONE) return k == 0 ? 0 : n;
    return (int64_t)((double)n * (double)(k * (k - 1)) / (double)(p * int_max(p - 1, 1)));
}

struct arena {
    MPI_Comm comm;
    int rank, nranks;
    int64_t n, count, received; /* of this process: elements */
    double *ordinary, *shared, *target, *copy;
    int64_t copied; /* elements of the memcpy */
};

static const struct entry {
    const char *name, *strategy;
    redist_balance_method method;
    bool shared; /* the source lies in memory of redist_alloc */
} entries[] = {
    {"memcpy of what A moves", NULL, REDIST_BALANCE_A, false},
    {"A, the library's choice", NULL, REDIST_BALANCE_A, false},
    {"A, staircase", "staircase/nonblocking", REDIST_BALANCE_A, false},
    {"A, shared, redist_alloc", "shared", REDIST_BALANCE_A, true},
    {"A, shared, any memory", "shared", REDIST_BALANCE_A, false},
    {"B, the library's choice", NULL, REDIST_BALANCE_B, false},
    {"B, shared, redist_alloc", "shared", REDIST_BALANCE_B, true},
};
enum { MEMCPY, ENTRIES = sizeof entries / sizeof *entries };

struct contender {
    const struct arena *arena;
    const struct entry *entry;
    redist_plan *plan;
    int64_t share, moved; /* of this process; of all */
    double planning;      /* seconds */
};

/* ---- the arena --------------------------------------------------------------------- */

static redist_err arena_make(enum spread_kind kind, int64_t n, struct arena *arena)
{
    void *memory = NULL;
    arena->n = n;
    int64_t begin = count_before(kind, n, arena->nranks, arena->rank);
    arena->count = count_before(kind, n, arena->nranks, (int64_t)arena->rank + 1) - begin;
    int64_t room = int_max(int_ceil_div(n, arena->nranks), 1);
    arena->ordinary = mem_alloc(NULL, arena->count, sizeof(double));
    arena->target = mem_alloc(NULL, room, sizeof(double));
    arena->copy = mem_alloc(NULL, room, sizeof(double));
    bool all = arena->ordinary && arena->target && arena->copy;
    TRY(collective_agree(arena->comm, all ? REDIST_OK : REDIST_ERR_MEMORY));
    TRY(redist_alloc(arena->comm, (size_t)arena->count * sizeof(double), &memory));
    arena->shared = memory;
    for (int64_t l = 0; l < arena->count; l++)
        arena->shared[l] = arena->ordinary[l] = (double)(begin + l) + 1;
    memset(arena->copy, 1, (size_t)room * sizeof(double));
    return REDIST_OK;
}

static void arena_free(struct arena *arena)
{
    mem_free(arena->ordinary);
    mem_free(arena->target);
    mem_free(arena->copy);
    (void)redist_free(arena->shared);
    arena->shared = NULL;
}

/* ---- contenders -------------------------------------------------------------------- */

static redist_err run(void *context)
{
    const struct contender *contender = context;
    const struct arena *arena = contender->arena;
    const double *source = contender->entry->shared ? arena->shared : arena->ordinary;
    if (contender->plan) return redist_execute(contender->plan, source, arena->target);
    memcpy(arena->target, arena->copy, (size_t)arena->copied * sizeof(double));
    return REDIST_OK;
}

static redist_err plan_one(struct contender *contender, int listed)
{
    const struct arena *arena = contender->arena;
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = contender->entry->strategy;
    const struct balance balance = {.comm = arena->comm,
                                    .type = MPI_DOUBLE,
                                    .method = contender->entry->method,
                                    .count = arena->count,
                                    .weight = 1,
                                    .options = &options};
    MPI_Barrier(arena->comm);
    double begin = MPI_Wtime();
    TRY(balance_create(&balance, listed, &contender->plan, &contender->share));
    double seconds = MPI_Wtime() - begin;
    MPI_Allreduce(&seconds, &contender->planning, 1, MPI_DOUBLE, MPI_MAX, arena->comm);
    return REDIST_OK;
}

/* Each element holds its place in the order of the processes, counted from 1, which A
 * keeps; of B the sum is looked at. */
static redist_err verify(struct contender *contender)
{
    const struct arena *arena = contender->arena;
    int64_t begin = 0, wrong = 0;
    double sums[3] = {0, 0, 0}, all[3];
    memset(arena->target, 0, (size_t)contender->share * sizeof(double));
    TRY(run(contender));
    MPI_Exscan(&contender->share, &begin, 1, MPI_INT64_T, MPI_SUM, arena->comm);
    if (arena->rank == 0) begin = 0;
    for (int64_t l = 0; l < arena->count; l++) sums[0] += arena->ordinary[l];
    for (int64_t l = 0; l < contender->share; l++) {
        sums[1] += arena->target[l];
        wrong += arena->target[l] != (double)(begin + l) + 1;
    }
    if (contender->entry->method == REDIST_BALANCE_A) sums[2] = (double)wrong;
    MPI_Allreduce(sums, all, 3, MPI_DOUBLE, MPI_SUM, arena->comm);
    double off = (all[1] - all[0]) / all[0];
    if (all[2] == 0 && off > -1e-9 && off < 1e-9) return REDIST_OK;
    return error_set(REDIST_ERR_STATE, "%s: %g elements wrong, their sum %g, must be %g",
                     contender->entry->name, all[2], all[1], all[0]);
}

static redist_err enter(struct arena *arena, struct contender *contender)
{
    redist_report report;
    if (contender->entry == &entries[MEMCPY]) return REDIST_OK;
    TRY(plan_one(contender, BALANCE_LISTED)); /* the first one measures the machine */
    TRY(redist_plan_destroy(&contender->plan));
    TRY(plan_one(contender, BALANCE_LISTED));
    TRY(redist_plan_report(contender->plan, &report));
    MPI_Allreduce(&report.elements_sent, &contender->moved, 1, MPI_INT64_T, MPI_SUM,
                  arena->comm);
    if (contender->entry->method == REDIST_BALANCE_A)
        arena->copied = report.elements_received;
    return verify(contender);
}

/* ---- balance ----------------------------------------------------------------------- */

static void print_race(const struct contender contenders[ENTRIES],
                       const struct racer racers[ENTRIES])
{
    (void)printf("  %-24s %12s %12s %12s %12s %9s\n", "", "moved", "planned in", "median",
                 "least", "x memcpy");
    for (int k = 0; k < ENTRIES; k++) {
        char text[3][TOOL_SECONDS_SIZE], bytes[TOOL_BYTES_SIZE];
        const struct spread *seconds = &racers[k].seconds;
        int64_t moved = contenders[k == MEMCPY ? 1 : k].moved;
        (void)printf("  %-24s %12s %12s %12s %12s %9.2f\n", entries[k].name,
                     tool_format_bytes(8 * (double)moved, bytes),
                     k == MEMCPY ? "-"
                                 : tool_format_seconds(contenders[k].planning, text[0]),
                     tool_format_seconds(seconds->median, text[1]),
                     tool_format_seconds(seconds->min, text[2]),
                     seconds->median / racers[MEMCPY].seconds.median);
    }
    (void)printf("\n");
    (void)fflush(stdout);
}

/* How long it takes to plan without a list of all processes. */
static redist_err print_scan(const struct arena *arena)
{
    struct contender contender = {.arena = arena, .entry = &entries[1]};
    char text[TOOL_SECONDS_SIZE];
    TRY(plan_one(&contender, 0));
    if (arena->rank == 0)
        (void)printf("  planned by scan and search, as for many processes: %s\n\n",
                     tool_format_seconds(contender.planning, text));
    return redist_plan_destroy(&contender.plan);
}

static redist_err race(struct arena *arena, int64_t rounds,
                       struct contender contenders[ENTRIES])
{
    struct racer racers[ENTRIES];
    for (int k = 0; k < ENTRIES; k++) {
        racers[k] = (struct racer){.run = run, .context = &contenders[k]};
        TRY(enter(arena, &contenders[k]));
    }
    TRY(race_run(arena->comm, rounds, ENTRIES, racers));
    if (arena->rank == 0) print_race(contenders, racers);
    return print_scan(arena);
}

static redist_err bench_balance(MPI_Comm comm, const struct arguments *arguments,
                                enum spread_kind kind)
{
    struct arena arena = {.comm = comm};
    struct contender contenders[ENTRIES];
    char bytes[TOOL_BYTES_SIZE];
    MPI_Comm_rank(comm, &arena.rank);
    MPI_Comm_size(comm, &arena.nranks);
    if (arena.rank == 0)
        (void)printf("balance, %d processes, %" PRId64 " elements, %s: %s\n\n",
                     arena.nranks, arguments->elements,
                     tool_format_bytes(8 * (double)arguments->elements, bytes),
                     case_name[kind]);
    for (int k = 0; k < ENTRIES; k++)
        contenders[k] = (struct contender){.arena = &arena, .entry = &entries[k]};
    redist_err err = arena_make(kind, arguments->elements, &arena);
    if (!err) err = race(&arena, arguments->rounds, contenders);
    for (int k = 0; k < ENTRIES; k++) (void)redist_plan_destroy(&contenders[k].plan);
    arena_free(&arena);
    return err;
}

/* ---- replicas ---------------------------------------------------------------------- */

/* From one process to all, who then have as much: NULL is the library's choice. */
static const char *const to_all[] = {"nonblocking", "replicate", "replicate(1)", "shared",
                                     NULL};
enum { TO_ALL = sizeof to_all / sizeof *to_all, BROADCAST = TO_ALL };

struct copier {
    MPI_Comm comm;
    redist_plan *plan; /* NULL: MPI_Bcast */
    int64_t n;
    int rank;
    double *source, *target;
};

static redist_err run_copy(void *context)
{
    const struct copier *copier = context;
    if (copier->plan) return redist_execute(copier->plan, copier->source, copier->target);
    void *data = copier->rank == 0 ? copier->source : copier->target;
    MPI_Bcast(data, (int)copier->n, MPI_DOUBLE, 0, copier->comm);
    return REDIST_OK;
}

static redist_err verify_copy(struct copier *copier)
{
    memset(copier->target, 0, (size_t)copier->n * sizeof(double));
    TRY(run_copy(copier));
    for (int64_t k = 0; copier->plan && k < copier->n; k++)
        if (copier->target[k] != (double)k)
            return error_set(REDIST_ERR_STATE, "element %" PRId64 " is %g", k,
                             copier->target[k]);
    return REDIST_OK;
}

static redist_err make_copier(const redist_view views[2], const char *strategy,
                              struct copier *copier)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    TRY(redist_plan_create(copier->comm, MPI_DOUBLE, &views[0], &views[1], &options,
                           &copier->plan));
    return collective_agree(copier->comm, verify_copy(copier));
}

static void print_copies(const struct copier copiers[], const struct racer racers[])
{
    for (int k = 0; k <= TO_ALL; k++) {
        char text[2][TOOL_SECONDS_SIZE];
        redist_report report = {.strategy = "MPI_Bcast", .origin = ""};
        if (copiers[k].plan) (void)redist_plan_report(copiers[k].plan, &report);
        (void)printf("  %-20s %-6s %12s %12s\n", report.strategy, report.origin,
                     tool_format_seconds(racers[k].seconds.median, text[0]),
                     tool_format_seconds(racers[k].seconds.min, text[1]));
    }
    (void)printf("\n");
    (void)fflush(stdout);
}

static redist_err race_copies(const redist_view views[2], int64_t rounds,
                              const struct copier *first)
{
    struct copier copiers[TO_ALL + 1];
    struct racer racers[TO_ALL + 1];
    redist_err err = REDIST_OK;
    for (int k = 0; k <= TO_ALL; k++) {
        copiers[k] = *first;
        racers[k] = (struct racer){.run = run_copy, .context = &copiers[k]};
        if (!err && k < BROADCAST) err = make_copier(views, to_all[k], &copiers[k]);
    }
    if (!err) err = race_run(first->comm, rounds, TO_ALL + 1, racers);
    if (!err && first->rank == 0) print_copies(copiers, racers);
    for (int k = 0; k <= TO_ALL; k++) (void)redist_plan_destroy(&copiers[k].plan);
    return err;
}

static redist_err bench_replicas(MPI_Comm comm, int64_t n, int64_t rounds)
{
    struct copier first = {.comm = comm, .n = n};
    redist_dist *dist[2] = {NULL, NULL};
    redist_view view[2];
    char text[2][64];
    int nranks;
    MPI_Comm_rank(comm, &first.rank);
    MPI_Comm_size(comm, &nranks);
    (void)snprintf(text[0], sizeof text[0], "[%" PRId64 "] (*) onto 1", n);
    (void)snprintf(text[1], sizeof text[1], "[%" PRId64 "] (*) onto %d", n, nranks);
    if (first.rank == 0)
        (void)printf("replicas, 8-byte elements: %s -> %s\n\n", text[0], text[1]);
    first.source = mem_alloc(NULL, n, sizeof *first.source);
    first.target = mem_alloc(NULL, n, sizeof *first.target);
    redist_err err = first.source && first.target ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int64_t k = 0; !err && k < n; k++) first.source[k] = (double)k;
    for (int s = 0; !err && s < 2; s++)
        err = redist_view_parse(text[s], &dist[s], &view[s]);
    err = collective_agree(comm, err);
    if (!err) err = race_copies(view, rounds, &first);
    for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
    mem_free(first.source);
    mem_free(first.target);
    return err;
}

/* ---- relabel ----------------------------------------------------------------------- */

static const char *const pairs[][2] = {
    {"[800,800] (cyclic(100),cyclic(100)) onto 2x4",
     "[800,800] (cyclic(100),cyclic(100)) onto 4x2"},
    {"[102400,102400] (cyclic(100),cyclic(100)) onto 32x32",
     "[102400,102400] (cyclic(100),cyclic(100)) onto 16x64"},
    {"[30000000] (cyclic(30)) onto 1000", "[30000000] (cyclic(64)) onto 1000"},
    {"[1000000] (block) onto 1000", "[1000000] (cyclic(5)) onto 1000"},
    {"[1638400,1638400] (cyclic(100),cyclic(100)) onto 512x512",
     "[1638400,1638400] (cyclic(100),cyclic(100)) onto 256x1024"},
};

static redist_err relabel(const redist_view view[2], double *seconds, int64_t kept[2])
{
    redist_dist *dist = NULL;
    double begin = MPI_Wtime();
    TRY(redist_relabel(&view[0], &view[1], NULL, 0, &dist, NULL));
    *seconds = MPI_Wtime() - begin;
    redist_dist_destroy(&dist);
    TRY(redist_relabel(&view[0], &view[1], NULL, 0, &dist, kept));
    redist_dist_destroy(&dist);
    return REDIST_OK;
}

/* By one process. */
static redist_err bench_relabel(void)
{
    (void)printf("relabel, by one process\n\n  %10s %8s %8s   elements that move\n",
                 "proposed in", "given", "proposed");
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        redist_dist *dist[2] = {NULL, NULL};
        redist_view view[2];
        char text[TOOL_SECONDS_SIZE];
        double seconds = 0;
        int64_t kept[2] = {0, 0};
        redist_err err = redist_view_parse(pairs[k][0], &dist[0], &view[0]);
        if (!err) err = redist_view_parse(pairs[k][1], &dist[1], &view[1]);
        if (!err) err = relabel(view, &seconds, kept);
        double all = (double)(err ? 1 : view_elements(&view[0]));
        for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
        TRY(err);
        (void)printf("  %11s %6.1f %% %6.1f %%   %s -> %s\n",
                     tool_format_seconds(seconds, text),
                     100 * (1 - (double)kept[0] / all), 100 * (1 - (double)kept[1] / all),
                     pairs[k][0], pairs[k][1]);
    }
    return REDIST_OK;
}

/* ---- all of it --------------------------------------------------------------------- */

static redist_err bench(MPI_Comm comm, void *context)
{
    const struct arguments *arguments = context;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int kind = 0; kind < CASES; kind++)
        if (arguments->elements > 0)
            TRY(bench_balance(comm, arguments, (enum spread_kind)kind));
    if (arguments->elements > 0) {
        TRY(bench_replicas(comm, 1000, arguments->rounds));
        TRY(bench_replicas(comm, int_ceil_div(arguments->elements, 20),
                           arguments->rounds));
    }
    if (arguments->indices > 0)
        TRY(bench_indexed(comm, arguments->indices, arguments->rounds));
    return collective_agree(comm, rank == 0 ? bench_relabel() : REDIST_OK);
}

int main(int argc, char **argv)
{
    struct arguments arguments = {100000000, 10000000, 7};
    const struct argument options[] = {
        {"elements", .number = &arguments.elements, .least = 0, .most = INT64_C(1) << 40},
        {"indices", .number = &arguments.indices, .least = 0, .most = INT32_MAX},
        {"reps", .number = &arguments.rounds, .least = 1, .most = 10000},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &arguments);
}
