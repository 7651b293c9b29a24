/* SPDX-License-Identifier: MIT
 *
 * Elements that are converted on their way: what a checked plan cannot store is an error
 * on all processes, which names the first such element of the lowest rank; the types of
 * redist_type_create; and conversions that are refused, everywhere alike. What arrives is
 * tested by random plans (tests/soak).
 */
#include "mpi/pair.h"
#include "numbers.h"

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

static const char *const views[][2] = {
    {"[40,30] (cyclic,block) onto %1$dx1",
     "[40,30] (block,*) onto %1$d order column-major"},
    {"[24,18] (block,*) onto %1$d", "[18,24] (*,cyclic(2)) onto %1$d axes (1,0)"},
    {"[50,20] (cyclic(2),*) onto %1$d section [3:43:4,2:16]",
     "[20,50] (*,block) onto %1$d section [1:15,5:35:3] axes (1,0)"},
};
enum { VIEWS = sizeof views / sizeof *views };

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
            if (texts == views[0]) { /* all have elements */
                const bool lacks = world_rank() == world_size() - 1;
                check_everywhere(redist_execute(plan, lacks ? NULL : good, target),
                                 REDIST_ERR_ARG, 0, "rank %d: source is NULL",
                                 world_size() - 1);
            }
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

/* Leading dimensions may say another order of memory than the view. */
static void lost_numbers_have_their_index_under_leads(void)
{
    static const char *const texts[2] = {"[6,64] (*,cyclic) onto %1$d",
                                         "[6,64] (*,cyclic) onto %1$d"};
    struct pair pair = pair_of_world(texts);
    int n = world_size(), rank = world_rank();
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    int64_t local[2];
    options.source_type = MPI_DOUBLE;
    options.checked = 1;
    CHECK_OK(redist_dist_local_extents(pair.dist[1], rank, local));
    pair.view[1].lead[0] = 1;
    pair.view[1].lead[1] = local[0] + 1;
    double *source = calloc((size_t)(local[0] * local[1]) + 1, sizeof *source);
    int *target = calloc((size_t)(local[1] * (local[0] + 1)) + 1, sizeof *target);
    if (rank == 0) source[4 * local[1] + 1] = 0.5;
    CHECK_OK(pair_create(&pair, MPI_INT32_T, &options, &plan));
    check_everywhere(redist_execute(plan, source, target), REDIST_ERR_ARG, 0,
                     "rank 0: the target's element (4, %d) would be 0.5, ", n);
    CHECK_OK(redist_plan_destroy(&plan));
    free(source), free(target);
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

/* ---- types, and what is refused ---------------------------------------------------- */

static const char *const vectors[2] = {"[97] (block) onto %1$d",
                                       "[97] (cyclic(3)) onto %1$d"};

static void types_of_this_machine_do_arithmetic(void)
{
    struct pair pair = pair_of_world(vectors);
    MPI_Datatype type, copy;
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    const int64_t three = 3, zero = 0;
    CHECK_OK(redist_type_create("i8", &type));
    MPI_Type_dup(type, &copy);
    options.scaled = 1;
    options.source_type = MPI_INT64_T; /* the same */
    CHECK_OK(redist_plan_create(MPI_COMM_WORLD, copy, &pair.view[0], &pair.view[1],
                                &options, &plan));
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, world_rank());
    int64_t *target = pair_buffer(&pair, REDIST_TARGET, world_rank());
    CHECK_OK(redist_execute_scaled(plan, &three, source, &zero, target));
    int64_t *number = pair_numbers(&pair.view[REDIST_TARGET], world_rank());
    for (int64_t e = 0; e < pair_span(&pair, REDIST_TARGET, world_rank()); e++)
        CHECK(target[e] == 3 * number[e], "%" PRId64, e);
    free(number);
    CHECK_OK(redist_plan_destroy(&plan));
    MPI_Type_free(&type);
    MPI_Type_free(&copy);
    free(source), free(target);
    pair_free(&pair);
}

static void bad_types_are_refused(void)
{
    MPI_Datatype type = MPI_INT;
    CHECK(redist_type_create("<f3", &type) == REDIST_ERR_ARG, "expected ARG");
    CHECK(strncmp(redist_error_message(), "text is \"<f3\", must be i1, i2,", 30) == 0,
          "?");
    CHECK(redist_type_create(NULL, &type) == REDIST_ERR_ARG, "expected ARG");
    CHECK(redist_type_create("f8", NULL) == REDIST_ERR_ARG, "expected ARG");
    CHECK(type == MPI_INT, "the type was touched");
}

static void what_cannot_go_together_is_refused_everywhere(void)
{
    static const char *const not_with =
        "rank 0: options: source_type is another number than type, must be the same or "
        "MPI_DATATYPE_NULL with %s";
    struct pair pair = pair_of_world(vectors);
    redist_plan *plan = NULL;
    redist_options good = REDIST_OPTIONS_INIT, bad;
    good.source_type = MPI_FLOAT;
    bad = good;
    bad.scaled = 1;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     not_with, "scaled");
    bad = good;
    bad.in_place = 1;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     not_with, "in_place");
    bad = good;
    bad.op = REDIST_OP_CONJUGATE;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     not_with, "a conjugating op");
    bad = good;
    bad.reduction = REDIST_REDUCTION_SUM;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 1,
                     not_with, "a reduction");
    check_everywhere(pair_create(&pair, MPI_BYTE, &good, &plan), REDIST_ERR_ARG, 0,
                     "rank 0: type is no number that can be converted, must be ");
    bad = good;
    bad.source_type = MPI_LONG_DOUBLE;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &bad, &plan), REDIST_ERR_ARG, 0,
                     "rank 0: options.source_type is no number that can be converted");
    const redist_item items[2] = {{MPI_DOUBLE, &pair.view[0], &pair.view[1]},
                                  {MPI_FLOAT, &pair.view[0], &pair.view[1]}};
    check_everywhere(redist_plan_create_batch(MPI_COMM_WORLD, 2, items, &good, &plan),
                     REDIST_ERR_ARG, 0,
                     "rank 0: item 1: type is another number than item 0 has");
    int64_t share[2];
    check_everywhere(redist_balance_create_sized(MPI_COMM_WORLD, 0, NULL, MPI_INT64_T,
                                                 REDIST_BALANCE_A, 1, &good, &plan,
                                                 &share[0], &share[1]),
                     REDIST_ERR_ARG, 1,
                     "rank 0: options: source_type must be MPI_DATATYPE_NULL with sizes");
    CHECK(!plan, "a plan was handed out");
    pair_free(&pair);
}

static void types_that_differ_are_refused_everywhere(void)
{
    static const char *const other = "rank %d passed another op, reduction, scaled, "
                                     "checked or kind of number than rank "
                                     "0";
    int last = world_size() - 1, guilty = world_rank() == last;
    if (last == 0) return; /* nobody to differ from */
    struct pair pair = pair_of_world(vectors);
    MPI_Datatype native, swapped;
    CHECK_OK(redist_type_create("f4", &native));
    const int one = 1;
    const bool little = *(const char *)&one == 1;
    CHECK_OK(redist_type_create(little ? ">f4" : "<f4", &swapped));
    redist_plan *plan = NULL;
    redist_options options = REDIST_OPTIONS_INIT;
    check_everywhere(pair_create(&pair, guilty ? swapped : native, &options, &plan),
                     REDIST_ERR_MISMATCH, 1, other, last);
    CHECK_OK(pair_create(&pair, guilty ? MPI_FLOAT : native, &options, &plan));
    CHECK_OK(redist_plan_destroy(&plan));
    options.source_type = guilty ? MPI_INT32_T : MPI_UINT32_T;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_MISMATCH,
                     1, other, last);
    options.source_type = MPI_INT32_T;
    check_everywhere(
        pair_create(&pair, guilty ? MPI_FLOAT : MPI_UINT32_T, &options, &plan),
        REDIST_ERR_MISMATCH, 1, other, last);
    options.checked = guilty;
    check_everywhere(pair_create(&pair, MPI_DOUBLE, &options, &plan), REDIST_ERR_MISMATCH,
                     1, other, last);
    CHECK(!plan, "a plan was handed out");
    MPI_Type_free(&swapped);
    MPI_Type_free(&native);
    pair_free(&pair);
}

static void it_moves_bytes_only(const char *strategy)
{
    struct pair pair = pair_of_world(vectors);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    options.source_type = MPI_FLOAT;
    check_everywhere(pair_create(&pair, MPI_INT64_T, &options, &plan), REDIST_ERR_ARG, 1,
                     "rank 0: %.*s moves bytes, the plan is to convert them",
                     (int)strcspn(strategy, "("), strategy);
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    lost_numbers_of_lists_are_errors();
    lost_numbers_have_their_index_under_leads();
    bad_types_are_refused();
    types_of_this_machine_do_arithmetic();
    what_cannot_go_together_is_refused_everywhere();
    types_that_differ_are_refused_everywhere();
    for (int k = 0; k < STRATEGIES; k++) {
        const char *strategy = here(all_strategies[k]);
        if (!combines(strategy)) it_moves_bytes_only(strategy);
        for (int v = 0; v < VIEWS && combines(strategy); v++)
            lost_numbers_are_errors_by(strategy, views[v]);
    }
    return passed("convert");
}
