/* SPDX-License-Identifier: MIT */
#include "plan/comm/vote.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/mpi/check.h"
#include "move/mpi/lacks.h"
#include "plan/comm/agree.h"

/* The highest tag that every MPI has; the exchanges use the lowest. */
enum { TAG = 32767 };

/* ---- making ------------------------------------------------------------------------ */

enum vote_way vote_way(int nranks, int64_t others)
{
    int rounds = 0;
    while ((int64_t)1 << rounds < nranks) rounds++;
    if (LACKS_REDUCTIONS && rounds <= VOTE_MESSAGES && others > 2 * rounds)
        return VOTE_RELAYS;
    return others > VOTE_MESSAGES ? VOTE_REDUCES : VOTE_TELLS;
}

/* Count the other processes to which this one sends no data, or from which it receives
 * none. */
static int64_t unreached(const struct move *move, bool reports_status)
{
    int64_t others = move->nranks - 1;
    return reports_status ? others - int_min(move->send.n, move->receive.n) : others;
}

/* Empty messages travel beside the data and only have to be started. What an exchange
 * reports in shared memory are flags. */
void vote_effort(const struct load *load, const struct exchange *exchange,
                 struct effort *effort)
{
    int64_t words = exchange->reports_status ? load->unreached : load->nranks - 1;
    bool far = load->far[REDIST_SOURCE].messages + load->far[REDIST_TARGET].messages > 0;
    if (exchange->vote && !far)
        effort->count[EFFORT_FLAGS] += (double)words;
    else if (vote_way(load->nranks, words) != VOTE_TELLS)
        effort->count[EFFORT_VOTES]++;
    else
        effort->count[EFFORT_STARTUPS] += (double)words;
}

/* List all other ranks without a transfer from here. `reached`[nranks] is room. */
static int list(const struct move *move, bool reports_status,
                const struct transfers *transfers, char *reached,
                int ranks[VOTE_MESSAGES])
{
    int n = 0;
    memset(reached, 0, (size_t)move->nranks);
    for (int64_t k = 0; reports_status && k < transfers->n; k++)
        reached[transfers->transfer[k].rank] = 1;
    for (int step = 1; step < move->nranks; step++) { /* not all to the same at once */
        int rank = (move->rank + step) % move->nranks;
        if (!reached[rank]) ranks[n++] = rank;
    }
    return n;
}

/* Rounds after which each has heard of all, of some twice. */
static void list_rounds(const struct move *move, struct vote *vote)
{
    for (int64_t step = 1; step < move->nranks; step *= 2) {
        vote->to[vote->nto++] = (int)((move->rank + step) % move->nranks);
        vote->from[vote->nfrom++] =
            (int)((move->rank + move->nranks - step) % move->nranks);
    }
}

redist_err vote_make(const struct move *move, bool reports_status, struct vote *vote)
{
    *vote = (struct vote){.comm = move->comm};
    for (int k = 0; k < 2 * VOTE_MESSAGES; k++) vote->request[k] = MPI_REQUEST_NULL;
    int64_t most = unreached(move, reports_status), least = -most;
    bool few = vote_way(move->nranks, most) == VOTE_TELLS;
    char *reached = few ? mem_alloc(NULL, move->nranks, 1) : NULL;
    redist_err err = reached || !few ? REDIST_OK : REDIST_ERR_MEMORY;
    err = agree_least(move->comm, err, &least);
    vote->way = vote_way(move->nranks, -least);
    if (vote->way == VOTE_RELAYS) {
        list_rounds(move, vote);
    } else if (vote->way == VOTE_TELLS && !err) {
        vote->nfrom = list(move, reports_status, &move->receive, reached, vote->from);
        vote->nto = list(move, reports_status, &move->send, reached, vote->to);
    }
    mem_free(reached);
    return err;
}

void vote_free(struct vote *vote)
{
    for (int k = 0; k < vote->nfrom + vote->nto; k++)
        post_free(&vote->binding[k], &vote->request[k]);
}

/* ---- a run ------------------------------------------------------------------------- */

/* Post message k: a receive from the k-th rank to hear from or, after these, a send. */
static redist_err post(struct vote *vote, int k)
{
    static char no = 1;
    bool sends = k >= vote->nfrom, relays = vote->way == VOTE_RELAYS;
    int i = sends ? k - vote->nfrom : k;
    struct post post = {.tag = TAG, .comm = vote->comm};
    if (sends) {
        post.kind = POST_SEND;
        post.rank = vote->to[i];
        post.data = relays ? (void *)&vote->sent_votes[i] : &no;
        post.bytes = vote->mine != AGREE_NO_FAILURE;
    } else {
        post.kind = POST_RECEIVE;
        post.rank = vote->from[i];
        post.data = relays ? (void *)&vote->heard_votes[i] : &vote->word[i];
        post.bytes = 1;
    }
    if (relays) post.bytes = sizeof(int64_t);
    return post_start(&post, true, &vote->binding[k], &vote->request[k]);
}

static redist_err post_round(struct vote *vote)
{
    vote->sent_votes[vote->round] = vote->lowest;
    vote->extra.request = &vote->request[vote->round];
    TRY(post(vote, vote->round));
    return post(vote, vote->nfrom + vote->round);
}

/* The current round is complete: begin the next one. */
static redist_err next_round(struct extra_request *extra)
{
    struct vote *vote = (struct vote *)extra; /* its first member */
    vote->lowest = int_min(vote->lowest, vote->heard_votes[vote->round++]);
    if (vote->round < vote->nfrom) return post_round(vote);
    vote->extra.request = NULL;
    return REDIST_OK;
}

redist_err vote_start(struct vote *vote, int64_t mine)
{
    vote->mine = vote->lowest = mine;
    vote->round = 0;
    vote->extra.go_on = next_round;
    if (vote->way == VOTE_RELAYS) return post_round(vote);
    if (vote->way == VOTE_REDUCES)
        return mpi_call(MPI_Iallreduce(&vote->mine, &vote->lowest, 1, MPI_INT64_T,
                                       MPI_MIN, vote->comm, &vote->request[0]));
    memset(vote->word, 0, sizeof vote->word);
    for (int k = 0; k < vote->nfrom + vote->nto; k++) TRY(post(vote, k));
    return REDIST_OK;
}

redist_err vote_progress(struct vote *vote, bool wait, bool *done)
{
    int n = vote->way == VOTE_REDUCES ? 1 : vote->nfrom + vote->nto, all = 1;
    *done = false;
    while (vote->extra.request && all) {
        TRY(mpi_complete(vote->extra.request, wait, &all));
        if (all) TRY(next_round(&vote->extra));
    }
    if (!all) return REDIST_OK;
    if (n > 0 && wait)
        TRY(mpi_call(MPI_Waitall(n, vote->request, vote->status)));
    else if (n > 0)
        TRY(mpi_call(MPI_Testall(n, vote->request, &all, vote->status)));
    *done = all;
    for (int k = 0; all && k < vote->nfrom; k++)
        if (vote->word[k]) vote->lowest = int_min(vote->lowest, vote->from[k]);
    return REDIST_OK;
}
