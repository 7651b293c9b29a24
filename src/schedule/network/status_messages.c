/* SPDX-License-Identifier: MIT */
#include "schedule/network/netsim.h"

#include <math.h>

#include "base/intmath.h"
#include "base/mem.h"

/* Bytes of a status message in rounds; direct ones have none. */
static const double word_bytes = 8;

/* The messages of the input to other processes. */
static int64_t count_pairs(const struct schedule_input *input)
{
    int64_t n = 0;
    for (int64_t e = 0; e < input->grid->nedges; e++)
        n += !schedule_stays(input, input->grid->edge[e].p, input->grid->edge[e].q);
    return n;
}

int64_t status_messages_count(const struct netsim *netsim)
{
    int64_t n = netsim->nranks, rounds = 0;
    if (netsim->going->reports_status) return n * (n - 1) - count_pairs(netsim->input);
    for (int64_t step = 1; netsim->going->relays && step < n; step *= 2) rounds++;
    return n * rounds;
}

/* Mark the processes to which each process has messages. */
static void mark_reached(const struct netsim *netsim, char reached[])
{
    const struct schedule_input *input = netsim->input;
    for (int64_t e = 0; e < input->grid->nedges; e++) {
        const struct edge *edge = &input->grid->edge[e];
        int64_t from = input->rank[REDIST_SOURCE][edge->p];
        reached[from * netsim->nranks + input->rank[REDIST_TARGET][edge->q]] = 1;
    }
}

/* List the processes that each one reports to, in order. */
static redist_err list_told(struct netsim *netsim)
{
    int n = netsim->nranks;
    struct sim_message *word = &netsim->sim_message[netsim->n];
    char *reached = mem_alloc(NULL, (int64_t)n * n, 1);
    if (!reached) return REDIST_ERR_MEMORY;
    mark_reached(netsim, reached);
    for (int from = 0; from < n; from++)
        for (int step = 1; step < n; step++) {
            int to = (from + step) % n;
            if (!reached[(int64_t)from * n + to])
                *word++ = (struct sim_message){.rank = {from, to}};
        }
    mem_free(reached);
    return REDIST_OK;
}

redist_err status_messages_make(struct netsim *netsim)
{
    int64_t n = netsim->nranks;
    if (netsim->going->reports_status) return list_told(netsim);
    for (int64_t k = 0; k < netsim->nwords; k++) {
        int64_t step = (int64_t)1 << (k / n), from = k % n;
        netsim->sim_message[netsim->n + k] = (struct sim_message){
            .bytes = word_bytes, .rank = {(int)from, (int)((from + step) % n)}};
    }
    return REDIST_OK;
}

static void post(struct netsim *netsim, int64_t word, int side, int rank)
{
    struct process *process = &netsim->process[rank];
    if (side == REDIST_SOURCE) process->busy += netsim->model->alpha / 2;
    netsim_post(netsim, word, side, process->busy);
}

/* Post all status messages of a process. */
static void post_told(struct netsim *netsim, int rank)
{
    for (int s = SIDES - 1; s >= 0; s--)
        for (int64_t word = netsim->n; word < netsim->n + netsim->nwords; word++)
            if (netsim->sim_message[word].rank[s] == rank) post(netsim, word, s, rank);
}

/* The status message of the current round that a process receives, numbered after all
 * messages; negative: none, or the last has been received. */
static int64_t awaited(const struct netsim *netsim, int rank)
{
    int64_t n = netsim->nranks, round = netsim->process[rank].round;
    if (!netsim->going->relays || round * n >= netsim->nwords) return -1;
    return netsim->n + round * n + (rank + n - ((int64_t)1 << round)) % n;
}

static void post_round(struct netsim *netsim, int rank)
{
    int64_t comes = awaited(netsim, rank);
    if (comes < 0) return;
    post(netsim, comes, REDIST_TARGET, rank);
    int64_t round = netsim->process[rank].round;
    post(netsim, netsim->n + round * netsim->nranks + rank, REDIST_SOURCE, rank);
}

void status_messages_begin(struct netsim *netsim, int rank)
{
    if (netsim->going->reports_status)
        post_told(netsim, rank);
    else
        post_round(netsim, rank);
}

struct sim_message *status_messages_awaited(const struct netsim *netsim, int rank)
{
    int64_t word = awaited(netsim, rank);
    return word < 0 ? NULL : &netsim->sim_message[word];
}

void status_messages_go_on(struct netsim *netsim, int rank)
{
    netsim->process[rank].round++;
    post_round(netsim, rank);
}

double status_messages_end(const struct netsim *netsim, int rank)
{
    double half = netsim->model->alpha / 2, end = netsim->process[rank].busy, last = 0;
    if (!netsim->going->reports_status) return end;
    for (int64_t word = netsim->n; word < netsim->n + netsim->nwords; word++) {
        const struct sim_message *sim_message = &netsim->sim_message[word];
        if (sim_message->rank[REDIST_TARGET] != rank) continue;
        last = fmax(last, sim_message->over_at + half);
        end += half;
    }
    return fmax(end, last);
}
