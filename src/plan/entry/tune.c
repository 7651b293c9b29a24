/* SPDX-License-Identifier: MIT
 *
 * plan/entry/tune.c - time the best few exchanges, and other orders of the messages, as
 * predicted, on the caller's own plan and buffers. Keep the fastest.
 *
 *   round 0   make A  run  run*  run*   make B  run  run*  run*  ..     *: timed
 *   round 1   make A  run  run*  run*   make C  ..                   B was far behind
 *
 * Only one exchange exists at a time, so that the cap on staging memory holds. Its first
 * run touches new memory and is not timed.
 */
#include <math.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/mpi/check.h"
#include "plan/comm/agree.h"
#include "plan/object/select.h"

enum {
    RANKED = 4,                          /* exchanges that are timed, */
    CANDIDATES = RANKED + CHOOSE_RIVALS, /* and other orders */
    MOST_ROUNDS = 3,                     /* in which they take turns */
    TIMED = 2,                           /* runs of each in a round */
    RUNS = MOST_ROUNDS * TIMED,
};

/* Seconds of all timed runs, unless one round takes longer. */
static const double patience = 1;

/* A candidate whose best run is slower than the fastest by more is not timed again. */
static const double hopeless = 0.25;

/* Smaller differences may be chance. */
static const double tie = 0.01;

struct tuning {
    const void *const *sources; /* as of redist_execute_batch */
    void *const *targets;
    int n;
    struct candidate candidates[CHOOSE_MOST]; /* [n] */
    int rounds;
    double seconds[CANDIDATES * RUNS]; /* INFINITY: not run */
};

/* Run once from a common start. In each turn another process releases the others from the
 * barrier, so that they leave it in another order: who begins first may matter much. */
static redist_err run(redist_plan *plan, const struct tuning *tuning, int turn,
                      double *seconds)
{
    MPI_Comm comm = plan->team.comm;
    int teller = (int)((int64_t)turn * plan->team.nranks / RUNS);
    char word = 0;
    TRY(mpi_call(MPI_Bcast(&word, 1, MPI_CHAR, teller, comm)));
    TRY(mpi_call(MPI_Barrier(comm)));
    double began = MPI_Wtime();
    redist_err err = redist_execute_batch(plan, tuning->sources, tuning->targets);
    *seconds = MPI_Wtime() - began;
    return err;
}

static redist_err slowest(const redist_plan *plan, int n, double seconds[])
{
    return mpi_call(
        MPI_Allreduce(MPI_IN_PLACE, seconds, n, MPI_DOUBLE, MPI_MAX, plan->team.comm));
}

static bool is_same(const struct candidate *a, const struct candidate *b)
{
    return a->strategy.schedule == b->strategy.schedule &&
           a->strategy.seed == b->strategy.seed &&
           a->strategy.exchange == b->strategy.exchange &&
           a->strategy.parameter == b->strategy.parameter && a->staging == b->staging;
}

/* Tell whether the dists that a candidate needs were not kept. */
static bool is_out_of_reach(const redist_plan *plan, const struct candidate *candidate)
{
    return candidate->strategy.exchange->needs_dists && !plan->array[0].kept_dist[0];
}

/* Tell whether timing a candidate can show nothing new. */
static bool is_pointless(const struct candidate *candidate, const struct tuning *tuning)
{
    for (int k = 0; k < tuning->n; k++)
        if (is_same(candidate, &tuning->candidates[k]) ||
            (k > 0 && choose_is_beaten(candidate, &tuning->candidates[k])))
            return true;
    return false;
}

static void list_rivals(const redist_plan *plan, const struct method rivals[], int n,
                        struct tuning *tuning)
{
    for (int k = 0; k < n; k++) {
        struct candidate *rival = &tuning->candidates[tuning->n];
        bool is_new = true;
        select_predict(plan, &rivals[k], rival);
        for (int j = 0; j < tuning->n; j++)
            is_new = is_new && !is_same(rival, &tuning->candidates[j]);
        tuning->n += is_new;
    }
}

/* List the best few by prediction, after the present one. Collective. */
static redist_err list_candidates(const redist_plan *plan, struct tuning *tuning)
{
    struct method rivals[CHOOSE_RIVALS];
    int nrivals = 0;
    struct candidate ranked[CHOOSE_MOST];
    tuning->candidates[0] =
        (struct candidate){.strategy = plan->strategy, .staging = plan->move.staging};
    (void)choose_predict(&plan->load, &plan->rates, plan->move.grain,
                         &tuning->candidates[0]);
    tuning->n = 1;
    int n = select_rank(plan, ranked);
    for (int k = 0; k < n && tuning->n < RANKED; k++)
        if (!is_out_of_reach(plan, &ranked[k]) && !is_pointless(&ranked[k], tuning))
            tuning->candidates[tuning->n++] = ranked[k];
    TRY(agree(plan->team.comm, select_rivals(plan, rivals, &nrivals)));
    list_rivals(plan, rivals, nrivals, tuning);
    return REDIST_OK;
}

/* Give the plan a candidate's order and exchange. */
static redist_err take(redist_plan *plan, const struct candidate *candidate)
{
    const struct strategy *strategy = &candidate->strategy;
    const struct method *method = &plan->choice.method;
    bool ordered = plan->choice.has_rivals && strategy->exchange->ordered;
    select_drop(plan);
    if (ordered &&
        (strategy->schedule != method->schedule || strategy->seed != method->seed))
        TRY(plan_reorder(plan, strategy->schedule, strategy->seed));
    return select_take(plan, candidate);
}

/* Make candidate k and time it; skip it if it needs more staging memory. */
static redist_err time_candidate(redist_plan *plan, int k, int round,
                                 struct tuning *tuning)
{
    double first = 0, *seconds = &tuning->seconds[k * RUNS];
    int turn = round * TIMED;
    redist_err err = take(plan, &tuning->candidates[k]);
    if (err) return err == REDIST_ERR_ARG ? REDIST_OK : err;
    TRY(run(plan, tuning, turn, &first));
    for (int timed = turn; timed < turn + TIMED; timed++)
        TRY(run(plan, tuning, timed, &seconds[timed]));
    return REDIST_OK;
}

/* Return the shortest run of a candidate: other load on the machine only makes runs
 * longer. */
static double shortest(const struct tuning *tuning, int k)
{
    double least = INFINITY;
    for (int i = 0; i < RUNS; i++) least = fmin(least, tuning->seconds[k * RUNS + i]);
    return least;
}

/* Return the median of a candidate's runs: the shortest may be lucky in the order of
 * begins. INFINITY: none. */
static double median(const struct tuning *tuning, int k)
{
    double sorted[RUNS];
    int n = 0;
    for (int i = 0; i < RUNS; i++) {
        double seconds = tuning->seconds[k * RUNS + i];
        int at = n;
        if (isinf(seconds)) continue;
        for (; at > 0 && sorted[at - 1] > seconds; at--) sorted[at] = sorted[at - 1];
        sorted[at] = seconds;
        n++;
    }
    return n > 0 ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : INFINITY;
}

static double least_of(const struct tuning *tuning,
                       double (*of)(const struct tuning *, int))
{
    double least = INFINITY;
    for (int k = 0; k < tuning->n; k++) least = fmin(least, of(tuning, k));
    return least;
}

static bool is_hopeless(const struct tuning *tuning, int k)
{
    return shortest(tuning, k) > (1 + hopeless) * least_of(tuning, shortest);
}

/* Return the first candidate that is hardly behind the fastest: the preferred one by
 * prediction, which is less subject to chance. */
static int find_best(const struct tuning *tuning)
{
    double least = least_of(tuning, median);
    for (int k = 0; k < tuning->n; k++)
        if (median(tuning, k) <= (1 + tie) * least) return k;
    return 0; /* none has been run */
}

/* Tell whether runs of the remaining candidates take equally long each time. */
static bool is_certain(const struct tuning *tuning, const bool out[])
{
    for (int k = 0; k < tuning->n; k++) {
        const double *seconds = &tuning->seconds[k * RUNS];
        if (!out[k] && fabs(seconds[1] / seconds[0] - 1) > tie) return false;
    }
    return true;
}

/* Time all, in turns; the result is the same on all processes. */
static redist_err time_all(redist_plan *plan, struct tuning *tuning)
{
    bool out[CANDIDATES] = {false};
    for (int i = 0; i < CANDIDATES * RUNS; i++) tuning->seconds[i] = INFINITY;
    for (int round = 0; round < tuning->rounds; round++) {
        for (int k = 0; k < tuning->n; k++)
            if (!out[k]) TRY(time_candidate(plan, k, round, tuning));
        TRY(slowest(plan, CANDIDATES * RUNS, tuning->seconds));
        for (int k = 0; k < tuning->n; k++) out[k] = is_hopeless(tuning, k);
        if (is_certain(tuning, out)) break;
    }
    return REDIST_OK;
}

static redist_err tune(redist_plan *plan, struct tuning *tuning)
{
    double seconds = 0;
    TRY(run(plan, tuning, 0, &seconds));          /* reports invalid buffers */
    if (plan->options.in_place) return REDIST_OK; /* it has only one exchange */
    TRY(slowest(plan, 1, &seconds));
    TRY(select_measure(plan));
    TRY(list_candidates(plan, tuning));
    double round = seconds * tuning->n * (TIMED + 1);
    tuning->rounds = round * MOST_ROUNDS <= patience
                         ? MOST_ROUNDS
                         : (int)int_max((int64_t)(patience / round), 1);
    redist_err err = time_all(plan, tuning);
    if (!err) err = take(plan, &tuning->candidates[find_best(tuning)]);
    if (!err)
        plan->origin = "tuned";
    else
        (void)take(plan, &tuning->candidates[0]);
    plan->staging_account.peak = plan->staging_account.bytes;
    return err;
}

redist_err redist_plan_tune(redist_plan *plan, const void *source, void *target)
{
    if (plan) TRY(plan_check_single(plan));
    return redist_plan_tune_batch(plan, &source, &target);
}

redist_err redist_plan_tune_batch(redist_plan *plan, const void *const sources[],
                                  void *const targets[])
{
    if (!plan) return error_arg("plan is NULL");
    if (plan->active)
        return error_set(
            REDIST_ERR_STATE,
            "the plan is moving: redist_wait must come before redist_plan_tune");
    if (plan->passes.n > 0)
        return error_arg("the plan reduces %" PRId64
                         " replicas of the source: to repeat a part of that would change "
                         "the target",
                         plan->passes.n);
    struct tuning *tuning = mem_alloc(NULL, 1, sizeof *tuning);
    redist_err err = agree(plan->team.comm, tuning ? REDIST_OK : REDIST_ERR_MEMORY);
    if (!err) {
        tuning->sources = sources;
        tuning->targets = targets;
        err = tune(plan, tuning);
    }
    mem_free(tuning);
    return err;
}
