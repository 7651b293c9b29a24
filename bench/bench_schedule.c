/* SPDX-License-Identifier: MIT
 *
 * bench_schedule - how good the optimal schedule is, counted over all problems of P, Q <=
 * 16 and coprime r, s <= 12, and what it takes one process to know its own part among a
 * million; how long it takes to make at most, of problems of up to 4096 processes drawn
 * at random; and what the schedules of two dimensions cost. Times are those of the
 * processor. Serial: no MPI processes needed.
 *
 *   script/bench schedule [P,Q up to] [r,s up to] [random problems]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "schedule/coloring/fewest.h"
#include "schedule/core/kinds.h"
#include "schedule/model/cost.h"
#include "schedule/model/model.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct sweep {
    int64_t problems, delta, at_w, at_sb, at_bound;
    double sum, worst, bound_sum, bound_worst;
    double made, made_longest; /* seconds */
    int worst_of[4];
};

/* Whether no schedule with as few steps costs less than `tc`, by the core's bound. */
static redist_err is_least(const struct classes *k, int64_t tc, bool *least)
{
    struct core core = core_of_classes(k);
    struct fewest fewest;
    int64_t *weight = calloc((size_t)k->n, sizeof *weight);
    if (!weight) return error_set(REDIST_ERR_MEMORY, "out of memory");
    for (int64_t z = 0; z < k->n; z++) weight[z] = classes_weight(k, k->first + z);
    redist_err err = fewest_find(&core, weight, &fewest);
    if (!err) *least = tc == fewest.bound;
    if (!err) fewest_free(&fewest);
    free(weight);
    return err;
}

static redist_err add_problem(struct sweep *sweep, int P, int r, int Q, int s)
{
    const struct schedule_kind *kind = &schedule_optimal;
    struct classes classes;
    struct comm_grid grid;
    struct cost cost;
    void *state = NULL;
    TRY(classes_make(P, r, Q, s, &classes));
    TRY(comm_grid_from_classes(&classes, NULL, &grid));
    struct schedule_input input = {.ndims = 1, .dim = &classes, .grid = &grid};
    double start = now();
    redist_err err = kind->make(&input, &state);
    double made = now() - start;
    if (!err) err = cost_count(kind, state, &input, &cost);
    kind->free(state);
    comm_grid_free(&grid);
    if (err) return err;
    double ratio = (double)cost.tc / (double)cost.w;
    double bound = (double)cost.sb / (double)cost.w;
    sweep->problems++;
    sweep->delta += cost.ns == cost.delta;
    sweep->at_w += cost.tc == cost.w;
    sweep->at_sb += cost.tc == cost.sb && cost.tc > cost.w;
    if (cost.tc > cost.sb) {
        bool least = false;
        TRY(is_least(&classes, cost.tc, &least));
        sweep->at_bound += least;
    }
    sweep->sum += ratio;
    sweep->bound_sum += bound;
    if (bound > sweep->bound_worst) sweep->bound_worst = bound;
    if (ratio > sweep->worst) {
        sweep->worst = ratio;
        sweep->worst_of[0] = P, sweep->worst_of[1] = r;
        sweep->worst_of[2] = Q, sweep->worst_of[3] = s;
    }
    sweep->made += made;
    if (made > sweep->made_longest) sweep->made_longest = made;
    return REDIST_OK;
}

static redist_err run_sweep(int processes, int block)
{
    struct sweep w = {0};
    for (int P = 1; P <= processes; P++)
        for (int Q = 1; Q <= processes; Q++)
            for (int r = 1; r <= block; r++)
                for (int s = 1; s <= block; s++)
                    if (int_gcd(r, s) == 1) TRY(add_problem(&w, P, r, Q, s));
    double n = (double)w.problems;
    printf("P,Q <= %d, coprime r,s <= %d: %" PRId64 " problems\n", processes, block,
           w.problems);
    printf("  NS = Delta             %" PRId64 "\n", w.delta);
    printf("  TC/W                   mean %.5f  worst %.4f at (%d,%d)->(%d,%d)\n",
           w.sum / n, w.worst, w.worst_of[0], w.worst_of[1], w.worst_of[2],
           w.worst_of[3]);
    printf("  SB/W, a bound on it    mean %.5f  worst %.4f\n", w.bound_sum / n,
           w.bound_worst);
    printf("  proved least           %" PRId64 " by TC = W, %" PRId64
           " by TC = SB, %" PRId64 " by the bound of divisions\n",
           w.at_w, w.at_sb, w.at_bound);
    printf("  time to make           mean %.1f us  longest %.1f us\n", 1e6 * w.made / n,
           1e6 * w.made_longest);
    return REDIST_OK;
}

/* Make schedules of problems drawn at random, and print the longest time. */
static redist_err run_random(int64_t problems, int64_t processes, int64_t block)
{
    uint64_t hash = HASH_START;
    double sum = 0, longest = 0;
    int64_t worst[4] = {0};
    for (int64_t i = 0; i < problems; i++) {
        int64_t x[4];
        for (int k = 0; k < 4; k++) {
            hash = hash_int(hash, i);
            x[k] = 1 + (int64_t)(hash % (uint64_t)(k % 2 == 0 ? processes : block));
        }
        struct classes classes;
        void *state = NULL;
        TRY(classes_make(x[0], x[1], x[2], x[3], &classes));
        struct schedule_input input = {.ndims = 1, .dim = &classes};
        double start = now();
        TRY(schedule_optimal.make(&input, &state));
        double made = now() - start;
        schedule_optimal.free(state);
        sum += made;
        if (made <= longest) continue;
        longest = made;
        for (int k = 0; k < 4; k++) worst[k] = x[k];
    }
    printf("%" PRId64 " at random of P,Q <= %" PRId64 ", r,s <= %" PRId64
           ": made in mean %.3f ms, longest %.1f ms, (%" PRId64 ",%" PRId64 ")->(%" PRId64
           ",%" PRId64 ")\n",
           problems, processes, block, 1e3 * sum / (double)problems, 1e3 * longest,
           worst[0], worst[1], worst[2], worst[3]);
    return REDIST_OK;
}

/* Time the own lists of processes spread over both sides. */
static redist_err run_large(int64_t P, int64_t r, int64_t Q, int64_t s)
{
    enum { LISTS = 20000 };
    const struct schedule_kind *kind = &schedule_optimal;
    struct classes classes;
    TRY(classes_make(P, r, Q, s, &classes));
    struct schedule_input input = {.ndims = 1, .dim = &classes};
    void *state = NULL;
    double start = now();
    TRY(kind->make(&input, &state));
    double made = now() - start;
    double spent[SIDES];
    int64_t messages[SIDES] = {0, 0};
    redist_err err = REDIST_OK;
    for (int side = 0; side < SIDES; side++) {
        int64_t count = side == REDIST_SOURCE ? P : Q;
        start = now();
        for (int i = 0; !err && i < LISTS; i++) {
            struct own_list list = {0};
            err = kind->own(state, (redist_side)side, int_mulmod(i, 7919, count), &list);
            messages[side] += list.n;
            own_list_free(&list);
        }
        spent[side] = now() - start;
    }
    kind->free(state);
    if (err) return err;
    printf("(%" PRId64 ",%" PRId64 ")->(%" PRId64 ",%" PRId64 "): made in %.1f us; "
           "own list of a source %.2f us (%.1f messages), of a target %.2f us (%.1f)\n",
           P, r, Q, s, 1e6 * made, 1e6 * spent[0] / LISTS, (double)messages[0] / LISTS,
           1e6 * spent[1] / LISTS, (double)messages[1] / LISTS);
    return REDIST_OK;
}

/* The time of a made schedule without startups, over W. */
static redist_err find_ratio(const struct schedule_kind *kind, const void *state,
                             const struct schedule_input *input, enum model_issue issue,
                             double *ratio)
{
    const struct model model = {.beta = 1, .unit = 1};
    double seconds[MODEL_ISSUES];
    TRY(model_times(kind, state, input, &model, seconds));
    *ratio = seconds[issue] / (double)input->grid->load;
    return REDIST_OK;
}

/* Print the line of one problem: each schedule with barriers and without. */
static redist_err compare(const struct schedule_input *input)
{
    static const struct schedule_kind *const kinds[] = {
        &schedule_product, &schedule_combination, &schedule_product_timeline};
    struct cost cost[3];
    double ratio[5];
    for (int i = 0; i < 3; i++) {
        void *state = NULL;
        TRY(kinds[i]->make(input, &state));
        redist_err err = cost_count(kinds[i], state, input, &cost[i]);
        enum model_issue issue = i < 2 ? MODEL_FREE : MODEL_WHOLE;
        if (!err) err = find_ratio(kinds[i], state, input, issue, &ratio[2 * i]);
        if (!err && i < 2)
            err = find_ratio(kinds[i], state, input, MODEL_BARRIERS, &ratio[2 * i + 1]);
        kinds[i]->free(state);
        if (err) return err;
    }
    printf("%6" PRId64 " %6" PRId64 " %6" PRId64 " %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f\n",
           cost[0].delta, cost[0].w, cost[0].ns, ratio[1], ratio[3],
           (double)cost[2].tc / (double)cost[2].w, ratio[0], ratio[2], ratio[4]);
    return REDIST_OK;
}

/* ---- all small problems of two dimensions ---- */

enum { SMALL = 4 };

/* The means and maxima of NS / Delta and TC / W of one schedule. */
struct quality {
    double ns, ns_worst, tc, tc_worst;
};

static void add_quality(struct quality *q, const struct cost *cost)
{
    double ns = (double)cost->ns / (double)cost->delta;
    double tc = (double)cost->tc / (double)cost->w;
    q->ns += ns;
    q->tc += tc;
    if (ns > q->ns_worst) q->ns_worst = ns;
    if (tc > q->tc_worst) q->tc_worst = tc;
}

/* Count the schedules `kinds`[n] of two dimensions into `quality`[n], and the bound SB
 * behind them, as if it were one. */
static redist_err add_pair(const struct classes dim[2],
                           const struct schedule_kind *const kinds[], int n,
                           struct quality quality[])
{
    struct comm_grid grid;
    TRY(comm_grid_from_dims(2, dim, NULL, INT64_MAX, &grid));
    struct schedule_input input = {.ndims = 2, .dim = dim, .grid = &grid};
    struct cost cost = {0};
    redist_err err = REDIST_OK;
    for (int i = 0; !err && i < n; i++) {
        void *state = NULL;
        err = kinds[i]->make(&input, &state);
        if (!err) err = cost_count(kinds[i], state, &input, &cost);
        if (state) kinds[i]->free(state);
        add_quality(&quality[i], &cost);
    }
    cost.ns = cost.delta;
    cost.tc = cost.sb;
    add_quality(&quality[n], &cost);
    comm_grid_free(&grid);
    return err;
}

static redist_err sweep_dims(void)
{
    static const struct schedule_kind *const kinds[] = {&schedule_product,
                                                        &schedule_combination};
    struct classes one[SMALL * SMALL * SMALL * SMALL];
    struct quality quality[3] = {{0}};
    int n = 0, pairs = 0;
    for (int P = 1; P <= SMALL; P++)
        for (int Q = 1; Q <= SMALL; Q++)
            for (int r = 1; r <= SMALL; r++)
                for (int s = 1; s <= SMALL; s++)
                    if (int_gcd(r, s) == 1) TRY(classes_make(P, r, Q, s, &one[n++]));
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++, pairs++) {
            struct classes dim[2] = {one[i], one[k]};
            TRY(add_pair(dim, kinds, 2, quality));
        }
    printf("two dimensions, P,Q <= %d, coprime r,s <= %d along each: %d problems\n",
           SMALL, SMALL, pairs);
    for (int i = 0; i < 3; i++)
        printf("  %-20s NS/Delta mean %.4f worst %.4f   TC/W mean %.4f worst %.4f\n",
               i < 2 ? kinds[i]->name : "the bounds Delta, SB", quality[i].ns / pairs,
               quality[i].ns_worst, quality[i].tc / pairs, quality[i].tc_worst);
    return REDIST_OK;
}

/* ---- some problems, without barriers too ---- */

static redist_err run_dims(void)
{
    static const int problems[][2][4] = {
        {{4, 3, 4, 5}, {4, 3, 4, 5}},   {{6, 2, 6, 3}, {6, 2, 6, 3}},
        {{15, 3, 15, 5}, {6, 2, 6, 3}}, {{5, 4, 5, 3}, {12, 4, 8, 3}},
        {{12, 4, 8, 3}, {12, 4, 8, 3}}, {{3, 2, 2, 3}, {6, 2, 6, 3}},
        {{12, 4, 8, 3}, {8, 3, 12, 4}}, {{16, 1, 4, 1}, {4, 1, 16, 1}},
    };
    printf("two dimensions; time without startups over W\n"
           "%36s %6s %6s %6s %31s %23s\n%36s %6s %6s %6s %7s %7s %7s %7s %7s %7s\n",
           "", "", "", "NS of", "with barriers; instants", "whole messages, none", "",
           "Delta", "W", "prod.", "prod.", "comb.", "timel.", "prod.", "comb.", "timel.");
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        struct classes dim[2];
        struct comm_grid grid;
        char text[64] = "";
        int used = 0;
        for (int j = 0; j < 2; j++) {
            const int *x = problems[i][j];
            TRY(classes_make(x[0], x[1], x[2], x[3], &dim[j]));
            used += snprintf(text + used, sizeof text - (size_t)used, " (%d,%d)->(%d,%d)",
                             x[0], x[1], x[2], x[3]);
        }
        TRY(comm_grid_from_dims(2, dim, NULL, INT64_MAX, &grid));
        struct schedule_input input = {.ndims = 2, .dim = dim, .grid = &grid};
        printf("%-36s ", text);
        redist_err err = compare(&input);
        comm_grid_free(&grid);
        if (err) return err;
    }
    return REDIST_OK;
}

int main(int argc, char **argv)
{
    int processes = argc > 1 ? atoi(argv[1]) : 16, block = argc > 2 ? atoi(argv[2]) : 12;
    int problems = argc > 3 ? atoi(argv[3]) : 100000;
    if (processes < 1 || block < 1 || problems < 1) {
        fprintf(stderr,
                "usage: bench_schedule [P,Q up to] [r,s up to] [random problems]\n");
        return 2;
    }
    redist_err err = run_sweep(processes, block);
    if (!err) err = run_large(1000000, 3, 1000000, 5);
    if (!err) err = run_large(720720, 64, 720720, 63);
    if (!err) err = run_random(problems, 4096, 128);
    if (!err) err = sweep_dims();
    if (!err) err = run_dims();
    if (err) fprintf(stderr, "bench_schedule: %s\n", redist_error_message());
    return err ? 1 : 0;
}
