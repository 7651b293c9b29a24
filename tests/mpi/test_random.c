/* SPDX-License-Identifier: MIT
 *
 * Random pairs of views - 1 to 4 dimensions, all formats, sections, permutations,
 * halos, groups, replicas, tiny and large staging memory, all exchanges - against the
 * brute-force owner map: every byte of every buffer, those that must stay untouched
 * too. And back again. What needs more staging memory than it is given says how much, and
 * that is just enough.
 */
#include "lacking.h"
#include "sample.h"

enum { CASES = 250, LONG = 500, POISON = 0xA5 };

struct buffers {
    unsigned char *bytes, *expected;
    size_t size;
};

static struct buffers make_buffers(const struct sample *s, int64_t element)
{
    struct buffers b = {.size = (size_t)(s->span * element)};
    b.bytes = malloc(b.size + 1);
    b.expected = malloc(b.size + 1);
    memset(b.bytes, POISON, b.size);
    memset(b.expected, POISON, b.size);
    sample_fill(s, b.expected, element);
    return b;
}

static void free_buffers(struct buffers *b)
{
    free(b->bytes);
    free(b->expected);
}

static void describe(int number, const struct sample *a, const struct sample *b)
{
    char text[2][2048];
    CHECK_OK(redist_view_print(&a->view, text[0], sizeof text[0], NULL));
    CHECK_OK(redist_view_print(&b->view, text[1], sizeof text[1], NULL));
    fprintf(stderr, "case %d: %s -> %s\n", number, text[0], text[1]);
}

/* Make a plan, if need be with as much more staging memory as the library asks for, of
 * which a byte less is too little; the options are then those that it was made with.
 * NULL: the MPI has a limit on datatypes. */
static redist_plan *make_plan(const struct sample *a, const struct sample *b,
                              MPI_Datatype type, redist_options *options)
{
    redist_plan *plan = NULL;
    redist_err err;
    size_t given = options->staging_bytes;
    while ((err = redist_plan_create(MPI_COMM_WORLD, type, &a->view, &b->view, options,
                                     &plan))) {
        if (strstr(redist_error_message(), " datatypes live and ")) return NULL;
        size_t least = staging_needed();
        CHECK(err == REDIST_ERR_ARG && least > options->staging_bytes, "strategy %s",
              options->strategy);
        options->staging_bytes = least;
    }
    if (options->staging_bytes == given) return plan;
    redist_options less = *options;
    redist_plan *none = NULL;
    less.staging_bytes--;
    err = redist_plan_create(MPI_COMM_WORLD, type, &a->view, &b->view, &less, &none);
    CHECK(err == REDIST_ERR_ARG, "%s does with less", options->strategy);
    return plan;
}

static void run_plan(int number, const struct sample *a, const struct sample *b,
                     const struct buffers *from, struct buffers *to, MPI_Datatype type,
                     redist_options options)
{
    redist_plan *plan = make_plan(a, b, type, &options);
    if (!plan) return;
    for (int run = 0; run < 2; run++) { /* a plan runs more than once */
        memset(to->bytes, POISON, to->size);
        if (run == 0) {
            CHECK_OK(redist_execute(plan, from->expected, to->bytes));
        } else {
            int done = 0;
            CHECK_OK(redist_start(plan, from->expected, to->bytes));
            while (!done) CHECK_OK(redist_test(plan, &done));
        }
        if (memcmp(to->bytes, to->expected, to->size) != 0) {
            describe(number, a, b);
            CHECK(0, "case %d, run %d, %s: the target differs from the owner map", number,
                  run, options.strategy);
        }
    }
    redist_report report;
    CHECK_OK(redist_plan_report(plan, &report));
    size_t cap = options.staging_bytes ? options.staging_bytes : 8 << 20;
    CHECK((size_t)report.staging_peak_bytes <= cap, "peak %" PRId64 " over %zu",
          report.staging_peak_bytes, cap);
    int64_t arrived = report.elements_kept + report.elements_received, all = 0;
    MPI_Allreduce(&arrived, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int64_t expected = 1;
    for (int i = 0; i < b->ndims; i++) expected *= b->view.extent[i];
    int64_t places = b->nranks;
    for (int i = 0; i < b->ndims; i++)
        if (b->format[i].kind != REDIST_COLLAPSED) places /= b->shape[b->format[i].axis];
    CHECK(all == expected * places, "case %d: %" PRId64 " elements arrived of %" PRId64,
          number, all, expected * places);
    CHECK_OK(redist_plan_destroy(&plan));
}

/* Schedules here are for all patterns. */
static const char *const tried[] = {
    "nonblocking",
    "nonblocking",
    "nonblocking",
    "nonblocking",
    "alltoallv",
    "alltoallv",
    "window(1)",
    "window(5)",
    "sendrecv",
    "synchronous",
    "ready",
    "stepwise/sendrecv",
    "dense/window(2)",
    "naive/sendrecv",
    "random/synchronous",
    "greedy/nonblocking",
    "neighbor",
    "neighbor",
    "alltoallw",
    "alltoallw",
    "onesided",
    "multiphase",
    "multiphase",
    "multiphase",
    "shared",
    "shared",
    "shared",
    "shared",
    "aggregated",
    "aggregated(2)",
    "aggregated(3)",
    "naive",
    "naive",
    "naive",
};
enum { TRIED = sizeof tried / sizeof *tried };

static void run_case(int number, uint64_t *seed)
{
    static const int64_t elements[] = {1, 2, 3, 4, 8, 12, 16, 24, 40};
    static const int64_t most[] = {0, 60, 12, 7, 5};
    int ndims = (int)random_in(seed, 1, SAMPLE_MAX_DIMS);
    int64_t n[SAMPLE_MAX_DIMS], element = elements[random_in(seed, 0, 8)];
    for (int j = 0; j < ndims; j++)
        n[j] = random_in(seed, 0, 20) ? random_in(seed, 1, most[ndims]) : 0;
    int nranks = world_size();
    struct sample a, b;
    sample_make(&a, seed, ndims, n, nranks, SAMPLE_REPLICAS);
    sample_make(&b, seed, ndims, n, nranks, SAMPLE_REPLICAS);
    MPI_Datatype type;
    MPI_Type_contiguous((int)element, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = here(tried[random_in(seed, 0, TRIED - 1)]);
    if (random_in(seed, 0, 1))
        options.staging_bytes = (size_t)(element * (2 + random_in(seed, 0, 100)));
    struct buffers from = make_buffers(&a, element), to = make_buffers(&b, element);
    run_plan(number, &a, &b, &from, &to, type, options);
    /* back: what was read first must come out again. A replicated target is read in
     * turns. */
    run_plan(number, &b, &a, &to, &from, type, options);
    free_buffers(&from);
    free_buffers(&to);
    MPI_Type_free(&type);
    sample_free(&a);
    sample_free(&b);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    int cases = number_of_cases(argc, argv, CASES, LONG);
    for (int k = 0; k < cases; k++) run_case(k, &seed);
    if (world_rank() == 0) printf("PASS: %d random pairs\n", cases);
    MPI_Finalize();
    return 0;
}
