/* SPDX-License-Identifier: MIT
 *
 * plan/choice/choose.h - which exchange, with how much staging memory, takes least. A
 * pure function of what the busiest process has to do and of the machine's rates:
 * processes that know the same choose the same.
 */
#ifndef REDIST_PLAN_CHOICE_CHOOSE_H
#define REDIST_PLAN_CHOICE_CHOOSE_H

#include "move/message/exchange.h"
#include "plan/choice/rates.h"
#include "plan/choice/strategy.h"
#include "plan/comm/team.h"
#include "schedule/model/model.h"
#include "schedule/core/pattern.h"

/* An order of messages, and how it is followed. */
struct manner {
    const struct schedule_kind *schedule; /* NULL: the ring's */
    int seed;                             /* of the schedule, see schedule.h */
    const struct exchange *exchange; /* `window`, `sendrecv` or `aggregated`; NULL: all
                                        that have room are under way */
    int parameter;                   /* the number behind its name */
    int64_t staging; /* bytes, of which the longest piece is a share; 0: as choose_staging
                        takes them */
};

/* How the messages of a plan go. */
struct course {
    struct manner manner;
    double strain;   /* model_strain; 1 if no network is known */
    bool given;      /* the schedule was asked for */
    bool bundled;    /* `aggregated` was tried too: it goes if it is the manner's */
    bool has_rivals; /* there may be others to try: choose_rivals */
};

struct candidate {
    struct strategy strategy;
    int64_t staging; /* bytes that it may use, at most the cap */
    struct effort effort;
    double seconds; /* predicted; what stays on a process is not counted. INFINITY: there
                       is no prediction, nor an effort */
};

enum { CHOOSE_MOST = 32 };

/* Predict what `candidate->strategy` takes with `candidate->staging`. `grain`: a message
 * may be cut after each so many bytes. Returns false if it does not say what it asks of
 * the machine, or cannot be done. */
bool choose_predict(const struct load *load, const struct rates *rates, int64_t grain,
                    struct candidate *candidate);

/* The same, with EFFORT_NEAR of staging memory, which stays in the cache, or the cap
 * `most`, if that saves a twentieth, or costs no more than a tenth where messages
 * between nodes would wait for room; if it returns false, with the cap. */
bool choose_staging(const struct load *load, const struct rates *rates, int64_t most,
                    int64_t grain, struct candidate *candidate);

/* The same of a candidate that goes in a manner: with the manner's staging memory, if it
 * has any and the exchange is the manner's, or can follow its schedule. */
bool choose_staging_of(const struct manner *manner, const struct load *load,
                       const struct rates *rates, int64_t most, int64_t grain,
                       struct candidate *candidate);

/* Rank all exchanges that say what they ask of a machine and for which this MPI lacks
 * nothing, the fastest first; of equal ones, and of those within a twentieth of each
 * other, the one that is first in the table `exchanges`. Those that can follow the
 * course's schedule do; if it has an exchange, that stands before these, and before
 * `aggregated` if that has been tried, which else is the last. But where nothing leaves a
 * node `shared` is the first, unless all is contiguous and one takes less than half as
 * long. Returns how many there are. If the schedule was given, there are none that do not
 * follow it. */
int choose_rank(const struct load *load, const struct rates *rates, int64_t most,
                int64_t grain, const struct course *course,
                struct candidate candidates[CHOOSE_MOST]);

/* Whether a machine of no rates at all is faster with `a` than with `b`. */
bool choose_is_beaten(const struct candidate *a, const struct candidate *b);

/* Seconds of one term of a candidate; and the term that favours `a` most over `b`, or,
 * where b is NULL or no term does, the one that takes a the longest. */
double choose_seconds(const struct candidate *candidate, const struct rates *rates,
                      enum effort_term term);
enum effort_term choose_deciding(const struct candidate *a, const struct candidate *b,
                                 const struct rates *rates);
extern const char *const choose_term_names[EFFORT_TERMS];

/* Find how messages go. Their order, unless it is given, counts where they have to wait
 * for each other, because not all of them have room to be under way at a time: the
 * fastest by schedule/model/model.h, if it is faster by a twentieth than the ring order
 * of schedule/published/shifted.h; otherwise NULL. `most` is the cap, `element` bytes. Of
 * irregular sides, or many messages, none is looked at.
 *
 * Over a network that is known several orders are tried, with all messages under way at a
 * time, a few each way, or a step at a time: the one that is least behind the best in the
 * way in which links serve, or in the worst of both, and of who begins first, where that
 * is not known (rates.h; model_network; of more than CHOOSE_MOST_TRIED messages, or if
 * all pass more than CHOOSE_MOST_PASSED links, what shared ones take is assumed, or not
 * looked at if links are known to serve one message at a time); and of long messages that
 * are one block in memory two lengths of their pieces, of which the manner has the
 * staging memory. Where all pieces pass more links than that, trials take them for longer
 * ones, or for whole messages. Of more messages than CHOOSE_MOST_TRIED, or, where links
 * serve one at a time, that all pass more links than CHOOSE_MOST_ALONE, up to
 * CHOOSE_MOST_WAYS, it is the one that goes by the links, with all at a time. The
 * processes of `team`, if it is not NULL, share in the trials, and all of them call this
 * if a network is known, who has failed before with `err`; then that is collective.
 *
 * Where what links do is found out, and all that they hold is likely to have room,
 * bundles are tried too (`aggregated`; schedule/network/bundles.h), in groups of several
 * sizes, unless rates are measured and messages short. If they are taken, the course has
 * the order of the best that goes straight besides.
 *
 * Of an order that is given the same is tried, of up to CHOOSE_MOST_WAYS messages; where
 * no network is known, as if there were a crossbar; and of one that is known for what it
 * makes least (schedule.h), the others too, each as if it took as many times as long as
 * it does between its ends, if that is longer.
 *
 * O(processes) of more than CHOOSE_MOST_MESSAGES; otherwise O(CHOOSE_MOST_PIECES log),
 * and with a topology that of model_network. MEMORY. */
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
    const redist_topology *topology; /* or NULL */
    int64_t element, most;           /* bytes of one, and of staging memory */
    const struct rates *rates;
    const struct schedule_kind *schedule; /* given; or NULL */
    int seed;                             /* if it is given */
    int nranks;                           /* of the crossbar that is assumed then */
};
redist_err choose_course(const struct query *query, const struct team *team,
                         redist_err err, struct course *course);

/* The same for a pattern that has been placed, over its network. */
redist_err choose_over_network(const struct query *query, const struct team *team,
                               redist_err err, struct pattern *pattern,
                               const struct model *model, struct course *course);

/* Find what may turn out to be faster than the course that is taken: of all trials in
 * turns the next best where links serve one message at a time, where they are shared, and
 * as choose_course takes it. Where no network is known, as if there were a crossbar. `*n`
 * is how many there are; the course may be among them.
 * Collective over the team, that of choose_course. Cost and errors as choose_course. */
enum { CHOOSE_RIVALS = 9 };
redist_err choose_rivals(const struct query *query, const struct team *team,
                         struct manner rivals[CHOOSE_RIVALS], int *n);
redist_err choose_rivals_over_network(const struct query *query, const struct team *team,
                                      redist_err err, struct pattern *pattern,
                                      const struct model *model,
                                      struct manner rivals[CHOOSE_RIVALS], int *n);

/* Predictions are not exact: what is better by less does not count. */
#define CHOOSE_MARGIN 0.05

#endif
