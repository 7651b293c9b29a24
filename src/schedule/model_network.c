/* SPDX-License-Identifier: MIT
 *
 * schedule/model_network.c - what an order takes if no process waits for its turn, event
 * by event: a message comes to its links when both ends have posted it. There it waits
 * until they are free, or shares them with others.
 */
#include <math.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "schedule/model.h"
#include "schedule/readout.h"
#include "schedule/topology.h"

/* A message comes to its links, or has passed them. */
struct event {
    double time;
    int64_t number; /* of equal times, in the order in which they were noted */
    int64_t message;
    bool over;
};

/* The messages of a process, one way, in its order: own[first .. next - 1] are under way,
 * as far as they are not over. */
struct lane {
    int64_t first, next, end;
};

/* A process of a run. */
struct process {
    struct lane lane[SIDES];
    double busy; /* until when it posts, packs and unpacks */
};

/* A message of a run. */
struct passage {
    int rank[SIDES];      /* its ends */
    int64_t begin, end;   /* it takes link[begin] .. link[end - 1] */
    double posted[SIDES]; /* negative: not yet */
    bool is_over;
    int64_t turn;      /* when it came to its links */
    int64_t behind;    /* the one that waits for the same since before, or -1 */
    double left, rate; /* if links are shared: bytes, and bytes a second */
};

/* A link of a run. */
struct wire {
    bool taken;
    int64_t waiting; /* the message that waits for it since last, or -1 */
    double room,
        claims; /* if it is shared: bytes a second, and what they are shared by */
};

struct rush {
    const struct schedule_input *input;
    const struct model *model;
    const struct model_going *going;
    int64_t n;
    const struct piece *message; /* [n] in the order of all */
    int nranks;
    struct process *process; /* [nranks] */
    struct passage *passage; /* [n] */
    struct wire *wire;       /* [links of the network] */
    int64_t *own[SIDES];     /* [n] messages, one lane behind the other */
    int *link;               /* [n longest way] */
    int64_t *freed;          /* [n] messages whose link is free again, or that are over */
    struct event *event;     /* [n] a heap, the earliest on top */
    int64_t nevents, number; /* noted so far */
    int64_t nunderway, *underway; /* [n] messages, if links are shared */
    double end;
};

/* ---- making ------------------------------------------------------------------------ */

static void rush_free(struct rush *rush)
{
    mem_free(rush->process);
    mem_free(rush->passage);
    mem_free(rush->wire);
    for (int s = 0; s < SIDES; s++) mem_free(rush->own[s]);
    mem_free(rush->link);
    mem_free(rush->freed);
    mem_free(rush->event);
    mem_free(rush->underway);
}

static redist_err allocate(struct rush *rush)
{
    const redist_topology *topology = rush->input->topology;
    int64_t n = rush->n;
    rush->process = mem_alloc(NULL, rush->nranks, sizeof *rush->process);
    rush->passage = mem_alloc(NULL, n, sizeof *rush->passage);
    rush->wire = mem_alloc(NULL, redist_topology_links(topology), sizeof *rush->wire);
    for (int s = 0; s < SIDES; s++)
        rush->own[s] = mem_alloc(NULL, n, sizeof *rush->own[s]);
    rush->link = mem_alloc(NULL, n * topology_longest(topology), sizeof *rush->link);
    rush->freed = mem_alloc(NULL, n, sizeof *rush->freed);
    rush->event = mem_alloc(NULL, n, sizeof *rush->event);
    rush->underway = mem_alloc(NULL, n, sizeof *rush->underway);
    bool made = rush->process && rush->passage && rush->wire && rush->own[0] &&
                rush->own[1] && rush->link && rush->freed && rush->event &&
                rush->underway;
    return made ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* Hand the messages out to the lanes of a side. */
static void fill_lanes(struct rush *rush, int side)
{
    struct process *process = rush->process;
    int64_t begin = 0;
    for (int64_t m = 0; m < rush->n; m++) {
        const struct piece *piece = &rush->message[m];
        int c = side == REDIST_SOURCE ? piece->p : piece->q;
        rush->passage[m].rank[side] = rush->input->rank[side][c];
        process[rush->passage[m].rank[side]].lane[side].next++;
    }
    for (int r = 0; r < rush->nranks; r++) {
        struct lane *lane = &process[r].lane[side];
        int64_t count = lane->next;
        lane->first = lane->end = begin;
        begin += count;
    }
    for (int64_t m = 0; m < rush->n; m++)
        rush->own[side][process[rush->passage[m].rank[side]].lane[side].end++] = m;
}

static redist_err find_ways(struct rush *rush)
{
    const redist_topology *topology = rush->input->topology;
    int longest = topology_longest(topology);
    int64_t *way = mem_alloc(NULL, longest, sizeof *way), end = 0;
    if (!way) return REDIST_ERR_MEMORY;
    for (int64_t m = 0; m < rush->n; m++) {
        struct passage *passage = &rush->passage[m];
        int links = redist_topology_route(topology, passage->rank[REDIST_SOURCE],
                                          passage->rank[REDIST_TARGET], longest, way);
        passage->begin = end;
        for (int k = 0; k < links; k++) rush->link[end++] = (int)way[k];
        passage->end = end;
    }
    mem_free(way);
    return REDIST_OK;
}

static void start_over(struct rush *rush)
{
    for (int s = 0; s < SIDES; s++) {
        int64_t begin = 0;
        for (int r = 0; r < rush->nranks; r++) {
            struct lane *lane = &rush->process[r].lane[s];
            lane->first = lane->next = begin;
            begin = lane->end;
        }
    }
    for (int64_t m = 0; m < rush->n; m++) {
        struct passage *passage = &rush->passage[m];
        for (int s = 0; s < SIDES; s++) passage->posted[s] = -1;
        passage->is_over = false;
    }
    for (int r = 0; r < rush->nranks; r++) rush->process[r].busy = 0;
    for (int64_t l = 0; l < redist_topology_links(rush->input->topology); l++) {
        rush->wire[l].taken = false;
        rush->wire[l].waiting = -1;
    }
    rush->number = 0;
    rush->end = 0;
}

/* ---- the heap of events ------------------------------------------------------------ */

static bool is_before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void push(struct rush *rush, double time, int64_t message, bool over)
{
    struct event new = {time, rush->number++, message, over}, *heap = rush->event;
    int64_t k = rush->nevents++;
    for (; k > 0 && is_before(&new, &heap[(k - 1) / 2]); k = (k - 1) / 2)
        heap[k] = heap[(k - 1) / 2];
    heap[k] = new;
}

static struct event pop(struct rush *rush)
{
    struct event *heap = rush->event, top = heap[0], last = heap[--rush->nevents];
    int64_t k = 0;
    for (int64_t child = 1; child < rush->nevents; child = 2 * k + 1) {
        bool right = child + 1 < rush->nevents;
        if (right && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &last)) break;
        heap[k] = heap[child];
        k = child;
    }
    heap[k] = last;
    return top;
}

/* ---- what happens ------------------------------------------------------------------ */

static double bytes_of(const struct rush *rush, int64_t m)
{
    return rush->model->unit * (double)rush->message[m].weight;
}

/* What a message takes of the processor at either end. */
static double handling(const struct rush *rush, int64_t m)
{
    return rush->model->alpha / 2 + rush->model->gamma * bytes_of(rush, m);
}

/* Post what has room in the window of a lane. */
static void post(struct rush *rush, int side, int rank)
{
    struct lane *lane = &rush->process[rank].lane[side];
    const int64_t *own = rush->own[side];
    while (lane->first < lane->next && rush->passage[own[lane->first]].is_over)
        lane->first++;
    while (lane->next < lane->end && lane->next - lane->first < rush->going->window) {
        int64_t m = own[lane->next++];
        if (side == REDIST_SOURCE) rush->process[rank].busy += handling(rush, m);
        rush->passage[m].posted[side] = rush->process[rank].busy;
        double other = rush->passage[m].posted[!side],
               both = fmax(rush->process[rank].busy, other);
        if (other >= 0) push(rush, both + rush->going->latency, m, false);
    }
}

static void go_on(struct rush *rush, int rank, double now)
{
    rush->process[rank].busy = fmax(rush->process[rank].busy, now);
    post(rush, REDIST_TARGET, rank);
    post(rush, REDIST_SOURCE, rank);
}

/* Start a message, or let it wait for one of its links that is taken. */
static void start(struct rush *rush, int64_t m, double now)
{
    for (int64_t k = rush->passage[m].begin; k < rush->passage[m].end; k++) {
        int link = rush->link[k];
        if (!rush->wire[link].taken) continue;
        rush->passage[m].behind = rush->wire[link].waiting;
        rush->wire[link].waiting = m;
        return;
    }
    for (int64_t k = rush->passage[m].begin; k < rush->passage[m].end; k++)
        rush->wire[rush->link[k]].taken = true;
    push(rush, now + rush->model->beta * bytes_of(rush, m), m, true);
}

/* Free the links of a message, and start what waits for them: who came first, first. */
static void set_free(struct rush *rush, int64_t over, double now)
{
    int64_t n = 0, *freed = rush->freed;
    for (int64_t k = rush->passage[over].begin; k < rush->passage[over].end; k++) {
        int link = rush->link[k];
        rush->wire[link].taken = false;
        for (int64_t m = rush->wire[link].waiting; m >= 0; m = rush->passage[m].behind) {
            int64_t at = n++;
            for (; at > 0 && rush->passage[freed[at - 1]].turn < rush->passage[m].turn;
                 at--)
                freed[at] = freed[at - 1];
            freed[at] = m;
        }
        rush->wire[link].waiting = -1;
    }
    while (n > 0) start(rush, freed[--n], now);
}

static void finish(struct rush *rush, int64_t m, double now)
{
    int from = rush->passage[m].rank[REDIST_SOURCE],
        to = rush->passage[m].rank[REDIST_TARGET];
    rush->passage[m].is_over = true;
    rush->process[to].busy = fmax(rush->process[to].busy, now) + handling(rush, m);
    rush->end = fmax(rush->end, rush->process[to].busy);
    go_on(rush, from, now);
    go_on(rush, to, now);
}

/* One at a time: until nothing happens any more. */
static void serve_in_turns(struct rush *rush)
{
    int64_t turns = 0;
    while (rush->nevents > 0) {
        struct event event = pop(rush);
        if (event.over) {
            set_free(rush, event.message, event.time);
            finish(rush, event.message, event.time);
        } else {
            rush->passage[event.message].turn = turns++;
            start(rush, event.message, event.time);
        }
    }
}

/* ---- shared links ------------------------------------------------------------------ */

/* A message's claim to a link: the less, the more links it passes, as with what waits for
 * answers from the other end. */
static double claim(const struct rush *rush, int64_t m)
{
    return 1 / (double)int_max(rush->passage[m].end - rush->passage[m].begin, 1);
}

/* Put a message's claim on its links, or take it off with the rate that it has got. */
static void claim_links(struct rush *rush, int64_t m, double sign, double rate)
{
    for (int64_t k = rush->passage[m].begin; k < rush->passage[m].end; k++) {
        rush->wire[rush->link[k]].claims += sign * claim(rush, m);
        rush->wire[rush->link[k]].room -= rate;
    }
}

/* The least that one of a message's links has for each claim; INFINITY: it has none. */
static double narrowest(const struct rush *rush, int64_t m)
{
    double least = INFINITY;
    for (int64_t k = rush->passage[m].begin; k < rush->passage[m].end; k++) {
        int link = rush->link[k];
        least = fmin(least, rush->wire[link].room / rush->wire[link].claims);
    }
    return least;
}

/* Share the links among the messages under way: those of the narrowest link get what it
 * has, then those of the next one what is left. */
static void share(struct rush *rush)
{
    static const double equal = 1 + 1e-9;
    int64_t open = rush->nunderway, *underway = rush->underway;
    for (int64_t j = 0; j < open; j++)
        for (int64_t k = rush->passage[underway[j]].begin;
             k < rush->passage[underway[j]].end; k++) {
            rush->wire[rush->link[k]].room = 1 / rush->model->beta;
            rush->wire[rush->link[k]].claims = 0;
        }
    for (int64_t j = 0; j < open; j++) claim_links(rush, underway[j], 1, 0);
    while (open > 0) {
        double least = INFINITY;
        for (int64_t j = 0; j < open; j++)
            least = fmin(least, narrowest(rush, underway[j]));
        for (int64_t j = 0; j < open;) {
            int64_t m = underway[j];
            if (narrowest(rush, m) > least * equal) {
                j++;
                continue;
            }
            rush->passage[m].rate = least * claim(rush, m);
            if (!isinf(least)) claim_links(rush, m, -1, rush->passage[m].rate);
            underway[j] = underway[--open];
            underway[open] = m;
        }
    }
}

/* When a message is over, by its rate. */
static double over_at(const struct rush *rush, int64_t m, double now)
{
    return now + rush->passage[m].left / rush->passage[m].rate;
}

/* Let what is under way go on from `now` at most until `then`. Returns when the first
 * ones are over, or `then`. */
static double advance(struct rush *rush, double now, double then)
{
    static const double nothing = 1e-9;
    int64_t n = 0, nover = 0;
    for (int64_t j = 0; j < rush->nunderway; j++)
        then = fmin(then, over_at(rush, rush->underway[j], now));
    for (int64_t j = 0; j < rush->nunderway; j++) {
        int64_t m = rush->underway[j];
        bool is_over = over_at(rush, m, now) <= then;
        if (!is_over) rush->passage[m].left -= rush->passage[m].rate * (then - now);
        if (is_over || rush->passage[m].left <= nothing * bytes_of(rush, m))
            rush->freed[nover++] = m;
        else
            rush->underway[n++] = m;
    }
    rush->nunderway = n;
    for (int64_t k = 0; k < nover; k++) finish(rush, rush->freed[k], then);
    return then;
}

static void serve_all(struct rush *rush)
{
    double now = 0;
    while (rush->nevents > 0 || rush->nunderway > 0) {
        while (rush->nevents > 0 && rush->event[0].time <= now) {
            int64_t m = pop(rush).message;
            rush->passage[m].left = bytes_of(rush, m);
            rush->underway[rush->nunderway++] = m;
        }
        share(rush);
        now = advance(rush, now, rush->nevents > 0 ? rush->event[0].time : INFINITY);
    }
}

/* ---- a run ------------------------------------------------------------------------- */

/* Who is the k-th to begin: in the order of ranks, against it, or in none. */
enum beginning { ASCENDING, DESCENDING, MIXED, BEGINNINGS };

static int kth(const struct rush *rush, enum beginning beginning, int k)
{
    int n = rush->nranks, odd = n / 3 * 2 + 1;
    while (int_gcd(odd, n) > 1) odd++;
    switch (beginning) {
        case ASCENDING: return k;
        case DESCENDING: return n - 1 - k;
        default: return (int)((int64_t)k * odd % n);
    }
}

static double run(struct rush *rush, enum beginning beginning)
{
    start_over(rush);
    for (int k = 0; k < rush->nranks; k++) go_on(rush, kth(rush, beginning, k), 0);
    if (rush->going->shared)
        serve_all(rush);
    else
        serve_in_turns(rush);
    return rush->end;
}

static int count_ranks(const struct schedule_input *input)
{
    int most = 0;
    for (int c = 0; c < input->grid->P; c++)
        if (input->rank[REDIST_SOURCE][c] > most) most = input->rank[REDIST_SOURCE][c];
    for (int c = 0; c < input->grid->Q; c++)
        if (input->rank[REDIST_TARGET][c] > most) most = input->rank[REDIST_TARGET][c];
    return most + 1;
}

redist_err model_network(const struct schedule_kind *kind, const void *state,
                         const struct schedule_input *input, const struct model *model,
                         const struct model_going *going, double *seconds)
{
    struct readout messages = {0};
    struct rush rush = {
        .input = input, .model = model, .going = going, .nranks = count_ranks(input)};
    redist_err err = readout_side(kind, state, input, REDIST_SOURCE, &messages);
    if (!err) {
        readout_thin(input, &messages);
        readout_join(&messages);
        rush.n = messages.n;
        rush.message = messages.piece;
        err = allocate(&rush);
    }
    if (!err) {
        fill_lanes(&rush, REDIST_SOURCE);
        fill_lanes(&rush, REDIST_TARGET);
        err = find_ways(&rush);
    }
    *seconds = 0;
    for (int k = 0; !err && k < (going->shared ? 1 : BEGINNINGS); k++)
        if (*seconds <= going->most)
            *seconds = fmax(*seconds, run(&rush, (enum beginning)k));
    rush_free(&rush);
    readout_free(&messages);
    return err;
}
