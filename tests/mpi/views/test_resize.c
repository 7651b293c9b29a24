/* SPDX-License-Identifier: MIT
 *
 * Random groups of 1 to 4 processes and what moves between them: over their
 * intercommunicator, both ways, plans of every form - batches, transposed, scaled, in
 * place, tuned - against the brute-force owner map; merged into one, as when a job grows
 * or shrinks, only elements whose owner changes are sent, and with relabelled targets as
 * few as was said.
 *
 * test_resize [cases]; REDIST_TEST_LONG=1: more of them.
 */
#include "mpi/trace.h"
#include "mpi/views/groups.h"

enum { CASES = 125, LONG = 500, CASES_OF_GROUPS = 20, MOST_OF_GROUP = 4 };
enum { MOST_ITEMS = 3 };

/* ---- random plans of every form ---------------------------------------------------- */

enum form { PLAIN, TRANSPOSED, SCALED, IN_PLACE, FORMS };
static const int64_t alpha = 3, beta = 5;

struct item {
    struct sample side[2];
    MPI_Datatype type;
    int64_t element, arrive; /* bytes of one, and how many arrive in all */
    unsigned char *buffer[2], *expected;
};

static void put_scaled(void *context, int64_t at, int64_t k)
{
    unsigned char *place = (unsigned char *)context + at * 8;
    uint64_t moved = 0, there = 0;
    for (int b = 0; b < 8; b++) ((unsigned char *)&moved)[b] = sample_byte(k, b);
    memcpy(&there, place, 8);
    there = (uint64_t)alpha * moved + (uint64_t)beta * there;
    memcpy(place, &there, 8);
}

static void draw_item(struct item *item, uint64_t *seed, const struct groups *g, int from,
                      enum form form)
{
    static const int64_t elements[] = {1, 3, 8, 16};
    int64_t n[2][SAMPLE_MAX_DIMS];
    int ndims = random_extents(seed, n[REDIST_TARGET]);
    item->element = form == SCALED ? 8 : elements[random_in(seed, 0, 3)];
    item->type = MPI_INT64_T;
    for (int j = 0; j < ndims; j++)
        n[REDIST_SOURCE][j] = n[REDIST_TARGET][form == TRANSPOSED ? ndims - 1 - j : j];
    for (int s = 0; s < 2; s++) {
        int kinds = form == IN_PLACE ? SAMPLE_WHOLE : SAMPLE_REPLICAS;
        sample_make_for(&item->side[s], seed, ndims, n[s],
                        g->size[s == REDIST_SOURCE ? from : !from], kinds,
                        side_of(g, from) == (redist_side)s ? g->rank : NOBODY);
        item->buffer[s] = poisoned(item->side[s].span * item->element);
    }
    if (form != SCALED) {
        MPI_Type_contiguous((int)item->element, MPI_BYTE, &item->type);
        MPI_Type_commit(&item->type);
    }
    struct sample *source = &item->side[REDIST_SOURCE],
                  *target = &item->side[REDIST_TARGET];
    struct sample_bytes bytes = {item->buffer[REDIST_SOURCE], item->element};
    sample_each(source, form == TRANSPOSED, sample_put, &bytes);
    item->expected = poisoned(target->span * item->element);
    if (form == SCALED)
        sample_each(target, 0, put_scaled, item->expected);
    else
        sample_fill(target, item->expected, item->element);
    item->arrive = item->element * sample_elements(target);
}

static void free_item(struct item *item)
{
    if (item->type != MPI_INT64_T) MPI_Type_free(&item->type);
    for (int s = 0; s < 2; s++) {
        sample_free(&item->side[s]);
        free(item->buffer[s]);
    }
    free(item->expected);
}

/* What is tried in a case. */
struct trial {
    int number, from, nitems;
    enum form form;
    struct item item[MOST_ITEMS];
    redist_options options;
};

static struct trial draw_candidate(int number, uint64_t *seed, const struct groups *g)
{
    struct trial t = {.number = number, .options = REDIST_OPTIONS_INIT};
    t.from = (int)random_in(seed, 0, 1);
    t.form = (enum form)random_in(seed, 0, FORMS - 1);
    t.nitems = t.form == IN_PLACE ? 1 : (int)random_in(seed, 1, MOST_ITEMS);
    for (int k = 0; k < t.nitems; k++) draw_item(&t.item[k], seed, g, t.from, t.form);
    const char *strategy = here(all_strategies[random_in(seed, 0, STRATEGIES - 1)]);
    int plain = (t.nitems > 1 && !moves_batches(strategy)) ||
                (t.form == SCALED && !combines(strategy));
    t.options.strategy = plain || random_in(seed, 0, 1) ? "nonblocking" : strategy;
    if (random_in(seed, 0, 1) && !holds_all(t.options.strategy))
        t.options.staging_bytes = 32 + (size_t)random_in(seed, 0, 500);
    if (random_in(seed, 0, 9) == 0) t.options.strategy = NULL;
    t.options.op = t.form == TRANSPOSED ? REDIST_OP_TRANSPOSE : REDIST_OP_NONE;
    t.options.scaled = t.form == SCALED;
    if (t.form == IN_PLACE) {
        t.options.in_place = 1;
        t.options.strategy = NULL;
        t.options.staging_bytes = 0;
    }
    t.options.side = side_of(g, t.from);
    return t;
}

/* Make the plan, if need be with as much more staging memory as the library asks for.
 * NULL: the MPI has a limit on datatypes. */
static redist_plan *plan_candidate(struct trial *t, MPI_Comm inter)
{
    redist_plan *plan = NULL;
    redist_item items[MOST_ITEMS];
    for (int k = 0; k < t->nitems; k++) {
        struct item *item = &t->item[k];
        items[k] = (redist_item){item->type, &item->side[0].view, &item->side[1].view};
    }
    while (redist_plan_create_batch(inter, t->nitems, items, &t->options, &plan)) {
        if (strstr(redist_error_message(), " datatypes live and ")) return NULL;
        CHECK(staging_needed() > t->options.staging_bytes, "case %d", t->number);
        t->options.staging_bytes = staging_needed();
    }
    return plan;
}

/* Run a plan: by execute, by start and test, or by what times a few strategies. */
static void run_candidate(struct trial *t, redist_plan *plan, int how)
{
    const void *sources[MOST_ITEMS];
    void *targets[MOST_ITEMS];
    int one = t->form == IN_PLACE ? (int)t->options.side : REDIST_TARGET, done = 0;
    for (int k = 0; k < t->nitems; k++) {
        unsigned char **buffer = t->item[k].buffer;
        sources[k] = t->form == IN_PLACE ? buffer[one] : buffer[REDIST_SOURCE];
        targets[k] = buffer[one];
    }
    if (how == 2) {
        CHECK_OK(redist_plan_tune_batch(plan, sources, targets));
    } else if (t->form == SCALED) {
        CHECK_OK(redist_execute_batch_scaled(plan, &alpha, sources, &beta, targets));
    } else if (how == 0) {
        CHECK_OK(redist_execute_batch(plan, sources, targets));
    } else {
        CHECK_OK(redist_start_batch(plan, sources, targets));
        while (!done) CHECK_OK(redist_test(plan, &done));
    }
    for (int k = 0; k < t->nitems; k++) {
        struct item *item = &t->item[k];
        size_t bytes = (size_t)(item->side[REDIST_TARGET].span * item->element);
        if (t->form == IN_PLACE) { /* what is round the elements is not defined */
            memcpy(item->expected, item->buffer[REDIST_TARGET], bytes);
            sample_fill(&item->side[REDIST_TARGET], item->expected, item->element);
        }
        if (memcmp(item->buffer[REDIST_TARGET], item->expected, bytes) == 0) continue;
        CHECK(0, "case %d, item %d, form %d, %s, how %d: %s: not the owner map's",
              t->number, k, (int)t->form,
              t->options.strategy ? t->options.strategy : "auto", how,
              sample_text(&item->side[0], &item->side[1]));
    }
}

static void poison_targets(struct trial *t)
{
    for (int k = 0; k < t->nitems; k++)
        memset(t->item[k].buffer[REDIST_TARGET], POISON,
               (size_t)(t->item[k].side[REDIST_TARGET].span * t->item[k].element));
}

static int64_t sum_over(MPI_Comm comm, int64_t value)
{
    PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, comm);
    return value;
}

/* All that arrives is sent by the one group and received by the other, and MPI is asked
 * to carry no more. */
static void check_candidate(const struct trial *t, const redist_plan *plan,
                            const struct groups *g)
{
    redist_report report;
    CHECK_OK(redist_plan_report(plan, &report));
    int64_t arrive = 0, carried = 0;
    int sends = t->options.side == REDIST_SOURCE;
    for (int k = 0; k < t->nitems; k++) arrive += t->item[k].arrive;
    for (int r = 0; r < TRACE_MAX_RANKS; r++) carried += trace.bytes[r];
    int64_t sent = sum_over(g->group, report.bytes_sent);
    int64_t received = sum_over(g->group, report.bytes_received);
    CHECK(sent == (sends ? arrive : 0), "%" PRId64 " bytes sent", sent);
    CHECK(received == (sends ? 0 : arrive), "%" PRId64 " bytes received", received);
    CHECK(report.elements_kept == 0, "kept");
    if (t->options.strategy && strcmp(t->options.strategy, "nonblocking") == 0)
        CHECK(carried == report.bytes_sent,
              "case %d: %" PRId64 " bytes carried of %" PRId64, t->number, carried,
              report.bytes_sent);
}

/* Whether a plan can return to its strategy after others were tried. */
static int can_be_tuned(const struct trial *t)
{
    const char *strategy = t->options.strategy;
    return t->form != SCALED && t->form != IN_PLACE && strategy &&
           goes_straight(strategy) && strcmp(strategy, "naive") != 0;
}

static void any_plan_moves_between_groups(int number, uint64_t *seed,
                                          const struct groups *g)
{
    struct trial t = draw_candidate(number, seed, g);
    int tuned = random_in(seed, 0, 15) == 0 && can_be_tuned(&t);
    redist_plan *plan = plan_candidate(&t, g->inter);
    if (plan) {
        trace_clear_messages();
        run_candidate(&t, plan, 0);
        check_candidate(&t, plan, g);
        if (t.form != IN_PLACE) { /* which has used the source up */
            poison_targets(&t);
            run_candidate(&t, plan, tuned ? 2 : 1);
        }
        CHECK_OK(redist_plan_destroy(&plan));
    }
    for (int k = 0; k < t.nitems; k++) free_item(&t.item[k]);
}

/* ---- merged into one --------------------------------------------------------------- */

/* What is kept in the plan that goes to the proposed ranks is what the proposal says, and
 * no less than in the plan to the given ones. */
static void relabelled_keeps_what_was_said(MPI_Comm merged, const struct sample *source,
                                           const struct sample *target)
{
    redist_dist *better = NULL;
    redist_plan *plan = NULL;
    redist_report report;
    redist_options options = REDIST_OPTIONS_INIT;
    int64_t kept[2];
    options.strategy = "nonblocking";
    redist_view to[2] = {target->view, target->view};
    CHECK_OK(redist_relabel(&source->view, &target->view, NULL, 0, &better, kept));
    to[1].dist = better;
    memset(to[1].lead, 0, sizeof to[1].lead); /* which are of the other local array */
    CHECK(kept[1] >= kept[0], "%" PRId64 " instead of %" PRId64, kept[1], kept[0]);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(redist_plan_create(merged, MPI_INT64_T, &source->view, &to[k], &options,
                                    &plan));
        CHECK_OK(redist_plan_report(plan, &report));
        int64_t found = sum_over(merged, report.elements_kept);
        CHECK(found == kept[k], "%" PRId64 " instead of %" PRId64, found, kept[k]);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    redist_dist_destroy(&better);
}

/* Group 0 holds what both shall, or both hold what group 0 shall: whoever has an element
 * before and after keeps it, and nothing else is kept. */
static void a_job_sends_only_what_changes_owner(uint64_t *seed, const struct groups *g)
{
    static int64_t volume[SAMPLE_MAX_RANKS][SAMPLE_MAX_RANKS];
    int grows = (int)random_in(seed, 0, 1), all = g->size[0] + g->size[1], rank;
    int64_t n[2] = {random_in(seed, 1, 20), random_in(seed, 1, 20)};
    MPI_Comm merged;
    PMPI_Intercomm_merge(g->inter, g->number, &merged);
    MPI_Comm_rank(merged, &rank);
    struct item item = {.type = MPI_INT64_T, .element = 8};
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "nonblocking";
    redist_plan *plan = NULL;
    for (int s = 0; s < 2; s++) {
        int few = grows == (s == REDIST_SOURCE);
        sample_make_for(&item.side[s], seed, 2, n, few ? g->size[0] : all, 0, rank);
        item.buffer[s] = poisoned(item.side[s].span * item.element);
    }
    const struct sample *source = &item.side[REDIST_SOURCE];
    const struct sample *target = &item.side[REDIST_TARGET];
    relabelled_keeps_what_was_said(merged, source, target);
    item.expected = poisoned(target->span * item.element);
    sample_fill(source, item.buffer[REDIST_SOURCE], item.element);
    sample_fill(target, item.expected, item.element);
    sample_volume(source, target, n, volume);
    CHECK_OK(redist_plan_create(merged, item.type, &source->view, &target->view, &options,
                                &plan));
    trace_clear_messages();
    CHECK_OK(
        redist_execute(plan, item.buffer[REDIST_SOURCE], item.buffer[REDIST_TARGET]));
    CHECK(memcmp(item.buffer[REDIST_TARGET], item.expected,
                 (size_t)(target->span * item.element)) == 0,
          "the target differs from the owner map");
    for (int to = 0; to < all; to++)
        CHECK(trace.bytes[to] == (to == rank ? 0 : item.element * volume[rank][to]),
              "%ld bytes to rank %d, which gets %" PRId64 " elements", trace.bytes[to],
              to, volume[rank][to]);
    CHECK_OK(redist_plan_destroy(&plan));
    PMPI_Comm_free(&merged);
    free_item(&item);
}

/* ---- groups ------------------------------------------------------------------------ */

/* Up to 4 processes each, of any ranks. */
static struct groups draw_groups(uint64_t *seed)
{
    int number[SAMPLE_MAX_RANKS], order[SAMPLE_MAX_RANKS], n = world_size();
    int most = n - 1 < MOST_OF_GROUP ? n - 1 : MOST_OF_GROUP;
    int p = (int)random_in(seed, 1, most), left = n - p < most ? n - p : most;
    int q = (int)random_in(seed, 1, left);
    random_permutation(seed, n, order);
    for (int k = 0; k < n; k++) number[order[k]] = k < p ? 0 : k < p + q ? 1 : NOBODY;
    return make_groups(number);
}

static void random_groups(uint64_t *seed, int cases)
{
    for (int first = 0; first < cases; first += CASES_OF_GROUPS) {
        struct groups g = draw_groups(seed);
        uint64_t own = random_next(seed); /* bystanders draw no cases */
        for (int k = first; g.number != NOBODY && k < first + CASES_OF_GROUPS; k++) {
            any_plan_moves_between_groups(k, &own, &g);
            a_job_sends_only_what_changes_owner(&own, &g);
        }
        free_groups(&g);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    int cases = number_of_cases(argc, argv, CASES, LONG);
    random_groups(&seed, cases);
    CHECK(trace.communicators == 0, "%d communicators leaked", trace.communicators);
    return passed("%d random plans between two groups", cases);
}
