/* SPDX-License-Identifier: MIT
 *
 * tests/unit/reading.h - a schedule as each process finds it for itself, checked against
 * the messages that there are, and its cost.
 */
#ifndef REDIST_TESTS_UNIT_READING_H
#define REDIST_TESTS_UNIT_READING_H

#include <stdarg.h>

#include "schedule/model/cost.h"
#include "schedule/order/order.h"
#include "unit/truth.h"

enum { MOST_PIECES = 1 << 15, MOST_STEPS = 1 << 15 };

/* A message, or a piece of one, as its source lists it. */
struct sent_piece {
    int64_t step, weight;
    int next; /* of the same pair, or -1 */
};

struct reading {
    const struct drawn *drawn;
    const struct truth *truth;
    const struct order *order;
    bool shares_ends; /* a process may be at two messages at a time: links are not */
    int npieces;
    struct sent_piece piece[MOST_PIECES];
    int sent[MOST_RANKS * MOST_RANKS]; /* of a pair, not yet received; -1: none */
    int count[MOST_RANKS * MOST_RANKS];
    int64_t weight[MOST_RANKS * MOST_RANKS], begin[MOST_RANKS * MOST_RANKS];
    int64_t longest[MOST_STEPS]; /* [ns] of a step */
    int64_t ns, tc;
    char wrong[600]; /* what is */
};

/* Say what is wrong. Returns false. */
__attribute__((format(printf, 2, 3))) static inline bool
reading_say(struct reading *reading, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reading->wrong, sizeof reading->wrong, format, arguments);
    va_end(arguments);
    return false;
}

/* Take in a piece as its source has it. */
static inline bool reading_send(struct reading *reading, int p, int q,
                                const struct own_message *own)
{
    int pair = p * reading->truth->n + q;
    if (reading->npieces == MOST_PIECES) return reading_say(reading, "too many pieces");
    reading->piece[reading->npieces] =
        (struct sent_piece){own->step, own->weight, reading->sent[pair]};
    reading->sent[pair] = reading->npieces++;
    if (reading->count[pair]++ == 0) reading->begin[pair] = own->step;
    if (reading->begin[pair] > own->step) reading->begin[pair] = own->step;
    reading->weight[pair] += own->weight;
    return true;
}

/* Find the piece that the target has, and strike it out. */
static inline bool reading_receive(struct reading *reading, int p, int q,
                                   const struct own_message *own)
{
    int *at = &reading->sent[p * reading->truth->n + q];
    for (; *at >= 0; at = &reading->piece[*at].next) {
        const struct sent_piece *piece = &reading->piece[*at];
        if (piece->step != own->step || piece->weight != own->weight) continue;
        *at = piece->next;
        return true;
    }
    return reading_say(
        reading, "%d receives %" PRId64 " from %d at %" PRId64 ", which is not sent then",
        q, own->weight, p, own->step);
}

/* Take a process's next piece into the cost, given its load in the step so far. */
static inline bool reading_cost(struct reading *reading, const struct own_message *own,
                                int64_t load)
{
    if (reading->order->kind->timed) {
        if (reading->tc < own->step + own->weight) reading->tc = own->step + own->weight;
        return true;
    }
    if (own->step >= MOST_STEPS) return reading_say(reading, "too many steps");
    while (reading->ns <= own->step) reading->longest[reading->ns++] = 0;
    int64_t *longest = &reading->longest[own->step];
    if (*longest < load) *longest = load;
    return true;
}

/* Read and check the own list of one process of a side. */
static inline bool reading_list(struct reading *reading, int s, int rank,
                                const struct own_list *list)
{
    const struct schedule_kind *kind = reading->order->kind;
    redist_side other = s == 0 ? REDIST_TARGET : REDIST_SOURCE;
    int64_t busy = 0, load = 0; /* until when, or up to which step; in that step */
    for (int64_t k = 0; k < list->n; k++) {
        const struct own_message *own = &list->message[k];
        int partner = pattern_rank(&reading->order->pattern, other, own->partner);
        if (partner < 0 || partner >= reading->truth->n || own->weight < 1)
            return reading_say(reading, "%d has %" PRId64 " for %d", rank, own->weight,
                               partner);
        bool joined =
            s == 1 && kind->loose && k > 0 && own->step == list->message[k - 1].step;
        if (own->step < 0 || (own->step < busy && !joined && !reading->shares_ends))
            return reading_say(
                reading, "%d %s rank %d at %" PRId64 ", but is busy until %" PRId64, rank,
                s == 0 ? "sends to" : "receives from", partner, own->step, busy);
        busy = own->step + (kind->timed ? own->weight : 1);
        load = joined ? load + own->weight : own->weight;
        if (!reading_cost(reading, own, load)) return false;
        if (!(s == 0 ? reading_send(reading, rank, partner, own)
                     : reading_receive(reading, partner, rank, own)))
            return false;
    }
    if (kind->timed && reading->ns < list->n) reading->ns = list->n;
    return true;
}

/* Read what each rank finds for itself on a side. */
static inline bool reading_side(struct reading *reading, int s)
{
    const struct order *order = reading->order;
    const struct drawn_side *side = &reading->drawn->side[s];
    bool well = true;
    for (int at = 0; well && at < side->size; at++) {
        int rank = side->rank[at];
        struct own_list list = {0};
        int64_t c = pattern_find(&order->pattern, (redist_side)s, rank);
        if (c < 0) return reading_say(reading, "rank %d is not found", rank);
        if (schedule_own(order->kind, order->state, &order->pattern.input, (redist_side)s,
                         c, &list))
            well = reading_say(reading, "%s", redist_error_message());
        well = well && reading_list(reading, s, rank, &list);
        own_list_free(&list);
    }
    return well;
}

/* Whether what is sent is what there is: whole, or in pieces where that is meant. */
static inline bool reading_is_true(struct reading *reading)
{
    const struct truth *truth = reading->truth;
    int64_t unit = reading->order->pattern.unit;
    bool whole = !reading->order->kind->timed && !reading->order->kind->cut;
    for (int pair = 0; pair < truth->n * truth->n; pair++) {
        int p = pair / truth->n, q = pair % truth->n;
        if (reading->sent[pair] >= 0)
            return reading_say(reading, "what %d sends to %d is not received", p, q);
        if (reading->weight[pair] * unit != truth->weight[pair])
            return reading_say(reading,
                               "%" PRId64 " is sent from %d to %d, must be %" PRId64,
                               reading->weight[pair] * unit, p, q, truth->weight[pair]);
        if (reading->count[pair] > 1 && whole)
            return reading_say(reading, "from %d to %d in pieces", p, q);
    }
    return true;
}

/* Read a made schedule, check it and count its cost. False: what is wrong is said. */
static inline bool reading_make(struct reading *reading, const struct drawn *drawn,
                                const struct truth *truth, const struct order *order,
                                bool shares_ends)
{
    reading->shares_ends = shares_ends;
    reading->drawn = drawn;
    reading->truth = truth;
    reading->order = order;
    reading->npieces = 0;
    reading->ns = reading->tc = 0;
    for (int pair = 0; pair < truth->n * truth->n; pair++)
        reading->sent[pair] = -1, reading->count[pair] = 0, reading->weight[pair] = 0;
    for (int s = 0; s < 2; s++)
        if (!reading_side(reading, s)) return false;
    for (int64_t k = 0; k < reading->ns && !order->kind->timed; k++)
        reading->tc += reading->longest[k];
    return reading_is_true(reading);
}

#endif
