/* SPDX-License-Identifier: MIT
 *
 * Plans between lists of so many indices that what comes lands in blocks first
 * (move/walk/blocked_scatter.h): lists in random order, dealt out unevenly, of which a
 * target may want some several times and others never; elements of several sizes, and
 * arithmetic.
 */
#include "base/intmath.h"
#include "mpi/lacking.h"
#include "mpi/scarce.h"
#include "oracle.h"
#include "plan/directory/directory.h"
#include "plan/object/plan.h"

enum { EACH = 200000 }; /* elements of a process on the average */

/* What the calling process has, and wants. */
struct problem {
    int64_t extent, n;
    int64_t *index[SIDES]; /* [n] */
};

enum want { EACH_ONCE, FREELY, NEARLY_IN_ORDER };

/* The k-th of 0 .. extent - 1 in an order that jumps about: a step of about `part` of
 * them that shares no factor with their number. */
static int64_t jumped(int64_t extent, double part, int64_t k)
{
    int64_t step = (int64_t)((double)extent * part);
    while (int_gcd(step, extent) > 1) step++;
    return (int64_t)((int128)k * step % extent);
}

/* The process has indices begin .. begin + n - 1 in an order that jumps about; what it
 * wants jumps about otherwise, or it wants anything, or the same as it has but two by two
 * the other way round. */
static struct problem fill_problem(uint64_t seed, enum want want, int64_t extent,
                                   int64_t begin, int64_t n)
{
    struct problem problem = {.extent = extent, .n = n};
    for (int s = 0; s < SIDES; s++) {
        problem.index[s] = malloc((size_t)(problem.n + 1) * sizeof(int64_t));
        CHECK(problem.index[s], "no memory");
    }
    seed += (uint64_t)world_rank();
    for (int64_t k = 0; k < problem.n; k++) {
        int64_t other = (k ^ 1) < problem.n ? k ^ 1 : k;
        problem.index[REDIST_SOURCE][k] = jumped(extent, 0.618, begin + k);
        problem.index[REDIST_TARGET][k] =
            want == EACH_ONCE ? jumped(extent, 0.414, extent - 1 - begin - k)
            : want == FREELY  ? random_in(&seed, 0, extent - 1)
                              : jumped(extent, 0.618, begin + other);
    }
    return problem;
}

/* The first process has much more than the last. */
static struct problem make_problem(uint64_t seed, enum want want)
{
    int64_t p = world_size(), r = world_rank(), extent = EACH * p;
    int64_t begin = extent * (r * (2 * p - r)) / (p * p);
    int64_t end = extent * ((r + 1) * (2 * p - r - 1)) / (p * p);
    return fill_problem(seed, want, extent, begin, end - begin);
}

static void free_problem(struct problem *problem)
{
    for (int s = 0; s < SIDES; s++) free(problem->index[s]);
}

static redist_err create(const struct problem *problem, MPI_Datatype type,
                         const redist_options *options, redist_plan **plan)
{
    redist_indices source =
        redist_indices_of_list(problem->n, problem->index[REDIST_SOURCE]);
    redist_indices target =
        redist_indices_of_list(problem->n, problem->index[REDIST_TARGET]);
    return redist_plan_create_indexed(MPI_COMM_WORLD, type, problem->extent, &source,
                                      &target, options, plan);
}

static redist_plan *make_plan(const struct problem *problem, MPI_Datatype type,
                              const redist_options *options)
{
    redist_plan *plan = NULL;
    CHECK_OK(create(problem, type, options, &plan));
    return plan;
}

static int lands(const redist_plan *plan)
{
    return plan->array[0].listing[REDIST_TARGET].scatter != NULL;
}

static unsigned char byte_of(int64_t index, int64_t b)
{
    return (unsigned char)((index + 1) * 37 + (index >> 6) * 11 + b * 101 + 1);
}

/* ---- what is moved ----------------------------------------------------------------- */

/* Move it twice, elements of `size` bytes; from memory that others can read in. */
static void check_moved(const struct problem *problem, redist_plan *plan, int64_t size)
{
    size_t bytes = (size_t)(problem->n * size);
    unsigned char *source = NULL, *target = malloc(bytes + 1);
    CHECK(target, "no memory");
    CHECK_OK(redist_alloc(MPI_COMM_WORLD, bytes, (void **)&source));
    for (int64_t k = 0; k < problem->n * size; k++)
        source[k] = byte_of(problem->index[REDIST_SOURCE][k / size], k % size);
    for (int again = 0; again < 2; again++) {
        memset(target, 0, bytes + 1);
        CHECK_OK(redist_execute(plan, source, target));
        for (int64_t k = 0; k < problem->n * size; k++)
            CHECK(target[k] == byte_of(problem->index[REDIST_TARGET][k / size], k % size),
                  "place %" PRId64 ", index %" PRId64, k / size,
                  problem->index[REDIST_TARGET][k / size]);
        CHECK(target[bytes] == 0, "one byte more was written");
    }
    CHECK_OK(redist_free(source));
    free(target);
}

static void what_lands_is_put_in_order(uint64_t seed)
{
    static const char *const strategies[] = {"shared", "nonblocking", "alltoallv",
                                             "onesided", NULL};
    static const int64_t sizes[] = {8, 16, 12, 8, 40};
    for (int k = 0; k < 5; k++) {
        MPI_Datatype type;
        redist_options options = REDIST_OPTIONS_INIT;
        struct problem problem = make_problem(seed, k % 2 ? FREELY : EACH_ONCE);
        options.strategy = strategies[k] ? here(strategies[k]) : NULL;
        MPI_Type_contiguous((int)sizes[k], MPI_BYTE, &type);
        MPI_Type_commit(&type);
        redist_plan *plan = make_plan(&problem, type, &options);
        MPI_Type_free(&type);
        CHECK(lands(plan) == (sizes[k] <= 16), "elements of %" PRId64 " bytes", sizes[k]);
        check_moved(&problem, plan, sizes[k]);
        CHECK_OK(redist_plan_destroy(&plan));
        free_problem(&problem);
    }
}

/* Of four bytes a block has as many elements as two bytes can count: all are full, or one
 * more begins. */
static void blocks_may_be_full(uint64_t seed)
{
    enum { FULL = 5 << BLOCKED_SCATTER_MOST };
    for (int64_t n = FULL; n <= FULL + 1; n++) {
        struct problem problem = fill_problem(seed, n % 2 ? FREELY : EACH_ONCE,
                                              n * world_size(), n * world_rank(), n);
        redist_plan *plan = make_plan(&problem, MPI_INT32_T, NULL);
        CHECK(lands(plan), "%" PRId64 " elements do not", n);
        check_moved(&problem, plan, sizeof(int32_t));
        CHECK_OK(redist_plan_destroy(&plan));
        free_problem(&problem);
    }
}

/* The same of blocks of so many indices in the place of each. */
static struct problem in_blocks(struct problem problem, int64_t block)
{
    struct problem wide = {problem.extent * block, problem.n * block, {NULL, NULL}};
    for (int s = 0; s < SIDES; s++) {
        wide.index[s] = malloc((size_t)(wide.n + 1) * sizeof(int64_t));
        CHECK(wide.index[s], "no memory");
        for (int64_t k = 0; k < wide.n; k++)
            wide.index[s][k] = problem.index[s][k / block] * block + k % block;
        free(problem.index[s]);
    }
    return wide;
}

/* What is always together is planned and moved as one. */
static void blocks_land_whole(uint64_t seed)
{
    enum { BLOCKS = 50000 };
    for (int64_t block = 3; block <= 5; block += 2) {
        struct problem problem =
            in_blocks(fill_problem(seed, block == 3 ? EACH_ONCE : FREELY,
                                   (int64_t)BLOCKS * world_size(),
                                   (int64_t)BLOCKS * world_rank(), BLOCKS),
                      block);
        redist_plan *plan = make_plan(&problem, MPI_DOUBLE, NULL);
        for (int s = 0; s < SIDES; s++)
            CHECK(plan->array[0].listing[s].block == block, "side %d: %" PRId64, s,
                  plan->array[0].listing[s].block);
        CHECK(lands(plan) == (block <= 4), "blocks of %" PRId64, block);
        check_moved(&problem, plan, sizeof(double));
        CHECK_OK(redist_plan_destroy(&plan));
        free_problem(&problem);
    }
}

static void what_is_nearly_in_order_does_not_land(uint64_t seed)
{
    struct problem problem = make_problem(seed, NEARLY_IN_ORDER);
    redist_plan *plan = make_plan(&problem, MPI_DOUBLE, NULL);
    CHECK(!lands(plan), "it does");
    check_moved(&problem, plan, sizeof(double));
    CHECK_OK(redist_plan_destroy(&plan));
    free_problem(&problem);
}

/* target = 2 source + 3 target: what is there must not be overwritten by what lands. One
 * plan does both. */
static void what_is_combined_does_not_land(uint64_t seed)
{
    int64_t alpha = 2, beta = 3;
    redist_options options = REDIST_OPTIONS_INIT;
    options.scaled = 1;
    struct problem problem = make_problem(seed, FREELY);
    redist_plan *plan = make_plan(&problem, MPI_INT64_T, &options);
    int64_t *target = malloc((size_t)(problem.n + 1) * sizeof *target);
    CHECK(target && lands(plan), "no memory, or nothing would land");
    for (int64_t k = 0; k < problem.n; k++) target[k] = k;
    CHECK_OK(redist_execute_scaled(plan, &alpha, problem.index[0], &beta, target));
    for (int64_t k = 0; k < problem.n; k++)
        CHECK(target[k] == 2 * problem.index[1][k] + 3 * k, "place %" PRId64, k);
    alpha = 1, beta = 0;
    CHECK_OK(redist_execute_scaled(plan, &alpha, problem.index[0], &beta, target));
    for (int64_t k = 0; k < problem.n; k++)
        CHECK(target[k] == problem.index[1][k], "place %" PRId64, k);
    free(target);
    CHECK_OK(redist_plan_destroy(&plan));
    free_problem(&problem);
}

/* Into shorter and longer numbers than those that arrive. */
static void what_is_converted_does_not_land(uint64_t seed)
{
    struct problem problem = make_problem(seed, FREELY);
    redist_options options = REDIST_OPTIONS_INIT;
    int32_t *narrow = malloc((size_t)(problem.n + 1) * sizeof *narrow);
    double *wide = malloc((size_t)(problem.n + 1) * sizeof *wide);
    CHECK(narrow && wide, "no memory");
    options.source_type = MPI_INT64_T;
    redist_plan *plan = make_plan(&problem, MPI_INT32_T, &options);
    CHECK(lands(plan), "nothing would land");
    CHECK_OK(redist_execute(plan, problem.index[REDIST_SOURCE], narrow));
    CHECK_OK(redist_plan_destroy(&plan));
    for (int64_t k = 0; k < problem.n; k++)
        CHECK(narrow[k] == problem.index[REDIST_TARGET][k], "place %" PRId64, k);
    for (int64_t k = 0; k < problem.n; k++)
        narrow[k] = (int32_t)problem.index[REDIST_SOURCE][k];
    options.source_type = MPI_INT32_T;
    plan = make_plan(&problem, MPI_DOUBLE, &options);
    CHECK(lands(plan), "nothing would land");
    CHECK_OK(redist_execute(plan, narrow, wide));
    CHECK_OK(redist_plan_destroy(&plan));
    for (int64_t k = 0; k < problem.n; k++)
        CHECK(wide[k] == (double)problem.index[REDIST_TARGET][k], "place %" PRId64, k);
    free(narrow);
    free(wide);
    free_problem(&problem);
}

/* ---- locations -------------------------------------------------------------------- */

static void same_lists(const struct listing *a, const struct listing *b)
{
    CHECK(a->n == b->n, "%" PRId64 " and %" PRId64 " messages", a->n, b->n);
    for (int64_t m = 0; m < a->n; m++) {
        const struct listed *x = &a->message[m], *y = &b->message[m];
        CHECK(x->rank == y->rank && x->elements == y->elements && x->nruns == y->nruns &&
                  !x->place == !y->place,
              "message %" PRId64 " differs", m);
        for (int64_t k = 0; k < x->nruns; k++)
            CHECK(x->run[k].at == y->run[k].at && x->run[k].place == y->run[k].place,
                  "run %" PRId64 " differs", k);
        for (int64_t k = 0; x->place && k < x->elements; k++)
            CHECK(x->place[k] == y->place[k], "place %" PRId64 " differs", k);
    }
}

/* What 4 bytes hold of most problems, 8 hold of any: lists are the same. */
static void locations_may_be_of_8_bytes(uint64_t seed)
{
    struct problem problem = make_problem(seed, FREELY);
    redist_plan *plan = make_plan(&problem, MPI_DOUBLE, NULL);
    redist_indices indices[SIDES];
    const redist_indices *both[SIDES] = {&indices[0], &indices[1]};
    struct listing listing[2][SIDES];
    for (int s = 0; s < SIDES; s++)
        indices[s] = redist_indices_of_list(problem.n, problem.index[s]);
    for (int wide = 0; wide < 2; wide++) {
        const struct purpose purpose = {.size = sizeof(double), .wide = wide};
        CHECK_OK(directory_match(NULL, &plan->team, problem.extent, &purpose, both,
                                 listing[wide]));
    }
    for (int s = 0; s < SIDES; s++) {
        same_lists(&listing[0][s], &listing[1][s]);
        for (int wide = 0; wide < 2; wide++) listing_free(&listing[wide][s]);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    free_problem(&problem);
}

/* ---- memory ------------------------------------------------------------------------ */

static void no_process_holds_more_than_its_share(uint64_t seed)
{
    enum { BYTES = 20, BASE = 3 << 20 };
    struct problem problem = make_problem(seed, EACH_ONCE);
    redist_plan *plan = make_plan(&problem, MPI_DOUBLE, NULL);
    int64_t most = int_max(problem.n, EACH), peak = plan->plan_account.peak;
    CHECK(peak <= BYTES * most + BASE, "%" PRId64 " bytes for %" PRId64 " indices", peak,
          most);
    CHECK_OK(redist_plan_destroy(&plan));
    free_problem(&problem);
}

/* Of each process in turn every few allocations one fails. */
static void all_stop_if_one_runs_out_of_memory(uint64_t seed)
{
    enum { STEP = 5 };
    struct problem problem = make_problem(seed, EACH_ONCE);
    int64_t live = mem_live_blocks();
    bool refused = true;
    for (int64_t at = 1; refused; at += STEP) {
        int victim = (int)(at / STEP % world_size());
        redist_plan *plan = NULL;
        scarce_begin(victim, at);
        redist_err err = create(&problem, MPI_DOUBLE, NULL, &plan);
        refused = scarce_end(victim);
        scarce_check(refused, err, &plan, live, victim, at);
    }
    free_problem(&problem);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    what_lands_is_put_in_order(seed);
    blocks_may_be_full(seed);
    blocks_land_whole(seed);
    what_is_nearly_in_order_does_not_land(seed);
    what_is_combined_does_not_land(seed);
    what_is_converted_does_not_land(seed);
    locations_may_be_of_8_bytes(seed);
    no_process_holds_more_than_its_share(seed);
    all_stop_if_one_runs_out_of_memory(seed);
    return passed("what lands first");
}
