/* SPDX-License-Identifier: MIT
 *
 * plan/choose_network.c - how messages go over a network that is known: several orders,
 * with more or fewer messages under way, are tried in a model of its links.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/lanes.h"
#include "plan/choose.h"
#include "plan/vote.h"
#include "schedule/kinds.h"
#include "schedule/topology.h"

/* How many messages are under way each way: `window`, 0: all; or those of a step. */
struct pace {
    int window;
    bool stepwise;
};

/* The longest piece of a message. */
struct length {
    int64_t staging; /* bytes that make it so; 0: what choose_staging takes */
    double chunk;    /* bytes that trials take pieces for; 0: a whole message */
    int64_t room;    /* bytes for what is under way each way; 0: it needs none */
};

/* What is found out of a trial: what it takes if links serve one message at a time, two
 * figures (model_beginning); or all alike. */
enum { SHARED = MODEL_BEGINNINGS, FIGURES };

/* An order, a pace, a length, and what that takes. */
struct trial {
    const struct schedule_kind *kind;
    int seed;
    struct pace pace;
    struct length length;
    double seconds[FIGURES];
    bool taken;
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
enum {
    PACES = sizeof paces / sizeof *paces,
    LENGTHS = 2,
    SEEDS = 8,    /* other than 0, of each of two that are drawn */
    MOST_ORDERS = /* with one that is given */
    sizeof over_network / sizeof *over_network + 2 * SEEDS,
    MOST_TRIALS = LENGTHS * PACES * MOST_ORDERS
};

/* What is to be tried. */
struct trials {
    struct schedule_input *input;
    const struct model *model;
    double latency;
    /* Of the vote on errors: each tells those that its data does not; or it goes in
     * rounds beside the data; or it takes so many seconds. */
    bool tells, relays;
    double vote;
    struct length length[LENGTHS]; /* so preferred */
    int nlengths;
    double bound; /* what all messages together take of shared links */
    const struct schedule_kind *given; /* or NULL: any */
    int seed;                          /* of the given one */
    double fairness; /* of links; 0 if what shared ones take is not found out */
    bool placed;     /* the network is known */
    bool thorough;   /* however many messages there are, all is tried */
    bool many;       /* there are too many: nothing is tried */
    bool few;        /* links are passed: what shared ones take can be found out */
    bool lone;       /* nor need it be: links serve one message at a time */
    bool known;      /* either of them, or all is tried: so there is more to try */
    bool paced;      /* rates are good enough to tell short messages' paces apart */
    bool all;        /* messages have room to be under way at a time */
    int n;
    struct trial trial[MOST_TRIALS];
};

/* Messages of fewer bytes are sent off before they are expected: SimGrid's figure, and
 * that of slow networks; fast ones have less. */
enum { EAGER = 64 << 10 };

/* Bytes that an MPI puts before each message: SimGrid's figure; others' are like it. */
enum { ENVELOPE = 16 };

/* Seconds that an MPI takes to look at a message: SimGrid's figure; others' is less. */
static const double LOOK = 1e-7;

/* With rates that are measured, no paces are tried of messages of fewer bytes. */
enum { MOST_VAGUE = 8 << 10 };

/* Where it cannot be found out, all that are under way share their links without loss,
 * and single ones take as long as if they were alone. */
static redist_err try_pace(const struct trials *trials, const void *state,
                           struct trial *trial)
{
    const struct schedule_input *input = trials->input;
    const struct pace *pace = &trial->pace;
    struct model_going going = {.window = pace->window ? pace->window : INT64_MAX,
                                .stepwise = pace->stepwise,
                                .chunk = trial->length.chunk,
                                .room = trial->length.room,
                                .together = LANES_LOOK,
                                .eager = EAGER,
                                .envelope = ENVELOPE,
                                .look = LOOK,
                                .latency = trials->latency,
                                .tells = trials->tells,
                                .relays = trials->relays};
    double *seconds = trial->seconds, shared[MODEL_BEGINNINGS];
    TRY(model_network(trial->kind, state, input, trials->model, &going, seconds));
    bool all = !pace->window && !pace->stepwise && trials->all;
    seconds[SHARED] = all ? trials->bound : seconds[MODEL_BY_MEDIAN];
    going.shared = true;
    if (trials->few) {
        TRY(model_network(trial->kind, state, input, trials->model, &going, shared));
        seconds[SHARED] = shared[MODEL_BY_MEDIAN];
    }
    for (int f = 0; f < FIGURES; f++) seconds[f] += trials->vote;
    return REDIST_OK;
}

/* List what there is to try of one order. Where shared links cannot be found out,
 * little. */
static void list_order(struct trials *trials, const struct schedule_kind *kind, int seed)
{
    const char *why = NULL;
    int last = !trials->paced ? 1 : trials->known ? PACES : 2;
    if (!kind->applicable(trials->input, &why)) return;
    if (kind == &schedule_links && !trials->placed) return;
    for (int j = 0; j < last; j++)
        for (int l = 0; l < trials->nlengths; l++)
            trials->trial[trials->n++] =
                (struct trial){.kind = kind,
                               .seed = seed,
                               .pace = paces[j],
                               .length = trials->length[l],
                               .seconds = {INFINITY, INFINITY, INFINITY}};
}

/* Others than a given one only where that is applicable: else there is no plan. */
static void list_trials(struct trials *trials)
{
    const struct schedule_kind *given = trials->given;
    if (given) list_order(trials, given, trials->seed);
    if (given && (!given->least || !trials->placed || trials->n == 0)) return;
    for (int seed = 0; seed <= (trials->known ? SEEDS : 0); seed++)
        for (int k = 0; over_network[k]; k++)
            if (seed ? over_network[k]->drawn : over_network[k] != given)
                list_order(trials, over_network[k], seed);
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

/* How many times as long as the schedule that is given another takes between its ends, at
 * least 1: it may go in the place of that where the links make up for it. */
static redist_err find_excess(const struct trials *trials,
                              const struct schedule_kind *kind, const void *state,
                              double *excess)
{
    const struct schedule_kind *given = trials->given;
    double seconds, least;
    void *other = NULL;
    *excess = 1;
    if (!given || kind == given) return REDIST_OK;
    TRY(between_ends(trials, kind, state, &seconds));
    trials->input->seed = trials->seed;
    TRY(given->make(trials->input, &other));
    redist_err err = between_ends(trials, given, other, &least);
    given->free(other);
    if (!err && seconds > least) *excess = seconds / least;
    return err;
}

/* Make every so-many-th trial, beginning with the own. */
static redist_err make_trials(struct trials *trials, int own, int every)
{
    redist_err err = REDIST_OK;
    for (int k = own; !err && k < trials->n; k += every) {
        struct trial *trial = &trials->trial[k];
        const struct schedule_kind *kind = trial->kind;
        void *state = NULL;
        double excess;
        trials->input->seed = trial->seed;
        TRY(kind->make(trials->input, &state));
        err = find_excess(trials, kind, state, &excess);
        if (!err) err = try_pace(trials, state, trial);
        for (int f = 0; f < FIGURES; f++) trial->seconds[f] *= excess;
        kind->free(state);
    }
    return err;
}

/* Tell each other what the trials take; who has failed before has none. Collective. */
static redist_err share_trials(const struct team *team, struct trials *trials)
{
    double seconds[MOST_TRIALS][FIGURES];
    for (int k = 0; k < MOST_TRIALS; k++)
        for (int f = 0; f < FIGURES; f++)
            seconds[k][f] = k < trials->n ? trials->trial[k].seconds[f] : INFINITY;
    TRY(exchange_check(MPI_Allreduce(MPI_IN_PLACE, seconds, FIGURES * MOST_TRIALS,
                                     MPI_DOUBLE, MPI_MIN, team->comm),
                       "MPI_Allreduce"));
    for (int k = 0; k < trials->n; k++)
        memcpy(trials->trial[k].seconds, seconds[k], sizeof seconds[k]);
    return REDIST_OK;
}

/* How far a trial is behind the best, by the figure by which it is most, as far as that
 * is known to count; NAN: nothing takes time. Where links serve one message at a time, it
 * is decided by who comes first, which nobody knows: what shared ones take, if it has
 * been found out, counts a little there too, as what does not depend on that. */
static double behind(const struct trials *trials, const struct trial *trial,
                     const double least[FIGURES])
{
    static const double little = 0.05;
    double fairness = trials->fairness, most = 0;
    double counts[FIGURES] = {1 - fairness, 1 - fairness, 1};
    if (trials->few) counts[SHARED] = fairness + (1 - fairness) * little;
    if (trials->lone) counts[SHARED] = 0;
    for (int f = 0; f < FIGURES; f++) {
        double far = counts[f] > 0 ? counts[f] * (trial->seconds[f] / least[f] - 1) : 0;
        if (isnan(far)) return far;
        most = fmax(most, far);
    }
    return most;
}

static void find_least(const struct trials *trials, double least[FIGURES])
{
    for (int f = 0; f < FIGURES; f++) {
        least[f] = INFINITY;
        for (int k = 0; k < trials->n; k++)
            least[f] = fmin(least[f], trials->trial[k].seconds[f]);
    }
}

static struct manner manner_of(const struct trial *trial)
{
    const struct pace *pace = &trial->pace;
    return (struct manner){.schedule = trial->kind,
                           .seed = trial->seed,
                           .exchange = pace->stepwise ? &exchange_sendrecv
                                       : pace->window ? &exchange_window
                                                      : NULL,
                           .window = pace->window,
                           .staging = trial->length.staging};
}

/* Take the one that is least behind the best of both, and of those that are hardly apart
 * the one with more under way; where one figure alone tells them apart, which depends on
 * who comes first, they must be further apart, and so must an order that has been drawn:
 * of many one is lucky with those who begin first in the model. */
static void take_trial(const struct trials *trials, struct manner *manner)
{
    static const double luck = 0.01;
    const double tie = trials->lone ? 0.006 : 0.001;
    double least[FIGURES], nearest = INFINITY;
    find_least(trials, least);
    for (int k = 0; k < trials->n; k++) {
        const struct trial *trial = &trials->trial[k];
        double far = behind(trials, trial, least) + (trial->seed ? luck : 0);
        if (!(far < nearest - tie)) continue; /* nor if nothing takes time */
        nearest = far;
        *manner = manner_of(trial);
    }
}

/* How far a trial is behind, in turns by each figure and by all; and by a little more for
 * each rival of the same order: times that are predicted to be equal may not be so. */
static double key_of(const struct trials *trials, const struct trial *trial,
                     const double least[FIGURES], const struct manner rivals[], int n)
{
    static const double little = 0.005;
    int alike = 0, f = n % (FIGURES + 1);
    for (int k = 0; k < n; k++) alike += rivals[k].schedule == trial->kind;
    double far =
        f < FIGURES ? trial->seconds[f] / least[f] - 1 : behind(trials, trial, least);
    return far + little * alike;
}

static int take_rivals(struct trials *trials, struct manner rivals[CHOOSE_RIVALS])
{
    double least[FIGURES];
    find_least(trials, least);
    int n = 0;
    for (; n < CHOOSE_RIVALS; n++) {
        struct trial *next = NULL;
        double nearest = INFINITY;
        for (int k = 0; k < trials->n; k++) {
            struct trial *trial = &trials->trial[k];
            double key = key_of(trials, trial, least, rivals, n);
            if (!trial->taken && key < nearest) next = trial, nearest = key;
        }
        if (!next) break;
        rivals[n] = manner_of(next);
        next->taken = true;
    }
    return n;
}

/* Find the fewest others that a process sends to, or hears from. MEMORY. */
static redist_err find_fewest(const struct schedule_input *input, int64_t *fewest)
{
    int64_t n = input->topology->nprocs;
    int64_t *partners = mem_alloc(NULL, SIDES * n, sizeof *partners);
    if (!partners) return REDIST_ERR_MEMORY;
    for (int64_t e = 0; e < input->grid->nedges; e++) {
        int p = input->rank[REDIST_SOURCE][input->grid->edge[e].p];
        int q = input->rank[REDIST_TARGET][input->grid->edge[e].q];
        partners[p] += p != q;
        partners[n + q] += p != q;
    }
    *fewest = n;
    for (int64_t k = 0; k < SIDES * n; k++) *fewest = int_min(*fewest, partners[k]);
    mem_free(partners);
    return REDIST_OK;
}

/* Find how the vote of a run goes (plan/vote.h). MEMORY. */
static redist_err find_vote(const struct rates *rates, struct trials *trials)
{
    int n = trials->input->topology->nprocs;
    int64_t fewest = 0;
    TRY(find_fewest(trials->input, &fewest));
    enum vote_way way = vote_way(n, n - 1 - fewest);
    trials->tells = way == VOTE_TELLS;
    trials->relays = way == VOTE_RELAYS;
    if (way == VOTE_REDUCES) trials->vote = rates->seconds[EFFORT_VOTES];
    return REDIST_OK;
}

/* The bytes of the longest message. */
static double longest_of(const struct schedule_input *input, const struct model *model)
{
    int64_t longest = 0;
    for (int64_t e = 0; e < input->grid->nedges; e++)
        longest = int_max(longest, input->grid->edge[e].weight);
    return model->unit * (double)longest;
}

/* Find how long the pieces of messages may be. What is packed goes by choose_staging:
 * with all staging memory where messages would wait for room, or where longer pieces save
 * startups. A message that is one block in memory needs no room, and both lengths are
 * tried: so it is in one dimension, if nothing repeats. */
static void find_lengths(const struct pattern *pattern, const struct model *model,
                         double bytes, int64_t most, struct trials *trials)
{
    bool packed = pattern->input.ndims > 0 || pattern->view[0]->dist->ndims > 1;
    int64_t staging[LENGTHS] = {int_min(EFFORT_NEAR, most), most};
    double chunk[LENGTHS];
    for (int k = 0; k < LENGTHS; k++) chunk[k] = (double)transfer_chunk(staging[k], 1);
    double startup = model->alpha / chunk[0], saved = startup - model->alpha / chunk[1];
    int first = (packed && bytes > EFFORT_NEAR / 2.0) ||
                saved > CHOOSE_MARGIN * (startup + model->beta);
    bool both =
        !packed && chunk[0] < chunk[1] && longest_of(&pattern->input, model) > chunk[0];
    trials->nlengths = both ? LENGTHS : 1;
    for (int k = 0; k < trials->nlengths; k++) {
        int l = (first + k) % LENGTHS;
        trials->length[k] = (struct length){.staging = both ? staging[l] : 0,
                                            .chunk = chunk[l],
                                            .room = packed ? staging[l] / SIDES : 0};
    }
}

/* How many links all messages pass, in pieces of at most `chunk` bytes, or whole. */
static double count_passed(const struct schedule_input *input, const struct model *model,
                           double chunk)
{
    double passed = 0;
    for (int64_t e = 0; e < input->grid->nedges; e++) {
        const struct edge *edge = &input->grid->edge[e];
        double bytes = model->unit * (double)edge->weight;
        int links =
            redist_topology_route(input->topology, input->rank[REDIST_SOURCE][edge->p],
                                  input->rank[REDIST_TARGET][edge->q], 0, NULL);
        passed += links * (chunk > 0 ? fmax(1, ceil(bytes / chunk)) : 1);
    }
    return passed;
}

/* Take pieces for longer ones, or whole messages at last, while in all they pass more
 * links than CHOOSE_MOST_PASSED: else it takes too long. */
static void make_coarse(const struct trials *trials, double *chunk)
{
    double longest = longest_of(trials->input, trials->model);
    while (*chunk > 0 &&
           count_passed(trials->input, trials->model, *chunk) > CHOOSE_MOST_PASSED)
        *chunk = *chunk < longest ? 2 * *chunk : 0;
}

/* Find what trials take pieces for. Where shared links take too long even for whole
 * messages, they are not looked at. */
static void make_lengths_coarse(struct trials *trials)
{
    double whole = count_passed(trials->input, trials->model, 0);
    trials->few =
        whole <= CHOOSE_MOST_PASSED && trials->input->grid->nedges <= CHOOSE_MOST_TRIED;
    for (int k = 0; k < trials->nlengths; k++)
        make_coarse(trials, &trials->length[k].chunk);
}

/* Find what is to be tried: nothing, if there is nothing to choose from. */
static redist_err find_trials(const struct query *query, struct pattern *pattern,
                              const struct model *model, double *strain,
                              struct trials *trials)
{
    const struct rates *rates = query->rates;
    struct schedule_input *input = &pattern->input;
    const struct model sizes = {.beta = 1, .unit = model->unit}, degrees = {.alpha = 1};
    const char *why = NULL;
    TRY(pattern_build_grid(pattern, CHOOSE_MOST_WAYS));
    if (!schedule_links.applicable(input, &why)) return REDIST_OK;
    TRY(model_strain(input, strain));
    double bytes = model_bound(input, &sizes), degree = model_bound(input, &degrees);
    trials->input = input;
    trials->model = model;
    trials->given = query->schedule;
    trials->seed = query->seed;
    trials->placed = query->topology != NULL;
    trials->latency = rates->seconds[EFFORT_WAITS];
    TRY(find_vote(rates, trials));
    find_lengths(pattern, model, bytes, query->most, trials);
    trials->all = bytes <= (double)query->most / 2;
    /* Rates that are measured count links that were shared: by them all short messages
     * seem to wait for the wire. */
    trials->paced = rates->stated || !trials->all || bytes >= MOST_VAGUE * degree;
    trials->bound = model->alpha + trials->latency +
                    fmax(model->beta * bytes * *strain,
                         model->alpha * degree + 2 * model->gamma * bytes);
    make_lengths_coarse(trials);
    trials->fairness = trials->few ? rates->fairness : 0;
    trials->lone = !trials->few && rates->fairness < 0.5;
    trials->known = trials->few || trials->lone || trials->thorough;
    trials->many =
        input->grid->nedges > (trials->lone ? CHOOSE_MOST_ALONE : CHOOSE_MOST_TRIED);
    if (!trials->many || trials->thorough) list_trials(trials);
    return REDIST_OK;
}

/* Make all trials. */
static redist_err try_all(const struct query *query, const struct team *team,
                          redist_err err, struct pattern *pattern,
                          const struct model *model, double *strain,
                          struct trials *trials)
{
    if (!err) err = find_trials(query, pattern, model, strain, trials);
    if (!err) err = make_trials(trials, team ? team->rank : 0, team ? team->nranks : 1);
    redist_err shared = team ? share_trials(team, trials) : REDIST_OK;
    return err ? err : shared;
}

redist_err choose_over_network(const struct query *query, const struct team *team,
                               redist_err err, struct pattern *pattern,
                               const struct model *model, struct course *course)
{
    struct trials trials = {.thorough = query->schedule};
    TRY(try_all(query, team, err, pattern, model, &course->strain, &trials));
    take_trial(&trials, &course->manner);
    if (trials.many && trials.all && !course->manner.schedule)
        course->manner.schedule = &schedule_links;
    return REDIST_OK;
}

redist_err choose_rivals_over_network(const struct query *query, const struct team *team,
                                      redist_err err, struct pattern *pattern,
                                      const struct model *model,
                                      struct manner rivals[CHOOSE_RIVALS], int *n)
{
    struct trials trials = {.thorough = true};
    double strain = 1;
    *n = 0;
    TRY(try_all(query, team, err, pattern, model, &strain, &trials));
    *n = take_rivals(&trials, rivals);
    return REDIST_OK;
}
