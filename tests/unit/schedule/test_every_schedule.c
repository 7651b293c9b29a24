/* SPDX-License-Identifier: MIT
 *
 * Every schedule of random problems, as a plan makes it: what each process computes for
 * itself, against messages that are counted element by element from HPF's definitions.
 *
 *   unit.every_schedule [N]    N problems, from REDIST_TEST_SEED on; each has one seed
 *                              more than the one before
 */
#include "unit/unit.h"

#include "long.h"
#include "seed.h"
#include "unit/drawn.h"
#include "unit/schedule/promises.h"

#include "schedule/registry/schedules.h"

/* ---- a problem --------------------------------------------------------------------- */

struct problem {
    struct drawn drawn;
    redist_dist *dist[2];
    redist_view view[2];
    redist_topology *network;
    struct order weighed;   /* whose pattern has the lengths of the array */
    struct truth all, part; /* of all elements; of those that the schedules go by */
    struct reading reading;
    /* As the library finds them: each rank's as a source, as a target. */
    struct overlap overlap[2][MOST_RANKS];
};

/* The elements whose messages the schedules weigh: along each axis those of one period
 * where the array is whole periods, and all otherwise. */
static bool find_box(struct problem *problem, int64_t box[])
{
    const struct drawn *x = &problem->drawn;
    const struct pattern *pattern = &problem->weighed.pattern;
    bool ragged = false;
    for (int j = 0; j < x->ndims; j++) {
        box[j] = x->extent[j];
        if (pattern->input.ndims == 0) continue;
        int64_t period = pattern->period[j];
        if (period < 1 || !truth_repeats(x, j, period))
            return reading_say(&problem->reading, "%" PRId64 " is no period of axis %d",
                               period, j);
        if (!pattern->is_ragged) box[j] = period;
        ragged = ragged || x->extent[j] % period != 0;
    }
    if (pattern->is_ragged && !ragged)
        return reading_say(&problem->reading, "the periods are whole");
    return true;
}

/* What a unit stands for in all of the array, where this is whole periods. */
static bool check_unit(struct problem *problem, const int64_t box[])
{
    const struct drawn *x = &problem->drawn;
    const struct truth *part = &problem->part, *all = &problem->all;
    bool whole = true;
    for (int j = 0; j < x->ndims; j++)
        whole = whole && (box[j] == 0 || x->extent[j] % box[j] == 0);
    double each = pattern_unit_elements(&problem->weighed.pattern);
    for (int k = 0; k < all->n * all->n; k++) {
        double said =
            (double)part->weight[k] / (double)problem->weighed.pattern.unit * each;
        if ((part->weight[k] > 0) != (all->weight[k] > 0) ||
            (whole && said != (double)all->weight[k]))
            return reading_say(&problem->reading,
                               "a message from %d to %d of %g, must be of %" PRId64,
                               k / all->n, k % all->n, said, all->weight[k]);
    }
    return true;
}

/* The messages that the library finds, which a plan's steps are asked for. */
static bool check_overlap(struct problem *problem, int s, int rank)
{
    const struct truth *all = &problem->all;
    struct overlap *overlap = &problem->overlap[s][rank];
    int64_t messages = 0;
    ok(overlap_make(NULL, &problem->view[0], &problem->view[1], (redist_side)s, rank,
                    overlap));
    for (int k = 0; k < all->n; k++)
        messages += all->weight[s == 0 ? rank * all->n + k : k * all->n + rank] > 0;
    if (overlap->nmessages != messages)
        return reading_say(&problem->reading,
                           "rank %d has %" PRId64 " messages, must have %" PRId64, rank,
                           overlap->nmessages, messages);
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        const struct message *message = &overlap->message[k];
        int p = s == 0 ? rank : message->rank, q = s == 0 ? message->rank : rank;
        if (message->elements != all->weight[p * all->n + q])
            return reading_say(&problem->reading,
                               "%" PRId64 " elements from %d to %d, must be %" PRId64,
                               message->elements, p, q, all->weight[p * all->n + q]);
    }
    return true;
}

static bool problem_make(struct problem *problem, uint64_t seed)
{
    struct drawn *x = &problem->drawn;
    int64_t box[MOST_AXES];
    draw_problem(seed, x);
    for (int s = 0; s < 2; s++)
        if (redist_view_parse(x->side[s].text, &problem->dist[s], &problem->view[s]))
            return reading_say(&problem->reading, "%s", redist_error_message());
    if (x->network) ok(redist_topology_parse(x->network, MOST_RANKS, &problem->network));
    if (pattern_make(&problem->view[0], &problem->view[1], &problem->weighed.pattern))
        return reading_say(&problem->reading, "%s", redist_error_message());
    ok(pattern_build_grid(&problem->weighed.pattern, INT64_MAX));
    if (x->network) ok(pattern_place(&problem->weighed.pattern, problem->network));
    truth_make(x, x->extent, &problem->all);
    if (!find_box(problem, box)) return false;
    truth_make(x, box, &problem->part);
    if (!check_unit(problem, box)) return false;
    for (int s = 0; s < 2; s++)
        for (int rank = 0; rank < x->nranks; rank++)
            if (!check_overlap(problem, s, rank)) return false;
    return true;
}

static void problem_free(struct problem *problem)
{
    for (int s = 0; s < 2; s++) {
        redist_dist_destroy(&problem->dist[s]);
        for (int rank = 0; rank < problem->drawn.nranks; rank++)
            overlap_free(&problem->overlap[s][rank]);
    }
    redist_topology_destroy(&problem->network);
    pattern_free(&problem->weighed.pattern);
}

/* ---- its schedules ----------------------------------------------------------------- */

static int applied[PROMISES + 1]; /* how many problems each was of use for */

/* Check the steps of a plan: the same at both ends, and if `is_read`, the first start in
 * the lists that were read. */
static bool check_steps(struct problem *problem, const struct order *order, bool is_read)
{
    static int64_t step[MOST_RANKS], sent[MOST_RANKS * MOST_RANKS];
    int n = problem->drawn.nranks;
    for (int s = 0; s < 2; s++)
        for (int rank = 0; rank < n; rank++) {
            const struct overlap *overlap = &problem->overlap[s][rank];
            ok(order_steps(order, overlap, step));
            for (int64_t k = 0; k < overlap->nmessages; k++) {
                int other = overlap->message[k].rank;
                int pair = s == 0 ? rank * n + other : other * n + rank;
                if (s == 0) sent[pair] = step[k];
                int64_t due = sent[pair];
                if (is_read) due = problem->reading.begin[pair];
                if (!order->kind && s == 0) due = (other - rank + n) % n;
                if (step[k] != sent[pair] || step[k] != due)
                    return reading_say(&problem->reading,
                                       "rank %d: the message %s %d is at %" PRId64
                                       ", must be at %" PRId64,
                                       rank, s == 0 ? "to" : "from", other, step[k], due);
            }
        }
    return true;
}

/* Make one schedule as a plan does. */
static redist_err make_order(const struct problem *problem,
                             const struct schedule_kind *kind, struct order *order)
{
    const struct drawn *x = &problem->drawn;
    return order_make(kind, kind && kind->drawn ? x->schedule_seed : 0, &problem->view[0],
                      &problem->view[1], problem->network, x->nranks, order);
}

/* Make it with the lengths of the array, where a plan's goes by those of a period. */
static void make_weighed(struct problem *problem, const struct schedule_kind *kind)
{
    struct schedule_input *input = &problem->weighed.pattern.input;
    problem->weighed.kind = kind;
    input->seed = kind->drawn ? problem->drawn.schedule_seed : 0;
    ok(kind->make(input, &problem->weighed.state));
}

/* Check what a plan's schedule costs, and its steps: those of the weighed one, but start
 * times are others there. */
static bool check_weighed(struct problem *problem, int promised, struct order *weighed,
                          const struct order *order)
{
    struct reading *reading = &problem->reading;
    bool by_links = promised & BY_LINKS;
    return reading_make(reading, &problem->drawn, &problem->part, weighed, by_links) &&
           check_bounds(reading) && check_promises(reading, promised) &&
           check_pieces(reading) && check_steps(problem, weighed, true) &&
           (weighed == order || check_steps(problem, order, !order->kind->timed)) &&
           (by_links ? check_links(reading, problem->network)
                     : check_cost(reading, weighed));
}

/* Make one schedule, and check it. */
static bool check_schedule(struct problem *problem, const struct schedule_kind *kind,
                           struct order *order)
{
    struct reading *reading = &problem->reading;
    int promised = kind ? promise_of(kind) : ANY;
    redist_err err = make_order(problem, kind, order);
    if (err == REDIST_ERR_ARG && !promises_to_apply(promised, &problem->weighed.pattern))
        return true;
    PROMISE(!err, "%s", redist_error_message());
    int k = 0;
    while (kind && schedules[k] != kind) k++;
    applied[kind ? k : PROMISES]++;
    if (!kind) return check_steps(problem, order, false);
    if (!problem->weighed.pattern.is_ragged || order->pattern.input.grid)
        return check_weighed(problem, promised, order, order);
    make_weighed(problem, kind);
    bool well = check_weighed(problem, promised, &problem->weighed, order);
    kind->free(problem->weighed.state);
    return well;
}

/* Say what is wrong with the present problem, and end. */
static void fail_at(const struct problem *problem, uint64_t seed,
                    const struct schedule_kind *kind)
{
    const struct drawn *x = &problem->drawn;
    char name[SCHEDULE_NAME_SIZE] = "(none)";
    if (kind) (void)schedule_print(kind, kind->drawn ? x->schedule_seed : 0, name);
    (void)fprintf(stderr,
                  "schedule %s over %s: %s\n  '%s'\n  '%s'\n"
                  "again: REDIST_TEST_SEED=%" PRIu64 " tests/unit.every_schedule 1\n",
                  name, x->network ? x->network : "no network", problem->reading.wrong,
                  x->side[0].text, x->side[1].text, seed);
    fail(); /* whose own message has no room for long texts */
}

static int problems;

static void all_are_right(void **unused)
{
    static struct problem problem;
    uint64_t first = seed_or(20251127);
    for (uint64_t seed = first; seed < first + (uint64_t)problems; seed++) {
        memset(problem.overlap, 0, sizeof problem.overlap);
        problem.network = NULL;
        if (!problem_make(&problem, seed)) fail_at(&problem, seed, NULL);
        for (int k = 0; k <= PROMISES; k++) {
            struct order order = {0};
            if (!check_schedule(&problem, schedules[k], &order))
                fail_at(&problem, seed, schedules[k]);
            order_free(&order);
        }
        problem_free(&problem);
    }
}

/* That the problems are such as to try all of them. */
static void all_were_tried(void **unused)
{
    print_message("of %d problems:", problems);
    for (int k = 0; schedules[k]; k++)
        print_message(" %s %d", schedules[k]->name, applied[k]);
    print_message("\n");
    for (int k = 0; problems >= 400 && k <= PROMISES; k++)
        if (applied[k] == 0) fail_msg("%s: never", schedules[k]->name);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_right),
        cmocka_unit_test(all_were_tried),
    };
#ifdef __SANITIZE_ADDRESS__
    problems = number_of_cases(argc, argv, 400, 20000);
#else
    problems = number_of_cases(argc, argv, 10000, 1000000);
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
