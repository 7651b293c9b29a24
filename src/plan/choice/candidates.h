/* SPDX-License-Identifier: MIT
 *
 * plan/choice/candidates.h - orders of messages that are tried in a model of the links of
 * a network, with more or fewer of them under way, and what each takes.
 */
#ifndef REDIST_PLAN_CHOICE_CANDIDATES_H
#define REDIST_PLAN_CHOICE_CANDIDATES_H

#include "plan/choice/choose.h"

/* How many messages are under way each way: `window`, 0: all; or those of a step. Or they
 * go as the bundles of groups of so many, if that is not 0
 * (schedule/network/bundles.h). */
struct issue_policy {
    int window;
    bool stepwise;
    int group;
};

/* The longest piece of a message. */
struct length {
    int64_t staging; /* bytes that make it so; 0: what choose_staging takes */
    double chunk;    /* bytes that candidates take pieces for; 0: a whole message */
    int64_t room;    /* bytes for what is under way each way; 0: it needs none */
};

/* What is found out of a candidate: what it takes if links serve one message at a time,
 * two figures (model_beginning); or all alike. */
enum { CANDIDATES_SHARED = MODEL_BEGINNINGS, CANDIDATES_FIGURES };

/* An order, a policy, a length, and what that takes. */
struct network_candidate {
    const struct schedule_kind *kind; /* NULL: bundles */
    int seed;
    struct issue_policy policy;
    struct length length;
    bool variant; /* one of many that differ from another candidate by little */
    double seconds[CANDIDATES_FIGURES];
    bool taken;
};

/* Of an order that is drawn, seeds other than 0 are tried; in any dimensions two of the
 * orders are. One more may be given. Bundles, which have none, are tried in groups of
 * several sizes. */
enum {
    CANDIDATES_POLICIES = 5,
    CANDIDATES_LENGTHS = 2,
    CANDIDATES_ORDERS = 6,
    CANDIDATES_SEEDS = 8,
    CANDIDATES_GROUPS = 8,
    CANDIDATES_MOST = CANDIDATES_POLICIES * CANDIDATES_LENGTHS *
                          (CANDIDATES_ORDERS + 2 * CANDIDATES_SEEDS + 1) +
                      CANDIDATES_GROUPS
};

/* What is to be tried. */
struct candidates {
    struct schedule_input *input;
    const struct model *model; /* of messages, which may be packed */
    struct model packed;       /* of bundles, which are */
    double latency;
    /* Of the vote on errors: each tells those that its data does not; or it goes in
     * rounds beside the data; or it takes so many seconds. */
    bool reports_status, relays;
    double vote;
    struct length length[CANDIDATES_LENGTHS]; /* so preferred */
    int nlengths;
    struct length whole; /* of bundles */
    double bound;        /* what all messages together take of shared links */
    const struct schedule_kind *given; /* or NULL: any */
    int seed;                          /* of the given one */
    double least;                      /* what it takes between its ends; 0: unknown */
    double fairness; /* of links; 0 if what shared ones take is not found out */
    bool placed;     /* the network is known */
    bool thorough;   /* however many messages there are, all is tried */
    bool many;       /* there are too many: nothing is tried */
    bool few;        /* links are passed: what shared ones take can be found out */
    bool lone;       /* nor need it be: links serve one message at a time */
    bool known;      /* either of them, or all is tried: so there is more to try */
    bool paced;      /* rates are good enough to tell short messages' policies apart */
    bool all;        /* messages have room to be under way at a time */
    bool bundled;    /* so have bundles, and what they take can be found out */
    int n;
    struct network_candidate candidate[CANDIDATES_MOST];
};

/* List what is to be tried of a pattern that has been placed, after `thorough` is set:
 * nothing, if there is nothing to choose from. `*strain` is model_strain. The query, the
 * pattern and the model must live on. O(links of all ways). MEMORY. */
redist_err candidates_find(const struct query *query, struct pattern *pattern,
                           const struct model *model, double *strain,
                           struct candidates *candidates);

/* Find out what all candidates take: the processes of `team`, if it is not NULL, share in
 * them, and all of them call this, who has failed before with `err`; then that is
 * collective. Cost of model_network. MEMORY, MPI. */
redist_err candidates_make(const struct team *team, redist_err err,
                           struct candidates *candidates);

#endif
