/* SPDX-License-Identifier: MIT
 *
 * bench_peers - our strategies against other libraries and against what one writes by
 * hand, on the same block-cyclic arrays of doubles and the same buffers, in turns, every
 * result verified; and against copies of as many bytes. Runs with several processes, a
 * core for each if times are to mean anything.
 *
 *   script/bench peers [-n PROCESSES] [--preset mpich] [--extent N] [--length N]
 *                      [--reps N] [--strategy all|NAME,..] [--least]
 *
 * Two-dimensional arrays are of N x N elements, 2048 by default; one-dimensional ones of
 * 4 Mi. Strategies are compared too, or only the library's choice: --strategy ''. Ratios
 * are those of the medians, or, where others use the machine too, of the least times:
 * --least.
 */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "peers/arena.h"
#include "program.h"
#include "files/format/collective.h"
#include "tool/bench/strategies.h"
#include "tool/common/tool.h"

/* All but our strategies. */
static const struct peer *const others[] = {
    &peer_alltoallv, &peer_isend,          &peer_scalapack, &peer_fftw,
    &peer_costa,     &peer_bare_alltoallv, &peer_memcpy,    &peer_stream};
enum { OTHERS = sizeof others / sizeof *others };

struct arguments {
    int64_t extent, length, rounds;
    const char *strategies;
    bool least; /* times decide, not medians */
};

/* What is kept of an item for the end. Times are 0 where there is none. */
struct verdict {
    struct item item;
    char best[CONTENDER_NAME_SIZE];
    double fastest, chosen; /* of our strategies, of the library's choice */
    double by_hand, scalapack, bare;
};

/* ---- contenders -------------------------------------------------------------------- */

/* Ours come first, and first of them the library's choice. */
static int list_contenders(const struct item *item, const struct strategies *list,
                           struct contender contenders[])
{
    int n = 0;
    for (int k = -1; k < list->n; k++) {
        struct contender *contender = &contenders[n++];
        *contender = (struct contender){.peer = &peer_redist};
        contender->strategy = k < 0 ? NULL : list->name[k];
        (void)snprintf(contender->name, CONTENDER_NAME_SIZE,
                       k < 0 ? "redist" : "redist %s", contender->strategy);
    }
    for (int k = 0; k < OTHERS; k++) {
        if (others[k] == &peer_bare_alltoallv && !item_is_small(item)) continue;
        struct contender *contender = &contenders[n++];
        *contender = (struct contender){.peer = others[k]};
        (void)snprintf(contender->name, CONTENDER_NAME_SIZE, "%s", others[k]->name);
    }
    return n;
}

/* ---- what is said ------------------------------------------------------------------ */

static double time_of(int n, const struct contender contenders[], const struct peer *peer)
{
    for (int k = 0; k < n; k++)
        if (contenders[k].peer == peer && contenders[k].available)
            return contenders[k].time;
    return 0;
}

static double faster(double a, double b) { return a <= 0 || (b > 0 && b < a) ? b : a; }

static struct verdict judge(const struct item *item, int n,
                            const struct contender contenders[])
{
    struct verdict verdict = {
        .item = *item,
        .fastest = DBL_MAX,
        .chosen = contenders[0].time,
        .by_hand = faster(time_of(n, contenders, &peer_alltoallv),
                          time_of(n, contenders, &peer_isend)),
        .scalapack = time_of(n, contenders, &peer_scalapack),
        .bare = time_of(n, contenders, &peer_bare_alltoallv),
    };
    for (int k = 0; k < n; k++) {
        const struct contender *contender = &contenders[k];
        if (contender->peer != &peer_redist || !contender->available ||
            contender->time >= verdict.fastest)
            continue;
        verdict.fastest = contender->time;
        (void)snprintf(verdict.best, CONTENDER_NAME_SIZE, "%s",
                       contender->strategy ? contender->strategy : "the choice");
    }
    return verdict;
}

static void print_race(const struct item *item, int n,
                       const struct contender contenders[])
{
    double bytes = item_bytes(item);
    double copy = time_of(n, contenders, &peer_memcpy);
    item_print(item);
    (void)printf("  %-28s %10s %10s %7s %9s %9s\n", "", "median ms", "least ms", "GB/s",
                 "x memcpy", "x redist");
    for (int k = 0; k < n; k++) {
        const struct contender *contender = &contenders[k];
        double t = contender->time;
        if (contender->available)
            (void)printf("  %-28s %10.4f %10.4f %7.2f %9.2f %9.2f\n", contender->name,
                         1e3 * contender->seconds.median, 1e3 * contender->seconds.min,
                         bytes / t / 1e9, t / copy, t / contenders[0].time);
        else
            (void)printf("  %-28s not available: %s\n", contender->name, contender->why);
    }
    (void)printf("\n");
    (void)fflush(stdout);
}

static void print_ratio(double a, double b)
{
    if (a > 0 && b > 0)
        (void)printf(" %10.2f", a / b);
    else
        (void)printf(" %10s", "-");
}

static void print_verdicts(int n, const struct verdict verdicts[])
{
    (void)printf("pdgemr2d, by hand: time of ScaLAPACK, and of the better of the two "
                 "written by hand, over\nour best strategy; choice: time of the "
                 "library's choice over our best; alone: of the\nchoice over an "
                 "MPI_Alltoallv of the same sizes that packs nothing\n\n");
    (void)printf("  %10s %10s %10s %10s  %s\n", "pdgemr2d", "by hand", "choice", "alone",
                 "our best, of what");
    for (int k = 0; k < n; k++) {
        const struct verdict *v = &verdicts[k];
        (void)printf(" ");
        print_ratio(v->scalapack, v->fastest);
        print_ratio(v->by_hand, v->fastest);
        print_ratio(v->chosen, v->fastest);
        print_ratio(v->chosen, v->bare);
        (void)printf("  %s, ", v->best);
        item_print(&v->item);
    }
}

/* ---- all of it --------------------------------------------------------------------- */

static redist_err bench_item(MPI_Comm comm, const struct item *item,
                             const struct arguments *arguments,
                             const struct strategies *list, struct verdict *verdict)
{
    struct arena arena;
    struct contender *contenders =
        mem_alloc(NULL, list->n + 1 + OTHERS, sizeof *contenders);
    redist_err err = collective_agree(comm, contenders ? REDIST_OK : REDIST_ERR_MEMORY);
    if (err) return err;
    int n = 0;
    err = arena_make(comm, item, false, &arena);
    if (!err) n = list_contenders(item, list, contenders);
    for (int k = 0; k < n && !err; k++) err = contender_enter(&arena, &contenders[k]);
    if (!err && !contenders[0].available)
        err = error_set(REDIST_ERR_STATE, "%s", contenders[0].why);
    if (!err)
        err = arena_race(&arena, arguments->rounds, arguments->least, n, contenders);
    if (!err && arena.rank == 0) print_race(item, n, contenders);
    if (!err) *verdict = judge(item, n, contenders);
    for (int k = 0; k < n; k++) contender_leave(&contenders[k]);
    arena_free(&arena);
    mem_free(contenders);
    return err;
}

static redist_err bench_items(MPI_Comm comm, const struct arguments *arguments,
                              const struct strategies *list)
{
    struct item items[ITEM_MOST];
    struct verdict verdicts[ITEM_MOST];
    int rank, nranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    int n = item_list(arguments->extent, arguments->length, nranks, items);
    program_print_turns(comm, arguments->rounds);
    for (int k = 0; k < n; k++)
        TRY(bench_item(comm, &items[k], arguments, list, &verdicts[k]));
    if (rank == 0) print_verdicts(n, verdicts);
    return REDIST_OK;
}

static redist_err bench(MPI_Comm comm, void *context)
{
    const struct arguments *arguments = context;
    struct strategies list = {0};
    redist_err err = REDIST_OK;
    if (*arguments->strategies) err = strategies_list(arguments->strategies, &list);
    err = collective_agree(comm, err);
    if (!err) err = bench_items(comm, arguments, &list);
    strategies_free(&list);
    return err;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {2048, 1 << 22, 5, "all", false};
    const struct argument options[] = {
        {"extent", .number = &arguments.extent, .least = 1, .most = 1 << 20},
        {"length", .number = &arguments.length, .least = 1, .most = INT64_C(1) << 40},
        {"reps", .number = &arguments.rounds, .least = 1, .most = 10000},
        {"strategy", .text = &arguments.strategies},
        {"least", .flag = &arguments.least},
        {.name = NULL}};
    return program_run(argc, argv, options, bench, &arguments);
}
