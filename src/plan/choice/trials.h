/* SPDX-License-Identifier: MIT
 *
 * plan/choice/trials.h - orders of messages that are tried in a model of the links of a
 * network, with more or fewer of them under way, and what each takes.
 */
#ifndef REDIST_PLAN_CHOICE_TRIALS_H
#define REDIST_PLAN_CHOICE_TRIALS_H

#include "plan/choice/choose.h"

/* How many messages are under way each way: `window`, 0: all; or those of a step. Or they
 * go as the bundles of groups of so many, if that is not 0
 * (schedule/network/bundles.h). */
struct pace {
    int window;
    bool stepwise;
    int group;
};

/* The longest piece of a message. */
struct length {
    int64_t staging; /* bytes that make it so; 0: what choose_staging takes */
    double chunk;    /* bytes that trials take pieces for; 0: a whole message */
    int64_t room;    /* bytes for what is under way each way; 0: it needs none */
};

/* What is found out of a trial: what it takes if links serve one message at a time, two
 * figures (model_beginning); or all alike. */
enum { TRIALS_SHARED = MODEL_BEGINNINGS, TRIALS_FIGURES };

/* An order, a pace, a length, and what that takes. */
struct trial {
    const struct schedule_kind *kind; /* NULL: bundles */
    int seed;
    struct pace pace;
    struct length length;
    bool variant; /* one of many that differ from another trial by little */
    double seconds[TRIALS_FIGURES];
    bool taken;
};

/* Of an order that is drawn, seeds other than 0 are tried; in any dimensions two of the
 * orders are. One more may be given. Bundles, which have none, are tried in groups of
 * several sizes. */
enum {
    TRIALS_PACES = 5,
    TRIALS_LENGTHS = 2,
    TRIALS_ORDERS = 6,
    TRIALS_SEEDS = 8,
    TRIALS_GROUPS = 8,
    TRIALS_MOST = TRIALS_PACES * TRIALS_LENGTHS * (TRIALS_ORDERS + 2 * TRIALS_SEEDS + 1) +
                  TRIALS_GROUPS
};

/* What is to be tried. */
struct trials {
    struct schedule_input *input;
    const struct model *model; /* of messages, which may be packed */
    struct model packed;       /* of bundles, which are */
    double latency;
    /* Of the vote on errors: each tells those that its data does not; or it goes in
     * rounds beside the data; or it takes so many seconds. */
    bool tells, relays;
    double vote;
    struct length length[TRIALS_LENGTHS]; /* so preferred */
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
    bool paced;      /* rates are good enough to tell short messages' paces apart */
    bool all;        /* messages have room to be under way at a time */
    bool bundled;    /* so have bundles, and what they take can be found out */
    int n;
    struct trial trial[TRIALS_MOST];
};

/* List what is to be tried of a pattern that has been placed, after `thorough` is set:
 * nothing, if there is nothing to choose from. `*strain` is model_strain. The query, the
 * pattern and the model must live on. O(links of all ways). MEMORY. */
redist_err trials_find(const struct query *query, struct pattern *pattern,
                       const struct model *model, double *strain, struct trials *trials);

/* Find out what all trials take: the processes of `team`, if it is not NULL, share in
 * them, and all of them call this, who has failed before with `err`; then that is
 * collective. Cost of model_network. MEMORY, MPI. */
redist_err trials_make(const struct team *team, redist_err err, struct trials *trials);

#endif
