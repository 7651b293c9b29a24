/* SPDX-License-Identifier: MIT
 *
 * plan/tune.c - time the best few exchanges by the model on the caller's own plan and
 * buffers, and keep the fastest.
 *
 *   round 0   make A  run  run*  run*   make B  run  run*  run*  ..     *: timed
 *   round 1   make A  run  run*  run*   make B  ..
 *
 * One exchange is there at a time, so that the cap on staging memory holds. Its first run
 * touches fresh memory and is not timed.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"
#include "plan/agree.h"
#include "plan/settle.h"

enum {
    CANDIDATES = 4,  /* that are timed */
    MOST_ROUNDS = 3, /* in which they take turns */
    TIMED = 2,       /* runs of each in a round */
    RUNS = MOST_ROUNDS * TIMED,
};

/* Seconds of all that is timed, as far as one round does not take longer. */
static const double patience = 1;

struct tuning {
    const void *const *sources; /* as of redist_execute_batch */
    void *const *targets;
    int n;
    struct candidate candidates[CHOOSE_MOST]; /* [n] */
    int rounds;
    double seconds[CANDIDATES * RUNS]; /* INFINITY: not run */
};

/* Run once from a common start. */
static redist_err run(redist_plan *plan, const struct tuning *tuning, double *seconds)
{
    TRY(exchange_check(MPI_Barrier(plan->team.comm), "MPI_Barrier"));
    double began = MPI_Wtime();
    redist_err err = redist_execute_batch(plan, tuning->sources, tuning->targets);
    *seconds = MPI_Wtime() - began;
    return err;
}

static redist_err slowest(const redist_plan *plan, int n, double seconds[])
{
    return exchange_check(
        MPI_Allreduce(MPI_IN_PLACE, seconds, n, MPI_DOUBLE, MPI_MAX, plan->team.comm),
        "MPI_Allreduce");
}

static bool is_same(const struct candidate *a, const struct candidate *b)
{
    return a->strategy.exchange == b->strategy.exchange &&
           a->strategy.parameter == b->strategy.parameter && a->staging == b->staging;
}

/* Whether what a candidate is made from was not kept. */
static bool is_out_of_reach(const redist_plan *plan, const struct candidate *candidate)
{
    return candidate->strategy.exchange->needs_dists && !plan->array[0].kept_dist[0];
}

/* Whether timing a candidate can bring to light nothing that the list does not have. */
static bool is_pointless(const struct candidate *candidate, const struct tuning *tuning)
{
    for (int k = 0; k < tuning->n; k++)
        if (is_same(candidate, &tuning->candidates[k]) ||
            (k > 0 && choose_is_beaten(candidate, &tuning->candidates[k])))
            return true;
    return false;
}

/* The best few by the model, behind what the plan does now. */
static void list_candidates(const redist_plan *plan, struct tuning *tuning)
{
    struct candidate ranked[CHOOSE_MOST];
    tuning->candidates[0] =
        (struct candidate){.strategy = plan->strategy, .staging = plan->move.staging};
    (void)choose_predict(&plan->load, &plan->rates, plan->move.grain,
                         &tuning->candidates[0]);
    tuning->n = 1;
    int n = settle_rank(plan, ranked);
    for (int k = 0; k < n && tuning->n < CANDIDATES; k++)
        if (!is_out_of_reach(plan, &ranked[k]) && !is_pointless(&ranked[k], tuning))
            tuning->candidates[tuning->n++] = ranked[k];
}

/* Make candidate k and time it; where it cannot be made with this staging memory, go on
 * without it. */
static redist_err time_candidate(redist_plan *plan, int k, int round,
                                 struct tuning *tuning)
{
    double first = 0, *seconds = &tuning->seconds[k * RUNS + round * TIMED];
    settle_drop(plan);
    redist_err err = settle_take(plan, &tuning->candidates[k]);
    if (err) return err == REDIST_ERR_ARG ? REDIST_OK : err;
    TRY(run(plan, tuning, &first));
    for (int timed = 0; timed < TIMED; timed++) TRY(run(plan, tuning, &seconds[timed]));
    return REDIST_OK;
}

/* Time all, in turns. */
static redist_err time_all(redist_plan *plan, struct tuning *tuning)
{
    for (int i = 0; i < CANDIDATES * RUNS; i++) tuning->seconds[i] = INFINITY;
    for (int round = 0; round < tuning->rounds; round++)
        for (int k = 0; k < tuning->n; k++) TRY(time_candidate(plan, k, round, tuning));
    return slowest(plan, CANDIDATES * RUNS, tuning->seconds);
}

/* The candidate with the shortest run; whatever else the machine does only makes runs
 * longer. */
static const struct candidate *find_fastest(const struct tuning *tuning)
{
    int fastest = 0;
    for (int i = 0; i < CANDIDATES * RUNS; i++)
        if (tuning->seconds[i] < tuning->seconds[fastest]) fastest = i;
    return &tuning->candidates[fastest / RUNS];
}

static redist_err tune(redist_plan *plan, struct tuning *tuning)
{
    double seconds = 0;
    TRY(run(plan, tuning, &seconds)); /* the buffers may turn out to be unusable */
    if (plan->options.in_place) return REDIST_OK; /* there is no other exchange for it */
    TRY(slowest(plan, 1, &seconds));
    TRY(settle_measure(plan));
    list_candidates(plan, tuning);
    double round = seconds * tuning->n * (TIMED + 1);
    tuning->rounds = round * MOST_ROUNDS <= patience
                         ? MOST_ROUNDS
                         : (int)int_max((int64_t)(patience / round), 1);
    redist_err err = time_all(plan, tuning);
    settle_drop(plan);
    if (!err) err = settle_take(plan, find_fastest(tuning));
    if (!err)
        plan->origin = "tuned";
    else
        (void)settle_take(plan, &tuning->candidates[0]);
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
    if (!plan) return error_set(REDIST_ERR_ARG, "plan is NULL");
    if (plan->active)
        return error_set(
            REDIST_ERR_STATE,
            "the plan is moving: redist_wait must come before redist_plan_tune");
    if (plan->passes.n > 0)
        return error_set(REDIST_ERR_ARG,
                         "the plan reduces %" PRId64
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
