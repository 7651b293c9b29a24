/* SPDX-License-Identifier: MIT
 *
 * schedule/model/model.h - the time of a schedule on a machine described by three
 * numbers, and the fastest schedule.
 *
 * The machine is that of Guo and Pan 2005, section 5.1 (a message of m bytes takes alpha
 * + m beta), with the packing of Guo, Yamashita and Nakata, section 4.4 (m gamma at
 * either end). A process sends one message at a time and receives one at a time, and can
 * do both at once:
 *
 *   source    pack m gamma | send alpha + m beta    |
 *   target                 | receive, the same time | unpack m gamma
 *
 * A message starts when its source has packed it and its target has unpacked the previous
 * one. Without packing, as with MPI's datatypes, gamma is 0. Messages without a common
 * end do not slow each other down. Over a known network, however, a started message also
 * waits until all links of its route are free, and then occupies them. Messages known to
 * stay on their process take no time.
 */
#ifndef REDIST_SCHEDULE_MODEL_MODEL_H
#define REDIST_SCHEDULE_MODEL_MODEL_H

#include "schedule/core/schedule.h"

struct model {
    double alpha; /* seconds of a startup */
    double beta;  /* seconds a byte on the wire */
    double gamma; /* seconds a byte packed, or unpacked */
    double unit;  /* bytes of a unit of length, over all periods */
};

/* How processes issue their own messages. Of equally fast ones the first is preferred. */
enum model_issue {
    MODEL_FREE,     /* no barriers: each as soon as both ends are free */
    MODEL_WHOLE,    /* the same, with all pieces of a message at its first one */
    MODEL_BARRIERS, /* a barrier after each step */
    MODEL_ISSUES
};
extern const char *const model_issue_names[MODEL_ISSUES];

/* Compute the seconds of a made schedule for each issue. INFINITY: a timed schedule has
 * no steps, others have no pieces; or there are too many messages. Without a grid the
 * messages of the core are used, with the same result, if the schedule is `lifted`.
 * O(messages log messages). MEMORY. */
redist_err model_times(const struct schedule_kind *kind, const void *state,
                       const struct schedule_input *input, const struct model *model,
                       double seconds[MODEL_ISSUES]);

/* Make a schedule, and compute its seconds; INFINITY where it is not applicable.
 * Cost of both. MEMORY. */
redist_err model_try(const struct schedule_kind *kind, const struct schedule_input *input,
                     const struct model *model, double seconds[MODEL_ISSUES]);

/* Results may depend strongly on which process begins first, by some nanoseconds: they
 * begin in the order of ranks; or in several orders, that one included, and the median
 * counts. */
enum model_beginning { MODEL_BY_RANK, MODEL_BY_MEDIAN, MODEL_BEGINNINGS };

/* How messages travel over a network if nobody keeps to a schedule's times. */
struct model_going {
    int64_t window; /* sends, and receives, that a process has in progress */
    bool stepwise;  /* a process completes a step before it begins the next */
    double chunk;   /* bytes: longer messages travel in pieces of so many; 0: whole */
    /* bytes of a process's staging memory each way; a message occupies its part from
     * posting until it and those before it are complete; 0: none needed */
    int64_t room;
    /* bytes: if the last n messages of a process have at most n * n times so many to
     * unpack, it tests none until all are complete; 0: it tests all */
    int64_t together;
    /* bytes: a shorter message is complete for its source once posted, and costs its
     * target alpha/2 */
    double eager;
    double envelope; /* bytes of a message's header */
    double look;     /* seconds that a process takes to test a message */
    /* seconds from the post at both ends until the message reaches its links, half way
     * round */
    double latency;
    bool shared; /* links share their bandwidth; else they serve one message at a time */
    /* the vote: each process reports to all without a message from it, after its first
     * posts, and receives reports of the others at the end */
    bool reports_status;
    /* instead, by rounds: in round k each reports to the process 2^k further, first as
     * above, then after the previous round, for which it waits beside its messages */
    bool relays;
};

/* Simulate a made schedule over a known network. Only the order of each process's
 * messages is used. A message of m bytes takes alpha/2 + m gamma of its source and m
 * gamma of its target. A process posts what it may, waits until something is complete,
 * handles it, tests all others that it waits for, handles those complete by then, and
 * continues. Links that are not shared serve messages in the order of posting, but none
 * is idle while a message could use it; links are released one after the other, as the
 * end of a message passes them. On shared links, where the order of posting does not
 * matter, a message gets the less bandwidth, the more links it passes. The input has a
 * grid, ranks and a topology.
 * O(messages log messages links), and more where many wait for the same, or one process
 * waits for many and tests all of them whenever one is complete; if shared, O(messages^2
 * links) and more. MEMORY. */
redist_err model_network(const struct schedule_kind *kind, const void *state,
                         const struct schedule_input *input, const struct model *model,
                         const struct model_going *going,
                         double seconds[MODEL_BEGINNINGS]);

/* As model_network, for messages aggregated in groups of `group` ranks
 * (schedule/network/bundles.h), in two steps: if `going` is stepwise, forwarding waits
 * for all arrivals. INFINITY: no two messages can be aggregated.
 * O(messages log messages), and the cost of model_network for the bundles. MEMORY. */
redist_err model_bundles(int group, const struct schedule_input *input,
                         const struct model *model, const struct model_going *going,
                         double seconds[MODEL_BEGINNINGS]);

/* Return a lower bound on the seconds of any schedule: the largest degree alpha + load
 * (beta + gamma) of a process. O(edges), without a grid O(1). */
double model_bound(const struct schedule_input *input, const struct model *model);

/* Find the ratio of the busiest link's bytes to the busiest process's, at least 1: no
 * schedule ends before that many times the bytes of the bound. 1 if no network or no grid
 * is known.
 * O(links of all ways). MEMORY. */
redist_err model_strain(const struct schedule_input *input, double *strain);

/* How a choice was made. */
enum model_basis {
    MODEL_BY_ALL,  /* all applicable schedules were made and timed */
    MODEL_BY_SOME, /* only those computed by a process alone, or in nearly linear time */
    MODEL_BY_RULE, /* no schedule was made: `timeline` if it has a closed form and a
                      startup costs at most a mean message, otherwise `optimal`; for
                      several dimensions `combination`, or `product` if that is not
                      applicable */
};

/* With more messages only some schedules are made. */
enum { MODEL_MOST_MESSAGES = 1 << 12 };

struct model_choice {
    const struct schedule_kind *kind;
    enum model_issue issue;
    double seconds; /* if by rule, the bound */
    enum model_basis basis;
};

/* Choose the fastest schedule, and its issue. Of equal ones, up to rounding, `optimal` is
 * preferred, then `timeline`, then the order of `schedules`: every process with the same
 * input and model chooses the same. ARG: none is applicable, only with more than
 * MODEL_MOST_MESSAGES; MEMORY. */
redist_err model_choose(const struct schedule_input *input, const struct model *model,
                        struct model_choice *choice);

/* The possible phases of a redistribution: each redistributes some dimensions and keeps
 * the others. */
struct model_ways {
    int ndims;                              /* 1 .. REDIST_MAX_DIMS */
    int64_t degree[SIDES][REDIST_MAX_DIMS]; /* the most partners along each dimension of a
                                               source, of a target */
    /* [1 << ndims] most units of a process after exactly the dimensions of a set have
     * been redistributed; negative: impossible. The first and the last set are the source
     * and the target, and possible. */
    const int64_t *held;
    /* >= 0: the most units that a process may hold in addition to source and target, for
     * the begin and the end of a phase together. */
    int64_t room;
};

/* Split a redistribution of several dimensions into phases so that the sum over phases of
 *
 *   alpha (messages to others) + (beta + 2 gamma) (most units held before, after) unit
 *
 * is minimal. One more phase moves everything once more, but the degrees of its
 * dimensions do not multiply those of the others (Guo, Yamashita and Nakata, section 4.4,
 * compare p1 + p2 with p1 p2). phase [ndims] is the phase of each dimension, in the order
 * of execution. Of equal splits, one with the fewest phases; a single phase is always
 * possible.
 * O(3^ndims). MEMORY. */
redist_err model_phases(const struct model_ways *ways, const struct model *model,
                        int phase[], double *seconds);

#endif
