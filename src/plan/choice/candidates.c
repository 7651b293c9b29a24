/* SPDX-License-Identifier: MIT */
#include "plan/choice/candidates.h"

#include <math.h>

#include "base/error.h"
#include "base/intmath.h"
#include "plan/comm/vote.h"
#include "schedule/core/kinds.h"
#include "schedule/network/bundles.h"
#include "schedule/problem/topology.h"

static const struct schedule_kind *const over_network[CANDIDATES_ORDERS + 1] = {
    &schedule_links,
    &schedule_shifted,
    &schedule_optimal,
    &schedule_combination,
    &schedule_timeline,
    &schedule_stepwise,
    NULL};
/* In order of preference. */
static const struct issue_policy policies[CANDIDATES_POLICIES] = {
    {.window = 0}, {.window = 1}, {.window = 2}, {.window = 4}, {.stepwise = true}};

/* Orders that cut all messages into more pieces than this are not simulated. */
enum { MOST_PIECES = 1 << 15 };

/* With measured rates, no policies are tried for messages of fewer bytes. */
enum { MOST_VAGUE = 8 << 10 };

static void list_candidate(struct candidates *candidates,
                           struct network_candidate candidate)
{
    for (int f = 0; f < CANDIDATES_FIGURES; f++) candidate.seconds[f] = INFINITY;
    candidates->candidate[candidates->n++] = candidate;
}

/* List the candidates of one order; few, if shared links are not simulated. */
static void list_order(struct candidates *candidates, const struct schedule_kind *kind,
                       int seed)
{
    const char *why = NULL;
    int last = !candidates->paced ? 1 : candidates->known ? CANDIDATES_POLICIES : 2;
    if (!kind->applicable(candidates->input, &why) ||
        !schedule_is_short(kind, candidates->input, MOST_PIECES))
        return;
    if (kind == &schedule_links && !candidates->placed) return;
    for (int j = 0; j < last; j++)
        for (int l = 0; l < candidates->nlengths; l++)
            list_candidate(candidates,
                           (struct network_candidate){.kind = kind,
                                                      .seed = seed,
                                                      .variant = seed,
                                                      .policy = policies[j],
                                                      .length = candidates->length[l]});
}

static void list_bundles_of(struct candidates *candidates, int group, bool variant)
{
    list_candidate(candidates, (struct network_candidate){.variant = variant,
                                                          .policy = {.group = group},
                                                          .length = candidates->whole});
}

/* List aggregation in groups of as many as there are groups, and of 2, 4, 8, ... */
static void list_bundles(struct candidates *candidates)
{
    int n = candidates->input->topology->nprocs, usual = bundles_group(n), groups = 1;
    if (usual < n) list_bundles_of(candidates, usual, false);
    for (int group = 2; group < n && groups < CANDIDATES_GROUPS; group *= 2) {
        if (group == usual) continue;
        list_bundles_of(candidates, group, true);
        groups++;
    }
}

/* List other orders than a given one only if that is applicable: else there is no
 * plan. */
static void list_candidates(struct candidates *candidates)
{
    const struct schedule_kind *given = candidates->given;
    if (given) list_order(candidates, given, candidates->seed);
    if (given && (!given->least || !candidates->placed || candidates->n == 0)) return;
    bool drawn =
        candidates->few || candidates->lone; /* otherwise one of many may only be lucky */
    for (int seed = 0; seed <= (drawn ? CANDIDATES_SEEDS : 0); seed++)
        for (int k = 0; over_network[k]; k++)
            if (seed ? over_network[k]->drawn : over_network[k] != given)
                list_order(candidates, over_network[k], seed);
    if (candidates->bundled) list_bundles(candidates);
}

/* Find the fewest others to which a process sends, or from which it receives. MEMORY. */
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

/* Find how a run votes (plan/comm/vote.h). MEMORY. */
static redist_err find_vote(const struct rates *rates, struct candidates *candidates)
{
    int n = candidates->input->topology->nprocs;
    int64_t fewest = 0;
    TRY(find_fewest(candidates->input, &fewest));
    enum vote_way way = vote_way(n, n - 1 - fewest);
    candidates->reports_status = way == VOTE_TELLS;
    candidates->relays = way == VOTE_RELAYS;
    if (way == VOTE_REDUCES) candidates->vote = rates->seconds[EFFORT_VOTES];
    return REDIST_OK;
}

/* Return the bytes of the longest message that does not stay on its process. */
static double longest_of(const struct schedule_input *input, const struct model *model)
{
    int64_t longest = 0;
    for (int64_t e = 0; e < input->grid->nedges; e++) {
        const struct edge *edge = &input->grid->edge[e];
        if (!schedule_stays(input, edge->p, edge->q))
            longest = int_max(longest, edge->weight);
    }
    return model->unit * (double)longest;
}

/* Find the lengths of pieces. Packed messages follow choose_staging: all staging memory
 * if messages would wait for room, or if longer pieces save startups. Contiguous messages
 * need no room, and both lengths are tried. */
static void find_lengths(const struct study *study, double bytes,
                         struct candidates *candidates)
{
    const struct model *model = &study->model;
    const int64_t most = study->query->most;
    bool packed = pattern_packs(&study->pattern);
    const int64_t near = choose_near(study->query->element);
    int64_t staging[CANDIDATES_LENGTHS] = {int_min(near, most), most};
    double chunk[CANDIDATES_LENGTHS];
    for (int k = 0; k < CANDIDATES_LENGTHS; k++)
        chunk[k] = (double)transfer_chunk(staging[k], 1);
    double startup = model->alpha / chunk[0], saved = startup - model->alpha / chunk[1];
    int first = (packed && bytes > (double)near / 2) ||
                saved > CHOOSE_MARGIN * (startup + model->beta);
    bool both = !packed && chunk[0] < chunk[1] &&
                longest_of(&study->pattern.input, model) > chunk[0];
    candidates->nlengths = both ? CANDIDATES_LENGTHS : 1;
    for (int k = 0; k < candidates->nlengths; k++) {
        int l = (first + k) % CANDIDATES_LENGTHS;
        candidates->length[k] = (struct length){.staging = both ? staging[l] : 0,
                                                .chunk = chunk[l],
                                                .room = packed ? staging[l] / SIDES : 0};
    }
}

/* Count the links that all messages pass, in pieces of at most `chunk` bytes, or
 * whole. */
static double count_passed(const struct schedule_input *input, const struct model *model,
                           double chunk)
{
    double passed = 0;
    for (int64_t e = 0; e < input->grid->nedges; e++) {
        const struct edge *edge = &input->grid->edge[e];
        double bytes = model->unit * (double)edge->weight;
        int links = schedule_route(input, edge, 0, NULL);
        passed += links * (chunk > 0 ? fmax(1, ceil(bytes / chunk)) : 1);
    }
    return passed;
}

/* Simulate longer pieces, or finally whole messages, while all together pass more links
 * than CHOOSE_MOST_PASSED: otherwise it takes too long. */
static void make_coarse(const struct candidates *candidates, double *chunk)
{
    double longest = longest_of(candidates->input, candidates->model);
    while (*chunk > 0 && count_passed(candidates->input, candidates->model, *chunk) >
                             CHOOSE_MOST_PASSED)
        *chunk = *chunk < longest ? 2 * *chunk : 0;
}

/* Find the pieces to simulate, what is known of links, and whether there are too many
 * messages: if shared links take too long even for whole messages, they are not
 * simulated. */
static void find_extent(const struct rates *rates, struct candidates *candidates)
{
    double whole = count_passed(candidates->input, candidates->model, 0);
    bool many = candidates->input->grid->nedges > CHOOSE_MOST_TRIED;
    candidates->few = whole <= CHOOSE_MOST_PASSED && !many;
    candidates->fairness = candidates->few ? rates->fairness : 0;
    candidates->lone = !candidates->few && rates->fairness < 0.5;
    candidates->known = candidates->few || candidates->lone || candidates->thorough;
    candidates->many = candidates->lone ? whole > CHOOSE_MOST_ALONE : many;
    for (int k = 0; k < candidates->nlengths; k++)
        make_coarse(candidates, &candidates->length[k].chunk);
}

/* Tell whether bundles, each with a trailer, are likely to be sent whole: a process's own
 * data would have room both ways on both hops. Find the staging memory for it. */
static bool have_room(struct candidates *candidates, double degree, int64_t most)
{
    double message = longest_of(candidates->input, candidates->model) + sizeof(int64_t);
    double held = HOPS * SIDES * degree * message;
    if (held > EFFORT_NEAR) candidates->whole.staging = most;
    return held <= (double)most;
}

/* List the candidates: none, if there is nothing to choose from. */
redist_err candidates_find(struct study *study, double *strain,
                           struct candidates *candidates)
{
    const struct query *query = study->query;
    const struct rates *rates = query->rates;
    const struct model *model = &study->model;
    struct schedule_input *input = &study->pattern.input;
    const struct model sizes = {.beta = 1, .unit = model->unit}, degrees = {.alpha = 1};
    const char *why = NULL;
    if (!schedule_links.applicable(input, &why)) return REDIST_OK;
    TRY(model_strain(input, strain));
    double bytes = model_bound(input, &sizes), degree = model_bound(input, &degrees);
    candidates->input = input;
    candidates->model = model;
    candidates->packed = *model;
    candidates->packed.gamma = rates->seconds[EFFORT_PACKING];
    candidates->given = query->schedule;
    candidates->seed = query->seed;
    candidates->placed = query->topology != NULL;
    candidates->latency = rates->seconds[EFFORT_WAITS];
    TRY(find_vote(rates, candidates));
    find_lengths(study, bytes, candidates);
    candidates->all = bytes <= (double)query->most / 2;
    /* Measured rates include shared links: with them all short messages seem to wait for
     * the wire. */
    candidates->paced = rates->stated || !candidates->all || bytes >= MOST_VAGUE * degree;
    candidates->bound = model->alpha + candidates->latency +
                        fmax(model->beta * bytes * *strain,
                             model->alpha * degree + 2 * model->gamma * bytes);
    find_extent(rates, candidates);
    candidates->bundled = candidates->placed && !candidates->given && candidates->paced &&
                          (candidates->few || candidates->lone) &&
                          have_room(candidates, degree, query->most);
    if (!candidates->many || candidates->thorough) list_candidates(candidates);
    return REDIST_OK;
}
