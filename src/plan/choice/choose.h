/* SPDX-License-Identifier: MIT
 *
 * plan/choice/choose.h - choose the exchange and its staging memory by predicted time.
 * The choice is a pure function of the busiest process's load and the machine's rates:
 * processes with the same data choose the same.
 */
#ifndef REDIST_PLAN_CHOICE_CHOOSE_H
#define REDIST_PLAN_CHOICE_CHOOSE_H

#include "base/intmath.h"
#include "move/message/exchange.h"
#include "plan/choice/rates.h"
#include "plan/choice/strategy.h"
#include "plan/comm/team.h"
#include "schedule/model/model.h"
#include "schedule/core/pattern.h"

/* An order of messages, and the exchange that follows it. */
struct method {
    const struct schedule_kind *schedule; /* NULL: ring order */
    int seed;                             /* of the schedule, see schedule.h */
    const struct exchange *exchange; /* `window`, `sendrecv` or `aggregated`; NULL: all
                                        that fit are in progress at once */
    int parameter;                   /* the number after its name */
    int64_t staging; /* bytes; the longest piece is a share of it; 0: as choose_staging
                        sets it */
};

/* The order and the exchange of a plan's messages. */
struct choice {
    struct method method;
    double strain;   /* model_strain; 1 if no network is known */
    bool given;      /* the schedule was requested */
    bool bundled;    /* `aggregated` was simulated, too; it is used if it is the method's
                        exchange */
    bool has_rivals; /* there may be others to try (choose_rivals) */
};

struct candidate {
    struct strategy strategy;
    int64_t staging; /* bytes that it may use, at most the cap */
    struct effort effort;
    double seconds; /* predicted, without elements that stay on a process. INFINITY: no
                       prediction and no effort */
};

enum { CHOOSE_MOST = 32 };

/* Predict the seconds of `candidate->strategy` with `candidate->staging`. A message may
 * be cut after each `grain` bytes. Returns false if the exchange has no effort function,
 * or is impossible. */
bool choose_predict(const struct load *load, const struct rates *rates, int64_t grain,
                    struct candidate *candidate);

/* Return the bytes of staging memory that stays in the cache, but at least two grains. */
static inline int64_t choose_near(int64_t grain)
{
    return int_max(EFFORT_NEAR, 2 * grain);
}

/* As choose_predict; set the staging memory first. It is choose_near or the cap `most`.
 * The cap is taken if it saves a twentieth, or if it costs at most a tenth and messages
 * between nodes would wait for room otherwise. If it returns false, it is the cap. */
bool choose_staging(const struct load *load, const struct rates *rates, int64_t most,
                    int64_t grain, struct candidate *candidate);

/* As choose_staging, for a candidate of a method: with the method's staging memory, if
 * given and the exchange is the method's or can follow its schedule. */
bool choose_staging_of(const struct method *method, const struct load *load,
                       const struct rates *rates, int64_t most, int64_t grain,
                       struct candidate *candidate);

/* Rank all exchanges with an effort function that this MPI supports, the fastest first.
 * Among those within a twentieth of each other the first in the table `exchanges` wins.
 * Exchanges that can follow the choice's schedule do so. The choice's own exchange, if
 * any, precedes these. It also precedes `aggregated` if that was simulated; else
 * `aggregated` is last. If nothing leaves a node, `shared` is the first, unless all
 * messages are contiguous and another takes less than half as long. If the schedule was
 * requested, all ranked exchanges follow it. Returns their number. */
int choose_rank(const struct load *load, const struct rates *rates, int64_t most,
                int64_t grain, const struct choice *choice,
                struct candidate candidates[CHOOSE_MOST]);

/* Tell whether `a` beats `b` without measured rates. */
bool choose_is_beaten(const struct candidate *a, const struct candidate *b);

/* Seconds of one term of a candidate; and the term that most favours `a` over `b`. If b
 * is NULL, or no term favours a, it is a's longest term. */
double choose_seconds(const struct candidate *candidate, const struct rates *rates,
                      enum effort_term term);
enum effort_term choose_deciding(const struct candidate *a, const struct candidate *b,
                                 const struct rates *rates);
extern const char *const choose_term_names[EFFORT_TERMS];

/* Choose the order of the messages. `most` is the cap, `element` its bytes.
 *
 * Without a network, order matters only if not all messages fit in memory at once, so
 * that they wait for each other. The schedule is then the fastest by
 * schedule/model/model.h, if it beats the ring order (schedule/published/shifted.h) by a
 * twentieth; otherwise NULL. Irregular sides and very many messages are not examined.
 *
 * Over a known network several orders are simulated (model_network), with all messages in
 * progress, a few each way, or a step at a time. The one that is least behind the best is
 * chosen. It is compared for the way links serve or, if unknown (rates.h), for the worst
 * of both ways, and for the order in which processes begin. Shared links are assumed, or
 * left out if links are known to serve one message at a time, for more than
 * CHOOSE_MOST_TRIED messages or if all pass more than CHOOSE_MOST_PASSED links. Long
 * contiguous messages are tried with two lengths of pieces; the method then has the
 * staging memory. If all pieces pass more links than that, the simulation uses longer
 * pieces or whole messages. With more than CHOOSE_MOST_TRIED messages, or more than
 * CHOOSE_MOST_ALONE links passed where links serve one at a time, and up to
 * CHOOSE_MOST_WAYS, the order is that of `links`, with all messages in progress. The
 * processes of `team`, if not NULL, share the simulations. If a network is known all of
 * them call this, also a process that has failed with `err`; then it is collective.
 *
 * Aggregated messages (`aggregated`; schedule/network/bundles.h) are simulated with
 * several group sizes, if links are simulated and all that they hold is likely to fit,
 * unless rates are measured and messages short. If aggregation is chosen, the choice also
 * has the best direct order.
 *
 * A requested order is simulated in the same way, up to CHOOSE_MOST_WAYS messages;
 * without a network, over a crossbar. If it is known for its minimum (`least` in
 * schedule.h), other orders are tried, too; their times are multiplied by the ratio of
 * both costs without a network, if that is greater.
 *
 * O(processes) for more than CHOOSE_MOST_MESSAGES; otherwise O(CHOOSE_MOST_PIECES log),
 * and with a topology the cost of model_network. MEMORY. */
enum {
    CHOOSE_MOST_MESSAGES = 1 << 12,
    CHOOSE_MOST_PIECES = 4096,
    CHOOSE_MOST_WAYS = 1 << 14,
    CHOOSE_MOST_TRIED = 1 << 12,
    CHOOSE_MOST_PASSED = 1 << 14,
    CHOOSE_MOST_ALONE = 1 << 18
};
struct query {
    const redist_view *source, *target;
    const redist_topology *topology; /* NULL: unknown */
    int64_t element, most;           /* bytes of one, and of staging memory */
    const struct rates *rates;
    const struct schedule_kind *schedule; /* requested; or NULL */
    int seed;                             /* of the requested schedule */
    int nranks;                           /* of the crossbar that is assumed for it */
};
redist_err choose_method(const struct query *query, const struct team *team,
                         redist_err err, struct choice *choice);

/* The inputs of a choice. */
struct study {
    const struct query *query;
    const struct team *team; /* as of choose_method */
    struct pattern pattern;  /* placed */
    struct model model;
    redist_topology *crossbar; /* if no network is known, but one is assumed */
};

/* As choose_method, over the network of a study. */
redist_err choose_over_network(struct study *study, redist_err err,
                               struct choice *choice);

/* Find alternatives that may turn out faster than the chosen choice. Of all candidates,
 * in turn: the next best if links serve one message at a time, if they are shared, and by
 * choose_method's measure. Without a network a crossbar is assumed. `*n` is their number;
 * the choice may be among them.
 * Collective over the team, that of choose_method. Cost and errors as choose_method. */
enum { CHOOSE_RIVALS = 9 };
redist_err choose_rivals(const struct query *query, const struct team *team,
                         struct method rivals[CHOOSE_RIVALS], int *n);
redist_err choose_rivals_over_network(struct study *study, redist_err err,
                                      struct method rivals[CHOOSE_RIVALS], int *n);

/* Predictions are not exact: smaller differences do not count. */
#define CHOOSE_MARGIN 0.05

#endif
