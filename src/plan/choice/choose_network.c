/* SPDX-License-Identifier: MIT
 *
 * plan/choice/choose_network.c - how messages go over a network that is known: as of all
 * trials (trials.h) the one goes that is least behind the best.
 */
#include <math.h>

#include "base/error.h"
#include "plan/choice/trials.h"
#include "schedule/core/kinds.h"

/* How far a trial is behind the best, by the figure by which it is most, as far as that
 * is known to count; NAN: nothing takes time. Where links serve one message at a time, it
 * is decided by who comes first, which nobody knows: what shared ones take, if it has
 * been found out, counts a little there too, as what does not depend on that. */
static double behind(const struct trials *trials, const struct trial *trial,
                     const double least[TRIALS_FIGURES])
{
    static const double little = 0.05;
    double fairness = trials->fairness, most = 0;
    double counts[TRIALS_FIGURES] = {1 - fairness, 1 - fairness, 1};
    if (trials->few) counts[TRIALS_SHARED] = fairness + (1 - fairness) * little;
    if (trials->lone) counts[TRIALS_SHARED] = 0;
    for (int f = 0; f < TRIALS_FIGURES; f++) {
        double far = counts[f] > 0 ? counts[f] * (trial->seconds[f] / least[f] - 1) : 0;
        if (isnan(far)) return far;
        most = fmax(most, far);
    }
    return most;
}

static void find_least(const struct trials *trials, double least[TRIALS_FIGURES])
{
    for (int f = 0; f < TRIALS_FIGURES; f++) {
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
                           .exchange = pace->group      ? &exchange_aggregated
                                       : pace->stepwise ? &exchange_sendrecv
                                       : pace->window   ? &exchange_window
                                                        : NULL,
                           .parameter = pace->group ? pace->group : pace->window,
                           .staging = trial->length.staging};
}

/* Find the trial that is least behind the best of both, and of those that are hardly
 * apart the one with more under way; where one figure alone tells them apart, which
 * depends on who comes first, they must be further apart, and so must an order that has
 * been drawn, or bundles of another size than is usual: of many one is lucky with those
 * who begin first in the model. NULL: nothing takes time. */
static const struct trial *nearest_of(const struct trials *trials, bool straight)
{
    static const double luck = 0.01;
    const double tie = trials->lone ? 0.006 : 0.001;
    double least[TRIALS_FIGURES], nearest = INFINITY;
    const struct trial *found = NULL;
    find_least(trials, least);
    for (int k = 0; k < trials->n; k++) {
        const struct trial *trial = &trials->trial[k];
        double far = behind(trials, trial, least) + (trial->variant ? luck : 0);
        if (!(far < nearest - tie) || (straight && !trial->kind)) continue;
        nearest = far;
        found = trial;
    }
    return found;
}

/* Take the one that is nearest; where these are bundles, which have no order, with the
 * order of the nearest else, for what goes straight if they cannot. */
static void take_trial(const struct trials *trials, struct manner *manner)
{
    const struct trial *trial = nearest_of(trials, false);
    if (!trial) return;
    *manner = manner_of(trial);
    if (trial->kind) return;
    const struct trial *straight = nearest_of(trials, true);
    if (!straight) return;
    manner->schedule = straight->kind;
    manner->seed = straight->seed;
}

/* How far a trial is behind, in turns by each figure and by all; and by a little more for
 * each rival of the same order: times that are predicted to be equal may not be so. */
static double key_of(const struct trials *trials, const struct trial *trial,
                     const double least[TRIALS_FIGURES], const struct manner rivals[],
                     int n)
{
    static const double little = 0.005;
    int alike = 0, f = n % (TRIALS_FIGURES + 1);
    for (int k = 0; k < n; k++) alike += rivals[k].schedule == trial->kind;
    double far = f < TRIALS_FIGURES ? trial->seconds[f] / least[f] - 1
                                    : behind(trials, trial, least);
    return far + little * alike;
}

static int take_rivals(struct trials *trials, struct manner rivals[CHOOSE_RIVALS])
{
    double least[TRIALS_FIGURES];
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

/* Find and make all trials. */
static redist_err try_all(const struct query *query, const struct team *team,
                          redist_err err, struct pattern *pattern,
                          const struct model *model, double *strain,
                          struct trials *trials)
{
    if (!err) err = trials_find(query, pattern, model, strain, trials);
    return trials_make(team, err, trials);
}

redist_err choose_over_network(const struct query *query, const struct team *team,
                               redist_err err, struct pattern *pattern,
                               const struct model *model, struct course *course)
{
    struct trials trials = {.thorough = query->schedule};
    TRY(try_all(query, team, err, pattern, model, &course->strain, &trials));
    take_trial(&trials, &course->manner);
    course->bundled = trials.bundled && !trials.many;
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
