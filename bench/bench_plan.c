/* SPDX-License-Identifier: MIT
 *
 * bench_plan - what planning costs one process: time and memory of finding all that it
 * sends and receives, and of choosing a schedule for it, for a few redistributions of
 * very different size. Serial: no MPI processes needed.
 *
 *   script/bench plan [repetitions]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "move/message/transfer.h"
#include "plan/choice/choose.h"
#include "schedule/order/order.h"

struct item {
    const char *source, *target;
    int rank; /* whose plan */
};

static const struct item items[] = {
    {"[15000000] (cyclic(3)) onto 1000000", "[15000000] (cyclic(5)) onto 1000000",
     777777},
    {"[2905943040] (cyclic(64)) onto 720720", "[2905943040] (cyclic(63)) onto 720720",
     123456},
    {"[8192,8192] (cyclic(3),cyclic(3)) onto 2x2",
     "[8192,8192] (cyclic(5),cyclic(5)) onto 2x2", 3},
    {"[8192,8192] (cyclic(64),cyclic(64)) onto 4x4",
     "[8192,8192] (cyclic(64),cyclic(64)) onto 16x1", 7},
    {"[16777216] (cyclic) onto 4", "[16777216] (block) onto 4", 2},
    {"[1000000000] (block) onto 100000", "[1000000000] (block) onto 131071", 65432},
    {"[1000,1000,1000] (block,block,*) onto 100x100",
     "[1000,1000,1000] (*,block,block) onto 100x100", 4242},
};

struct result {
    double seconds, choice;
    int64_t bytes, messages;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Plan once, as redist_plan_create does between its agreements. */
static redist_err plan(const redist_view views[SIDES], int rank, struct result *result)
{
    struct mem_account account = {0, 0};
    double start = now();
    struct order order;
    struct array array;
    struct transfers transfers[SIDES];
    TRY(overlap_check(&views[0], &views[1]));
    TRY(order_make(NULL, 0, &views[0], &views[1], NULL, 1 << 30, &order));
    TRY(array_make(&account, views, (struct sizes){8, 8, 0}, rank, &array));
    result->messages = 0;
    for (int s = 0; s < SIDES; s++) {
        TRY(transfers_make(&account, &order, 1, &array, (redist_side)s, true,
                           &transfers[s]));
        result->messages += transfers[s].n;
    }
    result->seconds = now() - start;
    result->bytes = account.peak;
    for (int s = 0; s < SIDES; s++) transfers_free(&transfers[s]);
    array_free(&array);
    return REDIST_OK;
}

/* Choose a schedule, as redist_plan_create does if it is to choose the strategy. */
static redist_err choose(const redist_view views[SIDES], struct result *result)
{
    struct choice choice;
    struct rates rates = rates_default((int)views[0].dist->grid->size);
    double start = now();
    const struct query query = {.source = &views[0],
                                .target = &views[1],
                                .element = 8,
                                .most = 8 << 20,
                                .rates = &rates};
    TRY(choose_method(&query, NULL, REDIST_OK, &choice));
    result->choice = now() - start;
    return REDIST_OK;
}

static int by_seconds(const void *a, const void *b)
{
    double x = ((const struct result *)a)->seconds,
           y = ((const struct result *)b)->seconds;
    return (x > y) - (x < y);
}

static redist_err measure(const struct item *item, int repetitions,
                          struct result *results)
{
    redist_dist *dists[SIDES] = {NULL, NULL};
    redist_view views[SIDES];
    TRY(redist_view_parse(item->source, &dists[0], &views[0]));
    TRY(redist_view_parse(item->target, &dists[1], &views[1]));
    for (int k = 0; k < repetitions; k++) {
        TRY(plan(views, item->rank, &results[k]));
        TRY(choose(views, &results[k]));
    }
    qsort(results, (size_t)repetitions, sizeof *results, by_seconds);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&dists[s]);
    return REDIST_OK;
}

static redist_err print_all(int repetitions, struct result *results)
{
    printf("planning by one process, median (least) of %d\n\n", repetitions);
    printf("%10s %10s %10s %9s %9s\n", "us", "(least)", "choice us", "KiB", "messages");
    for (size_t k = 0; k < sizeof items / sizeof *items; k++) {
        TRY(measure(&items[k], repetitions, results));
        const struct result *median = &results[repetitions / 2];
        printf("%10.2f %10.2f %10.2f %9.1f %9lld   %s -> %s\n", 1e6 * median->seconds,
               1e6 * results[0].seconds, 1e6 * median->choice,
               (double)median->bytes / 1024, (long long)median->messages, items[k].source,
               items[k].target);
    }
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    int repetitions = argc > 1 ? atoi(argv[1]) : 101;
    if (repetitions < 1) return fputs("repetitions must be >= 1\n", stderr), 2;
    struct result *results = calloc((size_t)repetitions, sizeof *results);
    if (!results) return fputs("out of memory\n", stderr), 1;
    redist_err err = print_all(repetitions, results);
    if (err) fprintf(stderr, "%s\n", redist_error_message());
    free(results);
    return err != REDIST_OK;
}
