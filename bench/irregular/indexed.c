/* SPDX-License-Identifier: MIT */
#include "irregular/indexed.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "program.h"
#include "tool/bench/race.h"
#include "tool/common/tool.h"

/* ---- redist ------------------------------------------------------------------------ */

struct planned {
    const struct lists *lists;
    redist_plan *plan;
};

static redist_err make(const struct lists *lists, const char *strategy, void **state)
{
    struct planned *planned = mem_alloc(NULL, 1, sizeof *planned);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_indices source = redist_indices_of_list(lists->n, lists->index[0]);
    redist_indices target = redist_indices_of_list(lists->n, lists->index[1]);
    TRY(collective_agree(lists->comm, planned ? REDIST_OK : REDIST_ERR_MEMORY));
    *state = planned;
    planned->lists = lists;
    options.strategy = strategy;
    return redist_plan_create_indexed(lists->comm, MPI_DOUBLE, lists->extent, &source,
                                      &target, &options, &planned->plan);
}

static redist_err run(void *state)
{
    const struct planned *planned = state;
    return redist_execute(planned->plan, planned->lists->source, planned->lists->target);
}

static redist_err run_shared(void *state)
{
    const struct planned *planned = state;
    return redist_execute(planned->plan, planned->lists->shared, planned->lists->target);
}

static void unmake(void *state)
{
    struct planned *planned = state;
    if (planned) (void)redist_plan_destroy(&planned->plan);
    mem_free(planned);
}

/* ---- lists ------------------------------------------------------------------------- */

/* A permutation of 0 .. n - 1 that looks random: four rounds of a Feistel network on the
 * next even number of bits, as often as the outcome is not below n. */
static int64_t permuted(uint64_t key, int64_t n, int64_t k)
{
    int half = 1;
    while (INT64_C(1) << (2 * half) < n) half++;
    uint64_t mask = (UINT64_C(1) << half) - 1, x = (uint64_t)k;
    do {
        for (int64_t round = 0; round < 4; round++) {
            uint64_t right = x & mask;
            uint64_t mixed = hash_int(hash_int(key, round), (int64_t)right) >> 20;
            x = right << half | ((x >> half ^ mixed) & mask);
        }
    } while (x >= (uint64_t)n);
    return (int64_t)x;
}

/* Runs of so many indices, from multiples of that on, and from `shift` further on. */
struct runs_case {
    int64_t length, shift;
};

static redist_err make_lists(struct runs_case runs_case, struct lists *lists)
{
    int rank, nranks;
    MPI_Comm_rank(lists->comm, &rank);
    MPI_Comm_size(lists->comm, &nranks);
    int64_t run_length = runs_case.length;
    int64_t runs = lists->extent / run_length; /* a multiple of it */
    int64_t begin = runs * rank / nranks, end = runs * (rank + 1) / nranks;
    lists->n = (end - begin) * run_length;
    for (int s = 0; s < 2; s++)
        lists->index[s] = mem_alloc(NULL, lists->n, sizeof(int64_t));
    lists->source = mem_alloc(NULL, lists->n, sizeof(double));
    lists->target = mem_alloc(NULL, lists->n, sizeof(double));
    TRY(redist_alloc(lists->comm, (size_t)lists->n * sizeof(double),
                     (void **)&lists->shared));
    bool all = lists->index[0] && lists->index[1] && lists->source && lists->target;
    TRY(collective_agree(lists->comm, all ? REDIST_OK : REDIST_ERR_MEMORY));
    for (int s = 0; s < 2; s++)
        for (int64_t k = 0; k < lists->n; k++)
            lists->index[s][k] =
                (permuted(HASH_START + (uint64_t)s, runs, begin + k / run_length) *
                     run_length +
                 k % run_length + runs_case.shift) %
                lists->extent;
    for (int64_t k = 0; k < lists->n; k++)
        lists->shared[k] = lists->source[k] = (double)lists->index[0][k];
    return REDIST_OK;
}

static void free_lists(struct lists *lists)
{
    for (int s = 0; s < 2; s++) mem_free(lists->index[s]);
    mem_free(lists->source);
    mem_free(lists->target);
    (void)redist_free(lists->shared);
}

/* ---- measures ---------------------------------------------------------------------- */

struct own {
    const struct lists *lists;
    uint32_t *place; /* [lists->n] all, in random order */
};

static redist_err make_own(const struct lists *lists, const char *strategy, void **state)
{
    struct own *own = mem_alloc(NULL, 1, sizeof *own);
    uint32_t *place = mem_alloc_list(NULL, lists->n, sizeof *place);
    (void)strategy;
    for (int64_t k = 0; place && k < lists->n; k++)
        place[k] = (uint32_t)permuted(HASH_START, lists->n, k);
    *state = own;
    if (own)
        *own = (struct own){lists, place};
    else
        mem_free(place);
    return collective_agree(lists->comm, own && place ? REDIST_OK : REDIST_ERR_MEMORY);
}

static redist_err copy_own(void *state)
{
    const struct lists *lists = ((const struct own *)state)->lists;
    memcpy(lists->target, lists->source, (size_t)lists->n * sizeof(double));
    return REDIST_OK;
}

static redist_err look_up_own(void *state)
{
    const struct own *own = state;
    const double *source = own->lists->source;
    double *restrict target = own->lists->target;
    for (int64_t k = 0; k < own->lists->n; k++) target[k] = source[own->place[k]];
    return REDIST_OK;
}

static void unmake_own(void *state)
{
    struct own *own = state;
    if (own) mem_free(own->place);
    mem_free(own);
}

/* ---- the race ---------------------------------------------------------------------- */

static const struct mover movers[] = {
    {"PETSc VecScatter", NULL, NULL, NULL, NULL, false},
    {"redist, its choice", NULL, make, run, unmake, false},
    {"redist, nonblocking", "nonblocking", make, run, unmake, false},
    {"redist, shared", "shared", make, run, unmake, false},
    {"redist, redist_alloc", "shared", make, run_shared, unmake, false},
    {"own memory, memcpy", NULL, make_own, copy_own, unmake_own, true},
    {"own memory, look-ups", NULL, make_own, look_up_own, unmake_own, true},
};
enum { PETSC, MOVERS = sizeof movers / sizeof *movers };

static const struct mover *mover_of(int k)
{
    return k == PETSC ? &mover_petsc : &movers[k];
}

struct contender {
    const struct mover *mover;
    void *state;
    double planning; /* seconds */
};

static redist_err run_contender(void *context)
{
    const struct contender *contender = context;
    return contender->mover->run(contender->state);
}

static redist_err verify(const struct lists *lists, const char *name)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < lists->n; k++)
        wrong += lists->target[k] != (double)lists->index[1][k];
    memset(lists->target, 0, (size_t)lists->n * sizeof(double));
    if (wrong == 0) return collective_agree(lists->comm, REDIST_OK);
    return collective_agree(
        lists->comm,
        error_set(REDIST_ERR_STATE, "%s: %" PRId64 " elements wrong", name, wrong));
}

/* Plan a few times, the first time in vain: it measures the machine. */
static redist_err enter(const struct lists *lists, struct contender *contender)
{
    enum { TIMES = 5 };
    const struct mover *mover = contender->mover;
    double seconds[TIMES];
    for (int k = -1; k < (mover->measure ? 0 : TIMES); k++) {
        mover->free(contender->state);
        contender->state = NULL;
        MPI_Barrier(lists->comm);
        double begin = MPI_Wtime();
        TRY(mover->make(lists, mover->strategy, &contender->state));
        double own = MPI_Wtime() - begin;
        MPI_Allreduce(&own, &seconds[k < 0 ? 0 : k], 1, MPI_DOUBLE, MPI_MAX, lists->comm);
    }
    if (!mover->measure) contender->planning = program_median(seconds, TIMES);
    TRY(mover->run(contender->state));
    return mover->measure ? REDIST_OK : verify(lists, mover->name);
}

static void print_race(const struct lists *lists, int n,
                       const struct contender contenders[], const struct racer racers[])
{
    double petsc = 0;
    (void)printf("  %-20s %11s %22s %11s %22s %8s\n", "", "planned in",
                 "elements/s a process", "moved in", "elements/s a process", "x PETSc");
    for (int k = 0; k < n; k++) {
        char text[2][TOOL_SECONDS_SIZE];
        double planning = contenders[k].planning, seconds = racers[k].seconds.median;
        if (contenders[k].mover == &mover_petsc) petsc = seconds;
        (void)printf("  %-20s", contenders[k].mover->name);
        if (contenders[k].mover->measure)
            (void)printf(" %11s %22s", "", "");
        else
            (void)printf(" %11s %20.1f M", tool_format_seconds(planning, text[0]),
                         1e-6 * (double)lists->n / planning);
        (void)printf(" %11s %20.1f M", tool_format_seconds(seconds, text[1]),
                     1e-6 * (double)lists->n / seconds);
        if (petsc > 0) (void)printf(" %8.2f", petsc / seconds);
        (void)printf("\n");
    }
    (void)printf("\n");
    (void)fflush(stdout);
}

static redist_err race(const struct lists *lists, int64_t rounds,
                       struct contender contenders[MOVERS])
{
    struct racer racers[MOVERS];
    int n = 0, rank;
    MPI_Comm_rank(lists->comm, &rank);
    for (int k = 0; k < MOVERS; k++) {
        if (!mover_of(k)->make) continue;
        contenders[n] = (struct contender){.mover = mover_of(k)};
        racers[n] = (struct racer){.run = run_contender, .context = &contenders[n]};
        TRY(enter(lists, &contenders[n++]));
    }
    TRY(race_run(lists->comm, rounds, n, racers));
    if (rank == 0) print_race(lists, n, contenders, racers);
    return REDIST_OK;
}

redist_err bench_indexed(MPI_Comm comm, int64_t extent, int64_t rounds)
{
    static const struct runs_case cases[] = {{1, 0}, {4, 0}, {4, 1}, {64, 0}};
    int rank, nranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int64_t length = cases[k].length;
        struct contender contenders[MOVERS] = {{NULL, NULL, 0}};
        struct lists lists = {.comm = comm};
        lists.extent = int_max(extent - extent % length, length);
        if (rank == 0)
            (void)printf("index lists, %d processes, %" PRId64
                         " doubles: runs of %" PRId64
                         "%s in random order, both sides\n\n",
                         nranks, lists.extent, length,
                         cases[k].shift ? ", not at multiples of it," : "");
        redist_err err = make_lists(cases[k], &lists);
        if (!err) err = race(&lists, rounds, contenders);
        for (int c = 0; c < MOVERS; c++)
            if (contenders[c].mover) contenders[c].mover->free(contenders[c].state);
        free_lists(&lists);
        TRY(err);
    }
    return REDIST_OK;
}
