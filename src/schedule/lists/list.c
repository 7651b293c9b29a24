/* SPDX-License-Identifier: MIT */
#include "schedule/lists/list.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"

/* The most lists tried, and the most messages of two resources in all of them. */
enum { MAX_TRIES = 32, MAX_TRIED = 1 << 17 };

/* The end of a message in progress. */
struct end {
    int64_t time, message;
};

/* A message that could start now. */
struct candidate {
    int64_t message;
    int64_t first, second; /* the larger is started first, by `first`, then `second` */
};

struct lister {
    const struct list_work *work;
    int rule;       /* a rule of add_candidate; negative: drawn by a seed */
    int64_t *start; /* [messages]; -1: not started */
    int64_t *left;  /* [resources] length that has yet to start */
    bool *busy;     /* [resources] */
    int64_t nunderway, ncandidates;
    struct end *underway;        /* [messages] a heap, the earliest first */
    struct candidate *candidate; /* [messages] */
    int64_t *waiting;            /* [resources] the first that waits for it, or -1 */
    int64_t *behind;             /* [messages] the next that waits for the same, or -1 */
    int64_t shortest;            /* the least length of a message */
};

static redist_err lister_make(const struct list_work *work, struct lister *s)
{
    int64_t n = work->nmessages, resources = work->nresources;
    const struct mem_part parts[] = {
        MEM_PART(s->start, n),        MEM_PART(s->left, resources),
        MEM_PART(s->busy, resources), MEM_PART(s->underway, n),
        MEM_PART(s->candidate, n),    MEM_PART(s->waiting, resources),
        MEM_PART(s->behind, n),       {0}};
    *s = (struct lister){.work = work, .shortest = INT64_MAX};
    for (int64_t e = 0; e < n; e++)
        s->shortest = int_min(s->shortest, work->message[e].weight);
    return mem_alloc_parts(NULL, parts);
}

/* ---- the heap of ends -------------------------------------------------------------- */

static void push_end(struct lister *s, struct end new)
{
    int64_t k = s->nunderway++;
    for (; k > 0 && s->underway[(k - 1) / 2].time > new.time; k = (k - 1) / 2)
        s->underway[k] = s->underway[(k - 1) / 2];
    s->underway[k] = new;
}

static struct end pop_end(struct lister *s)
{
    struct end top = s->underway[0], last = s->underway[--s->nunderway];
    int64_t k = 0;
    for (;;) {
        int64_t child = 2 * k + 1;
        if (child >= s->nunderway) break;
        if (child + 1 < s->nunderway &&
            s->underway[child + 1].time < s->underway[child].time)
            child++;
        if (s->underway[child].time >= last.time) break;
        s->underway[k] = s->underway[child];
        k = child;
    }
    s->underway[k] = last;
    return top;
}

/* ---- one instant ------------------------------------------------------------------- */

/* Add a message whose resources are all idle, with its priority under the current rule:
 * the most that one of its resources has left, then the sum over all and the length; or
 * shorter ones first; or the sum first; all other rules with a little noise. */
static void add_candidate(struct lister *s, int64_t e)
{
    const struct list_work *work = s->work;
    struct candidate c = {.message = e};
    for (int64_t k = work->begin[e]; k < work->begin[e + 1]; k++) {
        int64_t left = s->left[work->resource[k]];
        c.first = int_max(c.first, left);
        c.second += left;
    }
    switch (s->rule) {
        case 0: break;
        case 1: c.second = -work->message[e].weight; break;
        case 2: c.second = work->message[e].weight; break;
        case 3: c.first = c.second, c.second = work->message[e].weight; break;
        default:
            c.first += (int64_t)(hash_int((uint64_t)s->rule, e) %
                                 (uint64_t)(1 + s->shortest + s->shortest / 2));
    }
    s->candidate[s->ncandidates++] = c;
}

/* Let a message wait for a busy resource of its own, if there is one. */
static bool waits(struct lister *s, int64_t e)
{
    const struct list_work *work = s->work;
    for (int64_t k = work->begin[e]; k < work->begin[e + 1]; k++) {
        int resource = work->resource[k];
        if (!s->busy[resource]) continue;
        s->behind[e] = s->waiting[resource];
        s->waiting[resource] = e;
        return true;
    }
    return false;
}

/* A message is over: those that waited for its resources may be able to start. */
static void set_free(struct lister *s, int64_t over, int64_t *first)
{
    const struct list_work *work = s->work;
    for (int64_t k = work->begin[over]; k < work->begin[over + 1]; k++) {
        int resource = work->resource[k];
        s->busy[resource] = false;
        for (int64_t e = s->waiting[resource], next; e >= 0; e = next) {
            next = s->behind[e];
            s->behind[e] = *first;
            *first = e;
        }
        s->waiting[resource] = -1;
    }
}

static bool precedes(const struct candidate *x, const struct candidate *y)
{
    if (x->first != y->first) return x->first > y->first;
    if (x->second != y->second) return x->second > y->second;
    return x->message < y->message;
}

static void begin(struct lister *s, int64_t e, int64_t now)
{
    const struct list_work *work = s->work;
    int64_t weight = work->message[e].weight;
    for (int64_t k = work->begin[e]; k < work->begin[e + 1]; k++) {
        s->busy[work->resource[k]] = true;
        s->left[work->resource[k]] -= weight;
    }
    s->start[e] = now;
    push_end(s, (struct end){now + weight, e});
}

/* Start those of n candidates that can start at `now`, by priority. This is quicksort
 * with a pivot that is drawn, but what must wait is left out before each part is sorted.
 */
static void begin_by_priority(struct lister *s, struct candidate *candidate, int64_t n,
                              int64_t now)
{
    int64_t ready = 0, before = 0;
    for (int64_t k = 0; k < n; k++)
        if (!waits(s, candidate[k].message)) candidate[ready++] = candidate[k];
    if (ready == 0) return;
    int64_t drawn = (int64_t)(hash_int(HASH_START, ready) % (uint64_t)ready);
    struct candidate pivot = candidate[drawn];
    candidate[drawn] = candidate[--ready];
    for (int64_t k = 0; k < ready; k++) {
        struct candidate c = candidate[k];
        if (!precedes(&c, &pivot)) continue;
        candidate[k] = candidate[before];
        candidate[before++] = c;
    }
    begin_by_priority(s, candidate, before, now);
    if (!waits(s, pivot.message)) begin(s, pivot.message, now);
    begin_by_priority(s, candidate + before, ready - before, now);
}

/* Start all possible messages at `now`. */
static void begin_candidates(struct lister *s, int64_t now)
{
    begin_by_priority(s, s->candidate, s->ncandidates, now);
    s->ncandidates = 0;
}

/* ---- a whole list ------------------------------------------------------------------ */

static void start_over(struct lister *s)
{
    const struct list_work *work = s->work;
    for (int r = 0; r < work->nresources; r++) {
        s->left[r] = 0;
        s->waiting[r] = -1;
        s->busy[r] = false;
    }
    for (int64_t e = 0; e < work->nmessages; e++)
        for (int64_t k = work->begin[e]; k < work->begin[e + 1]; k++)
            s->left[work->resource[k]] += work->message[e].weight;
}

/* Schedule everything by the present rule. Returns the end of the last message. */
static int64_t run_list(struct lister *s)
{
    int64_t now = 0;
    start_over(s);
    for (int64_t e = 0; e < s->work->nmessages; e++) add_candidate(s, e);
    begin_candidates(s, now);
    while (s->nunderway > 0) {
        int64_t first = -1;
        now = s->underway[0].time;
        while (s->nunderway > 0 && s->underway[0].time == now)
            set_free(s, pop_end(s).message, &first);
        for (int64_t e = first, next; e >= 0; e = next) {
            next = s->behind[e];
            if (!waits(s, e)) add_candidate(s, e);
        }
        begin_candidates(s, now);
    }
    return now;
}

/* Return the largest load of a resource, a lower bound for every list. */
static int64_t largest_load(struct lister *s)
{
    int64_t largest = 0;
    start_over(s);
    for (int r = 0; r < s->work->nresources; r++) largest = int_max(largest, s->left[r]);
    return largest;
}

redist_err list_schedule(const struct list_work *work, int seed, int64_t start[])
{
    struct lister s;
    TRY(lister_make(work, &s));
    int64_t n = work->nmessages, least = largest_load(&s), best = INT64_MAX;
    int64_t tries = int_min(MAX_TRIES, 1 + MAX_TRIED / (work->begin[n] / 2 + 1));
    s.rule = -seed;
    int64_t end_of_rules = seed ? s.rule + 1 : tries;
    for (; s.rule < end_of_rules && best > least; s.rule++) {
        int64_t end = run_list(&s);
        if (end >= best) continue;
        best = end;
        memcpy(start, s.start, (size_t)n * sizeof *start);
    }
    mem_free(s.start); /* and all in one block with it */
    return REDIST_OK;
}

redist_err list_schedule_ends(int P, int Q, int64_t nmessages,
                              const struct edge message[], int64_t start[])
{
    int64_t n = nmessages, *begin = NULL;
    int *end = NULL;
    const struct mem_part room[] = {MEM_PART(begin, n + 1), MEM_PART(end, 2 * n), {0}};
    TRY(mem_alloc_parts(NULL, room));
    for (int64_t e = 0; e < n; e++) {
        begin[e + 1] = 2 * (e + 1);
        end[2 * e] = message[e].p;
        end[2 * e + 1] = P + message[e].q;
    }
    const struct list_work work = {n, message, P + Q, begin, end};
    redist_err err = list_schedule(&work, 0, start);
    mem_free(begin); /* and the ends */
    return err;
}
