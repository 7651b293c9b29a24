/* SPDX-License-Identifier: MIT */
#include "schedule/network/words.h"

#include <math.h>

#include "base/intmath.h"
#include "base/mem.h"

/* Bytes of a word of a round; the others have none. */
static const double word_bytes = 8;

/* The messages of the input to other processes. */
static int64_t count_pairs(const struct schedule_input *input)
{
    int64_t n = 0;
    for (int64_t e = 0; e < input->grid->nedges; e++)
        n += !schedule_stays(input, input->grid->edge[e].p, input->grid->edge[e].q);
    return n;
}

int64_t words_count(const struct rush *rush)
{
    int64_t n = rush->nranks, rounds = 0;
    if (rush->going->tells) return n * (n - 1) - count_pairs(rush->input);
    for (int64_t step = 1; rush->going->relays && step < n; step *= 2) rounds++;
    return n * rounds;
}

/* Mark whom each process has messages for. */
static void mark_reached(const struct rush *rush, char reached[])
{
    const struct schedule_input *input = rush->input;
    for (int64_t e = 0; e < input->grid->nedges; e++) {
        const struct edge *edge = &input->grid->edge[e];
        int64_t from = input->rank[REDIST_SOURCE][edge->p];
        reached[from * rush->nranks + input->rank[REDIST_TARGET][edge->q]] = 1;
    }
}

/* Those of each process in the order in which it tells them. */
static redist_err list_told(struct rush *rush)
{
    int n = rush->nranks;
    struct passage *word = &rush->passage[rush->n];
    char *reached = mem_alloc(NULL, (int64_t)n * n, 1);
    if (!reached) return REDIST_ERR_MEMORY;
    mark_reached(rush, reached);
    for (int from = 0; from < n; from++)
        for (int step = 1; step < n; step++) {
            int to = (from + step) % n;
            if (!reached[(int64_t)from * n + to])
                *word++ = (struct passage){.rank = {from, to}};
        }
    mem_free(reached);
    return REDIST_OK;
}

redist_err words_make(struct rush *rush)
{
    int64_t n = rush->nranks;
    if (rush->going->tells) return list_told(rush);
    for (int64_t k = 0; k < rush->nwords; k++) {
        int64_t step = (int64_t)1 << (k / n), from = k % n;
        rush->passage[rush->n + k] = (struct passage){
            .bytes = word_bytes, .rank = {(int)from, (int)((from + step) % n)}};
    }
    return REDIST_OK;
}

static void post(struct rush *rush, int64_t word, int side, int rank)
{
    struct process *process = &rush->process[rank];
    if (side == REDIST_SOURCE) process->busy += rush->model->alpha / 2;
    rush_post(rush, word, side, process->busy);
}

/* Post all words of a process. */
static void post_told(struct rush *rush, int rank)
{
    for (int s = SIDES - 1; s >= 0; s--)
        for (int64_t word = rush->n; word < rush->n + rush->nwords; word++)
            if (rush->passage[word].rank[s] == rank) post(rush, word, s, rank);
}

/* The word of a process's present round that comes to it, behind those of all messages;
 * negative: there is none, or it has heard the last. */
static int64_t awaited(const struct rush *rush, int rank)
{
    int64_t n = rush->nranks, round = rush->process[rank].round;
    if (!rush->going->relays || round * n >= rush->nwords) return -1;
    return rush->n + round * n + (rank + n - ((int64_t)1 << round)) % n;
}

static void post_round(struct rush *rush, int rank)
{
    int64_t comes = awaited(rush, rank);
    if (comes < 0) return;
    post(rush, comes, REDIST_TARGET, rank);
    int64_t round = rush->process[rank].round;
    post(rush, rush->n + round * rush->nranks + rank, REDIST_SOURCE, rank);
}

void words_begin(struct rush *rush, int rank)
{
    if (rush->going->tells)
        post_told(rush, rank);
    else
        post_round(rush, rank);
}

struct passage *words_awaited(const struct rush *rush, int rank)
{
    int64_t word = awaited(rush, rank);
    return word < 0 ? NULL : &rush->passage[word];
}

void words_go_on(struct rush *rush, int rank)
{
    rush->process[rank].round++;
    post_round(rush, rank);
}

double words_end(const struct rush *rush, int rank)
{
    double half = rush->model->alpha / 2, end = rush->process[rank].busy, last = 0;
    if (!rush->going->tells) return end;
    for (int64_t word = rush->n; word < rush->n + rush->nwords; word++) {
        const struct passage *passage = &rush->passage[word];
        if (passage->rank[REDIST_TARGET] != rank) continue;
        last = fmax(last, passage->over_at + half);
        end += half;
    }
    return fmax(end, last);
}
