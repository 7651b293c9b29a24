/* SPDX-License-Identifier: MIT
 *
 * plan/choice/choose_network.c - the choice over a known network: the candidate
 * (candidates.h) that is least behind the best.
 */
#include <math.h>

#include "base/error.h"
#include "plan/choice/candidates.h"
#include "schedule/core/kinds.h"

/* Return how far a candidate is behind the best, by its worst figure that is known to
 * count; NAN: nothing takes time. If links serve one message at a time, the result
 * depends on who comes first, which nobody knows. The figure for shared links does not
 * depend on it; if simulated, it counts a little there, too. */
static double behind(const struct candidates *candidates,
                     const struct network_candidate *candidate,
                     const double least[CANDIDATES_FIGURES])
{
    static const double little = 0.05;
    double fairness = candidates->fairness, most = 0;
    double counts[CANDIDATES_FIGURES] = {1 - fairness, 1 - fairness, 1};
    if (candidates->few) counts[CANDIDATES_SHARED] = fairness + (1 - fairness) * little;
    if (candidates->lone) counts[CANDIDATES_SHARED] = 0;
    for (int f = 0; f < CANDIDATES_FIGURES; f++) {
        double far =
            counts[f] > 0 ? counts[f] * (candidate->seconds[f] / least[f] - 1) : 0;
        if (isnan(far)) return far;
        most = fmax(most, far);
    }
    return most;
}

static void find_least(const struct candidates *candidates,
                       double least[CANDIDATES_FIGURES])
{
    for (int f = 0; f < CANDIDATES_FIGURES; f++) {
        least[f] = INFINITY;
        for (int k = 0; k < candidates->n; k++)
            least[f] = fmin(least[f], candidates->candidate[k].seconds[f]);
    }
}

static struct method method_of(const struct network_candidate *candidate)
{
    const struct issue_policy *policy = &candidate->policy;
    return (struct method){.schedule = candidate->kind,
                           .seed = candidate->seed,
                           .exchange = policy->group      ? &exchange_aggregated
                                       : policy->stepwise ? &exchange_sendrecv
                                       : policy->window   ? &exchange_window
                                                          : NULL,
                           .parameter = policy->group ? policy->group : policy->window,
                           .staging = candidate->length.staging};
}

/* Return the candidate that is least behind the best of both kinds of links. Of almost
 * equal ones it is the one with more messages in progress. The difference must be greater
 * if only one figure decides, which depends on who comes first; also for a drawn order,
 * or an unusual group size: one of many may be lucky in the simulation. NULL: nothing
 * takes time. */
static const struct network_candidate *nearest_of(const struct candidates *candidates,
                                                  bool straight)
{
    static const double luck = 0.01;
    const double tie = candidates->lone ? 0.006 : 0.001;
    double least[CANDIDATES_FIGURES], nearest = INFINITY;
    const struct network_candidate *found = NULL;
    find_least(candidates, least);
    for (int k = 0; k < candidates->n; k++) {
        const struct network_candidate *candidate = &candidates->candidate[k];
        double far =
            behind(candidates, candidate, least) + (candidate->variant ? luck : 0);
        if (!(far < nearest - tie) || (straight && !candidate->kind)) continue;
        nearest = far;
        found = candidate;
    }
    return found;
}

/* Take the nearest candidate. If it is aggregated it has no order; the order is then that
 * of the nearest direct candidate, in case bundles cannot be used. */
static void take_candidate(const struct candidates *candidates, struct method *method)
{
    const struct network_candidate *candidate = nearest_of(candidates, false);
    if (!candidate) return;
    *method = method_of(candidate);
    if (candidate->kind) return;
    const struct network_candidate *straight = nearest_of(candidates, true);
    if (!straight) return;
    method->schedule = straight->kind;
    method->seed = straight->seed;
}

/* Return how far a candidate is behind, by one figure in turn or by all; and a little
 * more for each rival of the same order, as times predicted to be equal may differ. */
static double key_of(const struct candidates *candidates,
                     const struct network_candidate *candidate,
                     const double least[CANDIDATES_FIGURES], const struct method rivals[],
                     int n)
{
    static const double little = 0.005;
    int alike = 0, f = n % (CANDIDATES_FIGURES + 1);
    for (int k = 0; k < n; k++) alike += rivals[k].schedule == candidate->kind;
    double far = f < CANDIDATES_FIGURES ? candidate->seconds[f] / least[f] - 1
                                        : behind(candidates, candidate, least);
    return far + little * alike;
}

static int take_rivals(struct candidates *candidates, struct method rivals[CHOOSE_RIVALS])
{
    double least[CANDIDATES_FIGURES];
    find_least(candidates, least);
    int n = 0;
    for (; n < CHOOSE_RIVALS; n++) {
        struct network_candidate *next = NULL;
        double nearest = INFINITY;
        for (int k = 0; k < candidates->n; k++) {
            struct network_candidate *candidate = &candidates->candidate[k];
            double key = key_of(candidates, candidate, least, rivals, n);
            if (!candidate->taken && key < nearest) next = candidate, nearest = key;
        }
        if (!next) break;
        rivals[n] = method_of(next);
        next->taken = true;
    }
    return n;
}

redist_err choose_over_network(struct study *study, redist_err err, struct choice *choice)
{
    struct candidates candidates = {.thorough = study->query->schedule};
    TRY(candidates_make(study, err, &choice->strain, &candidates));
    take_candidate(&candidates, &choice->method);
    choice->bundled = candidates.bundled && !candidates.many;
    if (candidates.many && candidates.all && !choice->method.schedule)
        choice->method.schedule = &schedule_links;
    return REDIST_OK;
}

redist_err choose_rivals_over_network(struct study *study, redist_err err,
                                      struct method rivals[CHOOSE_RIVALS], int *n)
{
    struct candidates candidates = {.thorough = true};
    double strain = 1;
    *n = 0;
    TRY(candidates_make(study, err, &strain, &candidates));
    *n = take_rivals(&candidates, rivals);
    return REDIST_OK;
}
