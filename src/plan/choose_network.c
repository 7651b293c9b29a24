/* SPDX-License-Identifier: MIT
 *
 * plan/choose_network.c - how messages go over a network that is known: several orders,
 * with more or fewer messages under way, are tried in a model of its links.
 */
#include <math.h>

#include "base/error.h"
#include "base/intmath.h"
#include "plan/choose.h"
#include "plan/vote.h"
#include "schedule/kinds.h"
#include "schedule/topology.h"

/* How many messages are under way each way: `window`, 0: all; or those of a step. */
struct pace {
    int window;
    bool stepwise;
};

/* An order, a pace, and what that takes if links serve one message at a time, or all
 * alike. */
struct trial {
    const struct schedule_kind *kind;
    struct pace pace;
    double alone, shared;
};

static const struct schedule_kind *const over_network[] = {&schedule_links,
                                                           &schedule_shifted,
                                                           &schedule_optimal,
                                                           &schedule_combination,
                                                           &schedule_timeline,
                                                           &schedule_stepwise,
                                                           NULL};
static const struct pace paces[] = {
    {0, false}, {1, false}, {2, false}, {4, false}, {0, true}}; /* so preferred */
enum { PACES = sizeof paces / sizeof *paces };

/* What is to be tried. */
struct trials {
    const struct schedule_input *input;
    const struct model *model;
    double latency;
    double vote;  /* of the run on errors, which goes on when the data has come */
    double chunk; /* bytes of the longest piece of a message */
    double bound; /* what all messages together take of shared links */
    double least; /* of what the trials take alone */
    bool few;     /* messages: that of shared links can be found out */
    int n;
    struct trial trial[PACES * sizeof over_network / sizeof *over_network];
};

/* Messages of fewer bytes are sent off before they are expected: SimGrid's figure, and
 * that of slow networks; fast ones have less. */
enum { EAGER = 64 << 10 };

/* Where it cannot be found out, all that are under way share their links without loss,
 * and single ones take as long as if they were alone. */
static redist_err try_pace(const struct trials *trials, const void *state,
                           struct trial *trial)
{
    const struct schedule_input *input = trials->input;
    const struct pace *pace = &trial->pace;
    struct model_going going = {.window = pace->window ? pace->window : INT64_MAX,
                                .stepwise = pace->stepwise,
                                .chunk = trials->chunk,
                                .eager = EAGER,
                                .latency = trials->latency,
                                .most = (1 + CHOOSE_MARGIN) * trials->least};
    TRY(model_network(trial->kind, state, input, trials->model, &going, &trial->alone));
    bool all = !pace->window && !pace->stepwise;
    trial->shared = all ? trials->bound : trial->alone;
    going.shared = true;
    if (trials->few)
        TRY(model_network(trial->kind, state, input, trials->model, &going,
                          &trial->shared));
    trial->alone += trials->vote;
    trial->shared += trials->vote;
    return REDIST_OK;
}

/* Try one at those paces that `first` .. `last` - 1 number. */
static redist_err try_kind(const struct schedule_kind *kind, int first, int last,
                           struct trials *trials)
{
    const char *why = NULL;
    void *state = NULL;
    if (!kind->applicable(trials->input, &why)) return REDIST_OK;
    redist_err err = kind->make(trials->input, &state);
    for (int k = first; !err && k < last; k++) {
        if (paces[k].stepwise && kind->timed) continue;
        struct trial *trial = &trials->trial[trials->n++];
        *trial = (struct trial){.kind = kind, .pace = paces[k]};
        err = try_pace(trials, state, trial);
        if (!err) trials->least = fmin(trials->least, trial->alone);
    }
    kind->free(state);
    return err;
}

/* Take the one that is least behind the best, whichever way links serve. Where not all
 * messages have room, one that is hardly behind the bound. */
static void take_trial(const struct trials *trials, bool all, struct course *course)
{
    static const double tie = 0.005, late = 0.02;
    double shared = INFINITY, least = INFINITY;
    for (int k = 0; k < trials->n; k++) shared = fmin(shared, trials->trial[k].shared);
    for (int k = 0; k < trials->n; k++) {
        const struct trial *trial = &trials->trial[k];
        double behind = fmax(trial->alone / trials->least, trial->shared / shared);
        if (!(behind < (1 - tie) * least)) continue; /* nor if nothing takes time */
        if (!all && trial->alone > (1 + late) * trials->bound) continue;
        least = behind;
        course->schedule = trial->kind;
        course->window = trial->pace.window;
        course->exchange = trial->pace.stepwise ? &exchange_sendrecv
                           : trial->pace.window ? &exchange_window
                                                : NULL;
    }
}

/* What the vote of a run takes, of `degree` messages. */
static double vote_of(const struct schedule_input *input, const struct rates *rates,
                      double degree)
{
    double words = input->topology->nprocs - 1 - degree;
    return words > VOTE_MESSAGES ? rates->seconds[EFFORT_VOTES]
                                 : words * rates->seconds[EFFORT_STARTUPS];
}

/* The longest piece of a message, by the staging memory that choose_staging will take:
 * all of it where messages would wait for room, or where longer pieces save startups. A
 * message that is one block in memory needs no room: so it is in one dimension, if
 * nothing repeats. */
static double chunk_of(const struct pattern *pattern, const struct model *model,
                       double bytes, int64_t most)
{
    bool packed = pattern->input.ndims > 0 || pattern->view[0]->dist->ndims > 1;
    double near = (double)transfer_chunk(int_min(EFFORT_NEAR, most), 1);
    double all = (double)transfer_chunk(most, 1), startup = model->alpha / near;
    double saved = startup - model->alpha / all;
    if (packed && bytes > EFFORT_NEAR / 2.0) return all;
    return saved > CHOOSE_MARGIN * (startup + model->beta) ? all : near;
}

/* The order over a network that is known, if it is not too long: all messages at a time,
 * where they have room (those that wait for room would hold up others that must go
 * before), or some each way. */
redist_err choose_over_network(struct pattern *pattern, int64_t most,
                               const struct rates *rates, const struct model *model,
                               struct course *course)
{
    const struct schedule_input *input = &pattern->input;
    const struct model sizes = {.beta = 1, .unit = model->unit}, degrees = {.alpha = 1};
    const char *why = NULL;
    TRY(pattern_build_grid(pattern, CHOOSE_MOST_WAYS));
    if (!schedule_links.applicable(input, &why)) return REDIST_OK;
    TRY(model_strain(input, &course->strain));
    double bytes = model_bound(input, &sizes), degree = model_bound(input, &degrees);
    bool all = bytes <= (double)most / 2;
    if (input->grid->nedges > CHOOSE_MOST_TRIED) {
        if (all) course->schedule = &schedule_links;
        return REDIST_OK;
    }
    struct trials trials = {.input = input,
                            .model = model,
                            .latency = rates->seconds[EFFORT_WAITS],
                            .vote = vote_of(input, rates, degree),
                            .chunk = chunk_of(pattern, model, bytes, most),
                            .least = INFINITY,
                            .few = input->grid->nedges <= CHOOSE_MOST_SHARED};
    trials.bound = model->alpha + trials.latency +
                   fmax(model->beta * bytes * course->strain,
                        model->alpha * degree + 2 * model->gamma * bytes);
    int first = all ? 0 : 1, last = trials.few ? PACES : 2;
    for (int k = 0; over_network[k]; k++)
        TRY(try_kind(over_network[k], first, last, &trials));
    take_trial(&trials, all, course);
    return REDIST_OK;
}
