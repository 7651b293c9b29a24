/* SPDX-License-Identifier: MIT
 *
 * bench_node - the processes of one node: the exchange "shared", with arrays of
 * redist_alloc and with ordinary ones, against what a copy of as many bytes takes,
 * against messages, by hand and by this library, and against ScaLAPACK. In turns, every
 * result verified.
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
#include "base/intmath.h"
#include "base/mem.h"
#include "node/chart.h"
#include "program.h"
#include "tool/collective.h"
#include "tool/input.h"
#include "tool/race.h"
#include "tool/tool.h"

/* Where a contender's arrays lie. */
enum where { ORDINARY, SHARED, WHERES };

static const struct entry {
    const char *name;
    const struct peer *peer;
    const char *strategy;
    enum where where;
    bool quick;
} entries[] = {
    {"memcpy", &peer_memcpy, NULL, ORDINARY, true},
    {"non-temporal copy", &peer_stream, NULL, ORDINARY, true},
    {"shared, redist_alloc", &peer_redist, "shared", SHARED, true},
    {"shared, any memory", &peer_redist, "shared", ORDINARY, true},
    {"nonblocking", &peer_redist, "nonblocking", ORDINARY, true},
    {"Isend by hand", &peer_isend, NULL, ORDINARY, false},
    {"Alltoallv by hand", &peer_alltoallv, NULL, ORDINARY, false},
    {"ScaLAPACK pdgemr2d", &peer_scalapack, NULL, ORDINARY, false},
};
enum { MEMCPY, STREAM, ALLOCATED, ANY, MESSAGES, ISEND, ALLTOALLV, SCALAPACK, ENTRIES };

struct arguments {
    int64_t extent, length, rounds;
    int64_t only; /* item; -1: all */
    bool least, quick;
    const char *svg; /* NULL: no chart */
};

/* One item, and the buffers that all contenders work on. */
struct arena {
    MPI_Comm comm;
    int rank, nranks;
    struct item item;
    redist_dist *dist[2];
    redist_view view[2];
    struct input input;
    double *buffer[WHERES][2]; /* room for the local array and for a share of the bytes */
    int64_t bytes[2];          /* of the local array */
};

struct contender {
    const struct arena *arena;
    const struct entry *entry;
    void *state;
    bool available;
    struct spread seconds;
    double time; /* that decides; 0: not available */
};

/* ---- the arena --------------------------------------------------------------------- */

static redist_err make_buffers(struct arena *arena, int64_t room[2])
{
    const struct item *item = &arena->item;
    int64_t share = int_ceil_div(item->extent[0] * item->extent[1], arena->nranks);
    for (int s = 0; s < 2; s++) {
        char text[ITEM_TEXT_SIZE];
        int64_t elements = 0;
        TRY(redist_view_parse(item_text(item, s, text), &arena->dist[s],
                              &arena->view[s]));
        TRY(redist_view_span(&arena->view[s], arena->rank, &elements));
        arena->bytes[s] = elements * (int64_t)sizeof(double);
        room[s] = int_max(elements, share);
        arena->buffer[ORDINARY][s] = mem_alloc(NULL, room[s], sizeof(double));
        if (!arena->buffer[ORDINARY][s]) return REDIST_ERR_MEMORY;
    }
    return input_synthetic(arena->dist[0], sizeof(double), &arena->input);
}

static redist_err arena_make(MPI_Comm comm, const struct item *item, struct arena *arena)
{
    int64_t room[2] = {0, 0};
    *arena = (struct arena){.comm = comm, .item = *item};
    MPI_Comm_rank(comm, &arena->rank);
    MPI_Comm_size(comm, &arena->nranks);
    TRY(collective_agree(comm, make_buffers(arena, room)));
    for (int s = 0; s < 2; s++) {
        void *memory = NULL;
        TRY(redist_alloc(comm, (size_t)room[s] * sizeof(double), &memory));
        arena->buffer[SHARED][s] = memory;
        memset(memory, 0, (size_t)room[s] * sizeof(double));
    }
    struct progress quiet = progress_begin("", 0, PROGRESS_NEVER);
    TRY(input_read(comm, &arena->input, &arena->view[0], arena->buffer[ORDINARY][0],
                   &quiet));
    memcpy(arena->buffer[SHARED][0], arena->buffer[ORDINARY][0], (size_t)arena->bytes[0]);
    return REDIST_OK;
}

static void arena_free(struct arena *arena)
{
    for (int s = 0; s < 2; s++) {
        mem_free(arena->buffer[ORDINARY][s]);
        (void)redist_free(arena->buffer[SHARED][s]);
        redist_dist_destroy(&arena->dist[s]);
    }
    input_free(&arena->input);
}

/* ---- contenders -------------------------------------------------------------------- */

static redist_err run(void *context)
{
    const struct contender *contender = context;
    double *const *buffer = contender->arena->buffer[contender->entry->where];
    return contender->entry->peer->run(contender->state, buffer[0], buffer[1]);
}

static redist_err verify(struct contender *contender)
{
    const struct arena *arena = contender->arena;
    double *target = arena->buffer[contender->entry->where][1];
    if (contender->entry->peer->reference) return REDIST_OK;
    memset(target, 0xff, (size_t)arena->bytes[1]);
    TRY(run(contender));
    struct progress quiet = progress_begin("", 0, PROGRESS_NEVER);
    return input_check(arena->comm, &arena->input, &arena->view[0], &arena->view[1],
                       target, &quiet);
}

/* Plan and verify. Who cannot, or brings something wrong, is out; but that we do ends it
 * all. */
static redist_err enter(struct contender *contender)
{
    const struct arena *arena = contender->arena;
    const struct entry *entry = contender->entry;
    redist_err err =
        entry->peer->make(arena->comm, &arena->item, entry->strategy, &contender->state);
    if (!err) err = verify(contender);
    contender->available = !err;
    return err && entry->peer == &peer_redist ? err : REDIST_OK;
}

static redist_err race(const struct arena *arena, const struct arguments *arguments,
                       struct contender contenders[ENTRIES])
{
    struct racer racers[ENTRIES];
    int n = 0;
    for (int k = 0; k < ENTRIES; k++)
        if (contenders[k].available)
            racers[n++] = (struct racer){.run = run, .context = &contenders[k]};
    TRY(race_run(arena->comm, arguments->rounds, n, racers));
    for (int k = 0; k < n; k++) {
        struct contender *contender = racers[k].context;
        contender->seconds = racers[k].seconds;
        contender->time =
            arguments->least ? racers[k].seconds.min : racers[k].seconds.median;
    }
    return REDIST_OK;
}

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
            (void)printf("  %-22s %10.4f %10.4f %7.2f %9.2f %9.2f\n",
                         contender->entry->name, 1e3 * contender->seconds.median,
                         1e3 * contender->seconds.min, bytes / t / 1e9,
                         t / contenders[MEMCPY].time, t / contenders[STREAM].time);
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

static void print_verdicts(int n, const struct verdict verdicts[])
{
    double log_sum[RATIOS] = {0}, mean[RATIOS] = {0};
    int counted[RATIOS] = {0};
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
        for (int j = 0; j < RATIOS; j++)
            if (ratio[j] > 0 && !item_is_small(&verdicts[k].item))
                log_sum[j] += log(ratio[j]), counted[j]++;
    }
    for (int j = 0; j < RATIOS; j++)
        if (counted[j]) mean[j] = exp(log_sum[j] / counted[j]);
    print_ratios(mean);
    (void)printf("  geometric mean, small ones apart\n");
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

/* ---- all of it --------------------------------------------------------------------- */

static redist_err bench_item(MPI_Comm comm, const struct item *item,
                             const struct arguments *arguments, struct verdict *verdict)
{
    struct arena arena;
    struct contender contenders[ENTRIES];
    redist_err err = arena_make(comm, item, &arena);
    for (int k = 0; k < ENTRIES; k++) {
        contenders[k] = (struct contender){.arena = &arena, .entry = &entries[k]};
        if (!err && (entries[k].quick || !arguments->quick)) err = enter(&contenders[k]);
    }
    if (!err) err = race(&arena, arguments, contenders);
    if (!err && arena.rank == 0) print_race(item, contenders);
    verdict->item = *item;
    for (int k = 0; k < ENTRIES; k++) {
        verdict->time[k] = contenders[k].time;
        if (contenders[k].state) entries[k].peer->free(contenders[k].state);
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
    if (arguments->only >= 0) {
        items[0] = items[int_min(arguments->only, n - 1)];
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
        {NULL}};
    return program_run(argc, argv, options, bench_items, &arguments);
}
