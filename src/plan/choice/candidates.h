/* SPDX-License-Identifier: MIT
 *
 * plan/choice/candidates.h - candidate orders of messages over a network: each is
 * simulated with several numbers of messages in progress.
 */
#ifndef REDIST_PLAN_CHOICE_CANDIDATES_H
#define REDIST_PLAN_CHOICE_CANDIDATES_H

#include "plan/choice/choose.h"

/* The messages in progress each way: `window`, 0: all; or those of one step. If `group`
 * is not 0, messages are aggregated in groups of so many ranks
 * (schedule/network/bundles.h). */
struct issue_policy {
    int window;
    bool stepwise;
    int group;
};

/* The longest piece of a message. */
struct length {
    int64_t staging; /* bytes of staging memory with that piece; 0: as choose_staging sets
                        it */
    double chunk;    /* bytes of a piece in the simulation; 0: a whole message */
    int64_t room;    /* bytes for messages in progress each way; 0: not needed */
};

/* Simulated times: two if links serve one message at a time (model_beginning); one if
 * shared. */
enum { CANDIDATES_SHARED = MODEL_BEGINNINGS, CANDIDATES_FIGURES };

/* An order, a policy, a length, and their times. */
struct network_candidate {
    const struct schedule_kind *kind; /* NULL: aggregated */
    int seed;
    struct issue_policy policy;
    struct length length;
    bool variant; /* one of many that differ little from another candidate */
    double seconds[CANDIDATES_FIGURES];
    bool taken;
};

/* Orders drawn at random are tried with several seeds; two of the orders exist in any
 * dimensions. One more order may be given. Aggregation has no order and is tried with
 * several group sizes. */
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

/* All candidates, and the problem. */
struct candidates {
    struct schedule_input *input;
    const struct model *model; /* of messages, packed or not */
    struct model packed;       /* of aggregated messages, always packed */
    double latency;
    /* The vote on errors: each process reports to those that its data does not reach; or
     * by rounds beside the data; or `vote` seconds. */
    bool reports_status, relays;
    double vote;
    struct length length[CANDIDATES_LENGTHS]; /* the preferred one first */
    int nlengths;
    struct length whole;               /* for aggregated messages */
    double bound;                      /* seconds of all messages on shared links */
    const struct schedule_kind *given; /* NULL: any */
    int seed;                          /* of the given order */
    double least;                      /* its seconds without a network; 0: unknown */
    double fairness;                   /* of links; 0 if shared links are not simulated */
    bool placed;                       /* the network is known */
    bool thorough; /* simulate all candidates, however many messages there are */
    bool many;     /* too many messages: nothing is simulated */
    bool few;      /* few links are passed: shared links can be simulated */
    bool lone;     /* links serve one message at a time: no sharing is simulated */
    bool known;    /* few, lone or thorough: then there are more candidates */
    bool paced;    /* rates are good enough to compare policies of short messages */
    bool all;      /* all messages fit in staging memory at once */
    bool bundled;  /* aggregated ones do, too, and can be simulated */
    int n;
    struct network_candidate candidate[CANDIDATES_MOST];
};

/* List the candidates of a study, which must live on; set `thorough` before. None, if
 * there is nothing to choose from. `*strain` is model_strain.
 * O(links of all ways). MEMORY. */
redist_err candidates_find(struct study *study, double *strain,
                           struct candidates *candidates);

/* List and simulate them. The processes of the study's team, if not NULL, share the work;
 * all of them call this, also a process that has failed with `err`.
 * Collective over the team, if any. Cost of model_network. MEMORY, MPI. */
redist_err candidates_make(struct study *study, redist_err err, double *strain,
                           struct candidates *candidates);

#endif
