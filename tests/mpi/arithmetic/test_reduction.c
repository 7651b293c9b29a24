/* SPDX-License-Identifier: MIT
 *
 * A source whose replicas hold partial results: random views, types, operations and
 * strategies against a loop that goes over the replicas in their order, bit by bit, and
 * the bytes that travel against the report. And what is refused, everywhere alike.
 *
 *   mpi.reduction [cases]
 */
#include "mpi/arithmetic/reducible.h"
#include "mpi/pair.h"
#include "mpi/sample.h"
#include "mpi/trace.h"

enum { CASES = 125, LONG = 500, MOST_ITEMS = 2 };

/* ---- one array --------------------------------------------------------------------- */

struct task {
    struct operand number;
    redist_reduction op;
    int scaled; /* then a sum, by these */
    int alpha, beta;
};

struct array_case {
    const struct task *task;
    uint64_t seed; /* of its elements */
    struct sample side[2];
    int64_t replicas, mine; /* of the source, and the one that this process is */
    unsigned char *source, *target, *expected;
};

/* What replica r has of section element k; the target had that of r = -1. */
static union value value_of(const struct array_case *a, int64_t k, int64_t r)
{
    const struct operand *number = &a->task->number;
    uint64_t state = (a->seed + (uint64_t)(64 * k + r + 1)) * 2654435761u + 1;
    random_next(&state);
    int re = 2 * (int)random_in(&state, -5, 4) + 1; /* odd: none is -0 */
    int im = 2 * (int)random_in(&state, -5, 4) + 1;
    if (number->pair) return number->pair(re, im);
    if (number->values == SMALL || a->task->scaled) return whole_number(number, re, im);
    if (number->values == TRUTHS) return (union value){.u8 = re > 0};
    if (number->values == BITS) { /* often 0 for the logical ones */
        u8 bits = random_in(&state, 0, 2) ? random_next(&state) : 0;
        return (union value){.u8 = bits >> (64 - 8 * number->bytes)};
    }
    f8 real = (f8)(int64_t)random_next(&state) * 0x1p-62;
    if (number->bytes == 8) return (union value){.f8 = {real, 0}};
    if (number->bytes == 16) {
        union value value = {.f8 = {0, 0}};
        value.f16[0] = real;
        return value;
    }
    return (union value){.f4 = {(f4)real, 0}};
}

static void put_source(void *context, int64_t at, int64_t k)
{
    const struct array_case *a = context;
    size_t bytes = a->task->number.bytes;
    memcpy(a->source + (size_t)at * bytes, value_of(a, k, a->mine).byte, bytes);
}

static void put_target(void *context, int64_t at, int64_t k)
{
    const struct array_case *a = context;
    const struct task *task = a->task;
    const struct operand *number = &task->number;
    union value y = value_of(a, k, -1), x = value_of(a, k, 0);
    memcpy(a->target + (size_t)at * number->bytes, y.byte, number->bytes);
    y = task->scaled ? times(number, task->beta, y) : x;
    for (int64_t r = !task->scaled; r < a->replicas; r++) {
        x = value_of(a, k, r);
        if (task->scaled) x = times(number, task->alpha, x);
        number->fold(task->op, &y, x);
    }
    memcpy(a->expected + (size_t)at * number->bytes, y.byte, number->bytes);
}

/* Make the views of an array; it nearly always has replicas, of a batch as many as the
 * first. */
static void array_make_random(struct array_case *a, const struct task *task,
                              int64_t replicas, uint64_t *seed)
{
    int64_t n[SAMPLE_MAX_DIMS];
    int ndims = random_extents(seed, n), tries = 0;
    for (int again = 1; again;) {
        sample_make(&a->side[0], seed, ndims, n, world_size(), SAMPLE_REPLICAS);
        a->mine = sample_replica(&a->side[0]);
        a->replicas = sample_replicas(&a->side[0]);
        again = replicas ? a->replicas != replicas : a->replicas < 2 && tries++ < 20;
        if (again) sample_free(&a->side[0]);
    }
    sample_make(&a->side[1], seed, ndims, n, world_size(), SAMPLE_REPLICAS);
    a->task = task;
    a->seed = random_next(seed);
    size_t bytes[2];
    for (int s = 0; s < 2; s++) bytes[s] = (size_t)a->side[s].span * task->number.bytes;
    a->source = malloc(bytes[0] + 1);
    a->target = malloc(bytes[1] + 1);
    a->expected = malloc(bytes[1] + 1);
}

static void array_fill(struct array_case *a)
{
    size_t bytes = (size_t)a->side[REDIST_TARGET].span * a->task->number.bytes;
    memset(a->target, POISON, bytes);
    memset(a->expected, POISON, bytes);
    sample_each(&a->side[REDIST_SOURCE], 0, put_source, a);
    sample_each(&a->side[REDIST_TARGET], 0, put_target, a);
}

static void array_check(const struct array_case *a, const char *strategy)
{
    size_t bytes = (size_t)a->side[REDIST_TARGET].span * a->task->number.bytes;
    clear_padding(&a->task->number, a->target, bytes);
    clear_padding(&a->task->number, a->expected, bytes);
    if (memcmp(a->target, a->expected, bytes) == 0) return;
    CHECK(0, "%s, operation %d of %zu bytes, scaled %d by %d and %d: %s", strategy,
          (int)a->task->op, a->task->number.bytes, a->task->scaled, a->task->alpha,
          a->task->beta, sample_text(&a->side[0], &a->side[1]));
}

/* ---- cases ------------------------------------------------------------------------- */

static void run(redist_plan *plan, const struct task *task, int nitems,
                const struct array_case arrays[], int form)
{
    const void *sources[MOST_ITEMS];
    void *targets[MOST_ITEMS];
    union value alpha = whole_number(&task->number, task->alpha, 0);
    union value beta = whole_number(&task->number, task->beta, 0);
    for (int k = 0; k < nitems; k++) {
        sources[k] = arrays[k].source;
        targets[k] = arrays[k].target;
    }
    if (form == 0 && task->scaled) {
        CHECK_OK(redist_execute_batch_scaled(plan, &alpha, sources, &beta, targets));
        return;
    }
    if (task->scaled)
        CHECK_OK(redist_start_batch_scaled(plan, &alpha, sources, &beta, targets));
    else
        CHECK_OK(redist_start_batch(plan, sources, targets));
    memset(&alpha, POISON, sizeof alpha); /* not needed any more, nor the lists */
    memset(&beta, POISON, sizeof beta);
    memset(sources, 0, sizeof sources);
    memset(targets, 0, sizeof targets);
    for (int done = form == 1; !done;) CHECK_OK(redist_test(plan, &done));
    if (form == 1) CHECK_OK(redist_wait(plan));
}

/* What has travelled is what the report says; and all of it together is each element once
 * for each replica of the source and of the target. */
static void check_volume(const redist_plan *plan, int nitems,
                         const struct array_case arrays[], const char *strategy)
{
    redist_report report;
    CHECK_OK(redist_plan_report(plan, &report));
    int64_t due = 0, all = 0, sent = 0;
    for (int k = 0; k < nitems; k++)
        due += sample_elements(&arrays[k].side[1]) * arrays[k].replicas;
    int64_t mine = report.elements_sent + report.elements_kept;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == due, "%" PRId64 " elements instead of %" PRId64, all, due);
    for (int other = 0; other < world_size(); other++) sent += trace.bytes[other];
    if (strcmp(strategy, "nonblocking") == 0)
        CHECK(sent == report.bytes_sent, "%" PRId64 " bytes sent, not %" PRId64, sent,
              report.bytes_sent);
}

static void draw_task(struct task *task, uint64_t *seed)
{
    task->number = draw_number(seed);
    task->op = (redist_reduction)random_in(seed, (int64_t)task->number.first,
                                           (int64_t)task->number.last);
    task->scaled = task->number.scales && random_in(seed, 0, 3) == 0;
    if (task->scaled) task->op = REDIST_REDUCTION_SUM;
}

static void partial_results_are_put_together_in_their_order(uint64_t *seed)
{
    static struct array_case arrays[MOST_ITEMS];
    struct task task = {0};
    redist_item items[MOST_ITEMS];
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    draw_task(&task, seed);
    int nitems = (int)random_in(seed, 1, MOST_ITEMS);
    options.reduction = task.op;
    options.scaled = task.scaled;
    do options.strategy = here(all_strategies[random_in(seed, 0, STRATEGIES - 1)]);
    while (!combines(options.strategy) ||
           (nitems > 1 && !moves_batches(options.strategy)));
    if (random_in(seed, 0, 3) == 0) options.strategy = NULL;
    if (random_in(seed, 0, 1))
        options.staging_bytes = (size_t)1 << random_in(seed, 14, 20);
    for (int k = 0; k < nitems; k++) {
        array_make_random(&arrays[k], &task, k > 0 ? arrays[0].replicas : 0, seed);
        items[k] = (redist_item){task.number.type, &arrays[k].side[0].view,
                                 &arrays[k].side[1].view};
    }
    while (redist_plan_create_batch(MPI_COMM_WORLD, nitems, items, &options, &plan)) {
        CHECK(options.staging_bytes > 0 && staging_needed() > 0, "no plan");
        options.staging_bytes *= 2; /* each replica has but a part of it */
    }
    const char *strategy = options.strategy ? options.strategy : "auto";
    for (int form = 0; form < 3; form++) {
        task.alpha = (int)random_in(seed, -2, 2);
        task.beta = (int)random_in(seed, -2, 2);
        for (int k = 0; k < nitems; k++) array_fill(&arrays[k]);
        trace_clear_messages();
        run(plan, &task, nitems, arrays, form);
        for (int k = 0; k < nitems; k++) array_check(&arrays[k], strategy);
    }
    check_volume(plan, nitems, arrays, strategy);
    check_peak(plan, options.staging_bytes);
    CHECK_OK(redist_plan_destroy(&plan));
    for (int k = 0; k < nitems; k++) {
        for (int s = 0; s < 2; s++) sample_free(&arrays[k].side[s]);
        free(arrays[k].source);
        free(arrays[k].target);
        free(arrays[k].expected);
    }
}

/* ---- what is refused --------------------------------------------------------------- */

static void bad_reductions_are_refused_everywhere(void)
{
    static const char *const texts[2] = {"[30] (*) onto %1$d", "[30] (block) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    int last = world_size() - 1, guilty = world_rank() == last;
    options.reduction = guilty ? (redist_reduction)13 : REDIST_REDUCTION_SUM;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank %d: options: reduction is 13, must be one of redist_reduction",
                     last);
    options.reduction = guilty ? REDIST_REDUCTION_MAX : REDIST_REDUCTION_SUM;
    if (last > 0)
        check_everywhere(
            pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_MISMATCH, 1,
            "rank %d passed another op, reduction, scaled or kind of number than rank 0",
            last);
    options.reduction = REDIST_REDUCTION_BAND;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is BAND, must be SUM, PROD, MIN or MAX "
                     "of MPI_DOUBLE");
    options.reduction = REDIST_REDUCTION_MAX;
    check_everywhere(pair_create(&pair, MPI_C_DOUBLE_COMPLEX, &options, &plan),
                     REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be SUM or PROD of "
                     "MPI_C_DOUBLE_COMPLEX");
    check_everywhere(pair_create(&pair, MPI_BYTE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be BAND, BOR or BXOR of "
                     "MPI_BYTE");
    check_everywhere(pair_create(&pair, MPI_DOUBLE_INT, &options, &plan), REDIST_ERR_ARG,
                     1,
                     "rank 0: options: reduction is MAX, must be MINLOC or MAXLOC of "
                     "MPI_DOUBLE_INT");
    check_everywhere(pair_create(&pair, MPI_CHAR, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be NONE of MPI_CHAR, for "
                     "which MPI defines none");
    options.scaled = 1;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be SUM with scaled or a "
                     "conjugating op");
    options.scaled = 0;
    options.in_place = 1;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: options: reduction is MAX, must be NONE with in_place");
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

static void sources_of_other_replicas_are_refused_everywhere(void)
{
    static const char *const texts[2] = {"[30] (*) onto %1$d", "[30] (block) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    redist_item items[2] = {{MPI_DOUBLE, &pair.view[0], &pair.view[1]},
                            {MPI_DOUBLE, &pair.view[1], &pair.view[1]}};
    if (world_size() == 1) return;
    options.reduction = REDIST_REDUCTION_SUM;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &options, &plan),
                     REDIST_ERR_ARG, 1,
                     "rank 0: item 1: the source's grid replicates 1 times, must as that "
                     "of item 0, %d "
                     "times, as there is a reduction to do",
                     world_size());
    items[1] = (redist_item){MPI_UINT64_T, &pair.view[0], &pair.view[1]};
    items[0].type = MPI_INT64_T;
    options.reduction = REDIST_REDUCTION_MIN;
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &options, &plan),
                     REDIST_ERR_ARG, 0,
                     "rank 0: item 1: type is another than item 0 has");
    options.reduction = REDIST_REDUCTION_SUM;
    options.staging_bytes = (size_t)(16 * world_size() - 1);
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "staging_bytes is %d, a reduction of so many replicas needs %d to "
                     "hold two elements of each",
                     16 * world_size() - 1, 16 * world_size());
    options.staging_bytes = 0;
    options.strategy = "naive";
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_ARG, 1,
                     "replica 1 of %d: rank 0: naive moves bytes, the plan is to do "
                     "arithmetic with them",
                     world_size());
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

/* A process without its partial result, or with one buffer for that and the target,
 * whichever it is; afterwards all is well again, and the partial result what it was. */
static void a_missing_replica_is_an_error_everywhere(void)
{
    static const char *const texts[2] = {"[30] (*) onto %1$d", "[30] (block) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    int rank = world_rank(), n = world_size();
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
    int64_t span = pair_span(&pair, REDIST_TARGET, rank);
    options.reduction = REDIST_REDUCTION_SUM;
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    for (int culprit = 0; culprit < n; culprit++) {
        redist_err err = redist_execute(plan, culprit == rank ? NULL : source, target);
        check_everywhere(err, REDIST_ERR_ARG, 1,
                         "rank %d: source is NULL, but this process holds elements of it",
                         culprit);
        err = redist_execute(plan, source, culprit == rank ? source : target);
        if (pair_span(&pair, REDIST_TARGET, culprit) > 0)
            check_everywhere(err, REDIST_ERR_ARG, 1,
                             "rank %d: source and target are one buffer, must be two, or "
                             "the plan be made with options.in_place",
                             culprit);
        CHECK_OK(redist_start(plan, source, target));
        CHECK(redist_start(plan, source, target) == REDIST_ERR_STATE, "twice");
        CHECK(redist_plan_destroy(&plan) == REDIST_ERR_STATE, "while it moves");
        CHECK_OK(redist_wait(plan));
        for (int64_t e = 0; e < span; e++)
            CHECK(target[e] == n * pair_number(&pair.view[1], rank, e), "%" PRId64, e);
    }
    if (n > 1)
        check_everywhere(
            redist_plan_tune(plan, source, target), REDIST_ERR_ARG, 1,
            "the plan reduces %d replicas of the source: to repeat a part of "
            "that would change the target",
            n);
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
    free(target);
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    int cases = number_of_cases(argc, argv, CASES, LONG);
    for (int k = 0; k < cases; k++)
        partial_results_are_put_together_in_their_order(&seed);
    bad_reductions_are_refused_everywhere();
    sources_of_other_replicas_are_refused_everywhere();
    a_missing_replica_is_an_error_everywhere();
    int left = trace.communicators + trace.requests + trace.windows;
    CHECK(left == 0, "%d objects are left", left);
    return passed("%d random reductions", cases);
}
