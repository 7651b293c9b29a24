/* SPDX-License-Identifier: MIT */
#include "plan/choice/choose.h"

#include <math.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/registry/exchanges.h"
#include "plan/comm/vote.h"
#include "schedule/core/kinds.h"
#include "schedule/model/model.h"

const char *const choose_term_names[EFFORT_TERMS] = {
    [EFFORT_STARTUPS] = "startups", [EFFORT_HANDSHAKES] = "handshakes",
    [EFFORT_WAITS] = "waits",       [EFFORT_WIRE] = "wire",
    [EFFORT_PACKING] = "packing",   [EFFORT_SPILL] = "spill",
    [EFFORT_CALLS] = "calls",       [EFFORT_VOTES] = "votes",
    [EFFORT_BLOCKS] = "blocks",     [EFFORT_TYPED] = "typed",
    [EFFORT_GETS] = "gets",         [EFFORT_FLAGS] = "flags",
    [EFFORT_RINGS] = "rings",
};

/* Predictions are not exact: smaller differences do not count. */
static const double margin = CHOOSE_MARGIN;

/* Within a node, smaller differences to `shared` do not count, either. */
static const double near_margin = 0.5;

double choose_seconds(const struct candidate *candidate, const struct rates *rates,
                      enum effort_term term)
{
    return candidate->effort.count[term] * rates->seconds[term];
}

enum effort_term choose_deciding(const struct candidate *a, const struct candidate *b,
                                 const struct rates *rates)
{
    enum effort_term deciding = 0, longest = 0;
    double most = 0;
    for (int k = 0; k < EFFORT_TERMS; k++) {
        enum effort_term term = (enum effort_term)k;
        double seconds = choose_seconds(a, rates, term);
        double gain = b ? choose_seconds(b, rates, term) - seconds : 0;
        if (gain > most) most = gain, deciding = term;
        if (seconds > choose_seconds(a, rates, longest)) longest = term;
    }
    return most > 0 ? deciding : longest;
}

bool choose_is_beaten(const struct candidate *a, const struct candidate *b)
{
    for (int k = 0; k < EFFORT_TERMS; k++)
        if (a->effort.count[k] < b->effort.count[k]) return false;
    return true;
}

/* ---- exchanges --------------------------------------------------------------------- */

bool choose_predict(const struct load *load, const struct rates *rates, int64_t grain,
                    struct candidate *candidate)
{
    const struct strategy *strategy = &candidate->strategy;
    struct load with = *load;
    with.staging = candidate->staging;
    with.grain = grain;
    with.chunk = transfer_chunk(with.staging, grain);
    candidate->seconds = INFINITY;
    if (!strategy->exchange->effort) return false;
    if (!strategy->exchange->effort(&with, strategy->parameter, &candidate->effort))
        return false;
    vote_effort(load, strategy->exchange, &candidate->effort);
    candidate->seconds = 0;
    for (int k = 0; k < EFFORT_TERMS; k++)
        candidate->seconds += choose_seconds(candidate, rates, (enum effort_term)k);
    return true;
}

/* Tell whether messages between nodes wait for room in `staging`. Those in progress then
 * meet at busy processes and links while others wait: on simulated machines they take up
 * to half as long again (docs/scale.md). */
static bool is_short_of_room(const struct load *load, int64_t staging)
{
    return int_max(load->far[0].packed, load->far[1].packed) > staging / 2;
}

bool choose_staging(const struct load *load, const struct rates *rates, int64_t most,
                    int64_t grain, struct candidate *candidate)
{
    struct candidate near = *candidate;
    candidate->staging = most;
    near.staging = choose_near(grain);
    bool possible = choose_predict(load, rates, grain, candidate);
    if (most <= near.staging || !choose_predict(load, rates, grain, &near))
        return possible;
    double least_gain = is_short_of_room(load, near.staging) ? -2 * margin : margin;
    bool more_pays = possible && candidate->seconds < (1 - least_gain) * near.seconds;
    if (!more_pays) *candidate = near;
    return true;
}

bool choose_staging_of(const struct method *method, const struct load *load,
                       const struct rates *rates, int64_t most, int64_t grain,
                       struct candidate *candidate)
{
    const struct exchange *exchange = candidate->strategy.exchange;
    bool follows = exchange->ordered || exchange == method->exchange;
    if (!method->staging || !follows)
        return choose_staging(load, rates, most, grain, candidate);
    candidate->staging = method->staging;
    return choose_predict(load, rates, grain, candidate);
}

/* Insert a candidate before the at-th of n. */
static void insert(struct candidate candidates[], int n, int at,
                   struct candidate candidate)
{
    for (int k = n; k > at; k--) candidates[k] = candidates[k - 1];
    candidates[at] = candidate;
}

/* Return the time that overlaps: of messages in progress together the bytes of one travel
 * while the next one starts, but nothing does after the last one before a wait. */
static double overlap(const struct candidate *candidate, const struct rates *rates)
{
    const double *count = candidate->effort.count;
    double startups = choose_seconds(candidate, rates, EFFORT_STARTUPS),
           wire = choose_seconds(candidate, rates, EFFORT_WIRE);
    if (!rates->overlaps || count[EFFORT_WAITS] >= count[EFFORT_STARTUPS]) return 0;
    return fmin(startups, wire) * (1 - count[EFFORT_WAITS] / count[EFFORT_STARTUPS]);
}

/* Tell whether a choice has simulated an exchange: its prediction then does not count. */
static bool has_tried(const struct choice *choice, const struct exchange *exchange)
{
    return choice->bundled && exchange == &exchange_aggregated;
}

/* What a ranking depends on. */
struct ranking {
    const struct load *load;
    const struct rates *rates;
    int64_t most, grain;
    const struct choice *choice;
};

/* Predict an exchange with the choice's order. Returns false if it is impossible. */
static bool predict(const struct ranking *ranking, const struct exchange *exchange,
                    int parameter, struct candidate *candidate)
{
    const struct method *method = &ranking->choice->method;
    strategy_make(method->schedule, method->seed, exchange, parameter,
                  &candidate->strategy);
    if (!choose_staging_of(method, ranking->load, ranking->rates, ranking->most,
                           ranking->grain, candidate))
        return false;
    candidate->seconds -= overlap(candidate, ranking->rates);
    return true;
}

/* Predict one of all exchanges. Returns false if it has no effort function, or is
 * impossible. */
static bool predict_one(const struct ranking *ranking, const struct exchange *exchange,
                        struct candidate *candidate)
{
    bool barred = exchange->lacks || (exchange->host_only && ranking->load->kinds);
    if (!exchange->effort || barred) return false;
    if (ranking->choice->given &&
        !(exchange->ordered && ranking->choice->method.schedule))
        return false;
    return predict(ranking, exchange, exchange->parameter, candidate);
}

/* Put the choice's exchange before all others that it was chosen from: those that follow
 * a schedule, and aggregation if it was simulated. */
static int put_exchange(const struct ranking *ranking, struct candidate candidates[],
                        int n)
{
    const struct method *method = &ranking->choice->method;
    int at = 0;
    struct candidate chosen = {.staging = ranking->most};
    if (n == CHOOSE_MOST) return n;
    if (!predict(ranking, method->exchange, method->parameter, &chosen)) return n;
    while (at < n && !candidates[at].strategy.exchange->ordered &&
           !has_tried(ranking->choice, candidates[at].strategy.exchange))
        at++;
    insert(candidates, n, at, chosen);
    return n + 1;
}

/* Put `shared` first if nothing leaves a node. MPI's messages go through shared memory as
 * rings do, and messages that are not contiguous are packed besides. Contiguous ones may
 * be copied once, if MPI can; that must be much faster, as rates of two ways through the
 * same memory vary with other load on the machine. */
static void prefer_shared(const struct load *load, const struct rates *rates,
                          struct candidate candidates[], int n)
{
    const struct flow *near = load->near, *far = load->far;
    bool packs = near[REDIST_SOURCE].packed + near[REDIST_TARGET].packed > 0;
    int at = 0;
    if (far[REDIST_SOURCE].messages + far[REDIST_TARGET].messages > 0) return;
    while (at < n && candidates[at].strategy.exchange != &exchange_shared) at++;
    if (at == n || candidates[at].effort.count[EFFORT_RINGS] == 0) return;
    struct candidate shared = candidates[at];
    bool beaten = false;
    for (int k = 0; k < at; k++)
        beaten = beaten || candidates[k].seconds < (1 - near_margin) * shared.seconds;
    if (rates->seconds[EFFORT_RINGS] >= RATES_NEVER || (!packs && beaten)) return;
    insert(candidates, at, 0, shared);
}

int choose_rank(const struct load *load, const struct rates *rates, int64_t most,
                int64_t grain, const struct choice *choice,
                struct candidate candidates[CHOOSE_MOST])
{
    const struct ranking ranking = {load, rates, most, grain, choice};
    int n = 0;
    for (int k = 0; exchanges[k] && n < CHOOSE_MOST; k++) {
        struct candidate *next = &candidates[n];
        int at = 0; /* before the first that it beats by more than the margin */
        if (has_tried(choice, exchanges[k]) || !predict_one(&ranking, exchanges[k], next))
            continue;
        while (at < n && next->seconds >= (1 - margin) * candidates[at].seconds) at++;
        insert(candidates, n++, at, *next);
    }
    if (choice->bundled && n < CHOOSE_MOST &&
        predict_one(&ranking, &exchange_aggregated, &candidates[n]))
        n++;
    if (choice->method.exchange) n = put_exchange(&ranking, candidates, n);
    prefer_shared(load, rates, candidates, n);
    return n;
}

/* ---- schedules --------------------------------------------------------------------- */

/* Tell whether not all messages of a process fit in staging memory at once. */
static bool is_crowded(const struct schedule_input *input, const struct model *model,
                       int64_t most)
{
    struct model bytes = {.beta = 1, .unit = model->unit};
    return model_bound(input, &bytes) > (double)int_min(most, EFFORT_NEAR) / 2;
}

static redist_err seconds_of(const struct schedule_kind *kind,
                             const struct schedule_input *input,
                             const struct model *model, double *seconds)
{
    double issues[MODEL_ISSUES];
    *seconds = INFINITY;
    if (!schedule_is_short(kind, input, CHOOSE_MOST_PIECES)) return REDIST_OK;
    TRY(model_try(kind, input, model, issues));
    *seconds = kind->timed ? issues[MODEL_WHOLE] : issues[MODEL_FREE];
    return REDIST_OK;
}

/* The schedules that each process computes by itself, in order of preference. */
static const struct schedule_kind *const local[] = {
    &schedule_optimal, &schedule_combination, &schedule_product, &schedule_timeline,
    NULL};

static redist_err find_fastest(const struct schedule_input *input,
                               const struct model *model,
                               const struct schedule_kind **kind)
{
    double least = 0, seconds = 0;
    TRY(seconds_of(&schedule_shifted, input, model, &least));
    for (int k = 0; local[k]; k++) {
        TRY(seconds_of(local[k], input, model, &seconds));
        if (seconds >= (1 - margin) * least) continue;
        *kind = local[k];
        least = seconds;
    }
    return REDIST_OK;
}

/* Choose the order without a network. */
static redist_err choose_order(const struct schedule_input *input, int64_t most,
                               const struct model *model, struct choice *choice)
{
    if (input->ndims == 0) return REDIST_OK;
    bool few = input->grid && input->grid->nedges <= CHOOSE_MOST_MESSAGES;
    if (!few || !is_crowded(input, model, most)) return REDIST_OK;
    return find_fastest(input, model, &choice->method.schedule);
}

static redist_err study_make(bool assume, struct study *study)
{
    const struct query *query = study->query;
    const struct rates *rates = query->rates;
    const redist_topology *network = query->topology;
    struct pattern *pattern = &study->pattern;
    TRY(pattern_make(query->source, query->target, pattern));
    bool tries = network || assume; /* simulates orders over links */
    if (tries || pattern->input.ndims > 0)
        TRY(pattern_build_grid(pattern, tries ? CHOOSE_MOST_WAYS : CHOOSE_MOST_MESSAGES));
    double packing = rates->seconds[EFFORT_PACKING];
    study->model =
        (struct model){.alpha = rates->seconds[EFFORT_STARTUPS],
                       .beta = rates->seconds[EFFORT_WIRE],
                       .gamma = pattern_packs(pattern) ? packing : 0,
                       .unit = (double)query->element * pattern_unit_elements(pattern)};
    if (!network && assume) {
        TRY(redist_topology_create_tree(1, &query->nranks, NULL, query->nranks, NULL,
                                        &study->crossbar));
        network = study->crossbar;
    }
    return pattern_place(pattern, network);
}

static void study_free(struct study *study)
{
    pattern_free(&study->pattern);
    redist_topology_destroy(&study->crossbar);
}

redist_err choose_method(const struct query *query, const struct team *team,
                         redist_err err, struct choice *choice)
{
    struct study study = {.query = query, .team = team};
    *choice =
        (struct choice){.method = {.schedule = query->schedule, .seed = query->seed},
                        .given = query->schedule,
                        .strain = 1};
    if (!err) err = study_make(query->schedule, &study);
    if (query->topology || query->schedule)
        err = choose_over_network(&study, err, choice);
    if (!err && !choice->method.schedule)
        err = choose_order(&study.pattern.input, query->most, &study.model, choice);
    choice->has_rivals = query->topology || study.pattern.input.ndims > 0;
    study_free(&study);
    return err;
}

redist_err choose_rivals(const struct query *query, const struct team *team,
                         struct method rivals[CHOOSE_RIVALS], int *n)
{
    struct study study = {.query = query, .team = team};
    redist_err err = study_make(true, &study);
    err = choose_rivals_over_network(&study, err, rivals, n);
    study_free(&study);
    return err;
}
