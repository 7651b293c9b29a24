/* SPDX-License-Identifier: MIT */
#include "schedule/relay.h"

/* Bytes of a word. */
static const double word_bytes = 8;

int64_t relay_words(const struct rush *rush)
{
    int64_t words = 0;
    for (int64_t step = 1; rush->going->relays && step < rush->nranks; step *= 2)
        words += rush->nranks;
    return words;
}

void relay_make(struct rush *rush)
{
    for (int64_t k = 0; k < rush->nwords; k++) {
        int64_t step = (int64_t)1 << (k / rush->nranks), from = k % rush->nranks;
        rush->passage[rush->n + k] =
            (struct passage){.bytes = word_bytes,
                             .rank = {(int)from, (int)((from + step) % rush->nranks)}};
    }
}

/* The word of a process's present round that comes to it, behind those of all messages;
 * negative: it has heard the last. */
static int64_t awaited(const struct rush *rush, int rank)
{
    int64_t n = rush->nranks, round = rush->process[rank].round;
    if (round * n >= rush->nwords) return -1;
    return rush->n + round * n + (rank + n - ((int64_t)1 << round)) % n;
}

void relay_post(struct rush *rush, int rank)
{
    struct process *process = &rush->process[rank];
    int64_t comes = awaited(rush, rank);
    if (comes < 0) return;
    rush_post(rush, comes, REDIST_TARGET, process->busy);
    process->busy += rush->model->alpha / 2;
    int64_t goes = rush->n + (int64_t)process->round * rush->nranks + rank;
    rush_post(rush, goes, REDIST_SOURCE, process->busy);
}

struct passage *relay_awaited(const struct rush *rush, int rank)
{
    int64_t word = awaited(rush, rank);
    return word < 0 ? NULL : &rush->passage[word];
}

void relay_go_on(struct rush *rush, int rank)
{
    rush->process[rank].round++;
    relay_post(rush, rank);
}
