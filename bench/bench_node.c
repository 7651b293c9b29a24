/* SPDX-License-Identifier: MIT
 *
 * bench_node - the processes of one node: the exchange "shared", with arrays of
 * redist_alloc and with ordinary ones, against what a copy of as many bytes takes,
 * against messages, by hand and by this library, and against ScaLAPACK. In turns, every
 * result verified. First it times plans.
 *
 *   script/bench node [-n PROCESSES] [--preset mpich] [--extent N] [--length N]
 *                     [--reps N] [--least] [--quick] [--item K] [--svg FILE]
 *
 * Two-dimensional arrays are of N x N doubles, 4096 by default; one-dimensional ones of
 * 16 Mi. Ratios are those of the medians, or, where others use the machine too, of the
 * least times: --least. Without ScaLAPACK and what is written by hand: --quick. Only
 * the K-th item, from 0: --item K. --svg FILE draws them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "node/chart.h"
#include "peers/arena.h"
#include "program.h"

enum { MEMCPY, STREAM, ALLOCATED, ANY, MESSAGES, ISEND, ALLTOALLV, SCALAPACK, ENTRIES };
enum { QUICK = ISEND }; /* so many, where it is to be quick */
static const struct contender all[ENTRIES] = {
    {.name = "memcpy", .peer = &peer_memcpy},
    {.name = "non-temporal copy", .peer = &peer_stream},
    {.name = "shared, redist_alloc",
     .peer = &peer_redist,
     .strategy = "shared",
     .where = SHARED},
    {.name = "shared, any memory", .peer = &peer_redist, .strategy = "shared"},
    {.name = "nonblocking", .peer = &peer_redist, .strategy = "nonblocking"},
    {.name = "Isend by hand", .peer = &peer_isend},
    {.name = "Alltoallv by hand", .peer = &peer_alltoallv},
    {.name = "ScaLAPACK pdgemr2d", .peer = &peer_scalapack},
};

struct arguments {
    int64_t extent, length, rounds;
    int64_t only; /* item; -1: all */
    bool least, quick;
    const char *svg; /* NULL: no chart */
};

/* ---- what is said ------------------------------------------------------------------ */

static void print_race(const struct item *item,
                       const struct contender contenders[ENTRIES])
{
    double bytes = item_bytes(item);
    item_print(item);
    (void)printf("  %-22s %10s %10s %7s %9s %9s\n", "", "median ms", "least ms", "GB/s",
                 "x memcpy", "x n.t.");
    for (int k = 0; k < ENTRIES; k++) {
        const struct contender *contender = &contenders[k];
        double t = contender->time;
        if (contender->available)
            (void)printf("  %-22s %10.4f %10.4f %7.2f %9.2f %9.2f\n", contender->name,
                         1e3 * contender->seconds.median, 1e3 * contender->seconds.min,
                         bytes / t / 1e9, t / contenders[MEMCPY].time,
                         t / contenders[STREAM].time);
        else if (*contender->why)
            (void)printf("  %-22s not available: %s\n", contender->name, contender->why);
    }
    (void)printf("\n");
    (void)fflush(stdout);
}

/* Times of one item by which it is judged; 0: there is none. */
struct verdict {
    struct item item;
    double time[ENTRIES];
};

/* The faster of those that were written by hand; 0: there is none. */
static double by_hand(const struct verdict *verdict)
{
    double a = verdict->time[ISEND], b = verdict->time[ALLTOALLV];
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

enum { RATIOS = 6 };

static void find_ratios(const struct verdict *v, double ratio[RATIOS])
{
    ratio[0] = v->time[ALLOCATED] / v->time[MEMCPY];
    ratio[1] = v->time[ANY] / v->time[MEMCPY];
    ratio[2] = v->time[SCALAPACK] / v->time[ALLOCATED];
    ratio[3] = v->time[SCALAPACK] / v->time[ANY];
    ratio[4] = by_hand(v) / v->time[ALLOCATED];
    ratio[5] = by_hand(v) / v->time[ANY];
}

static void print_ratios(const double ratio[RATIOS])
{
    for (int k = 0; k < RATIOS; k++)
        if (ratio[k] > 0)
            (void)printf(" %8.2f", ratio[k]);
        else
            (void)printf(" %8s", "-");
}

/* The geometric means of what there is, over all items or the large ones. */
static void print_means(int n, const struct verdict verdicts[], bool small_too)
{
    double log_sum[RATIOS] = {0}, mean[RATIOS] = {0};
    int counted[RATIOS] = {0};
    for (int k = 0; k < n; k++) {
        double ratio[RATIOS];
        if (item_is_small(&verdicts[k].item) && !small_too) continue;
        find_ratios(&verdicts[k], ratio);
        for (int j = 0; j < RATIOS; j++)
            if (ratio[j] > 0) log_sum[j] += log(ratio[j]), counted[j]++;
    }
    for (int j = 0; j < RATIOS; j++)
        if (counted[j]) mean[j] = exp(log_sum[j] / counted[j]);
    print_ratios(mean);
    (void)printf("  geometric mean%s\n", small_too ? "" : ", small ones apart");
}

static void print_verdicts(int n, const struct verdict verdicts[])
{
    (void)printf("x memcpy: our time over that of memcpy; pdgemr2d, by hand: ScaLAPACK's "
                 "and the better of\nthose written by hand over ours; each with "
                 "redist_alloc and with any memory\n\n %17s %17s %17s\n",
                 "x memcpy", "pdgemr2d", "by hand");
    for (int k = 0; k < n; k++) {
        double ratio[RATIOS];
        find_ratios(&verdicts[k], ratio);
        print_ratios(ratio);
        (void)printf("  ");
        item_print(&verdicts[k].item);
    }
    print_means(n, verdicts, false);
    print_means(n, verdicts, true);
}

/* ---- the chart --------------------------------------------------------------------- */

static double rate(const struct item *item, double seconds)
{
    double bytes = item_bytes(item);
    return seconds > 0 ? bytes / seconds / 1e9 : 0;
}

static redist_err draw(const char *path, int nranks, int n,
                       const struct verdict verdicts[])
{
    static const char *const names[CHART_BARS] = {
        "shared, redist_alloc", "shared, any memory", "by hand", "ScaLAPACK pdgemr2d"};
    struct chart_row rows[ITEM_MOST];
    char title[128];
    int shown = 0;
    for (int k = 0; k < n; k++) {
        const struct verdict *v = &verdicts[k];
        char text[ITEM_BOTH_SIZE];
        if (item_is_small(&v->item)) continue;
        struct chart_row *row = &rows[shown++];
        *row = (struct chart_row){
            .copy = rate(&v->item, v->time[MEMCPY]),
            .rate = {rate(&v->item, v->time[ALLOCATED]), rate(&v->item, v->time[ANY]),
                     rate(&v->item, by_hand(v)), rate(&v->item, v->time[SCALAPACK])}};
        (void)snprintf(row->text, sizeof row->text, "%s", item_both(&v->item, text));
    }
    (void)snprintf(title, sizeof title,
                   "%d processes of one node: GB/s of the array; red: a memcpy of as "
                   "many bytes",
                   nranks);
    FILE *out = fopen(path, "w");
    if (!out) return error_set(REDIST_ERR_IO, "%s: cannot be written", path);
    chart_draw(out, title, names, shown, rows);
    if (fclose(out) != 0) return error_set(REDIST_ERR_IO, "%s: cannot be written", path);
    return REDIST_OK;
}

/* ---- plans ------------------------------------------------------------------------- */

static redist_err time_plan(MPI_Comm comm, const struct item *item, double *least)
{
    void *plan = NULL;
    MPI_Barrier(comm);
    double began = MPI_Wtime();
    redist_err err = peer_redist.make(comm, item, NULL, &plan);
    *least = fmin(*least, MPI_Wtime() - began);
    peer_redist.free(plan);
    return err;
}

/* Time the first plan of all, which finds the machine's rates, and, as the least of a few
 * times, the first one over another communicator, which finds them again, and a later
 * one. */
static redist_err bench_plans(MPI_Comm comm, int rank, const struct item *item)
{
    enum { FIRST, OTHER, LATER, TIMES = 5 };
    double least[] = {INFINITY, INFINITY, INFINITY};
    for (int k = 0; k <= TIMES; k++) {
        MPI_Comm other;
        MPI_Comm_dup(comm, &other);
        redist_err err = time_plan(other, item, &least[k == 0 ? FIRST : OTHER]);
        if (!err) err = time_plan(other, item, &least[LATER]);
        MPI_Comm_free(&other);
        TRY(err);
    }
    if (rank == 0)
        (void)printf("plan of a small array: the first %.2f ms, the first over another "
                     "communicator %.2f ms, a later one %.2f ms\n\n",
                     1e3 * least[FIRST], 1e3 * least[OTHER], 1e3 * least[LATER]);
    return REDIST_OK;
}

/* ---- all of it --------------------------------------------------------------------- */

static redist_err bench_item(MPI_Comm comm, const struct item *item,
                             const struct arguments *arguments, struct verdict *verdict)
{
    struct arena arena;
    struct contender contenders[ENTRIES];
    memcpy(contenders, all, sizeof all);
    redist_err err = arena_make(comm, item, true, &arena);
    for (int k = 0; k < (arguments->quick ? QUICK : ENTRIES) && !err; k++)
        err = contender_enter(&arena, &contenders[k]);
    if (!err)
        err =
            arena_race(&arena, arguments->rounds, arguments->least, ENTRIES, contenders);
    if (!err && arena.rank == 0) print_race(item, contenders);
    verdict->item = *item;
    for (int k = 0; k < ENTRIES; k++) {
        verdict->time[k] = contenders[k].time;
        contender_leave(&contenders[k]);
    }
    arena_free(&arena);
    return err;
}

static redist_err bench_items(MPI_Comm comm, void *context)
{
    const struct arguments *arguments = context;
    struct item items[ITEM_MOST];
    struct verdict verdicts[ITEM_MOST];
    int rank, nranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    int n = item_list(arguments->extent, arguments->length, nranks, items);
    program_print_turns(comm, arguments->rounds);
    TRY(bench_plans(comm, rank, &items[n - 1]));
    if (arguments->only >= n)
        return error_arg("--item: %" PRId64 ", must be 0 .. %d", arguments->only, n - 1);
    if (arguments->only >= 0) {
        items[0] = items[arguments->only];
        n = 1;
    }
    for (int k = 0; k < n; k++) TRY(bench_item(comm, &items[k], arguments, &verdicts[k]));
    if (rank == 0) print_verdicts(n, verdicts);
    if (rank == 0 && arguments->svg) return draw(arguments->svg, nranks, n, verdicts);
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {4096, 1 << 24, 7, -1, false, false, NULL};
    const struct argument options[] = {
        {"extent", .number = &arguments.extent, .least = 1, .most = 1 << 20},
        {"length", .number = &arguments.length, .least = 1, .most = INT64_C(1) << 40},
        {"reps", .number = &arguments.rounds, .least = 1, .most = 10000},
        {"item", .number = &arguments.only, .least = 0, .most = ITEM_MOST},
        {"least", .flag = &arguments.least},
        {"quick", .flag = &arguments.quick},
        {"svg", .text = &arguments.svg},
        {.name = NULL}};
    return program_run(argc, argv, options, bench_items, &arguments);
}
