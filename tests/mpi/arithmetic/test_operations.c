/* SPDX-License-Identifier: MIT
 *
 * target = alpha op(source) + beta target between random views: every operation, type
 * and exchange, whole and in pieces, one array and several, against a loop over global
 * indices that computes in integers. What has a coefficient of 0 is poisoned. And what is
 * refused, everywhere alike.
 */
#include "mpi/pair.h"
#include "mpi/sample.h"

enum { CASES = 150, LONG = 300, MOST_ITEMS = 3, LARGEST = 16 };

/* A number of any type: integers wrap around, of the others the real and the imaginary
 * part are small odd integers, so that arithmetic is exact and never gives -0. */
struct value {
    uint64_t re, im;
};

enum kind { INTEGER, REAL, COMPLEX };

static const struct name {
    MPI_Datatype type;
    enum kind kind;
} names[] = {
    {MPI_INT, INTEGER},       {MPI_INT32_T, INTEGER},
    {MPI_UINT32_T, INTEGER},  {MPI_INT64_T, INTEGER},
    {MPI_LONG, INTEGER},      {MPI_LONG_LONG, INTEGER},
    {MPI_UINT64_T, INTEGER},  {MPI_INTEGER, INTEGER},
    {MPI_FLOAT, REAL},        {MPI_DOUBLE, REAL},
    {MPI_REAL, REAL},         {MPI_DOUBLE_PRECISION, REAL},
    {MPI_REAL4, REAL},        {MPI_REAL8, REAL},
    {MPI_C_COMPLEX, COMPLEX}, {MPI_C_FLOAT_COMPLEX, COMPLEX},
    {MPI_COMPLEX, COMPLEX},   {MPI_C_DOUBLE_COMPLEX, COMPLEX},
    {MPI_COMPLEX8, COMPLEX},  {MPI_DOUBLE_COMPLEX, COMPLEX},
    {MPI_COMPLEX16, COMPLEX},
};
enum { NAMES = sizeof names / sizeof *names };

/* What the arrays of a case have in common. */
struct task {
    enum kind kind;
    MPI_Datatype type;
    int bytes; /* of an element */
    int transpose, conjugate;
    struct value alpha, beta;
};

static void put(const struct task *task, void *at, struct value value)
{
    const uint32_t i4 = (uint32_t)value.re;
    const double f8[] = {(double)(int64_t)value.re, (double)(int64_t)value.im};
    const float f4[] = {(float)f8[0], (float)f8[1]};
    const void *from = &value.re;
    if (task->kind == INTEGER && task->bytes == 4) from = &i4;
    if (task->kind != INTEGER)
        from = task->bytes == (task->kind == COMPLEX ? 8 : 4) ? (const void *)f4
                                                              : (const void *)f8;
    memcpy(at, from, (size_t)task->bytes);
}

static struct value value_from(const struct task *task, uint64_t seed)
{
    uint64_t state = seed * 2654435761u + 1;
    random_next(&state);
    if (task->kind == INTEGER) return (struct value){random_next(&state), 0};
    int64_t re = 2 * random_in(&state, -50, 49) + 1;
    int64_t im = task->kind == COMPLEX ? 2 * random_in(&state, -50, 49) + 1 : 0;
    return (struct value){(uint64_t)re, (uint64_t)im};
}

static struct value draw_coefficient(uint64_t *seed, const struct task *task)
{
    static const uint64_t usual[] = {0, 0, 1, 1, (uint64_t)-1, 2};
    struct value value = {usual[random_in(seed, 0, 5)], 0};
    if (random_in(seed, 0, 2) == 0) value = value_from(task, random_next(seed));
    return value;
}

static struct value times(struct value a, struct value b)
{
    return (struct value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static int is_zero(struct value value) { return value.re == 0 && value.im == 0; }

/* ---- one array --------------------------------------------------------------------- */

struct array_case {
    const struct task *task;
    uint64_t seed; /* of its elements */
    struct sample side[2];
    unsigned char *source, *target, *expected;
};

/* Element k of the source, and of the target before. */
static struct value source_value(const struct array_case *a, int64_t k)
{
    return value_from(a->task, a->seed + 2 * (uint64_t)k);
}
static struct value target_value(const struct array_case *a, int64_t k)
{
    return value_from(a->task, a->seed + 2 * (uint64_t)k + 1);
}

static void put_source(void *context, int64_t at, int64_t k)
{
    const struct array_case *a = context;
    unsigned char *place = a->source + at * a->task->bytes;
    put(a->task, place, source_value(a, k));
    if (is_zero(a->task->alpha)) memset(place, 0xff, (size_t)a->task->bytes);
}

static void put_target(void *context, int64_t at, int64_t k)
{
    const struct array_case *a = context;
    const struct task *task = a->task;
    struct value x = source_value(a, k), y = target_value(a, k);
    unsigned char *place = a->target + at * task->bytes;
    put(task, place, y);
    if (is_zero(task->beta)) memset(place, 0xff, (size_t)task->bytes);
    if (task->conjugate) x.im = -x.im;
    struct value ax = times(task->alpha, x), by = times(task->beta, y);
    put(task, a->expected + at * task->bytes,
        (struct value){ax.re + by.re, ax.im + by.im});
}

/* Make the views of an array, whose source is turned if the task transposes. */
static void array_make_random(struct array_case *a, const struct task *task,
                              uint64_t *seed)
{
    int64_t n[2][SAMPLE_MAX_DIMS];
    int ndims = random_extents(seed, n[REDIST_TARGET]);
    for (int j = 0; j < ndims; j++)
        n[REDIST_SOURCE][j] = n[REDIST_TARGET][task->transpose ? ndims - 1 - j : j];
    for (int s = 0; s < 2; s++)
        sample_make(&a->side[s], seed, ndims, n[s], world_size(), SAMPLE_REPLICAS);
    a->task = task;
    a->seed = random_next(seed);
    size_t bytes[2];
    for (int s = 0; s < 2; s++) bytes[s] = (size_t)(a->side[s].span * task->bytes);
    a->source = malloc(bytes[REDIST_SOURCE] + 1);
    a->target = malloc(bytes[REDIST_TARGET] + 1);
    a->expected = malloc(bytes[REDIST_TARGET] + 1);
}

/* Fill the buffers for the coefficients that the task has now. */
static void array_fill(struct array_case *a)
{
    size_t bytes = (size_t)(a->side[REDIST_TARGET].span * a->task->bytes);
    memset(a->target, POISON, bytes);
    memset(a->expected, POISON, bytes);
    sample_each(&a->side[REDIST_SOURCE], a->task->transpose, put_source, a);
    sample_each(&a->side[REDIST_TARGET], 0, put_target, a);
}

static void array_check(int number, const struct array_case *a)
{
    const struct task *task = a->task;
    size_t bytes = (size_t)(a->side[REDIST_TARGET].span * task->bytes);
    if (memcmp(a->target, a->expected, bytes) == 0) return;
    CHECK(0,
          "case %d: kind %d of %d bytes, transpose %d, conjugate %d, alpha %" PRId64
          ",%" PRId64 ", beta %" PRId64 ",%" PRId64 ": %s",
          number, (int)task->kind, task->bytes, task->transpose, task->conjugate,
          (int64_t)task->alpha.re, (int64_t)task->alpha.im, (int64_t)task->beta.re,
          (int64_t)task->beta.im, sample_text(&a->side[0], &a->side[1]));
}

static void array_free_random(struct array_case *a)
{
    for (int s = 0; s < 2; s++) sample_free(&a->side[s]);
    free(a->source);
    free(a->target);
    free(a->expected);
}

/* ---- cases ------------------------------------------------------------------------- */

/* Run a plan on all arrays of the case, in one form or another. */
static void run(redist_plan *plan, const struct task *task, int nitems,
                const struct array_case arrays[], int scaled, int form)
{
    const void *sources[MOST_ITEMS];
    void *targets[MOST_ITEMS];
    char alpha[LARGEST], beta[LARGEST];
    put(task, alpha, task->alpha);
    put(task, beta, task->beta);
    for (int k = 0; k < nitems; k++) {
        sources[k] = arrays[k].source;
        targets[k] = arrays[k].target;
    }
    if (form == 0 && scaled) {
        CHECK_OK(redist_start_batch_scaled(plan, alpha, sources, beta, targets));
        memset(alpha, 0x11, sizeof alpha); /* not needed any more */
        memset(beta, 0x11, sizeof beta);
        for (int done = 0; !done;) CHECK_OK(redist_test(plan, &done));
    } else if (nitems == 1 && scaled && form == 1) {
        CHECK_OK(redist_execute_scaled(plan, alpha, sources[0], beta, targets[0]));
    } else if (nitems == 1 && scaled) {
        CHECK_OK(redist_start_scaled(plan, alpha, sources[0], beta, targets[0]));
        CHECK_OK(redist_wait(plan));
    } else if (scaled) {
        CHECK_OK(redist_execute_batch_scaled(plan, alpha, sources, beta, targets));
    } else {
        CHECK_OK(redist_execute_batch(plan, sources, targets));
    }
}

static void random_arrays_are_combined_as_the_loop_says(int number, uint64_t *seed)
{
    static const redist_op ops[2][2] = {
        {REDIST_OP_NONE, REDIST_OP_CONJUGATE},
        {REDIST_OP_TRANSPOSE, REDIST_OP_CONJUGATE_TRANSPOSE}};
    static struct array_case arrays[MOST_ITEMS];
    const struct name *name = &names[random_in(seed, 0, NAMES - 1)];
    struct task task = {.kind = name->kind, .type = name->type};
    if (name->type == MPI_DATATYPE_NULL) return; /* an MPI without Fortran */
    redist_item items[MOST_ITEMS];
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    int nitems = random_in(seed, 0, 1) ? 1 : (int)random_in(seed, 2, MOST_ITEMS);
    MPI_Type_size(name->type, &task.bytes);
    task.transpose = (int)random_in(seed, 0, 1);
    task.conjugate = (int)random_in(seed, 0, 1);
    options.op = ops[task.transpose][task.conjugate];
    options.scaled = (int)random_in(seed, 0, 3);
    do options.strategy = here(all_strategies[random_in(seed, 0, STRATEGIES - 1)]);
    while (!combines(options.strategy) ||
           (nitems > 1 && !moves_batches(options.strategy)));
    if (random_in(seed, 0, 1))
        options.staging_bytes = (size_t)(task.bytes * (2 + random_in(seed, 0, 100)));
    for (int k = 0; k < nitems; k++) {
        struct array_case *a = &arrays[k];
        array_make_random(a, &task, seed);
        items[k] = (redist_item){task.type, &a->side[0].view, &a->side[1].view};
    }
    while (redist_plan_create_batch(MPI_COMM_WORLD, nitems, items, &options, &plan)) {
        size_t least = staging_needed();
        CHECK(least > options.staging_bytes, "strategy %s", options.strategy);
        options.staging_bytes = least;
    }
    for (int form = 0; form < 3; form++) {
        int scaled = options.scaled && random_in(seed, 0, 4);
        task.alpha = scaled ? draw_coefficient(seed, &task) : (struct value){1, 0};
        task.beta = scaled ? draw_coefficient(seed, &task) : (struct value){0, 0};
        for (int k = 0; k < nitems; k++) array_fill(&arrays[k]);
        run(plan, &task, nitems, arrays, scaled, form);
        for (int k = 0; k < nitems; k++) array_check(number, &arrays[k]);
    }
    check_peak(plan, options.staging_bytes);
    CHECK_OK(redist_plan_destroy(&plan));
    for (int k = 0; k < nitems; k++) array_free_random(&arrays[k]);
}

/* What needs no arithmetic moves any type: transposing a matrix of 3-byte elements, and
 * the conjugate of what is real. */
static void elements_without_arithmetic_are_moved_too(void)
{
    static const char *const texts[2] = {"[12,7] (block,*) onto %d",
                                         "[7,12] (*,cyclic(2)) onto %d"};
    struct pair pair = pair_of_world(texts), turned = pair_of_world(texts);
    turned.view[0].axes[0] = 1; /* what the plan is to make of it */
    turned.view[0].axes[1] = 0;
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    for (int k = 0; k < 2; k++) {
        options.op = k ? REDIST_OP_CONJUGATE_TRANSPOSE : REDIST_OP_TRANSPOSE;
        CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
        pair_execute(plan, &turned, world_rank(), world_rank());
        CHECK_OK(redist_plan_destroy(&plan));
    }
    MPI_Datatype three;
    MPI_Type_contiguous(3, MPI_BYTE, &three);
    MPI_Type_commit(&three);
    options.op = REDIST_OP_TRANSPOSE;
    CHECK_OK(pair_create(&pair, three, &options, &plan));
    CHECK_OK(redist_plan_destroy(&plan));
    MPI_Type_free(&three);
    pair_free(&pair);
    pair_free(&turned);
}

/* ---- what is refused --------------------------------------------------------------- */

static struct pair good_pair(void)
{
    static const char *const texts[2] = {"[30,4] (cyclic(2),*) onto %d",
                                         "[30,4] (block,*) onto %d"};
    return pair_of_world(texts);
}

static void bad_operations_are_refused_everywhere(void)
{
    static const char *const no_number =
        "type has no arithmetic, which options.scaled and conjugation need: must be "
        "MPI_INT32_T, MPI_INT64_T, MPI_FLOAT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX or "
        "MPI_C_DOUBLE_COMPLEX, by any of the names that C and Fortran have for them";
    int last = world_size() - 1, guilty = world_rank() == last;
    struct pair pair = good_pair();
    redist_plan *plan = NULL;
    redist_options good = REDIST_OPTIONS_INIT, bad;
    good.scaled = 1;
    bad = good;
    if (guilty) bad.op = (redist_op)7;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     "rank %d: options: op is 7, must be one of redist_op", last);
    check_everywhere(pair_create(&pair, guilty ? MPI_BYTE : MPI_DOUBLE, &good, &plan),
                     REDIST_ERR_ARG, 1, "rank %d: %s", last, no_number);
    check_everywhere(pair_create(&pair, guilty ? MPI_SHORT : MPI_DOUBLE, &good, &plan),
                     REDIST_ERR_ARG, 1, "rank %d: %s", last, no_number);
    bad = good;
    bad.scaled = 0;
    bad.op = REDIST_OP_CONJUGATE;
    check_everywhere(pair_create(&pair, MPI_BYTE, &bad, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: %s", no_number);
    bad.op = REDIST_OP_TRANSPOSE;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: dim 0: the source's extent is 4, the target's 30");
    redist_item items[2] = {{MPI_DOUBLE, &pair.view[0], &pair.view[1]},
                            {MPI_INT64_T, &pair.view[0], &pair.view[1]}};
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &good, &plan),
                     REDIST_ERR_ARG, 0,
                     "rank 0: item 1: type is another number than item 0 has");
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

static void operations_that_differ_are_refused_everywhere(void)
{
    static const char *const sentence =
        "rank %d passed another op, reduction, scaled or kind of number than rank 0";
    int last = world_size() - 1, guilty = world_rank() == last;
    if (last == 0) return; /* nobody to differ from */
    struct pair pair = good_pair();
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    options.scaled = guilty;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_MISMATCH,
                     1, sentence, last);
    options.scaled = 1;
    options.op = guilty ? REDIST_OP_CONJUGATE : REDIST_OP_NONE;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_MISMATCH,
                     1, sentence, last);
    options.op = REDIST_OP_NONE;
    check_everywhere(
        pair_create(&pair, guilty ? MPI_INT64_T : MPI_DOUBLE, &options, &plan),
        REDIST_ERR_MISMATCH, 1, sentence, last);
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

static void bad_coefficients_are_refused_everywhere(const char *strategy)
{
    int culprit = world_size() / 2, guilty = world_rank() == culprit, rank = world_rank();
    struct pair pair = good_pair();
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.scaled = 1;
    int64_t one = 1, zero = 0;
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, rank);
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, rank);
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    check_everywhere(
        redist_execute_scaled(plan, guilty ? NULL : &one, source, &zero, target),
        REDIST_ERR_ARG, 1, "rank %d: alpha is NULL", culprit);
    check_everywhere(
        redist_execute_scaled(plan, &one, source, guilty ? NULL : &zero, target),
        REDIST_ERR_ARG, 1, "rank %d: beta is NULL", culprit);
    check_everywhere(
        redist_execute_scaled(plan, &one, guilty ? NULL : source, &zero, target),
        REDIST_ERR_ARG, 1,
        "rank %d: source is NULL, but this process holds elements of it", culprit);
    CHECK_OK(redist_execute_scaled(plan, &one, source, &zero, target));
    pair_check(&pair, rank, target);
    pair_execute(plan, &pair, rank, rank); /* 1 and 0 without saying so */
    CHECK_OK(redist_plan_destroy(&plan));
    options.scaled = 0;
    CHECK_OK(pair_create(&pair, MPI_INT64_T, &options, &plan));
    check_everywhere(
        redist_execute_scaled(plan, &one, source, &zero, target), REDIST_ERR_ARG, 1,
        "the plan is not scaled: options.scaled must be set when it is made");
    check_everywhere(
        redist_start_batch_scaled(plan, &one, NULL, &zero, NULL), REDIST_ERR_ARG, 1,
        "the plan is not scaled: options.scaled must be set when it is made");
    check_everywhere(redist_start_scaled(NULL, &one, source, &zero, target),
                     REDIST_ERR_ARG, 1, "plan is NULL");
    pair_execute(plan, &pair, rank, rank);
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
    free(target);
    pair_free(&pair);
}

static void it_moves_bytes_only(const char *strategy)
{
    struct pair pair = pair_parse("[40] (cyclic) onto 1", "[40] (block) onto 1");
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    options.scaled = 1;
    check_everywhere(pair_create(&pair, MPI_INT64_T, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: %.*s moves bytes, the plan is to do arithmetic with them",
                     (int)strcspn(strategy, "("), strategy);
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    int cases = number_of_cases(argc, argv, CASES, LONG);
    for (int k = 0; k < cases; k++) random_arrays_are_combined_as_the_loop_says(k, &seed);
    elements_without_arithmetic_are_moved_too();
    bad_operations_are_refused_everywhere();
    operations_that_differ_are_refused_everywhere();
    for (int k = 0; k < STRATEGIES; k++)
        if (combines(here(all_strategies[k])))
            bad_coefficients_are_refused_everywhere(here(all_strategies[k]));
        else
            it_moves_bytes_only(here(all_strategies[k]));
    return passed("%d random operations", cases);
}
