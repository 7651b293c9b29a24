/* SPDX-License-Identifier: MIT
 *
 * plan/comm/vote.h - the vote of a run: all processes learn whether the buffers of one
 * are invalid. It travels beside the data and causes no further waiting.
 *
 *   receivers of data    an empty message tells that its sender's buffers are invalid
 *   all other processes  if they are few, an empty message to each tells that buffers are
 *                        valid; else by a nonblocking reduction. If this MPI's reduction
 *                        sends from each to each, by rounds: in round k the lowest failed
 *                        rank known goes to the process 2^k further (few are then at most
 *                        twice as many as rounds)
 *
 * A round begins when the previous one has been received; processes waiting for data
 * drive it, too (move/mpi/extra_request.h). An exchange that reports the status of all
 * processes itself, in shared memory, needs no vote.
 *
 * Few direct messages take less time than a nonblocking reduction of either MPI, as no
 * process has to forward them. A process without elements votes too: it may refuse to
 * take part (redist_refuse).
 */
#ifndef REDIST_PLAN_COMM_VOTE_H
#define REDIST_PLAN_COMM_VOTE_H

#include "move/message/exchange.h"
#include "move/mpi/post.h"

/* The most messages of a process, to others and from them. */
enum { VOTE_MESSAGES = 16 };

enum vote_way { VOTE_TELLS, VOTE_REDUCES, VOTE_RELAYS };

/* Find how so many ranks vote, if one of them has `others` to report to. Pure. */
enum vote_way vote_way(int nranks, int64_t others);

struct vote {
    struct extra_request
        extra; /* with VOTE_RELAYS: drives the rounds while others wait for data */
    MPI_Comm comm;
    int64_t mine;   /* agree_vote of this process */
    int64_t lowest; /* the lowest rank that failed, apart from what the data tell */
    enum vote_way way;
    int nfrom, nto;
    int from[VOTE_MESSAGES], to[VOTE_MESSAGES]; /* ranks */
    char word[VOTE_MESSAGES];                   /* [nfrom] received: 0 if buffers are
                                                   valid */
    int round;                                  /* with VOTE_RELAYS: the current one */
    int64_t sent_votes[VOTE_MESSAGES],
        heard_votes[VOTE_MESSAGES]; /* [nto], [nfrom]: in each round */
    struct binding binding[2 * VOTE_MESSAGES];
    MPI_Request request[2 * VOTE_MESSAGES]; /* [nfrom + nto], or the reduction's */
    MPI_Status status[2 * VOTE_MESSAGES];
};

/* Make the vote for the runs of a move. `reports_status`: its messages tell whether their
 * sender's buffers are invalid.
 * Collective. One reduction. MEMORY, MPI: the same on every process. */
redist_err vote_make(const struct move *move, bool reports_status, struct vote *vote);

/* Add what the vote of a run asks of a machine, for this load. Pure. */
void vote_effort(const struct load *load, const struct exchange *exchange,
                 struct effort *effort);

/* Begin the vote of a run; `mine` is agree_vote's. MPI. */
redist_err vote_start(struct vote *vote, int64_t mine);

/* Advance it; with `wait`, to its end. Then `lowest` is known. MPI. */
redist_err vote_progress(struct vote *vote, bool wait, bool *done);

void vote_free(struct vote *vote);

#endif
