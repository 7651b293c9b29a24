/* SPDX-License-Identifier: MIT
 *
 * schedule/network/model_network.c - what an order takes if no process waits for its
 * turn, event by event: a message comes to its links when both ends have posted it. There
 * it waits until they are free, or shares them with others.
 */
#include <math.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "schedule/network/bundles.h"
#include "schedule/model/model.h"
#include "schedule/network/rush.h"
#include "schedule/network/shares.h"
#include "schedule/network/words.h"

/* ---- what happens ------------------------------------------------------------------ */

/* What a message takes of the processor at either end. */
static double handling(const struct rush *rush, const struct passage *passage)
{
    return rush->model->alpha / 2 + rush->model->gamma * passage->bytes;
}

/* The bytes of a message on its way. */
static double carried(const struct rush *rush, int64_t m)
{
    return rush->passage[m].bytes + rush->going->envelope;
}

/* Take what has been seen to be over off the head of a lane. */
static void retire(struct rush *rush, int side, struct lane *lane)
{
    for (; lane->first < lane->next; lane->first++) {
        const struct passage *passage = &rush->passage[rush->own[side][lane->first]];
        if (!passage->taken[side]) return;
        if (lane->ring.size > 0) ring_pop(&lane->ring, passage->held[side]);
    }
}

/* Begin the next step of a process if the present one is over both ways. */
static void next_step(struct rush *rush, struct process *process)
{
    int64_t next = INT64_MAX;
    for (int s = 0; s < SIDES; s++) {
        const struct lane *lane = &process->lane[s];
        if (lane->first < lane->next) return;
        if (lane->next < lane->end)
            next = int_min(next, rush->passage[rush->own[s][lane->next]].step);
    }
    process->step = next;
}

/* Whether the next one of a lane may be posted, as far as steps go. */
static bool is_due(const struct rush *rush, int side, const struct process *process)
{
    const struct lane *lane = &process->lane[side];
    if (lane->next == lane->end || lane->next - lane->first >= rush->going->window)
        return false;
    return !rush->going->stepwise ||
           rush->passage[rush->own[side][lane->next]].step == process->step;
}

/* Give a message a place in the staging memory of one of its ends, if there is room. */
static bool place(struct rush *rush, int64_t m, int side, struct lane *lane)
{
    int64_t *end = &rush->passage[m].held[side];
    return lane->ring.size == 0 || ring_push(&lane->ring, rush_staged(rush, m), end) >= 0;
}

/* Post what has room in the window of a lane. */
static void post(struct rush *rush, int side, int rank)
{
    struct lane *lane = &rush->process[rank].lane[side];
    const int64_t *own = rush->own[side];
    while (is_due(rush, side, &rush->process[rank])) {
        int64_t m = own[lane->next];
        if (!place(rush, m, side, lane)) return;
        lane->next++;
        struct passage *passage = &rush->passage[m];
        if (side == REDIST_SOURCE) {
            passage->is_sent = passage->bytes < rush->going->eager;
            rush->process[rank].busy += handling(rush, passage);
        }
        rush_post(rush, m, side, rush->process[rank].busy);
    }
}

/* Post what is due both ways. */
static void post_both(struct rush *rush, int rank)
{
    struct process *process = &rush->process[rank];
    for (int s = 0; s < SIDES; s++) retire(rush, s, &process->lane[s]);
    if (rush->going->stepwise) next_step(rush, process);
    post(rush, REDIST_TARGET, rank);
    post(rush, REDIST_SOURCE, rank);
}

/* The first messages, and behind them what others are told. */
static void begin(struct rush *rush, int rank)
{
    struct process *process = &rush->process[rank];
    post_both(rush, rank);
    words_begin(rush, rank);
    rush_push(rush, process->busy, EVENT_WAITS, rank);
}

/* The k-th of those that a process may wait for: its sends, a word, its receives. */
static struct passage *nth(const struct rush *rush, int rank, int64_t k, int *side)
{
    const struct process *process = &rush->process[rank];
    const struct lane *sends = &process->lane[REDIST_SOURCE];
    const struct lane *receives = &process->lane[REDIST_TARGET];
    int64_t nsends = sends->next - sends->first;
    *side = k < nsends ? REDIST_SOURCE : REDIST_TARGET;
    if (k < nsends) return &rush->passage[rush->own[REDIST_SOURCE][sends->first + k]];
    struct passage *word = words_awaited(rush, rank);
    k -= nsends;
    if (word && k-- == 0) return word;
    if (k >= receives->next - receives->first) return NULL;
    return &rush->passage[rush->own[REDIST_TARGET][receives->first + k]];
}

/* Whether a message is over, by a time, for an end that has not seen it yet. */
static bool has_landed(const struct passage *passage, int side, double at)
{
    if (passage->taken[side]) return false;
    return passage->is_over ? passage->over_at <= at
                            : side == REDIST_SOURCE && passage->is_sent;
}

/* Take a message in. Returns the seconds that it takes: what is sent before it is
 * expected is put somewhere first, what is longer comes straight to its place. */
static double take(const struct rush *rush, struct passage *passage, int side)
{
    passage->taken[side] = true;
    if (side == REDIST_SOURCE) return 0;
    double startup = passage->bytes < rush->going->eager ? rush->model->alpha / 2 : 0;
    return startup + rush->model->gamma * passage->bytes;
}

/* When a process will have looked at all that is left. */
static void look_on(struct rush *rush, int rank)
{
    const struct process *process = &rush->process[rank];
    double looked = process->looks + (double)process->open * rush->going->look;
    rush_push(rush, looked, EVENT_LOOKED, rank);
}

/* Whether from now on a process waits until all that it has posted is over. */
static bool waits_for_all(const struct rush *rush, struct process *process)
{
    for (int s = 0; s < SIDES; s++)
        if (process->lane[s].next < process->lane[s].end) return false;
    int64_t n = process->open, packed = ring_held(&process->lane[REDIST_TARGET].ring);
    if (rush->going->together > 0 && packed <= n * n * rush->going->together)
        process->together = true;
    return process->together;
}

/* As soon as one of those that a process waits for is over, it takes that in, and then
 * looks at all others; while there is a word to come, at none, so as to tell the next one
 * soon. */
static void await(struct rush *rush, int rank, double now)
{
    struct process *process = &rush->process[rank];
    struct passage *passage = NULL, *landed = NULL;
    int side = 0, end = 0;
    process->open = 0;
    for (int64_t k = 0; (passage = nth(rush, rank, k, &side)); k++) {
        process->open += !passage->taken[side];
        if (!landed && has_landed(passage, side, now)) landed = passage, end = side;
    }
    process->idle = !landed;
    if (!landed) return;
    process->looks = now + take(rush, landed, end);
    bool alone = words_awaited(rush, rank) || waits_for_all(rush, process);
    process->at = alone ? INT64_MAX : 0;
    process->open = process->at == 0 ? process->open - 1 : 0;
    look_on(rush, rank);
}

/* Take in the next one that a process has seen to be over, and look on behind it; or, if
 * there is none, post what is due. */
static void go_on(struct rush *rush, int rank, double now)
{
    struct process *process = &rush->process[rank];
    struct passage *passage = NULL;
    double at = process->looks;
    int side = 0;
    while ((passage = nth(rush, rank, process->at, &side))) {
        process->at++;
        if (passage->taken[side]) continue;
        process->open--;
        at += rush->going->look;
        if (!has_landed(passage, side, at)) continue;
        process->looks = at + take(rush, passage, side);
        if (process->looks > at) {
            look_on(rush, rank);
            return;
        }
    }
    process->busy = now;
    passage = words_awaited(rush, rank);
    if (passage && passage->taken[REDIST_TARGET]) words_go_on(rush, rank);
    post_both(rush, rank);
    rush_push(rush, process->busy, EVENT_WAITS, rank);
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
    rush_push(rush, now + rush->model->beta * carried(rush, m), EVENT_OVER, m);
}

/* Free a link, and start what waits for it: who came first, first. */
static void set_free(struct rush *rush, int link, double now)
{
    int64_t n = 0, *freed = rush->freed;
    for (int64_t m = rush->wire[link].waiting; m >= 0; m = rush->passage[m].behind) {
        int64_t at = n++;
        for (; at > 0 && rush->passage[freed[at - 1]].since < rush->passage[m].since;
             at--)
            freed[at] = freed[at - 1];
        freed[at] = m;
    }
    rush->wire[link].taken = false;
    rush->wire[link].waiting = -1;
    while (n > 0) start(rush, freed[--n], now);
}

/* The end of a message passes its links one behind the other: what waits for the first of
 * them is served before what waits for the next, whoever came first. */
static void leave(struct rush *rush, int64_t m, double now)
{
    for (int64_t k = rush->passage[m].begin; k < rush->passage[m].end; k++)
        set_free(rush, rush->link[k], now);
}

static void finish(struct rush *rush, int64_t m, double now)
{
    rush->passage[m].is_over = rush->passage[m].is_sent = true;
    rush->passage[m].over_at = now;
    for (int s = 0; s < SIDES; s++) { /* nobody waits until a word has left */
        int rank = rush->passage[m].rank[s];
        bool waits = s == REDIST_TARGET || m < rush->n;
        if (waits && rush->process[rank].idle) await(rush, rank, now);
    }
}

/* Let a process do what it is to do by now. */
static void act(struct rush *rush, const struct event *event)
{
    if (event->kind == EVENT_WAITS)
        await(rush, (int)event->of, event->time);
    else
        go_on(rush, (int)event->of, event->time);
}

/* One at a time: until nothing happens any more. */
static void serve_in_turns(struct rush *rush)
{
    while (rush->nevents > 0) {
        struct event event = rush_pop(rush);
        if (event.kind == EVENT_OVER) {
            leave(rush, event.of, event.time);
            finish(rush, event.of, event.time);
        } else if (event.kind == EVENT_COMES) {
            start(rush, event.of, event.time);
        } else {
            act(rush, &event);
        }
    }
}

/* ---- shared links ------------------------------------------------------------------ */

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
    for (int64_t j = 0; j < rush->nunderway; j++) {
        double over = over_at(rush, rush->underway[j], now);
        if (over < then) then = over;
    }
    for (int64_t j = 0; j < rush->nunderway; j++) {
        int64_t m = rush->underway[j];
        bool is_over = over_at(rush, m, now) <= then;
        if (!is_over) rush->passage[m].left -= rush->passage[m].rate * (then - now);
        if (is_over || rush->passage[m].left <= nothing * carried(rush, m))
            rush->freed[nover++] = m;
        else
            rush->underway[n++] = m;
    }
    rush->nunderway = n;
    for (int64_t k = 0; k < nover; k++) finish(rush, rush->freed[k], then);
    return then;
}

/* Let happen what is to happen by now. Returns whether messages have come to links. */
static bool catch_up(struct rush *rush, double now)
{
    int64_t before = rush->nunderway;
    while (rush->nevents > 0 && rush->event[0].time <= now) {
        struct event event = rush_pop(rush);
        if (event.kind == EVENT_COMES && event.of >= rush->n) {
            finish(rush, event.of, event.time); /* it takes nothing off the others */
        } else if (event.kind == EVENT_COMES) {
            rush->passage[event.of].left = carried(rush, event.of);
            rush->underway[rush->nunderway++] = event.of;
        } else {
            act(rush, &event);
        }
    }
    return rush->nunderway > before;
}

static void serve_all(struct rush *rush)
{
    double now = 0;
    bool gone = false;
    while (rush->nevents > 0 || rush->nunderway > 0) {
        if (catch_up(rush, now) || gone) shares_divide(rush);
        int64_t before = rush->nunderway;
        now = advance(rush, now, rush->nevents > 0 ? rush->event[0].time : INFINITY);
        gone = rush->nunderway < before;
    }
}

/* ---- a run ------------------------------------------------------------------------- */

/* Of so many orders the median is taken, where it matters who comes first. */
enum { ORDERS = 5 };

/* How many seconds after the first a process begins: in the order of ranks, or in none.
 * Of some hundred processes they are so few that they only decide who comes first. */
static double delay(const struct rush *rush, int beginning, int rank)
{
    static const double apart = 2e-9;
    if (beginning == 0) return apart * rank;
    uint64_t hash = hash_int(hash_int(HASH_START, beginning), rank);
    return apart * rush->nranks * (double)(hash >> 11) * 0x1p-53;
}

static double run(struct rush *rush, int beginning)
{
    rush_start_over(rush);
    for (int r = 0; r < rush->nranks; r++) {
        rush->process[r].busy = delay(rush, beginning, r);
        begin(rush, r);
    }
    if (rush->going->shared)
        serve_all(rush);
    else
        serve_in_turns(rush);
    double end = 0;
    for (int r = 0; r < rush->nranks; r++) end = fmax(end, words_end(rush, r));
    return end;
}

/* In several orders, as far as it matters. */
static void run_all(struct rush *rush, double seconds[MODEL_BEGINNINGS])
{
    double sorted[ORDERS];
    int n = rush->going->shared ? 1 : ORDERS;
    for (int k = 0; k < n; k++) {
        double taken = run(rush, k);
        int at = k;
        if (k == 0) seconds[MODEL_BY_RANK] = taken;
        for (; at > 0 && sorted[at - 1] > taken; at--) sorted[at] = sorted[at - 1];
        sorted[at] = taken;
    }
    seconds[MODEL_BY_MEDIAN] = sorted[n / 2];
}

/* Follow messages between ranks, which are sorted by step. */
static redist_err follow(const struct readout *messages,
                         const struct schedule_input *input, const struct model *model,
                         const struct model_going *going,
                         double seconds[MODEL_BEGINNINGS])
{
    struct rush rush = {.input = input, .model = model, .going = going};
    redist_err err = rush_make(messages, &rush);
    if (!err) run_all(&rush, seconds);
    rush_free(&rush);
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
