/* SPDX-License-Identifier: MIT
 *
 * plan/choice/trials_make.c - what the trials of trials.h take.
 */
#include <math.h>
#include <string.h>

#include "move/mpi/check.h"
#include "base/error.h"
#include "move/p2p/pipeline.h"
#include "plan/choice/trials.h"

/* Messages of fewer bytes are sent off before they are expected: SimGrid's figure, and
 * that of slow networks; fast ones have less. */
enum { EAGER = 64 << 10 };

/* Bytes that an MPI puts before each message: SimGrid's figure; others' are like it. */
enum { ENVELOPE = 16 };

/* Seconds that an MPI takes to look at a message: SimGrid's figure; others' is less. */
static const double LOOK = 1e-7;

/* What a trial takes over links of one kind, by the order of ranks and by median. Of
 * bundles a process waits for all of a hop together, and packs what messages that are one
 * block in memory do not need. */
static redist_err time_trial(const struct trials *trials, const void *state,
                             const struct trial *trial, bool shared,
                             double seconds[MODEL_BEGINNINGS])
{
    const struct schedule_input *input = trials->input;
    const struct pace *pace = &trial->pace;
    struct model_going going = {.window = pace->window ? pace->window : INT64_MAX,
                                .stepwise = pace->stepwise || pace->group,
                                .chunk = trial->length.chunk,
                                .room = trial->length.room,
                                .together = LANES_LOOK,
                                .eager = EAGER,
                                .envelope = ENVELOPE,
                                .look = pace->group ? 0 : LOOK,
                                .latency = trials->latency,
                                .shared = shared,
                                .tells = trials->tells,
                                .relays = trials->relays};
    if (pace->group)
        return model_bundles(pace->group, input, &trials->packed, &going, seconds);
    return model_network(trial->kind, state, input, trials->model, &going, seconds);
}

/* Where it cannot be found out, all that are under way share their links without loss,
 * and single ones take as long as if they were alone. */
static redist_err try_pace(const struct trials *trials, const void *state,
                           struct trial *trial)
{
    const struct pace *pace = &trial->pace;
    double *seconds = trial->seconds, shared[MODEL_BEGINNINGS];
    TRY(time_trial(trials, state, trial, false, seconds));
    bool all = !pace->window && !pace->stepwise && !pace->group && trials->all;
    seconds[TRIALS_SHARED] = all ? trials->bound : seconds[MODEL_BY_MEDIAN];
    if (trials->few) {
        TRY(time_trial(trials, state, trial, true, shared));
        seconds[TRIALS_SHARED] = shared[MODEL_BY_MEDIAN];
    }
    for (int f = 0; f < TRIALS_FIGURES; f++) seconds[f] += trials->vote;
    return REDIST_OK;
}

/* What a made schedule takes if nothing but its ends limits a message. */
static redist_err between_ends(const struct trials *trials,
                               const struct schedule_kind *kind, const void *state,
                               double *seconds)
{
    struct schedule_input input = *trials->input;
    double at_pace[MODEL_PACES];
    input.topology = NULL;
    TRY(model_times(kind, state, &input, trials->model, at_pace));
    *seconds = INFINITY;
    for (int pace = 0; pace < MODEL_PACES; pace++)
        *seconds = fmin(*seconds, at_pace[pace]);
    return REDIST_OK;
}

/* Find what the schedule that is given takes between its ends. */
static redist_err find_least(struct trials *trials)
{
    void *state = NULL;
    if (trials->least > 0) return REDIST_OK;
    trials->input->seed = trials->seed;
    TRY(trials->given->make(trials->input, &state));
    redist_err err = between_ends(trials, trials->given, state, &trials->least);
    trials->given->free(state);
    return err;
}

/* How many times as long as the schedule that is given another takes between its ends, at
 * least 1: it may go in the place of that where the links make up for it. */
static redist_err find_excess(struct trials *trials, const struct schedule_kind *kind,
                              const void *state, double *excess)
{
    double seconds;
    *excess = 1;
    if (!trials->given || kind == trials->given) return REDIST_OK;
    TRY(between_ends(trials, kind, state, &seconds));
    TRY(find_least(trials));
    if (seconds > trials->least) *excess = seconds / trials->least;
    return REDIST_OK;
}

/* Make a trial of an order. */
static redist_err try_order(struct trials *trials, struct trial *trial)
{
    void *state = NULL;
    double excess;
    trials->input->seed = trial->seed;
    TRY(trial->kind->make(trials->input, &state));
    redist_err err = find_excess(trials, trial->kind, state, &excess);
    if (!err) err = try_pace(trials, state, trial);
    for (int f = 0; f < TRIALS_FIGURES; f++) trial->seconds[f] *= excess;
    trial->kind->free(state);
    return err;
}

/* Make every so-many-th trial, beginning with the own. */
static redist_err make_trials(struct trials *trials, int own, int every)
{
    redist_err err = REDIST_OK;
    for (int k = own; !err && k < trials->n; k += every) {
        struct trial *trial = &trials->trial[k];
        err = trial->kind ? try_order(trials, trial) : try_pace(trials, NULL, trial);
    }
    return err;
}

/* Tell each other what the trials take; who has failed before has none. Collective. */
static redist_err share_trials(const struct team *team, struct trials *trials)
{
    double seconds[TRIALS_MOST][TRIALS_FIGURES];
    for (int k = 0; k < TRIALS_MOST; k++)
        for (int f = 0; f < TRIALS_FIGURES; f++)
            seconds[k][f] = k < trials->n ? trials->trial[k].seconds[f] : INFINITY;
    TRY(mpi_check(MPI_Allreduce(MPI_IN_PLACE, seconds, TRIALS_FIGURES * TRIALS_MOST,
                                MPI_DOUBLE, MPI_MIN, team->comm),
                  "MPI_Allreduce"));
    for (int k = 0; k < trials->n; k++)
        memcpy(trials->trial[k].seconds, seconds[k], sizeof seconds[k]);
    return REDIST_OK;
}

redist_err trials_make(const struct team *team, redist_err err, struct trials *trials)
{
    if (!err) err = make_trials(trials, team ? team->rank : 0, team ? team->nranks : 1);
    redist_err shared = team ? share_trials(team, trials) : REDIST_OK;
    return err ? err : shared;
}
