/* SPDX-License-Identifier: MIT
 *
 * schedule/network/model_network.c - the simulation of an order of messages in which no
 * process waits for its turn, event by event. A message reaches its links when both ends
 * have posted it. There it waits until they are free, or shares them with others.
 */
#include <math.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "schedule/model/model.h"
#include "schedule/network/bundles.h"
#include "schedule/network/netsim.h"

/* ---- events ------------------------------------------------------------------------ */

/* The bytes of a message on its route, with its header. */
static double carried(const struct netsim *netsim, int64_t m)
{
    return netsim->sim_message[m].bytes + netsim->going->envelope;
}

/* Remove handled messages from the head of a lane. */
static void retire(struct netsim *netsim, int side, struct lane *lane)
{
    for (; lane->first < lane->next; lane->first++) {
        const struct sim_message *sim_message =
            &netsim->sim_message[netsim->own[side][lane->first]];
        if (!sim_message->taken[side]) return;
        if (lane->ring.size > 0) ring_pop(&lane->ring, sim_message->held[side]);
    }
}

/* Begin the next step of a process if the current one is over in both directions. */
static void next_step(struct netsim *netsim, struct process *process)
{
    int64_t next = INT64_MAX;
    for (int s = 0; s < SIDES; s++) {
        const struct lane *lane = &process->lane[s];
        if (lane->first < lane->next) return;
        if (lane->next < lane->end)
            next = int_min(next, netsim->sim_message[netsim->own[s][lane->next]].step);
    }
    process->step = next;
}

/* Tell whether the next message of a lane may be posted, as far as steps matter. */
static bool is_due(const struct netsim *netsim, int side, const struct process *process)
{
    const struct lane *lane = &process->lane[side];
    if (lane->next == lane->end || lane->next - lane->first >= netsim->going->window)
        return false;
    return !netsim->going->stepwise ||
           netsim->sim_message[netsim->own[side][lane->next]].step == process->step;
}

/* Give a message a place in the staging memory of one of its ends, if there is room. */
static bool place(struct netsim *netsim, int64_t m, int side, struct lane *lane)
{
    int64_t *end = &netsim->sim_message[m].held[side];
    return lane->ring.size == 0 ||
           ring_push(&lane->ring, netsim_staged(netsim, m), end) >= 0;
}

/* Post all messages with room in the window of a lane. */
static void post(struct netsim *netsim, int side, int rank)
{
    struct lane *lane = &netsim->process[rank].lane[side];
    const int64_t *own = netsim->own[side];
    while (is_due(netsim, side, &netsim->process[rank])) {
        int64_t m = own[lane->next];
        if (!place(netsim, m, side, lane)) return;
        lane->next++;
        struct sim_message *sim_message = &netsim->sim_message[m];
        if (side == REDIST_SOURCE) {
            sim_message->is_sent = sim_message->bytes < netsim->going->eager;
            netsim->process[rank].busy +=
                netsim->model->alpha / 2 + netsim->model->gamma * sim_message->bytes;
        }
        netsim_post(netsim, m, side, netsim->process[rank].busy);
    }
}

/* Post what is due both ways. */
static void post_both(struct netsim *netsim, int rank)
{
    struct process *process = &netsim->process[rank];
    for (int s = 0; s < SIDES; s++) retire(netsim, s, &process->lane[s]);
    if (netsim->going->stepwise) next_step(netsim, process);
    post(netsim, REDIST_TARGET, rank);
    post(netsim, REDIST_SOURCE, rank);
}

/* Post the first messages, and then the status messages. */
static void begin(struct netsim *netsim, int rank)
{
    struct process *process = &netsim->process[rank];
    post_both(netsim, rank);
    status_messages_begin(netsim, rank);
    netsim_push(netsim, process->busy, EVENT_WAITS, rank);
}

/* The k-th message that a process may wait for: its sends, a status message, its
 * receives. */
static struct sim_message *nth(const struct netsim *netsim, int rank, int64_t k,
                               int *side)
{
    const struct process *process = &netsim->process[rank];
    const struct lane *sends = &process->lane[REDIST_SOURCE];
    const struct lane *receives = &process->lane[REDIST_TARGET];
    int64_t nsends = sends->next - sends->first;
    *side = k < nsends ? REDIST_SOURCE : REDIST_TARGET;
    if (k < nsends)
        return &netsim->sim_message[netsim->own[REDIST_SOURCE][sends->first + k]];
    struct sim_message *word = status_messages_awaited(netsim, rank);
    k -= nsends;
    if (word && k-- == 0) return word;
    if (k >= receives->next - receives->first) return NULL;
    return &netsim->sim_message[netsim->own[REDIST_TARGET][receives->first + k]];
}

/* Tell whether a message is over, by a time, for an end that has not noticed it. */
static bool has_landed(const struct sim_message *sim_message, int side, double at)
{
    if (sim_message->taken[side]) return false;
    return sim_message->is_over ? sim_message->over_at <= at
                                : side == REDIST_SOURCE && sim_message->is_sent;
}

/* Handle a message. Returns the seconds it takes: eager messages are buffered first,
 * longer ones arrive in place. */
static double take(const struct netsim *netsim, struct sim_message *sim_message, int side)
{
    sim_message->taken[side] = true;
    if (side == REDIST_SOURCE) return 0;
    double startup =
        sim_message->bytes < netsim->going->eager ? netsim->model->alpha / 2 : 0;
    return startup + netsim->model->gamma * sim_message->bytes;
}

/* Find when a process will have tested all remaining messages. */
static void look_on(struct netsim *netsim, int rank)
{
    const struct process *process = &netsim->process[rank];
    double looked = process->looks + (double)process->open * netsim->going->look;
    netsim_push(netsim, looked, EVENT_LOOKED, rank);
}

/* Tell whether from now on a process waits until all that it has posted is over. */
static bool waits_for_all(const struct netsim *netsim, struct process *process)
{
    for (int s = 0; s < SIDES; s++)
        if (process->lane[s].next < process->lane[s].end) return false;
    int64_t n = process->open, packed = ring_held(&process->lane[REDIST_TARGET].ring);
    if (netsim->going->together > 0 && packed <= n * n * netsim->going->together)
        process->together = true;
    return process->together;
}

/* When one of its messages is over, a process handles it and then tests all others; but
 * none while a status message is to come, so that it forwards that soon. */
static void await(struct netsim *netsim, int rank, double now)
{
    struct process *process = &netsim->process[rank];
    struct sim_message *sim_message = NULL, *landed = NULL;
    int side = 0, end = 0;
    process->open = 0;
    for (int64_t k = 0; (sim_message = nth(netsim, rank, k, &side)); k++) {
        process->open += !sim_message->taken[side];
        if (!landed && has_landed(sim_message, side, now))
            landed = sim_message, end = side;
    }
    process->idle = !landed;
    if (!landed) return;
    process->looks = now + take(netsim, landed, end);
    bool alone = status_messages_awaited(netsim, rank) || waits_for_all(netsim, process);
    process->at = alone ? INT64_MAX : 0;
    process->open = process->at == 0 ? process->open - 1 : 0;
    look_on(netsim, rank);
}

/* Handle the next message that a process has found to be over, and continue testing after
 * it; or, if there is none, post what is due. */
static void go_on(struct netsim *netsim, int rank, double now)
{
    struct process *process = &netsim->process[rank];
    struct sim_message *sim_message = NULL;
    double at = process->looks;
    int side = 0;
    while ((sim_message = nth(netsim, rank, process->at, &side))) {
        process->at++;
        if (sim_message->taken[side]) continue;
        process->open--;
        at += netsim->going->look;
        if (!has_landed(sim_message, side, at)) continue;
        process->looks = at + take(netsim, sim_message, side);
        if (process->looks > at) {
            look_on(netsim, rank);
            return;
        }
    }
    process->busy = now;
    sim_message = status_messages_awaited(netsim, rank);
    if (sim_message && sim_message->taken[REDIST_TARGET])
        status_messages_go_on(netsim, rank);
    post_both(netsim, rank);
    netsim_push(netsim, process->busy, EVENT_WAITS, rank);
}

/* Start a message, or let it wait for one of its occupied links. */
static void start(struct netsim *netsim, int64_t m, double now)
{
    for (int64_t k = netsim->sim_message[m].begin; k < netsim->sim_message[m].end; k++) {
        int link = netsim->link[k];
        if (!netsim->sim_link[link].taken) continue;
        netsim->sim_message[m].behind = netsim->sim_link[link].waiting;
        netsim->sim_link[link].waiting = m;
        return;
    }
    for (int64_t k = netsim->sim_message[m].begin; k < netsim->sim_message[m].end; k++)
        netsim->sim_link[netsim->link[k]].taken = true;
    netsim_push(netsim, now + netsim->model->beta * carried(netsim, m), EVENT_OVER, m);
}

/* Free a link, and start the messages waiting for it, in order of arrival. */
static void set_free(struct netsim *netsim, int link, double now)
{
    int64_t n = 0, *freed = netsim->freed;
    for (int64_t m = netsim->sim_link[link].waiting; m >= 0;
         m = netsim->sim_message[m].behind) {
        int64_t at = n++;
        for (; at > 0 &&
               netsim->sim_message[freed[at - 1]].since < netsim->sim_message[m].since;
             at--)
            freed[at] = freed[at - 1];
        freed[at] = m;
    }
    netsim->sim_link[link].taken = false;
    netsim->sim_link[link].waiting = -1;
    while (n > 0) start(netsim, freed[--n], now);
}

/* The end of a message passes its links one after the other: messages waiting for the
 * first link are served before those waiting for the next one. */
static void leave(struct netsim *netsim, int64_t m, double now)
{
    for (int64_t k = netsim->sim_message[m].begin; k < netsim->sim_message[m].end; k++)
        set_free(netsim, netsim->link[k], now);
}

static void finish(struct netsim *netsim, int64_t m, double now)
{
    netsim->sim_message[m].is_over = netsim->sim_message[m].is_sent = true;
    netsim->sim_message[m].over_at = now;
    for (int s = 0; s < SIDES; s++) { /* nobody waits until a status message has left */
        int rank = netsim->sim_message[m].rank[s];
        bool waits = s == REDIST_TARGET || m < netsim->n;
        if (waits && netsim->process[rank].idle) await(netsim, rank, now);
    }
}

/* Process an event. */
static void act(struct netsim *netsim, const struct event *event)
{
    if (event->kind == EVENT_WAITS)
        await(netsim, (int)event->of, event->time);
    else
        go_on(netsim, (int)event->of, event->time);
}

/* Links serve one message at a time: process all events. */
static void serve_in_turns(struct netsim *netsim)
{
    while (netsim->nevents > 0) {
        struct event event = netsim_pop(netsim);
        if (event.kind == EVENT_OVER) {
            leave(netsim, event.of, event.time);
            finish(netsim, event.of, event.time);
        } else if (event.kind == EVENT_COMES) {
            start(netsim, event.of, event.time);
        } else {
            act(netsim, &event);
        }
    }
}

/* ---- shared links ------------------------------------------------------------------ */

/* The time at which a message is over, by its rate. */
static double over_at(const struct netsim *netsim, int64_t m, double now)
{
    return now + netsim->sim_message[m].left / netsim->sim_message[m].rate;
}

/* Advance the messages in progress from `now` at most until `then`. Returns when the
 * first of them are over, or `then`. */
static double advance(struct netsim *netsim, double now, double then)
{
    static const double nothing = 1e-9;
    int64_t n = 0, nover = 0;
    for (int64_t j = 0; j < netsim->nunderway; j++) {
        double over = over_at(netsim, netsim->underway[j], now);
        if (over < then) then = over;
    }
    for (int64_t j = 0; j < netsim->nunderway; j++) {
        int64_t m = netsim->underway[j];
        bool is_over = over_at(netsim, m, now) <= then;
        if (!is_over)
            netsim->sim_message[m].left -= netsim->sim_message[m].rate * (then - now);
        if (is_over || netsim->sim_message[m].left <= nothing * carried(netsim, m))
            netsim->freed[nover++] = m;
        else
            netsim->underway[n++] = m;
    }
    netsim->nunderway = n;
    for (int64_t k = 0; k < nover; k++) finish(netsim, netsim->freed[k], then);
    return then;
}

/* Process the events up to now. Returns whether messages have reached links. */
static bool catch_up(struct netsim *netsim, double now)
{
    int64_t before = netsim->nunderway;
    while (netsim->nevents > 0 && netsim->event[0].time <= now) {
        struct event event = netsim_pop(netsim);
        if (event.kind == EVENT_COMES && event.of >= netsim->n) {
            finish(netsim, event.of, event.time); /* it takes no bandwidth from others */
        } else if (event.kind == EVENT_COMES) {
            netsim->sim_message[event.of].left = carried(netsim, event.of);
            netsim->underway[netsim->nunderway++] = event.of;
        } else {
            act(netsim, &event);
        }
    }
    return netsim->nunderway > before;
}

static void serve_all(struct netsim *netsim)
{
    double now = 0;
    bool gone = false;
    while (netsim->nevents > 0 || netsim->nunderway > 0) {
        if (catch_up(netsim, now) || gone) shares_divide(netsim);
        int64_t before = netsim->nunderway;
        now =
            advance(netsim, now, netsim->nevents > 0 ? netsim->event[0].time : INFINITY);
        gone = netsim->nunderway < before;
    }
}

/* ---- a run ------------------------------------------------------------------------- */

/* The number of orders, whose median counts, if it matters who comes first. */
enum { ORDERS = 5 };

/* The seconds by which a process begins after the first: in the order of ranks, or in a
 * random order. Even for some hundred processes they only decide who comes first. */
static double delay(const struct netsim *netsim, int beginning, int rank)
{
    static const double apart = 2e-9;
    if (beginning == 0) return apart * rank;
    uint64_t hash = hash_int(hash_int(HASH_START, beginning), rank);
    return apart * netsim->nranks * (double)(hash >> 11) * 0x1p-53;
}

static double run(struct netsim *netsim, int beginning)
{
    netsim_start_over(netsim);
    for (int r = 0; r < netsim->nranks; r++) {
        netsim->process[r].busy = delay(netsim, beginning, r);
        begin(netsim, r);
    }
    if (netsim->going->shared)
        serve_all(netsim);
    else
        serve_in_turns(netsim);
    double end = 0;
    for (int r = 0; r < netsim->nranks; r++)
        end = fmax(end, status_messages_end(netsim, r));
    return end;
}

/* Simulate several orders, if it matters. */
static void run_all(struct netsim *netsim, double seconds[MODEL_BEGINNINGS])
{
    double sorted[ORDERS];
    int n = netsim->going->shared ? 1 : ORDERS;
    for (int k = 0; k < n; k++) {
        double taken = run(netsim, k);
        int at = k;
        if (k == 0) seconds[MODEL_BY_RANK] = taken;
        for (; at > 0 && sorted[at - 1] > taken; at--) sorted[at] = sorted[at - 1];
        sorted[at] = taken;
    }
    seconds[MODEL_BY_MEDIAN] = sorted[n / 2];
}

/* Simulate messages between ranks, sorted by step. */
static redist_err follow(const struct readout *messages,
                         const struct schedule_input *input, const struct model *model,
                         const struct model_going *going,
                         double seconds[MODEL_BEGINNINGS])
{
    struct netsim netsim = {.input = input, .model = model, .going = going};
    redist_err err = netsim_make(messages, &netsim);
    if (!err) run_all(&netsim, seconds);
    netsim_free(&netsim);
    return err;
}

redist_err model_network(const struct schedule_kind *kind, const void *state,
                         const struct schedule_input *input, const struct model *model,
                         const struct model_going *going,
                         double seconds[MODEL_BEGINNINGS])
{
    struct readout messages = {0};
    redist_err err = readout_side(kind, state, input, REDIST_SOURCE, &messages);
    if (!err) {
        readout_thin(input, &messages);
        readout_join(&messages);
        readout_place(input, &messages);
        err = follow(&messages, input, model, going, seconds);
    }
    readout_free(&messages);
    return err;
}

redist_err model_bundles(int group, const struct schedule_input *input,
                         const struct model *model, const struct model_going *going,
                         double seconds[MODEL_BEGINNINGS])
{
    struct readout bundles = {0};
    bool any = false;
    redist_err err = bundles_list(input, group, &bundles, &any);
    if (!err && any) err = follow(&bundles, input, model, going, seconds);
    for (int k = 0; !any && k < MODEL_BEGINNINGS; k++) seconds[k] = INFINITY;
    readout_free(&bundles);
    return err;
}
