/* SPDX-License-Identifier: MIT
 *
 * schedule/model/model.h - what a schedule takes on a machine of three numbers, and which
 * one takes least.
 *
 * The machine is that of Guo and Pan 2005, section 5.1 (a message of m bytes takes alpha
 * + m beta), with the packing of Guo, Yamashita and Nakata, section 4.4 (m gamma at
 * either end). A process sends one message at a time and receives one at a time, and does
 * both at once:
 *
 *   source    pack m gamma | send alpha + m beta    |
 *   target                 | receive, the same time | unpack m gamma
 *
 * A message starts when its source has packed it and its target has unpacked the one
 * before. Where nothing is packed, as MPI's data types allow, gamma is 0. No message
 * slows another down that has neither end in common with it; but over a network that is
 * known a message that has started also waits until all links of its way are free, and
 * holds them. What is known to stay on its process takes no time.
 */
#ifndef REDIST_SCHEDULE_MODEL_MODEL_H
#define REDIST_SCHEDULE_MODEL_MODEL_H

#include "schedule/core/schedule.h"

struct model {
    double alpha; /* seconds of a startup */
    double beta;  /* seconds a byte on the wire */
    double gamma; /* seconds a byte packed, or unpacked */
    double unit;  /* bytes of a unit of length: of one period, times their number */
};

/* How processes go through their own lists. Of equal ones the first is preferred. */
enum model_issue {
    MODEL_FREE,     /* no barriers: each as soon as both ends are free */
    MODEL_WHOLE,    /* so too, with all pieces of a message where its first one is */
    MODEL_BARRIERS, /* all wait for each other after each step */
    MODEL_ISSUES
};
extern const char *const model_issue_names[MODEL_ISSUES];

/* The seconds of a made schedule at each issue. INFINITY: a timed schedule has no steps,
 * others no pieces; or there are too many messages to find out: without a grid those of
 * the core are looked at instead, which gives the same, if the schedule is `lifted`.
 * O(messages log messages). MEMORY. */
redist_err model_times(const struct schedule_kind *kind, const void *state,
                       const struct schedule_input *input, const struct model *model,
                       double seconds[MODEL_ISSUES]);

/* Which process begins first, by some nanoseconds, may decide on much: they begin in the
 * order of ranks; or in several orders, that one too, of which the median counts. */
enum model_beginning { MODEL_BY_RANK, MODEL_BY_MEDIAN, MODEL_BEGINNINGS };

/* How messages go over a network if nobody keeps to a schedule's times. */
struct model_going {
    int64_t window; /* of its sends, and of its receives, that a process has under way */
    bool stepwise;  /* what a process has of a step is over before its next one begins */
    double chunk;   /* bytes: what is longer travels in pieces of so many; 0: whole */
    /* bytes of a process's staging memory each way, which a message takes from when it is
     * posted until it and those before it are over; 0: it needs none */
    int64_t room;
    /* bytes: of the last n messages of a process, if no more than n n times so many are
     * to be unpacked, it looks at none until all are over; 0: it looks at all */
    int64_t together;
    /* bytes: what is shorter is over for its source once it is posted, and takes a
     * startup of its target */
    double eager;
    double envelope; /* bytes that go before each message */
    double look;     /* seconds that a process takes to see whether a message is over */
    /* seconds from when both ends have posted a message to its links, of one that goes
     * half way round */
    double latency;
    bool shared; /* links serve all that come to them, else one message at a time */
    /* each tells all for whom it has no message, behind the first messages that it posts,
     * that all is well, and hears of the others in the end */
    bool reports_status;
    /* instead, in rounds: in round k each tells the process 2^k further, in the first one
     * as above, then when it has heard of the round before, for which it waits beside its
     * messages */
    bool relays;
};

/* The seconds of a made schedule, of which only each process's order is kept, over a
 * network that is known. Either end of a message takes alpha/2 + m gamma of its process,
 * which posts what it may, waits until something has come, takes that in, looks at all
 * others that it waits for, and goes on when it has seen to what has come until then.
 * Links that are not shared take who was posted first, but none is idle while a message
 * could go; behind a message its links are free one after the other, as its end passes
 * them. Of those that are shared, on which it does not matter who begins, a message gets
 * the less, the more of them it passes. The input has a grid, ranks and a topology.
 * O(messages log messages links), and more where many wait for the same or one process
 * waits for many, at all of which it looks whenever one has come; if shared,
 * O(messages^2 links) and more. MEMORY. */
redist_err model_network(const struct schedule_kind *kind, const void *state,
                         const struct schedule_input *input, const struct model *model,
                         const struct model_going *going,
                         double seconds[MODEL_BEGINNINGS]);

/* The same of the bundles of ranks in groups of so many (schedule/network/bundles.h),
 * which are two steps: if `going` says so, what is passed on waits for all that comes.
 * INFINITY: no two messages go as one. O(messages log messages), and that of
 * model_network with bundles in place of messages. MEMORY. */
redist_err model_bundles(int group, const struct schedule_input *input,
                         const struct model *model, const struct model_going *going,
                         double seconds[MODEL_BEGINNINGS]);

/* The seconds that no schedule of the input undercuts: the largest degree alpha + load
 * (beta + gamma) of a process. O(edges), without a grid O(1). */
double model_bound(const struct schedule_input *input, const struct model *model);

/* How many times as much as the busiest process the busiest link carries, at least 1: no
 * schedule is done in less than that many times the bytes of the bound. 1 where no
 * network or no grid is known. O(links of all ways). MEMORY. */
redist_err model_strain(const struct schedule_input *input, double *strain);

/* How a choice came about. */
enum model_basis {
    MODEL_BY_ALL,  /* all applicable schedules were made and timed */
    MODEL_BY_SOME, /* those that a process computes by itself, or in nearly linear time */
    MODEL_BY_RULE, /* none was: `timeline` where it has a closed form and a startup costs
                      no more than a mean message, otherwise `optimal`; of several
                      dimensions `combination`, or `product` where there is none */
};

/* With more messages, not all schedules are made. */
enum { MODEL_MOST_MESSAGES = 1 << 12 };

struct model_choice {
    const struct schedule_kind *kind;
    enum model_issue issue;
    double seconds; /* if by rule, the bound */
    enum model_basis basis;
};

/* Choose the schedule of least time, and the issue. Of equal ones, as far as rounding can
 * tell, `optimal` is preferred, then `timeline`, then the order of `schedules`: every
 * process that knows the input and the model chooses the same.
 * ARG: none is applicable, which takes more than MODEL_MOST_MESSAGES; MEMORY. */
redist_err model_choose(const struct schedule_input *input, const struct model *model,
                        struct model_choice *choice);

/* What the phases of a redistribution can be: each redistributes some dimensions and
 * leaves the others alone. */
struct model_ways {
    int ndims;                              /* 1 .. REDIST_MAX_DIMS */
    int64_t degree[SIDES][REDIST_MAX_DIMS]; /* the most partners along each dimension that
                                               one of the sources, of the targets has */
    /* [1 << ndims] the units that the fullest process holds when just the dimensions of a
     * set have been redistributed; negative: that is not possible. The first and the last
     * are those of the source and of the target, and possible. */
    const int64_t *held;
    /* >= 0: the most units that a process may hold beside what the source and the target
     * do, of what a phase starts from and of what it leads to, together. */
    int64_t room;
};

/* Split a redistribution of several dimensions into phases, so that the sum over phases
 * of
 *
 *   alpha (messages to others) + (beta + 2 gamma) (most units held before, after) unit
 *
 * is least: a phase more moves everything once more, but the degrees of its dimensions
 * need not multiply those of the others (Guo, Yamashita and Nakata, section 4.4, compare
 * p1 + p2 with p1 p2). phase [ndims] says which one a dimension is in, in the order in
 * which they go. Of equal ways, one of fewest phases; one phase is always possible.
 * O(3^ndims). MEMORY. */
redist_err model_phases(const struct model_ways *ways, const struct model *model,
                        int phase[], double *seconds);

#endif
