/* SPDX-License-Identifier: MIT
 *
 * Elements that are converted on their way, against the definition (numbers.h), with
 * every strategy that can: with parts that stay and parts that travel, sections, permuted
 * axes, Fortran's order, index lists, batches, little staging memory. What a checked plan
 * cannot store is an error on all processes, which names the first such element of the
 * lowest rank.
 */
#include "mpi/pair.h"
#include "numbers.h"
#include "random.h"

/* The number of an element is a function of its place in the section. */
static void put_number(const struct kind *kind, bool big, int64_t e, unsigned char *at)
{
    uint64_t state = (uint64_t)e * 0x9e3779b97f4a7c15 + 88172645463325252;
    for (int part = 0; part < kind->parts; part++) {
        uint64_t bits = random_next(&state);
        if (e % 3 > 0 && kind->letter == 'f')
            bits = float_bits(kind, (long double)(e * 7 - part - 300) / 8);
        write_bits(at + part * kind->bytes, kind->bytes, big, bits);
    }
}

/* Numbers that every kind holds. */
static void put_small(const struct kind *kind, bool big, int64_t e, unsigned char *at)
{
    const long double value = (long double)(e % 128);
    const uint64_t bits =
        kind->letter == 'f' ? float_bits(kind, value) : integer_bits(kind, false, value);
    memset(at, 0, (size_t)kind->bytes * (size_t)kind->parts);
    write_bits(at, kind->bytes, big, bits);
}

typedef void put(const struct kind *kind, bool big, int64_t e, unsigned char *at);

/* One side's kind of numbers. */
struct numbers {
    const struct kind *kind;
    bool big;
    MPI_Datatype type;
    size_t size;
};

static struct numbers numbers_of(const char *name)
{
    struct numbers side = {.big = name[0] == '>'};
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kinds[k].name, name + 1) == 0) side.kind = &kinds[k];
    CHECK(side.kind, "no kind %s", name);
    CHECK_OK(redist_type_create(name, &side.type));
    side.size = (size_t)side.kind->bytes * (size_t)side.kind->parts;
    return side;
}

enum { UNTOUCHED = 0x5A };

static unsigned char *make_source(const struct pair *pair, const struct numbers *side,
                                  put *put_one)
{
    int64_t span = pair_span(pair, REDIST_SOURCE, world_rank());
    unsigned char *buffer = malloc((size_t)span * side->size + 1);
    memset(buffer, UNTOUCHED, (size_t)span * side->size + 1);
    int64_t *number = pair_numbers(&pair->view[REDIST_SOURCE], world_rank());
    for (int64_t e = 0; e < span; e++)
        if (number[e] >= 0)
            put_one(side->kind, side->big, number[e], buffer + e * (int64_t)side->size);
    free(number);
    return buffer;
}

static unsigned char *make_target(const struct pair *pair, const struct numbers *side)
{
    size_t bytes = (size_t)pair_span(pair, REDIST_TARGET, world_rank()) * side->size + 1;
    return memset(malloc(bytes), UNTOUCHED, bytes);
}

/* Check a target, of which the element `e` is number `e` of the section. */
static void check_target(const struct pair *pair, const struct numbers sides[2],
                         put *put_one, const unsigned char *target)
{
    int64_t span = pair_span(pair, REDIST_TARGET, world_rank());
    const struct numbers *source = &sides[0], *made = &sides[1];
    int64_t *numbers = pair_numbers(&pair->view[REDIST_TARGET], world_rank());
    for (int64_t e = 0; e <= span; e++) {
        unsigned char from[NUMBER_BYTES], truth[NUMBER_BYTES];
        const unsigned char *at = target + e * (int64_t)made->size;
        int64_t number = e < span ? numbers[e] : -1;
        if (number < 0) {
            for (size_t b = 0; b < (e < span ? made->size : 1); b++)
                CHECK(at[b] == UNTOUCHED, "place %" PRId64 " was written", e);
            continue;
        }
        put_one(source->kind, source->big, number, from);
        (void)convert_one(source->kind, source->big, from, made->kind, made->big, truth);
        CHECK(same_number(made->kind, made->big, at, truth),
              "%s -> %s: number %" PRId64 " at place %" PRId64, source->kind->name,
              made->kind->name, number, e);
    }
    free(numbers);
}

static redist_err create(const struct pair *pair, const struct numbers sides[2],
                         const redist_options *options, redist_plan **plan)
{
    redist_options all = *options;
    all.source_type = sides[0].type;
    return redist_plan_create(MPI_COMM_WORLD, sides[1].type, &pair->view[0],
                              &pair->view[1], &all, plan);
}

/* Run a plan twice. */
static void move(const struct pair *pair, const struct numbers sides[2],
                 const redist_options *options, put *put_one)
{
    redist_plan *plan = NULL;
    unsigned char *source = make_source(pair, &sides[0], put_one);
    CHECK_OK(create(pair, sides, options, &plan));
    for (int run = 0; run < 2; run++) {
        unsigned char *target = make_target(pair, &sides[1]);
        CHECK_OK(redist_execute(plan, source, target));
        check_target(pair, sides, put_one, target);
        free(target);
    }
    check_peak(plan, options->staging_bytes);
    CHECK_OK(redist_plan_destroy(&plan));
    free(source);
}

static const char *const views[][2] = {
    {"[97] (block) onto %1$d", "[97] (cyclic(3)) onto %1$d"},
    {"[40,30] (cyclic,block) onto %1$dx1",
     "[40,30] (block,*) onto %1$d order column-major"},
    {"[24,18] (block,*) onto %1$d", "[18,24] (*,cyclic(2)) onto %1$d axes (1,0)"},
    {"[50,20] (cyclic(2),*) onto %1$d section [3:43:4,2:16]",
     "[20,50] (*,block) onto %1$d section [1:15,5:35:3] axes (1,0)"},
    {"[6,5,8] (*,block,*) onto %1$d order column-major halo (1,1,1)",
     "[6,5,8] (cyclic,*,*) onto %1$d halo (0,2,1:0)"},
    {"[64] (block) onto %2$d", "[64] (*) onto %1$d"},
    {"[40,31] (cyclic,*) onto %1$d", "[40,31] (block,*) onto %1$d"},
};
enum { VIEWS = sizeof views / sizeof *views };

static const char *const pairs[][2] = {
    {"<f8", "<f4"},  {"<f4", ">f8"}, {">f4", "<f2"}, {"<f2", "<f8"}, {"<f4", "<bf16"},
    {"<i4", "<f8"},  {"<i8", "|i1"}, {"|u1", ">i8"}, {">f8", "<f8"}, {">i2", "<i2"},
    {"<c16", ">c8"}, {"<f8", "<c8"}, {">c8", "<f4"}, {"<f8", ">i4"}, {"<u8", "<f4"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void every_view_is_moved_by(const char *strategy)
{
    for (int v = 0; v < VIEWS; v++) {
        struct pair pair = pair_of_world(views[v]);
        for (int k = 0; k < PAIRS; k++) {
            if (!long_run() && (k + v) % 3 != 0) continue;
            struct numbers sides[2] = {numbers_of(pairs[k][0]), numbers_of(pairs[k][1])};
            redist_options options = REDIST_OPTIONS_INIT;
            options.strategy = strategy;
            move(&pair, sides, &options, put_number);
            options.checked = 1;
            move(&pair, sides, &options, put_small);
            if (strategy && !holds_all(strategy)) {
                options.staging_bytes = 4096;
                move(&pair, sides, &options, put_small);
            }
            for (int s = 0; s < 2; s++) MPI_Type_free(&sides[s].type);
        }
        pair_free(&pair);
    }
}

/* ---- index lists, batches, balances ------------------------------------------------ */

/* Indices are dealt out in turn. Every process wants a part of them backwards, and one of
 * them twice. */
static void lists_are_moved_by(const char *strategy, int extent)
{
    int n = world_size(), rank = world_rank(), mine = 0, part = extent / n;
    struct numbers sides[2] = {numbers_of("<f8"), numbers_of(">i2")};
    int64_t *have = malloc((size_t)extent * sizeof *have);
    int64_t *want = malloc(((size_t)part + 1) * sizeof *want);
    unsigned char *source = malloc((size_t)extent * 8);
    unsigned char *target = malloc(((size_t)part + 1) * 2);
    for (int k = rank; k < extent; k += n) {
        put_number(sides[0].kind, false, k, source + 8 * (size_t)mine);
        have[mine++] = k;
    }
    for (int k = 0; k < part; k++) want[k] = (int64_t)(rank + 1) * part - 1 - k;
    want[part] = (int64_t)rank * part;
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = strategy;
    options.source_type = sides[0].type;
    const redist_indices from = {.n = mine, .list = have};
    const redist_indices to = {.n = part + 1, .list = want};
    redist_plan *plan = NULL;
    CHECK_OK(redist_plan_create_indexed(MPI_COMM_WORLD, sides[1].type, extent, &from, &to,
                                        &options, &plan));
    CHECK_OK(redist_execute(plan, source, target));
    for (int k = 0; k <= part; k++) {
        unsigned char number[8], truth[2];
        put_number(sides[0].kind, false, want[k], number);
        (void)convert_one(sides[0].kind, false, number, sides[1].kind, true, truth);
        CHECK(memcmp(target + 2 * (size_t)k, truth, 2) == 0, "%s: place %d", strategy, k);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    for (int s = 0; s < 2; s++) MPI_Type_free(&sides[s].type);
    free(have), free(want), free(source), free(target);
}

static void arrays_of_a_batch_are_converted_alike(void)
{
    struct pair pair[2] = {pair_of_world(views[0]), pair_of_world(views[2])};
    struct numbers sides[2] = {numbers_of("<f8"), numbers_of("<f4")};
    const redist_item items[2] = {{MPI_FLOAT, &pair[0].view[0], &pair[0].view[1]},
                                  {sides[1].type, &pair[1].view[0], &pair[1].view[1]}};
    redist_options options = REDIST_OPTIONS_INIT;
    options.source_type = MPI_DOUBLE;
    redist_plan *plan = NULL;
    CHECK_OK(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &options, &plan));
    const void *sources[2];
    void *targets[2];
    for (int k = 0; k < 2; k++) {
        sources[k] = make_source(&pair[k], &sides[0], put_number);
        targets[k] = make_target(&pair[k], &sides[1]);
    }
    CHECK_OK(redist_execute_batch(plan, sources, targets));
    for (int k = 0; k < 2; k++) {
        check_target(&pair[k], sides, put_number, targets[k]);
        free((void *)sources[k]), free(targets[k]);
        pair_free(&pair[k]);
    }
    CHECK_OK(redist_plan_destroy(&plan));
    for (int s = 0; s < 2; s++) MPI_Type_free(&sides[s].type);
}

/* ---- numbers that are lost --------------------------------------------------------- */

/* Every 19th number of a section has a value of its own. */
static const char *bad_kind;
static void put_some_bad(const struct kind *kind, bool big, int64_t e, unsigned char *at)
{
    put_small(kind, big, e, at);
    if (e % 19 != 7) return;
    if (strcmp(bad_kind, "fraction") == 0)
        write_bits(at, kind->bytes, big, float_bits(kind, -0.5L - (long double)e));
    else if (strcmp(bad_kind, "not a number") == 0)
        write_bits(at, kind->bytes, big, float_bits(kind, NAN));
    else if (strcmp(bad_kind, "imaginary") == 0)
        write_bits(at + kind->bytes, kind->bytes, big, float_bits(kind, 0.25L));
    else /* more than a float has digits for */
        write_bits(at, kind->bytes, big, (UINT64_C(1) << 24) + 1);
}

/* The text of the index of number e of a section. */
static void print_index(const redist_view *view, int64_t e, char text[64])
{
    int64_t index[2];
    for (int j = 1; j >= 0; j--) {
        int i = view->axes[j];
        index[i] = view->start[i] + e % view->extent[i] * view->stride[i];
        e /= view->extent[i];
    }
    (void)snprintf(text, 64, "(%" PRId64 ", %" PRId64 ")", index[0], index[1]);
}

/* The first lost number of the lowest rank that has one, by the order of its memory. */
static int64_t first_bad(const redist_view *view, int *of_rank)
{
    int64_t bad = -1;
    for (int rank = 0; rank < world_size() && bad < 0; rank++) {
        int64_t span = 0;
        CHECK_OK(redist_view_span(view, rank, &span));
        int64_t *number = pair_numbers(view, rank);
        for (int64_t e = 0; e < span && bad < 0; e++)
            if (number[e] >= 0 && number[e] % 19 == 7) bad = number[e];
        free(number);
        *of_rank = rank;
    }
    return bad;
}

static void lost_numbers_are_errors_by(const char *strategy, const char *const texts[2])
{
    static const struct {
        const char *bad, *from, *to, *sentence;
    } cases[] = {
        {"fraction", ">f8", "<i4", "%.17g, which <i4 cannot hold"},
        {"not a number", "<f4", "|u1", "nan, which |u1 cannot hold"},
        {"imaginary", "<c8", "<f8", "(%.17g, 0.25), which <f8 cannot hold"},
        {"digits", "<i8", ">f4", "16777217, which >f4 cannot hold"},
    };
    struct pair pair = pair_of_world(texts);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char index[64], sentence[128];
        int rank = -1;
        struct numbers sides[2] = {numbers_of(cases[k].from), numbers_of(cases[k].to)};
        redist_options options = REDIST_OPTIONS_INIT;
        redist_plan *plan = NULL;
        options.strategy = strategy;
        options.checked = 1;
        bad_kind = cases[k].bad;
        int64_t e = first_bad(&pair.view[1], &rank);
        print_index(&pair.view[1], e, index);
        double value = k == 0 ? -0.5 - (double)e : (double)(e % 128);
        (void)snprintf(sentence, sizeof sentence, cases[k].sentence, value);
        unsigned char *source = make_source(&pair, &sides[0], put_some_bad);
        unsigned char *good = make_source(&pair, &sides[0], put_small);
        unsigned char *target = make_target(&pair, &sides[1]);
        CHECK_OK(create(&pair, sides, &options, &plan));
        for (int run = 0; run < 2; run++) {
            check_everywhere(redist_execute(plan, source, target), REDIST_ERR_ARG, 1,
                             "rank %d: the target's element %s would be %s", rank, index,
                             sentence);
            memset(target, UNTOUCHED,
                   (size_t)pair_span(&pair, REDIST_TARGET, world_rank()) * sides[1].size);
            CHECK_OK(redist_execute(plan, good, target)); /* nothing is left of it */
            check_target(&pair, sides, put_small, target);
        }
        CHECK_OK(redist_plan_destroy(&plan));
        for (int s = 0; s < 2; s++) MPI_Type_free(&sides[s].type);
        free(source), free(good), free(target);
    }
    pair_free(&pair);
}

/* Lists have no indices left: the place in the target's list is named. */
static void lost_numbers_of_lists_are_errors(void)
{
    int n = world_size(), rank = world_rank();
    const int64_t have = rank, want[2] = {(rank + 1) % n, rank};
    const double source = rank == n - 1 ? 70000 : 1;
    uint16_t target[2];
    MPI_Datatype half;
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    CHECK_OK(redist_type_create("f2", &half));
    options.source_type = MPI_DOUBLE;
    options.checked = 1;
    const redist_indices from = {.n = 1, .list = &have}, to = {.n = 2, .list = want};
    CHECK_OK(
        redist_plan_create_indexed(MPI_COMM_WORLD, half, n, &from, &to, &options, &plan));
    int first = n == 1 ? 0 : n - 2; /* who wants the last one */
    check_everywhere(redist_execute(plan, &source, target), REDIST_ERR_ARG, 1,
                     "rank %d: the target's element at place 0 of its list would be "
                     "70000, which <f2 cannot hold",
                     first);
    CHECK_OK(redist_plan_destroy(&plan));
    MPI_Type_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    arrays_of_a_batch_are_converted_alike();
    lost_numbers_of_lists_are_errors();
    lists_are_moved_by(NULL, 1000);
    every_view_is_moved_by(NULL);
    for (int k = 0; k < STRATEGIES; k++) {
        const char *strategy = here(all_strategies[k]);
        if (!combines(strategy)) continue;
        every_view_is_moved_by(strategy);
        for (int v = 1; v <= 3; v++) lost_numbers_are_errors_by(strategy, views[v]);
        if (goes_straight(strategy) && strcmp(strategy, "multicast") != 0)
            lists_are_moved_by(strategy, 1000);
    }
    return passed("convert");
}
