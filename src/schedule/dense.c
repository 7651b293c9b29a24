/* SPDX-License-Identifier: MIT
 *
 * schedule/dense.c - list scheduling of any communication grid, without barriers: never
 * leave a source and a target idle that have a message for each other; of several
 * such pairs start the most loaded first.
 *
 * It ends before 2 W: while the message that ends last, (p, q), waits, p or q is busy
 * with others, so it ends by load(p) + load(q) less its length (Racsmany's bound, see
 * Barany and Fiala 1982). As this holds however ties break, a small grid is tried with
 * several rules, and the shortest list is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "schedule/kinds.h"
#include "schedule/table.h"

/* The most lists that are tried, and how many edges they may have in all. */
enum { MAX_TRIES = 32, MAX_TRIED_EDGES = 1 << 17 };

/* A process that becomes free: sources are 0 .. P-1, targets P .. P+Q-1. */
struct release {
    int64_t time;
    int process;
};

/* A message that could start now. */
struct candidate {
    int64_t edge;
    int64_t first, second; /* the larger is started first, by `first`, then `second` */
};

struct list_scheduler {
    const struct comm_grid *grid;
    int64_t *start; /* [edges]; -1: not started */
    int64_t *left;  /* [P + Q] length that a process has yet to start */
    bool *busy;     /* [P + Q] */
    bool *fresh;    /* [P + Q] became free at this instant */
    int64_t nreleases;
    struct release *release; /* [P + Q] a heap, the earliest on top */
    int64_t ncandidates, room;
    struct candidate *candidate;
    int64_t shortest; /* the least length of a message */
    int rule;
};

static void scheduler_free(struct list_scheduler *s)
{
    mem_free(s->start);
    mem_free(s->left);
    mem_free(s->busy);
    mem_free(s->fresh);
    mem_free(s->release);
    mem_free(s->candidate);
}

static redist_err scheduler_make(const struct comm_grid *grid, struct list_scheduler *s)
{
    int64_t processes = (int64_t)grid->P + grid->Q;
    *s = (struct list_scheduler){
        .grid = grid,
        .start = mem_alloc(NULL, grid->nedges, sizeof *s->start),
        .left = mem_alloc(NULL, processes, sizeof *s->left),
        .busy = mem_alloc(NULL, processes, sizeof *s->busy),
        .fresh = mem_alloc(NULL, processes, sizeof *s->fresh),
        .release = mem_alloc(NULL, processes, sizeof *s->release),
        .shortest = INT64_MAX,
    };
    for (int64_t e = 0; e < grid->nedges; e++)
        s->shortest = int_min(s->shortest, grid->edge[e].weight);
    if (s->start && s->left && s->busy && s->fresh && s->release) return REDIST_OK;
    scheduler_free(s);
    return REDIST_ERR_MEMORY;
}

/* ---- the heap of releases ---------------------------------------------------------- */

static void push_release(struct list_scheduler *s, struct release new)
{
    int64_t k = s->nreleases++;
    for (; k > 0 && s->release[(k - 1) / 2].time > new.time; k = (k - 1) / 2)
        s->release[k] = s->release[(k - 1) / 2];
    s->release[k] = new;
}

static struct release pop_release(struct list_scheduler *s)
{
    struct release top = s->release[0], last = s->release[--s->nreleases];
    int64_t k = 0;
    for (;;) {
        int64_t child = 2 * k + 1;
        if (child >= s->nreleases) break;
        if (child + 1 < s->nreleases &&
            s->release[child + 1].time < s->release[child].time)
            child++;
        if (s->release[child].time >= last.time) break;
        s->release[k] = s->release[child];
        k = child;
    }
    s->release[k] = last;
    return top;
}

/* ---- one instant ------------------------------------------------------------------- */

/* Note a message whose two ends are free, with its priority under the present rule:
 * the larger load of its ends, then the sum of both and the length; or shorter ones
 * first; or the sum first; and from then on with a little noise. */
static redist_err add_candidate(struct list_scheduler *s, int64_t e)
{
    const struct edge *edge = &s->grid->edge[e];
    int64_t source = s->left[edge->p], target = s->left[s->grid->P + edge->q];
    struct candidate c = {e, int_max(source, target), source + target};
    switch (s->rule) {
        case 0: break;
        case 1: c.second = -edge->weight; break;
        case 2: c.second = edge->weight; break;
        case 3: c.first = c.second, c.second = edge->weight; break;
        default:
            c.first += (int64_t)(hash_int((uint64_t)s->rule, e) %
                                 (uint64_t)(1 + s->shortest + s->shortest / 2));
    }
    struct candidate *grown =
        mem_reserve(NULL, s->candidate, s->ncandidates + 1, &s->room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    s->candidate = grown;
    grown[s->ncandidates++] = c;
    return REDIST_OK;
}

/* Find all messages that could start now: one of their ends has just become free. */
static redist_err find_candidates(struct list_scheduler *s, int64_t nfresh,
                                  const int fresh[])
{
    const struct comm_grid *grid = s->grid;
    s->ncandidates = 0;
    for (int64_t k = 0; k < nfresh; k++) {
        bool sends = fresh[k] < grid->P;
        const int64_t *begin =
            sends ? &grid->by_source[fresh[k]] : &grid->by_target[fresh[k] - grid->P];
        for (int64_t i = begin[0]; i < begin[1]; i++) {
            int64_t e = sends ? i : grid->target_edge[i];
            const struct edge *edge = &grid->edge[e];
            if (s->start[e] >= 0 || s->busy[edge->p] || s->busy[grid->P + edge->q])
                continue;
            if (!sends && s->fresh[edge->p]) continue; /* its source has it */
            redist_err err = add_candidate(s, e);
            if (err) return err;
        }
    }
    return REDIST_OK;
}

static int by_priority(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->first != y->first) return x->first > y->first ? -1 : 1;
    if (x->second != y->second) return x->second > y->second ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Start what can start at `now`. Returns the latest end. */
static int64_t start_candidates(struct list_scheduler *s, int64_t now)
{
    const struct comm_grid *grid = s->grid;
    int64_t end = now;
    if (s->ncandidates > 1)
        qsort(s->candidate, (size_t)s->ncandidates, sizeof *s->candidate, by_priority);
    for (int64_t k = 0; k < s->ncandidates; k++) {
        int64_t e = s->candidate[k].edge;
        const struct edge *edge = &grid->edge[e];
        int source = edge->p, target = grid->P + edge->q;
        if (s->busy[source] || s->busy[target]) continue;
        s->start[e] = now;
        s->busy[source] = s->busy[target] = true;
        s->left[source] -= edge->weight;
        s->left[target] -= edge->weight;
        push_release(s, (struct release){now + edge->weight, source});
        push_release(s, (struct release){now + edge->weight, target});
        end = int_max(end, now + edge->weight);
    }
    return end;
}

/* ---- a whole list ------------------------------------------------------------------ */

static void start_over(struct list_scheduler *s)
{
    const struct comm_grid *grid = s->grid;
    memset(s->left, 0, ((size_t)grid->P + (size_t)grid->Q) * sizeof *s->left);
    s->nreleases = 0;
    for (int64_t e = 0; e < grid->nedges; e++) {
        s->start[e] = -1;
        s->left[grid->edge[e].p] += grid->edge[e].weight;
        s->left[grid->P + grid->edge[e].q] += grid->edge[e].weight;
    }
    for (int c = 0; c < grid->P + grid->Q; c++) {
        s->busy[c] = true;
        push_release(s, (struct release){0, c});
    }
}

/* Schedule everything by the present rule; `fresh` is room for all processes. */
static redist_err run_list(struct list_scheduler *s, int fresh[], int64_t *makespan)
{
    *makespan = 0;
    start_over(s);
    while (s->nreleases > 0) {
        int64_t now = s->release[0].time, nfresh = 0;
        while (s->nreleases > 0 && s->release[0].time == now) {
            int c = pop_release(s).process;
            s->busy[c] = false;
            s->fresh[c] = true;
            fresh[nfresh++] = c;
        }
        redist_err err = find_candidates(s, nfresh, fresh);
        if (err) return err;
        for (int64_t k = 0; k < nfresh; k++) s->fresh[fresh[k]] = false;
        *makespan = int_max(*makespan, start_candidates(s, now));
    }
    return REDIST_OK;
}

/* Try several rules until one reaches the lower bound W; keep the shortest list. */
static redist_err try_rules(struct list_scheduler *s, int fresh[], struct table *table)
{
    const struct comm_grid *grid = s->grid;
    int64_t best = INT64_MAX;
    int64_t tries = 1 + MAX_TRIED_EDGES / (grid->nedges + 1);
    for (int rule = 0; rule < int_min(tries, MAX_TRIES) && best > grid->load; rule++) {
        int64_t makespan = 0;
        s->rule = rule;
        redist_err err = run_list(s, fresh, &makespan);
        if (err) return err;
        if (makespan >= best) continue;
        best = makespan;
        for (int64_t e = 0; e < grid->nedges; e++) table->step[e] = s->start[e];
    }
    return REDIST_OK;
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    redist_err err = table_make(input, &table);
    if (err) return err;
    struct list_scheduler s;
    err = scheduler_make(input->grid, &s);
    if (!err) {
        int *fresh =
            mem_alloc(NULL, (int64_t)input->grid->P + input->grid->Q, sizeof *fresh);
        err = fresh ? try_rules(&s, fresh, table) : REDIST_ERR_MEMORY;
        mem_free(fresh);
        scheduler_free(&s);
    }
    if (err)
        table_free(table);
    else
        *state = table;
    return err;
}

const struct schedule_kind schedule_dense = {
    .name = "dense",
    .what =
        "no barriers: start any free pair, most loaded first; under twice the optimum",
    .source = "docs/schedules.md, Without barriers",
    .timed = true,
    .applicable = table_applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};
