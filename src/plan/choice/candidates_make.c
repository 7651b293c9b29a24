/* SPDX-License-Identifier: MIT
 *
 * plan/choice/candidates_make.c - simulate the candidates of candidates.h.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "move/mpi/check.h"
#include "move/p2p/pipeline.h"
#include "plan/choice/candidates.h"

/* Messages of fewer bytes are sent eagerly: SimGrid's figure, and that of slow networks;
 * fast ones have less. */
enum { EAGER = 64 << 10 };

/* Bytes of a message's header: SimGrid's figure; other MPIs' are similar. */
enum { ENVELOPE = 16 };

/* Seconds that an MPI takes to test a message: SimGrid's figure; others' is less. */
static const double LOOK = 1e-7;

/* Simulate a candidate over links of one kind, in the order of ranks and by the median.
 * With bundles a process waits for all of a hop together, and packs also contiguous
 * messages. */
static redist_err time_candidate(const struct candidates *candidates, const void *state,
                                 const struct network_candidate *candidate, bool shared,
                                 double seconds[MODEL_BEGINNINGS])
{
    const struct schedule_input *input = candidates->input;
    const struct issue_policy *policy = &candidate->policy;
    struct model_going going = {.window = policy->window ? policy->window : INT64_MAX,
                                .stepwise = policy->stepwise || policy->group,
                                .chunk = candidate->length.chunk,
                                .room = candidate->length.room,
                                .together = PIPELINE_LOOK,
                                .eager = EAGER,
                                .envelope = ENVELOPE,
                                .look = policy->group ? 0 : LOOK,
                                .latency = candidates->latency,
                                .shared = shared,
                                .reports_status = candidates->reports_status,
                                .relays = candidates->relays};
    if (policy->group)
        return model_bundles(policy->group, input, &candidates->packed, &going, seconds);
    return model_network(candidate->kind, state, input, candidates->model, &going,
                         seconds);
}

/* Without simulation, messages in progress are assumed to share their links without loss,
 * and single ones to take as long as if alone. */
static redist_err try_policy(const struct candidates *candidates, const void *state,
                             struct network_candidate *candidate)
{
    const struct issue_policy *policy = &candidate->policy;
    double *seconds = candidate->seconds, shared[MODEL_BEGINNINGS];
    TRY(time_candidate(candidates, state, candidate, false, seconds));
    bool all = !policy->window && !policy->stepwise && !policy->group && candidates->all;
    seconds[CANDIDATES_SHARED] = all ? candidates->bound : seconds[MODEL_BY_MEDIAN];
    if (candidates->few) {
        TRY(time_candidate(candidates, state, candidate, true, shared));
        seconds[CANDIDATES_SHARED] = shared[MODEL_BY_MEDIAN];
    }
    for (int f = 0; f < CANDIDATES_FIGURES; f++) seconds[f] += candidates->vote;
    return REDIST_OK;
}

/* Find the seconds of a made schedule if only its ends limit a message. */
static redist_err between_ends(const struct candidates *candidates,
                               const struct schedule_kind *kind, const void *state,
                               double *seconds)
{
    struct schedule_input input = *candidates->input;
    double with_policy[MODEL_ISSUES];
    input.topology = NULL;
    TRY(model_times(kind, state, &input, candidates->model, with_policy));
    *seconds = INFINITY;
    for (int policy = 0; policy < MODEL_ISSUES; policy++)
        *seconds = fmin(*seconds, with_policy[policy]);
    return REDIST_OK;
}

/* Find these seconds for the given schedule. */
static redist_err find_least(struct candidates *candidates)
{
    void *state = NULL;
    if (candidates->least > 0) return REDIST_OK;
    candidates->input->seed = candidates->seed;
    TRY(candidates->given->make(candidates->input, &state));
    redist_err err =
        between_ends(candidates, candidates->given, state, &candidates->least);
    candidates->given->free(state);
    return err;
}

/* Find how many times as long as the given schedule another takes between its ends, at
 * least 1: it may replace that one if its links gain more. */
static redist_err find_excess(struct candidates *candidates,
                              const struct schedule_kind *kind, const void *state,
                              double *excess)
{
    double seconds;
    *excess = 1;
    if (!candidates->given || kind == candidates->given) return REDIST_OK;
    TRY(between_ends(candidates, kind, state, &seconds));
    TRY(find_least(candidates));
    if (seconds > candidates->least) *excess = seconds / candidates->least;
    return REDIST_OK;
}

/* Make the schedule of an order and simulate it. */
static redist_err try_order(struct candidates *candidates,
                            struct network_candidate *candidate)
{
    void *state = NULL;
    double excess;
    candidates->input->seed = candidate->seed;
    TRY(candidate->kind->make(candidates->input, &state));
    redist_err err = find_excess(candidates, candidate->kind, state, &excess);
    if (!err) err = try_policy(candidates, state, candidate);
    for (int f = 0; f < CANDIDATES_FIGURES; f++) candidate->seconds[f] *= excess;
    candidate->kind->free(state);
    return err;
}

/* Simulate every every-th candidate, beginning with the own one. */
static redist_err make_candidates(struct candidates *candidates, int own, int every)
{
    redist_err err = REDIST_OK;
    for (int k = own; !err && k < candidates->n; k += every) {
        struct network_candidate *candidate = &candidates->candidate[k];
        err = candidate->kind ? try_order(candidates, candidate)
                              : try_policy(candidates, NULL, candidate);
    }
    return err;
}

/* Exchange the results; a process that has failed before has none.
 * Collective. */
static redist_err share_candidates(const struct team *team, struct candidates *candidates)
{
    double seconds[CANDIDATES_MOST][CANDIDATES_FIGURES];
    for (int k = 0; k < CANDIDATES_MOST; k++)
        for (int f = 0; f < CANDIDATES_FIGURES; f++)
            seconds[k][f] =
                k < candidates->n ? candidates->candidate[k].seconds[f] : INFINITY;
    TRY(mpi_call(MPI_Allreduce(MPI_IN_PLACE, seconds,
                               CANDIDATES_FIGURES * CANDIDATES_MOST, MPI_DOUBLE, MPI_MIN,
                               team->comm)));
    for (int k = 0; k < candidates->n; k++)
        memcpy(candidates->candidate[k].seconds, seconds[k], sizeof seconds[k]);
    return REDIST_OK;
}

redist_err candidates_make(struct study *study, redist_err err, double *strain,
                           struct candidates *candidates)
{
    const struct team *team = study->team;
    if (!err) err = candidates_find(study, strain, candidates);
    if (!err)
        err = make_candidates(candidates, team ? team->rank : 0, team ? team->nranks : 1);
    redist_err shared = team ? share_candidates(team, candidates) : REDIST_OK;
    return err ? err : shared;
}
