/* SPDX-License-Identifier: MIT
 *
 * bench_copy - how fast one process gathers the bytes of messages, scatters them, and
 * copies them from array to array, beside libc memcpy of as many bytes that lie side by
 * side. Serial: no MPI processes needed.
 *
 *   script/bench copy [repetitions] [item]
 *
 *   gather    arrays -> staging     all messages to process 0 of the target, a chunk of
 *   scatter   staging -> array      staging memory at a time, as exchanges do
 *   copy      arrays -> array       the same without staging, all together
 *
 * Each first with all its bytes ("memory"), then with one chunk again and again
 * ("cache"). memcpy and the kernels take turns. What was scattered is compared with what
 * was copied.
 *
 * A second table is of scattering and copying with arithmetic (move/arith/combine.h)
 * beside the same without.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/intmath.h"
#include "intersect/overlap.h"
#include "move/arith/combine.h"
#include "move/interleave/interleave.h"
#include "program.h"

enum { CHUNK = 256 << 10, AGAIN = 16, WAYS = 3, MOST_SOURCES = 16 };

struct item {
    const char *what, *source, *target;
    int element; /* bytes */
};

static const struct item items[] = {
    {"2-D 64, 1x2 -> 2x1", "[4096,4096] (cyclic(64),cyclic(64)) onto 1x2",
     "[4096,4096] (cyclic(64),cyclic(64)) onto 2x1", 8},
    {"2-D 2x2, 64 -> 128", "[4096,4096] (cyclic(64),cyclic(64)) onto 2x2",
     "[4096,4096] (cyclic(128),cyclic(128)) onto 2x2", 8},
    {"2-D 2x2, 32 -> 100", "[4096,4096] (cyclic(32),cyclic(32)) onto 2x2",
     "[4096,4096] (cyclic(100),cyclic(100)) onto 2x2", 8},
    {"2-D 2x2, 3 -> 5", "[4096,4096] (cyclic(3),cyclic(3)) onto 2x2",
     "[4096,4096] (cyclic(5),cyclic(5)) onto 2x2", 8},
    {"1-D 3 -> 5", "[16777216] (cyclic(3)) onto 2", "[16777216] (cyclic(5)) onto 2", 8},
    {"1-D 64 -> 100", "[16777216] (cyclic(64)) onto 2", "[16777216] (cyclic(100)) onto 2",
     8},
    {"1-D 1 -> block", "[16777216] (cyclic) onto 2", "[16777216] (block) onto 2", 8},
    {"1-D block -> 1", "[16777216] (block) onto 2", "[16777216] (cyclic) onto 2", 8},
    {"transpose, 4 bytes", "[2048,2048] (*,*) onto 1",
     "[2048,2048] (*,*) onto 1 order column-major", 4},
    {"transpose, 8 bytes", "[2048,2048] (*,*) onto 1",
     "[2048,2048] (*,*) onto 1 order column-major", 8},
    {"transpose, 8, 4096", "[4096,4096] (*,*) onto 1",
     "[4096,4096] (*,*) onto 1 order column-major", 8},
    {"transpose, 8, 3-D", "[300,310,330] (*,*,*) onto 1",
     "[300,310,330] (*,*,*) onto 1 order column-major", 8},
    {"transpose, 8, odd", "[4001,4003] (*,*) onto 1",
     "[4001,4003] (*,*) onto 1 order column-major", 8},
    {"transpose, 1 byte", "[8192,8192] (*,*) onto 1",
     "[8192,8192] (*,*) onto 1 order column-major", 1},
    {"transpose, 16 bytes", "[2048,2048] (*,*) onto 1",
     "[2048,2048] (*,*) onto 1 order column-major", 16},
    {"transpose, 64 -> 128", "[4096,4096] (cyclic(64),cyclic(64)) onto 2x2",
     "[4096,4096] (cyclic(128),cyclic(128)) onto 2x2 order column-major", 8},
    {"transpose, 3 -> 5", "[4096,4096] (cyclic(3),cyclic(3)) onto 2x2",
     "[4096,4096] (cyclic(5),cyclic(5)) onto 2x2 order column-major", 8},
    {"rows of 4", "[1000,1000,8] (block,block,cyclic(4)) onto 1x1x2",
     "[1000,1000,8] (block,block,cyclic(2)) onto 1x1x2", 8},
};
enum { NITEMS = sizeof items / sizeof *items };

/* What process 0 of the target gets from one process of the source. */
struct pair {
    struct overlap overlap;
    struct walk walk[WAYS];
    struct axis axes[WAYS][REDIST_MAX_DIMS];
    char *source;
    int64_t elements;
};

struct work {
    const struct item *item;
    int npairs;
    struct pair pair[MOST_SOURCES];
    char *target, *copied, *staging, *dense[2]; /* dense: for memcpy */
    int64_t elements, span;
    const struct combine *combine; /* NULL: plain */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers with which to do arithmetic takes no longer than usual, of any size. */
static char *filled(int64_t bytes)
{
    char *block = aligned_alloc(4096, (size_t)(bytes + 8191) / 4096 * 4096);
    if (!block) fputs("out of memory\n", stderr), exit(1);
    for (int64_t k = 0; k < bytes / 8; k++) {
        double number = (double)(k % 99991 + 1);
        memcpy(block + 8 * k, &number, sizeof number);
    }
    return block;
}

static redist_err prepare_pair(struct work *work, const redist_view views[SIDES], int p,
                               struct pair *pair)
{
    struct memory_side sides[SIDES] = {{.view = &views[0]}, {.view = &views[1]}};
    TRY(view_layout(&views[0], p, &sides[0].layout));
    TRY(view_layout(&views[1], 0, &sides[1].layout));
    TRY(overlap_make(NULL, &views[0], &views[1], REDIST_SOURCE, p, &pair->overlap));
    for (int64_t k = 0; k < pair->overlap.nmessages; k++) {
        const struct message *message = &pair->overlap.message[k];
        if (message->rank != 0) continue;
        pair->elements = message->elements;
        for (int way = 0; way < WAYS; way++)
            walk_make(&pair->overlap, message, sides,
                      (struct sizes){work->item->element, work->item->element, 0},
                      (enum way)way, way != WAY_COPY, pair->axes[way], &pair->walk[way]);
    }
    pair->source = filled(sides[0].layout.span * work->item->element);
    work->elements += pair->elements;
    work->span = sides[1].layout.span * work->item->element;
    return REDIST_OK;
}

static redist_err prepare(struct work *work, const redist_view views[SIDES])
{
    TRY(overlap_check(&views[0], &views[1]));
    int64_t sources = redist_grid_size(redist_dist_grid(views[0].dist));
    for (int p = 0; p < sources; p++) {
        struct pair *pair = &work->pair[work->npairs];
        TRY(prepare_pair(work, views, p, pair));
        if (pair->elements > 0) work->npairs++;
    }
    int64_t bytes = work->elements * work->item->element;
    work->target = filled(work->span);
    work->copied = filled(work->span);
    work->staging = filled(CHUNK);
    work->dense[0] = filled(bytes);
    work->dense[1] = filled(bytes);
    return REDIST_OK;
}

static void finish(struct work *work)
{
    for (int p = 0; p < work->npairs; p++) {
        overlap_free(&work->pair[p].overlap);
        free(work->pair[p].source);
    }
    free(work->target), free(work->copied), free(work->staging);
    free(work->dense[0]), free(work->dense[1]);
}

static void move_chunk(struct work *work, struct pair *pair, enum way way, int64_t at,
                       int64_t n)
{
    const char *from = way == WAY_SCATTER ? work->staging : pair->source;
    char *to = way == WAY_GATHER ? work->staging
               : way == WAY_COPY ? work->copied
                                 : work->target;
    walk_seek(&pair->walk[way], at);
    walk_combine(&pair->walk[way], way, work->combine, from, to, n);
}

/* All pairs' elements from array to array. */
static void copy_all(struct work *work)
{
    struct input inputs[MOST_SOURCES];
    for (int p = 0; p < work->npairs; p++) {
        struct walk *walk = &work->pair[p].walk[WAY_COPY];
        inputs[p] = (struct input){.walk = walk,
                                   .way = WAY_COPY,
                                   .from = work->pair[p].source,
                                   .ready = walk->total};
    }
    interleave_all(inputs, work->npairs, work->combine, work->copied);
}

/* The bytes moved by the kernels, once or one chunk over and over. Returns seconds. */
static double run_kernels(struct work *work, enum way way, bool cached)
{
    int64_t chunk = CHUNK / work->item->element;
    double start = now();
    for (int k = 0; cached && k < AGAIN; k++)
        move_chunk(work, &work->pair[0], way, 0, int_min(chunk, work->pair[0].elements));
    if (!cached && way == WAY_COPY) copy_all(work);
    for (int p = 0; !cached && way != WAY_COPY && p < work->npairs; p++) {
        struct pair *pair = &work->pair[p];
        for (int64_t at = 0; at < pair->elements; at += chunk)
            move_chunk(work, pair, way, at, int_min(chunk, pair->elements - at));
    }
    return now() - start;
}

static double run_memcpy(struct work *work, enum way way, bool cached)
{
    int64_t bytes = work->elements * work->item->element;
    int64_t step = way == WAY_COPY && !cached ? bytes : CHUNK;
    double start = now();
    for (int64_t at = 0, k = 0; cached ? k < AGAIN : at < bytes; k++) {
        char *from = way == WAY_SCATTER ? work->staging : work->dense[0] + at;
        char *to = way == WAY_GATHER ? work->staging : work->dense[1] + at;
        memcpy(to, from, (size_t)int_min(step, bytes - at));
        if (!cached) at += step;
    }
    return now() - start;
}

/* What gathering and scattering chunk by chunk leaves is what copying leaves. */
static bool verify(struct work *work)
{
    int64_t chunk = CHUNK / work->item->element;
    memset(work->target, 0, (size_t)work->span);
    memset(work->copied, 0, (size_t)work->span);
    copy_all(work);
    for (int p = 0; p < work->npairs; p++) {
        struct pair *pair = &work->pair[p];
        for (int64_t at = 0; at < pair->elements; at += chunk)
            for (int way = WAY_GATHER; way <= WAY_SCATTER; way++)
                move_chunk(work, pair, (enum way)way, at,
                           int_min(chunk, pair->elements - at));
    }
    return memcmp(work->target, work->copied, (size_t)work->span) == 0;
}

static void print_row(struct work *work, int repetitions, bool cached)
{
    double *results = calloc(2 * (size_t)repetitions, sizeof *results);
    double *speed = results, *ratio = results + repetitions;
    int64_t chunk = CHUNK / work->item->element, elements = work->elements;
    if (cached) elements = AGAIN * int_min(chunk, work->pair[0].elements);
    double bytes = (double)elements * work->item->element;
    double libc_bytes = cached ? AGAIN * (double)CHUNK : bytes;
    printf("%-22s %-6s", cached ? "" : work->item->what, cached ? "cache" : "memory");
    for (int way = 0; way < WAYS; way++) {
        for (int k = 0; k < repetitions; k++) {
            double libc = libc_bytes / run_memcpy(work, (enum way)way, cached);
            speed[k] = bytes / run_kernels(work, (enum way)way, cached);
            ratio[k] = libc / speed[k];
        }
        printf("  %7.2f %6.2fx", program_median(speed, repetitions) / 1e9,
               program_median(ratio, repetitions));
    }
    puts("");
    free(results);
}

/* The time with arithmetic over that without, by turns. */
static void print_combined(struct work *work, int repetitions, bool cached)
{
    const enum number number = work->item->element == 4   ? NUMBER_F4
                               : work->item->element == 8 ? NUMBER_F8
                                                          : NUMBER_C16;
    const float f4[] = {2, 0.5F};
    const double f8[] = {2, 0, 0.5, 0};
    const void *alpha = number == NUMBER_F4 ? (const void *)&f4[0] : &f8[0];
    const void *beta = number == NUMBER_F4 ? (const void *)&f4[1] : &f8[2];
    struct combine scale, add;
    (void)combine_make(number, false, alpha, NULL, &scale);
    (void)combine_make(number, false, alpha, beta, &add);
    const struct combine *const all[] = {NULL, &scale, &add};
    double *seconds[3];
    for (int c = 0; c < 3; c++)
        seconds[c] = calloc((size_t)repetitions, sizeof **seconds);
    printf("%-22s %-6s", cached ? "" : work->item->what, cached ? "cache" : "memory");
    for (int way = WAY_SCATTER; way <= WAY_COPY; way++) {
        for (int k = 0; k < repetitions; k++)
            for (int c = 0; c < 3; c++) {
                work->combine = all[c];
                seconds[c][k] = run_kernels(work, (enum way)way, cached);
            }
        for (int k = 0; k < repetitions; k++) {
            seconds[1][k] /= seconds[0][k];
            seconds[2][k] /= seconds[0][k];
        }
        printf("  %6.2fx %6.2fx", program_median(seconds[1], repetitions),
               program_median(seconds[2], repetitions));
    }
    puts("");
    work->combine = NULL;
    for (int c = 0; c < 3; c++) free(seconds[c]);
}

typedef void print_row_of(struct work *work, int repetitions, bool cached);

static redist_err measure(const struct item *item, int repetitions, print_row_of *print)
{
    redist_dist *dists[SIDES] = {NULL, NULL};
    redist_view views[SIDES];
    static struct work all;
    struct work *work = &all;
    *work = (struct work){.item = item};
    TRY(redist_view_parse(item->source, &dists[0], &views[0]));
    TRY(redist_view_parse(item->target, &dists[1], &views[1]));
    TRY(prepare(work, views));
    if (!verify(work)) return error_set(REDIST_ERR_STATE, "%s: wrong bytes", item->what);
    print(work, repetitions, false);
    print(work, repetitions, true);
    fflush(stdout);
    finish(work);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&dists[s]);
    return REDIST_OK;
}

static redist_err measure_all(int repetitions, int only, print_row_of *print)
{
    for (int k = 0; k < NITEMS; k++)
        if (only < 0 || only == k) TRY(measure(&items[k], repetitions, print));
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    int repetitions = argc > 1 ? atoi(argv[1]) : 7;
    int only = argc > 2 ? atoi(argv[2]) : -1;
    if (repetitions < 1) return fputs("repetitions must be >= 1\n", stderr), 2;
    printf("GB/s, and time over that of the memcpy just before: medians of %d\n\n",
           repetitions);
    printf("%29s  %15s  %15s  %15s\n", "", "gather    ", "scatter    ", "copy    ");
    redist_err err = measure_all(repetitions, only, print_row);
    printf(
        "\ntarget = 2 source, target = 2 source + target / 2: time over that of the same "
        "without\n\n%29s  %15s  %15s\n",
        "", "scatter    ", "copy    ");
    if (!err) err = measure_all(repetitions, only, print_combined);
    if (err) return fprintf(stderr, "%s\n", redist_error_message()), 1;
    return 0;
}
