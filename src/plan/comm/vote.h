/* SPDX-License-Identifier: MIT
 *
 * plan/comm/vote.h - in each run all processes learn whether one of them must not use its
 * buffers, beside the data and without waiting longer than that takes.
 *
 *   who sends data       tells by that it is well: a message without data says no
 *   to all the others    it sends an empty message if it is well, if they are few;
 *                        else all take part in a nonblocking reduction, or, where this
 *                        MPI's has messages from each to each, pass on in rounds the
 *                        lowest that they know of: in round k to the process 2^k further
 *                        (then fewer are few: twice as many as there are rounds)
 *
 * The next round begins when the one before has been heard, for which who waits for data
 * waits too (move/mpi/extra_request.h). An exchange that can do so tells of all by
 * itself, in shared memory: then there is none of this.
 *
 * Messages need nobody in between to pass on what he has heard, and while they are few
 * they take less time than a nonblocking reduction with either MPI. Who holds nothing is
 * always well, and need not say so.
 */
#ifndef REDIST_PLAN_COMM_VOTE_H
#define REDIST_PLAN_COMM_VOTE_H

#include "move/message/exchange.h"
#include "move/mpi/post.h"

/* The most messages of a process, to others and from them. */
enum { VOTE_MESSAGES = 16 };

enum vote_way { VOTE_TELLS, VOTE_REDUCES, VOTE_RELAYS };

/* How the vote of so many ranks goes, if one of them has so many others to tell. Pure. */
enum vote_way vote_way(int nranks, int64_t others);

struct vote {
    struct extra_request
        extra; /* if it relays: the present round, for who waits for data */
    MPI_Comm comm;
    int64_t mine;   /* what agree_vote says of this process */
    int64_t lowest; /* the lowest rank that failed, as far as the data does not tell */
    enum vote_way way;
    int nfrom, nto;
    int from[VOTE_MESSAGES], to[VOTE_MESSAGES]; /* ranks */
    char word[VOTE_MESSAGES];                   /* [nfrom] what came: 0 if all is well */
    int round;                                  /* if it relays: the present one */
    int64_t told[VOTE_MESSAGES], heard[VOTE_MESSAGES]; /* [nto], [nfrom]: in each round */
    struct binding binding[2 * VOTE_MESSAGES];
    MPI_Request request[2 * VOTE_MESSAGES]; /* [nfrom + nto], or that of the reduction */
    MPI_Status status[2 * VOTE_MESSAGES];
};

/* Make the vote of the runs of a move. `reports_status`: its messages say whether their
 * sender is buffers_invalid; `holds`: this process may turn out to be unwell. Collective.
 * One reduction, and where there are messages a gathering. MEMORY, MPI: the same on every
 * process. */
redist_err vote_make(const struct move *move, bool reports_status, bool holds,
                     struct vote *vote);

/* Add what the vote of a run asks of a machine, for a move of this load. Pure. */
void vote_effort(const struct load *load, const struct exchange *exchange,
                 struct effort *effort);

/* Begin the vote of a run; `mine` is agree_vote's. MPI. */
redist_err vote_start(struct vote *vote, int64_t mine);

/* Drive it on; if `wait`, to its end. Once done, `lowest` is known. MPI. */
redist_err vote_progress(struct vote *vote, bool wait, bool *done);

void vote_free(struct vote *vote);

#endif
